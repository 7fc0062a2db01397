#include "agent/agent.h"

#include <signal.h>

#include "agent/agent_ops.h"
#include "agent/answer.h"
#include "agent/mailbox.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "test.h"

/* A turn by hand: forge asks in this process, a person in another one answers through the mailbox.
 */

struct scene {
	char root[64];
	char *box;
	struct agent_spec spec;
	json_t *data;
};

static void scene_open(struct scene *sc)
{
	*sc = (struct scene){ .root = "/tmp/forge-manual-XXXXXX" };
	CHECK(mkdtemp(sc->root));
	sc->box = path_join(sc->root, "turn/student");
	sc->data = json_pack(
		"{s:{s:s, s:[s, s]}, s:[{s:s, s:s, s:[s], s:s}, {s:s, s:s, s:[s], s:s}], "
		"s:{s:i}}",
		"row", "id", "D1.1", "lessons", "loads", "four-sums", "knowledge", "id", "loads",
		"title", "align what is loaded", "topics", "alignment", "text",
		"whole lines, and sums too", "id", "four-sums", "title", "keep sums apart",
		"topics", "latency", "text", "the whole lesson", "feedback", "round", 3);
	sc->spec = (struct agent_spec){ .ops = &agent_manual,
					.role = AGENT_STUDENT,
					.workspace = sc->root,
					.run_name = "run_1",
					.mailbox = sc->box,
					.deadline_s = 1 };
}

static void scene_close(struct scene *sc)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(sc->root, &e));
	json_decref(sc->data);
	free(sc->box);
}

static void ask(struct scene *sc, struct agent_answer *answer)
{
	struct err e = { 0 };
	const struct agent_turn turn = { .id = 4,
					 .kind = TURN_ROUND,
					 .purpose = "round-0007",
					 .prompt = "do it",
					 .data = sc->data };
	CHECK_OK(agent_ask(&sc->spec, &turn, answer, &e));
}

static void wait_for_turn(const struct scene *sc)
{
	for (int i = 0; i < 500; i++) {
		struct err ignored = { 0 };
		AUTO_JSON json_t *state = NULL;
		if (mailbox_state(sc->box, &state, &ignored) == 0 &&
		    str_equal(json_text_or(state, "state", ""), "open"))
			return;
		clock_sleep_ns(20 * NS_PER_MS);
	}
	_exit(9);
}

/* What forge says to a line, as text. */
static char *say(const struct scene *sc, const char *text)
{
	struct err e = { 0 };
	AUTO_JSON json_t *line = json_read_text(text, strlen(text), "line", &e);
	AUTO_JSON json_t *reply = NULL;
	if (!line || mailbox_call(sc->box, line, 20, &reply, &e) < 0) {
		printf("# %s\n", e.text);
		fflush(stdout);
		_exit(8);
	}
	return json_line(reply);
}

static void expect(const struct scene *sc, const char *line, const char *part)
{
	AUTO_FREE char *reply = say(sc, line);
	bool is_there = strstr(reply, part) != NULL;
	printf("# %s\n#   %s\n", line, reply);
	fflush(stdout);
	if (!is_there)
		_exit(7);
}

static pid_t person(const struct scene *sc, void (*act)(const struct scene *sc))
{
	fflush(stdout);
	pid_t pid = fork();
	if (pid)
		return pid;
	wait_for_turn(sc);
	act(sc);
	_exit(0);
}

static void reap(pid_t pid)
{
	int status = 0;
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_INT(status, 0);
}

static void look_and_submit(const struct scene *sc)
{
	struct err e = { 0 };
	AUTO_JSON json_t *turn = NULL;
	AUTO_JSON json_t *state = NULL;
	if (mailbox_turn(sc->box, &turn, &e) < 0 || mailbox_state(sc->box, &state, &e) < 0)
		_exit(1);
	AUTO_FREE char *text = json_line(state);
	if (strcmp(text, "{\"ends_with_turn\":false,\"last\":{\"round\":3},\"role\":\"student\","
			 "\"round\":7,\"run\":\"run_1\","
			 "\"state\":\"open\",\"turn\":4}") != 0)
		_exit(2);
	if (strcmp(json_text_or(turn, "prompt", ""), "do it") != 0 ||
	    json_real_or(turn, "deadline_s", 1) != 0 || json_object_get(turn, "type"))
		_exit(3);
	expect(sc, "{\"type\":\"tool\",\"tool\":\"decision\"}", "\"row\":{\"id\":\"D1.1\"");
	expect(sc, "{\"type\":\"tool\",\"tool\":\"knowledge_search\",\"query\":\"sums\"}",
	       "\"id\":\"four-sums\",\"text\":\"keep sums apart\"},{");
	expect(sc, "{\"type\":\"tool\",\"tool\":\"knowledge_search\",\"query\":\"alignment\"}",
	       "\"id\":\"loads\",\"text\":\"align what is loaded\"}]");
	expect(sc, "{\"type\":\"tool\",\"tool\":\"knowledge_search\",\"query\":\"banana\"}",
	       "\"entries\":[]");
	expect(sc, "{\"type\":\"tool\",\"tool\":\"knowledge_read\",\"entry\":\"four-sums\"}",
	       "\"text\":\"the whole lesson\"");
	expect(sc, "{\"type\":\"tool\",\"tool\":\"knowledge_read\",\"entry\":\"x\"}", "\"failed\"");
	expect(sc, "{\"type\":\"tool\",\"tool\":\"wait\"}", "\"feedback\":{\"round\":3}");
	expect(sc, "{\"type\":\"submit\",\"source\":\"int x;\",\"value\":\"8\"}",
	       "{\"round\":7,\"text\":\"this is the answer of the turn; what comes of it is told "
	       "with the "
	       "next turn\",\"turn\":4,\"type\":\"accepted\"}");
}

TEST(a_person_looks_at_the_turn_and_submits)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	pid_t pid = person(&sc, look_and_submit);
	ask(&sc, &a);
	reap(pid);
	CHECK_INT(a.kind, ANSWER_SUBMIT);
	CHECK_TEXT(a.text, "int x;");
	CHECK_TEXT(a.value, "8");
	CHECK_TEXT(a.name, "manual");
	CHECK(a.waited_s > 0 && a.waited_s <= a.seconds);
	AUTO_JSON json_t *state = NULL;
	json_t *turn = NULL;
	CHECK_OK(mailbox_state(sc.box, &state, &e));
	CHECK_TEXT(json_text_or(state, "state", ""), "between");
	CHECK(mailbox_turn(sc.box, &turn, &e) < 0);
	scene_close(&sc);
}

/* More slips than an agent is forgiven, and longer than its deadline. */
static void slip_and_hand_back(const struct scene *sc)
{
	for (int i = 0; i < 4; i++)
		expect(sc, "{\"type\":\"submit\",\"sourc\":\"int x;\"}", "\"malformed\"");
	expect(sc, "{\"type\":\"submit\"}", "\\\"source\\\" is missing");
	expect(sc, "{\"type\":\"curriculum\",\"toml\":\"x\"}",
	       "there is no tool \\\"publish_curriculum\\\" in this turn");
	expect(sc, "{\"type\":\"error\",\"text\":\"x\"}", "neither \\\"tool\\\" nor the type");
	expect(sc, "{\"type\":\"submit\",\"turn\":3,\"source\":\"x\"}", "turn 4 is open now");
	expect(sc, "{\"type\":\"tool\",\"tool\":\"read\",\"path\":\"x\"}",
	       "there is no tool \\\"read\\\"");
	expect(sc, "{\"type\":\"tool\",\"tool\":\"submit\",\"path\":\"missing.c\"}",
	       "\"malformed\"");
	clock_sleep_ns(NS_PER_S + NS_PER_S / 2);
	expect(sc, "{\"type\":\"handback\",\"reason\":\"the row is wrong\"}", "\"accepted\"");
}

TEST(a_person_may_slip_and_has_time)
{
	struct scene sc;
	scene_open(&sc);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	pid_t pid = person(&sc, slip_and_hand_back);
	ask(&sc, &a);
	reap(pid);
	CHECK_INT(a.kind, ANSWER_HANDBACK);
	CHECK_TEXT(a.text, "the row is wrong");
	scene_close(&sc);
}

static void submit_a_file(const struct scene *sc)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(sc->root, "kernel.c");
	if (file_write_text(path, "int y;", &e) < 0)
		_exit(1);
	expect(sc, "{\"type\":\"tool\",\"tool\":\"submit\",\"path\":\"kernel.c\"}", "\"accepted\"");
}

static void slip_three_times(const struct scene *sc)
{
	expect(sc, "{\"type\":\"submit\",\"sourc\":\"int x;\"}", "\"malformed\"");
	expect(sc, "{\"type\":\"tool\",\"tool\":\"shell\"}", "\"refused\"");
	expect(sc, "{\"type\":\"submit\",\"source\":\"\"}", "\"malformed\"");
}

/* The same mailbox in the hands of an agent: it goes with its turn, and slips are counted. */
TEST(an_agent_behind_a_mailbox_is_told_three_times)
{
	struct agent_ops hasty = agent_manual;
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	hasty.is_patient = false;
	sc.spec.ops = &hasty;
	sc.spec.deadline_s = 30;
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	pid_t pid = person(&sc, slip_three_times);
	ask(&sc, &a);
	reap(pid);
	CHECK_INT(a.kind, ANSWER_ERROR);
	CHECK(strstr(
		a.text,
		"3 calls in a row that can not be taken; the last: submit: \"source\" is empty"));
	AUTO_JSON json_t *state = NULL;
	CHECK_OK(mailbox_state(sc.box, &state, &e));
	CHECK(json_is_true(json_object_get(state, "ends_with_turn")));
	scene_close(&sc);
}

TEST(a_file_of_the_workspace_can_be_the_answer)
{
	struct scene sc;
	scene_open(&sc);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	pid_t pid = person(&sc, submit_a_file);
	ask(&sc, &a);
	reap(pid);
	CHECK_INT(a.kind, ANSWER_SUBMIT);
	CHECK_TEXT(a.text, "int y;");
	scene_close(&sc);
}

static volatile sig_atomic_t stop_now;

static void set_stop(int signal_nr)
{
	stop_now = signal_nr;
}

static void interrupt(const struct scene *sc)
{
	(void)sc;
	kill(getppid(), SIGUSR1);
}

/* Stopped and started again forge offers the same turn, and takes what was written meanwhile. */
TEST(an_answer_that_was_written_while_no_forge_was_there_is_taken)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	sc.spec.stop = &stop_now;
	signal(SIGUSR1, set_stop);
	pid_t pid = person(&sc, interrupt);
	ask(&sc, &a);
	reap(pid);
	CHECK_INT(a.kind, ANSWER_STOPPED);
	AUTO_JSON json_t *line = json_pack("{s:s, s:s}", "type", "give_up", "reason", "no idea");
	json_t *reply = NULL;
	CHECK(mailbox_call(sc.box, line, 0.2, &reply, &e) < 0);
	CHECK_INT(e.kind, ERR_TIMEOUT);
	stop_now = 0;
	AUTO_AGENT_ANSWER struct agent_answer again = { 0 };
	ask(&sc, &again);
	CHECK_INT(again.kind, ANSWER_GIVE_UP);
	CHECK_TEXT(again.text, "no idea");
	scene_close(&sc);
}

TEST_MAIN()
