#include "agent/agent.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/agent_ops.h"
#include "agent/frame.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "test.h"

/* The embedded driver with a fake in place of its program: same pipes, same sandbox. */

struct scene {
	char dir[64];
	char *transcript;
	struct agent_spec spec;
	struct str logs;
};

/* "bwrap" of the test in front of the machine's. */
static void put_on_path(const char *dir, const char *script)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(dir, "bwrap");
	AUTO_FREE char *search = xasprintf("%s:%s", dir, getenv("PATH"));
	CHECK_OK(file_write_text(path, script, &e));
	CHECK(chmod(path, 0755) == 0);
	CHECK(setenv("PATH", search, 1) == 0);
}

static void keep_log(void *ctx, const char *text)
{
	str_addf(&((struct scene *)ctx)->logs, "%s;", text);
}

static void scene_open(struct scene *sc)
{
	*sc = (struct scene){ .dir = "/tmp/forge-agent-XXXXXX", .logs = STR_INIT };
	CHECK(mkdtemp(sc->dir));
	sc->transcript = path_join(sc->dir, "t.jsonl");
	sc->spec = (struct agent_spec){ .ops = &agent_tuner,
					.role = AGENT_STUDENT,
					.workspace = sc->dir,
					.program = "tests/fake/fake-agent",
					.transcript = sc->transcript,
					.deadline_s = 20,
					.see_log = keep_log,
					.ctx = sc };
}

static void scene_close(struct scene *sc)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(sc->dir, &e));
	free(sc->transcript);
	str_release(&sc->logs);
}

static void ask(struct scene *sc, const char *mode, struct agent_answer *answer)
{
	struct err e = { 0 };
	AUTO_FREE char *prompt = xasprintf("mode %s", mode);
	AUTO_JSON json_t *data = json_pack("{s:{s:s}}", "row", "id", "D1.1");
	const struct agent_turn turn = {
		.id = 1, .kind = TURN_ROUND, .prompt = prompt, .data = data
	};
	CHECK_OK(agent_ask(&sc->spec, &turn, answer, &e));
}

TEST(an_answer_comes_with_its_note_and_usage)
{
	struct scene sc;
	scene_open(&sc);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, "good", &a);
	CHECK_INT(a.kind, ANSWER_SUBMIT);
	CHECK_TEXT(a.text, "int x;");
	CHECK_TEXT(a.note, "n");
	CHECK_TEXT(a.name, "fake");
	CHECK_INT(json_integer_value(json_object_get(a.predicted, "vector_bits")), 256);
	CHECK_INT(a.usage.tokens, 5);
	CHECK(a.usage.usd == 0.25);
	CHECK_TEXT(sc.logs.text, "noise;thinking;");
	scene_close(&sc);
}

TEST(the_transcript_holds_both_directions)
{
	struct scene sc;
	scene_open(&sc);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, "good", &a);
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read(sc.transcript, 1 << 20, &text, &e));
	CHECK(strstr(text.text, "\"dir\":\"to\""));
	CHECK(strstr(text.text, "\"dir\":\"from\""));
	scene_close(&sc);
}

/* What the fake does, and what must come of it. */
static const struct {
	const char *mode;
	enum answer_kind kind;
	unsigned nr_repairs;
	const char *text;
} manners[] = {
	{ "torn", ANSWER_SUBMIT, 1, "int x;" },
	{ "misfit", ANSWER_SUBMIT, 1, "int x;" },
	{ "twice", ANSWER_SUBMIT, 1, "int x;" },
	{ "silent", ANSWER_SUBMIT, 1, "int x;" },
	{ "stubborn", ANSWER_ERROR, 1, "malformed twice" },
	{ "crash", ANSWER_ERROR, 0, "out of ideas" },
	{ "handback", ANSWER_HANDBACK, 0, "the tiles do not fit" },
};

TEST(bad_manners_are_repaired_once_and_then_an_error_answer)
{
	struct scene sc;
	scene_open(&sc);
	for (size_t i = 0; i < ARRAY_LEN(manners); i++) {
		AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
		ask(&sc, manners[i].mode, &a);
		printf("# %s: %s: %s\n", manners[i].mode, answer_kind_name(a.kind), a.text);
		CHECK_INT(a.kind, manners[i].kind);
		CHECK_INT(a.nr_repairs, manners[i].nr_repairs);
		CHECK(strstr(a.text, manners[i].text));
	}
	scene_close(&sc);
}

static json_t *answer_call(void *ctx, const json_t *call)
{
	str_addf(&((struct scene *)ctx)->logs, "called %s %s;", json_text_or(call, "tool", ""),
		 json_text_or(call, "source", ""));
	clock_sleep_ns(NS_PER_S + NS_PER_S / 2);
	return json_pack("{s:s}", "outcome", "done");
}

/* The call takes longer than the turn may: it is not the agent's time. */
TEST(a_tool_call_is_answered_before_the_turn_goes_on)
{
	struct scene sc;
	scene_open(&sc);
	sc.spec.call_tool = answer_call;
	sc.spec.deadline_s = 1;
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, "tool", &a);
	CHECK_INT(a.kind, ANSWER_SUBMIT);
	AUTO_FREE char *want =
		xasprintf("{frame:%s,id:a,outcome:done,type:tool_result}", frame_note);
	CHECK_TEXT(a.text, want);
	CHECK_TEXT(sc.logs.text, "called build int y;;");
	scene_close(&sc);
}

TEST(without_tools_a_call_is_refused)
{
	struct scene sc;
	scene_open(&sc);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, "tool", &a);
	CHECK_INT(a.kind, ANSWER_SUBMIT);
	AUTO_FREE char *want =
		xasprintf("{frame:%s,id:a,outcome:refused,text:nothing can be measured in "
			  "this turn,type:tool_result}",
			  frame_note);
	CHECK_TEXT(a.text, want);
	scene_close(&sc);
}

TEST(the_data_of_the_turn_is_answered_without_the_engine)
{
	struct scene sc;
	scene_open(&sc);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, "row", &a);
	CHECK(strstr(a.text, "outcome:done"));
	CHECK(strstr(a.text, "row:{id:D1.1}"));
	scene_close(&sc);
}

TEST(a_call_with_wrong_arguments_is_told_what_is_wrong)
{
	struct scene sc;
	scene_open(&sc);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, "wrong", &a);
	CHECK(strstr(a.text, "outcome:malformed"));
	CHECK(strstr(a.text, "there is no sourc; did you mean source?"));
	scene_close(&sc);
}

TEST(three_bad_calls_in_a_row_end_the_turn)
{
	struct scene sc;
	scene_open(&sc);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, "wild", &a);
	CHECK_INT(a.kind, ANSWER_ERROR);
	CHECK(strstr(a.text, "3 calls in a row that can not be taken"));
	CHECK(strstr(a.text, "there is no tool \"shell\" in this turn; there are: decision,"));
	scene_close(&sc);
}

/* What an agent was told stands, whatever it does after. */
TEST(an_answer_that_came_as_a_call_stands)
{
	static const char *const modes[] = { "called", "leaves", "stays" };
	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		struct scene sc;
		scene_open(&sc);
		sc.spec.deadline_s = 3;
		AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
		ask(&sc, modes[i], &a);
		printf("# %s: %s: %s\n", modes[i], answer_kind_name(a.kind), a.text);
		CHECK_INT(a.kind, ANSWER_SUBMIT);
		CHECK_TEXT(a.text, "int x;");
		CHECK_TEXT(a.note, "n");
		CHECK_INT(a.nr_repairs, 0);
		scene_close(&sc);
	}
}

/* An agent without hands: forge writes its file, and the file is its answer. */
TEST(a_file_that_forge_wrote_for_the_agent_is_its_answer)
{
	struct agent_ops own_loop = agent_tuner;
	struct scene sc;
	scene_open(&sc);
	own_loop.needs_file_tools = true;
	sc.spec.ops = &own_loop;
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, "files", &a);
	CHECK_INT(a.kind, ANSWER_SUBMIT);
	CHECK_TEXT(a.text, "int z;");
	scene_close(&sc);
}

TEST(a_turn_lists_its_tools)
{
	struct scene sc;
	scene_open(&sc);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, "good", &a);
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read(sc.transcript, 1 << 20, &text, &e));
	CHECK(strstr(text.text, "\\\"tools\\\":[{\\\"description\\\":"));
	CHECK(strstr(text.text, "\\\"name\\\":\\\"submit\\\""));
	CHECK(!strstr(text.text, "\\\"name\\\":\\\"edit\\\""));
	scene_close(&sc);
}

static json_t *fail_call(void *ctx, const json_t *call)
{
	(void)ctx;
	(void)call;
	return NULL;
}

TEST(a_call_that_can_not_be_answered_ends_the_turn)
{
	struct scene sc;
	scene_open(&sc);
	sc.spec.call_tool = fail_call;
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, "tool", &a);
	CHECK_INT(a.kind, ANSWER_STOPPED);
	scene_close(&sc);
}

TEST(a_silent_agent_is_stopped_at_its_deadline)
{
	struct scene sc;
	scene_open(&sc);
	sc.spec.deadline_s = 0.3;
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	uint64_t start_ns = clock_mono_ns();
	ask(&sc, "hang", &a);
	CHECK_INT(a.kind, ANSWER_ERROR);
	CHECK(strstr(a.text, "in time"));
	CHECK(clock_mono_ns() - start_ns < 10 * NS_PER_S);
	scene_close(&sc);
}

TEST(an_agent_that_fills_its_workspace_is_stopped)
{
	struct scene sc;
	scene_open(&sc);
	sc.spec.workspace_bytes = 4 << 20;
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, "fill", &a);
	CHECK_INT(a.kind, ANSWER_ERROR);
	CHECK(strstr(a.text, "filled its workspace"));
	scene_close(&sc);
}

static volatile sig_atomic_t stop_now;

static void set_stop(int signal_nr)
{
	stop_now = signal_nr;
}

TEST(a_stop_signal_ends_the_turn_at_once)
{
	struct scene sc;
	scene_open(&sc);
	sc.spec.stop = &stop_now;
	signal(SIGUSR1, set_stop);
	pid_t parent = getpid();
	pid_t killer = fork();
	if (killer == 0) {
		clock_sleep_ns(300 * NS_PER_MS);
		kill(parent, SIGUSR1);
		_exit(0);
	}
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, "hang", &a);
	CHECK_INT(a.kind, ANSWER_STOPPED);
	scene_close(&sc);
}

TEST(an_agent_sees_its_workspace_and_the_system_only)
{
	if (!agent_sandbox_works())
		SKIP("bwrap makes no sandbox here");
	struct scene sc;
	scene_open(&sc);
	struct err e = { 0 };
	AUTO_FREE char *mark = path_join(sc.dir, "mark");
	CHECK_OK(file_write_text(mark, "x", &e));
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, "look", &a);
	CHECK_INT(a.kind, ANSWER_SUBMIT);
	CHECK(strstr(a.text, "mark"));
	CHECK(strstr(a.text, "workspace"));
	CHECK(!strstr(a.text, "home"));
	CHECK(!strstr(a.text, "root"));
	scene_close(&sc);
}

TEST(a_missing_program_is_our_failure)
{
	struct scene sc;
	scene_open(&sc);
	sc.spec.program = "/nowhere/agent";
	struct err e = { 0 };
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	const struct agent_turn turn = { .id = 1, .kind = TURN_ROUND };
	CHECK(agent_ask(&sc.spec, &turn, &a, &e) < 0);
	CHECK(strstr(e.text, "start agent tuner: /nowhere/agent"));
	scene_close(&sc);
}

static const char record[] =
	"{\"type\":\"submit\",\"source_file\":\"a.c\"}\n"
	"{\"lines\":[\"{torn\",{\"type\":\"submit\",\"source\":\"b\"},{\"type\":\"done\"}]}\n"
	"{\"type\":\"handback\",\"reason\":\"r\"}\n";

static void replay_turn(struct scene *sc, unsigned id, struct agent_answer *a)
{
	struct err e = { 0 };
	sc->spec.ops = agent_driver("replay");
	sc->spec.record_dir = sc->dir;
	const struct agent_turn turn = { .id = id, .kind = TURN_ROUND };
	CHECK_OK(agent_ask(&sc->spec, &turn, a, &e));
}

TEST(replay_answers_turn_n_with_line_n)
{
	struct scene sc;
	scene_open(&sc);
	struct err e = { 0 };
	AUTO_FREE char *lines = path_join(sc.dir, "student.jsonl");
	AUTO_FREE char *source = path_join(sc.dir, "a.c");
	CHECK_OK(file_write_text(lines, record, &e));
	CHECK_OK(file_write_text(source, "from a file", &e));
	static const struct {
		enum answer_kind kind;
		const char *text;
	} want[] = { { ANSWER_SUBMIT, "from a file" },
		     { ANSWER_SUBMIT, "b" },
		     { ANSWER_HANDBACK, "r" },
		     { ANSWER_GIVE_UP, "the record ends here" } };
	for (unsigned i = 0; i < ARRAY_LEN(want); i++) {
		AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
		replay_turn(&sc, i + 1, &a);
		CHECK_INT(a.kind, want[i].kind);
		CHECK_TEXT(a.text, want[i].text);
	}
	scene_close(&sc);
}

TEST(a_model_has_longer_to_think_than_a_program)
{
	CHECK(agent_deadline_s(&agent_tuner) == AGENT_DEADLINE_S);
	CHECK(agent_deadline_s(&agent_openai_chat) == AGENT_MODEL_DEADLINE_S);
	CHECK(agent_deadline_s(&agent_claude) == AGENT_MODEL_DEADLINE_S);
}

TEST(drivers_are_found_by_name)
{
	CHECK(agent_driver("tuner") == &agent_tuner);
	CHECK(!agent_driver("nobody"));
	AUTO_STR struct str names = STR_INIT;
	agent_driver_names(&names);
	CHECK(strstr(names.text, "manual, "));
	AUTO_STRV struct strv each = { 0 };
	strv_split(&each, names.text, ", ");
	for (size_t i = 0; i < each.nr; i++)
		CHECK_TEXT(agent_driver(each.items[i])->name, each.items[i]);
}

/* Zombies are dead. */
static bool is_alive(pid_t pid)
{
	AUTO_FREE char *path = xasprintf("/proc/%d/stat", (int)pid);
	AUTO_STR struct str text = STR_INIT;
	struct err ignored = { 0 };
	if (file_read(path, 1 << 12, &text, &ignored) < 0)
		return false;
	const char *end = strrchr(text.text, ')');
	return end && end[2] != 'Z';
}

static pid_t await_pid(const char *path)
{
	AUTO_STR struct str text = STR_INIT;
	struct err e = { 0 };
	for (int i = 0; i < 1000 && !file_exists(path); i++)
		clock_sleep_ns(20 * NS_PER_MS);
	CHECK_OK(file_read(path, 100, &text, &e));
	return (pid_t)strtol(text.text, NULL, 10);
}

/* The step between bwrap's fork and the moment when it binds what it forked to itself, made as long
 * as it gets: this one never comes to the second. */
static char *slow_bwrap(const char *dir)
{
	return xasprintf("#!/bin/sh\n"
			 "case \" $* \" in *' /usr/bin/true ') exit 0 ;; esac\n"
			 "setsid sleep 300 < /dev/null > /dev/null 2>&1 &\n"
			 "echo $! > %s/born.new\n"
			 "mv %s/born.new %s/born\n"
			 "wait\n",
			 dir, dir, dir);
}

TEST(what_bwrap_was_about_to_start_dies_with_a_forge_that_is_killed)
{
	struct scene sc;
	scene_open(&sc);
	char dir[] = "/tmp/forge-bwrap-XXXXXX";
	CHECK(mkdtemp(dir));
	AUTO_FREE char *script = slow_bwrap(dir);
	AUTO_FREE char *born = path_join(dir, "born");
	put_on_path(dir, script);
	fflush(stdout);
	pid_t forge = fork();
	if (forge == 0) {
		struct err e = { 0 };
		AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
		AUTO_JSON json_t *data = json_object();
		const struct agent_turn turn = {
			.id = 1, .kind = TURN_ROUND, .prompt = "mode good", .data = data
		};
		agent_ask(&sc.spec, &turn, &a, &e);
		_exit(0);
	}
	pid_t half_born = await_pid(born);
	CHECK(is_alive(half_born));
	kill(forge, SIGKILL);
	waitpid(forge, NULL, 0);
	for (int i = 0; i < 500 && is_alive(half_born); i++)
		clock_sleep_ns(20 * NS_PER_MS);
	bool is_left = is_alive(half_born);
	kill(half_born, SIGKILL);
	CHECK(!is_left);
	struct err e = { 0 };
	CHECK_OK(tree_remove(dir, &e));
	scene_close(&sc);
}

TEST_MAIN()
