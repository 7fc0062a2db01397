#include "agent/agent.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "agent/agent_ops.h"
#include "agent/memory.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "test.h"

/* The drivers of CLI agents over their fakes (tests/fake/fake_script.py): same box, same mailbox.
 */

static const struct {
	const char *driver;
	const char *fake;
	const char *version;
} fakes[] = {
	{ "claude", "claude", "2.1.328 (Claude Code)" },
	{ "codex", "codex", "codex-cli 0.169.0" },
	{ "acp", "acp-agent", "acp-agent 1.0.0" },
	{ "cmd", "cmd-agent", "?" },
};
enum { CLAUDE, CODEX, ACP, CMD, NR_FAKES };

static const char secret[] = "canary-5d41402abc4b2a76";

struct scene {
	char dir[64];
	char *workspace;
	char *home;
	char *transcript;
	char *forge;
	struct agent_spec spec;
	struct str logs;
};

static void keep_log(void *ctx, const char *text)
{
	str_addf(&((struct scene *)ctx)->logs, "%s\n", text);
}

static json_t *answer_call(void *ctx, const json_t *call)
{
	str_addf(&((struct scene *)ctx)->logs, "called %s\n", json_text_or(call, "tool", ""));
	return json_pack("{s:s, s:s}", "outcome", "done", "text", "fine");
}

static void write_text(const struct scene *sc, const char *name, const char *text)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(sc->dir, name);
	CHECK_OK(file_write_text(path, text, &e));
}

/* What comes along, with the fake in the place of the program. */
static void write_launch(const struct scene *sc, int fake, const char *more)
{
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_STR struct str out = STR_INIT;
	AUTO_FREE char *real = realpath("tests/fake", NULL);
	AUTO_FREE char *path =
		xasprintf("share/agents/%s.toml", fake == ACP ? "gemini" : fakes[fake].driver);
	AUTO_FREE char *name = xasprintf("%s.toml", fakes[fake].driver);
	CHECK_OK(file_read(path, 1 << 20, &text, &e));
	str_addf(&out, "folders = [\"%s\"]\n%s", sc->dir, more);
	for (const char *at = text.text; at && *at;) {
		size_t len = strcspn(at, "\n");
		if (str_starts(at, "program = "))
			str_addf(&out, "program = \"%s/%s\"\n", real, fakes[fake].fake);
		else if (str_starts(at, "env = ["))
			str_addf(&out, "env = [\"FAKE_SCRIPT\", \"FAKE_KEY\", %.*s\n",
				 (int)(len - 7), at + 7);
		else
			str_addf(&out, "%.*s\n", (int)len, at);
		at += len + (at[len] == '\n');
	}
	write_text(sc, name, out.text);
}

static void scene_open(struct scene *sc, int fake)
{
	*sc = (struct scene){ .dir = "/tmp/forge-cli-XXXXXX", .logs = STR_INIT };
	struct err e = { 0 };
	AUTO_FREE char *bin = path_of_program();
	CHECK(mkdtemp(sc->dir));
	AUTO_FREE char *script = path_join(sc->dir, "script");
	sc->workspace = path_join(sc->dir, "work");
	sc->home = path_join(sc->dir, "home");
	sc->transcript = path_join(sc->dir, "t.jsonl");
	sc->forge = xasprintf("%s/../../bin/forge", bin);
	CHECK_OK(dir_make(sc->workspace, &e));
	CHECK(setenv("FORGE_AGENTS", sc->dir, 1) == 0);
	CHECK(setenv("FAKE_SCRIPT", script, 1) == 0);
	CHECK(setenv("FAKE_KEY", secret, 1) == 0);
	write_launch(sc, fake, "");
	sc->spec = (struct agent_spec){ .ops = agent_driver(fakes[fake].driver),
					.role = AGENT_STUDENT,
					.workspace = sc->workspace,
					.home = sc->home,
					.forge = sc->forge,
					.transcript = sc->transcript,
					.deadline_s = 40,
					.see_log = keep_log,
					.call_tool = answer_call,
					.ctx = sc };
}

static void scene_close(struct scene *sc)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(sc->dir, &e));
	free(sc->workspace);
	free(sc->home);
	free(sc->transcript);
	free(sc->forge);
	str_release(&sc->logs);
}

static void ask(struct scene *sc, const char *script, struct agent_answer *answer)
{
	struct err e = { 0 };
	AUTO_JSON json_t *data = json_object();
	const struct agent_turn turn = { .id = 1,
					 .kind = TURN_ROUND,
					 .purpose = "round-0001",
					 .prompt = "Apply the row.",
					 .data = data };
	write_text(sc, "script", script);
	CHECK_OK(agent_ask(&sc->spec, &turn, answer, &e));
	printf("# %s: %s\n%s", answer_kind_name(answer->kind), answer->text, sc->logs.text);
}

static void read_text(const struct scene *sc, const char *name, struct str *out)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(sc->dir, name);
	CHECK_OK(file_read(path, 1 << 24, out, &e));
}

#define SUBMIT "post {\"type\":\"submit\",\"source\":\"int x;\",\"note\":\"n\"}\n"

TEST(every_cli_agent_answers_by_the_mailbox)
{
	for (int i = 0; i < NR_FAKES; i++) {
		struct scene sc;
		scene_open(&sc, i);
		AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
		ask(&sc, "say working\n" SUBMIT "say $REPLY\nend\n", &a);
		CHECK_INT(a.kind, ANSWER_SUBMIT);
		CHECK_TEXT(a.text, "int x;");
		CHECK_TEXT(a.note, "n");
		CHECK_TEXT(a.name, fakes[i].driver);
		CHECK_TEXT(a.version, fakes[i].version);
		CHECK(strstr(sc.logs.text, "accepted"));
		CHECK(strstr(sc.logs.text, "working"));
		scene_close(&sc);
	}
}

TEST(a_tool_call_by_the_mailbox_is_answered_before_the_turn_goes_on)
{
	for (int i = CLAUDE; i <= CODEX; i++) {
		struct scene sc;
		scene_open(&sc, i);
		AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
		ask(&sc,
		    "post {\"type\":\"tool\",\"tool\":\"build\",\"source\":\"int y;\"}\n"
		    "say $REPLY\n" SUBMIT "end\n",
		    &a);
		CHECK_INT(a.kind, ANSWER_SUBMIT);
		CHECK(strstr(sc.logs.text, "called build"));
		CHECK(strstr(sc.logs.text, "fine"));
		scene_close(&sc);
	}
}

TEST(a_malformed_answer_is_repaired_inside_of_the_turn)
{
	for (int i = CODEX; i <= ACP; i++) {
		struct scene sc;
		scene_open(&sc, i);
		AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
		ask(&sc, "post {\"type\":\"submit\"}\nsay $REPLY\n" SUBMIT "end\n", &a);
		CHECK_INT(a.kind, ANSWER_SUBMIT);
		CHECK(strstr(sc.logs.text, "malformed"));
		scene_close(&sc);
	}
}

TEST(a_turn_without_an_answer_is_asked_again_once)
{
	for (int i = 0; i < NR_FAKES; i++) {
		struct scene sc;
		scene_open(&sc, i);
		AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
		ask(&sc, "say nothing to submit\nend\n", &a);
		CHECK_INT(a.kind, ANSWER_ERROR);
		CHECK_INT(a.nr_repairs, 1);
		scene_close(&sc);
	}
}

/* The second prompt goes on in the same session, or in a new process of it. */
TEST(the_second_prompt_of_a_turn_may_bring_the_answer)
{
	for (int i = CLAUDE; i <= ACP; i += 2) {
		struct scene sc;
		scene_open(&sc, i);
		AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
		ask(&sc, "say first\nend\nask\n" SUBMIT "end\n", &a);
		CHECK_INT(a.kind, ANSWER_SUBMIT);
		CHECK_INT(a.nr_repairs, 1);
		scene_close(&sc);
	}
}

TEST(codex_resumes_its_thread_and_tells_what_the_second_prompt_used)
{
	struct scene sc;
	scene_open(&sc, CODEX);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, "say x\nend\n", &a);
	CHECK_INT(a.kind, ANSWER_ERROR);
	AUTO_STR struct str lines = STR_INIT;
	read_text(&sc, "t.jsonl", &lines);
	/* Each prompt is one request of the fake: 100 in, 60 of them cached, 10 out. */
	CHECK(strstr(lines.text, "\\\"input\\\":40,"));
	CHECK(strstr(lines.text, "\\\"input\\\":80,"));
	scene_close(&sc);
}

TEST(a_command_may_answer_by_a_code_block_at_the_end)
{
	struct scene sc;
	scene_open(&sc, CMD);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, "say Here:\\n```c\\nint z;\\n```\\n", &a);
	CHECK_INT(a.kind, ANSWER_SUBMIT);
	CHECK_TEXT(a.text, "int z;\n");
	scene_close(&sc);
}

TEST(a_crash_is_begun_anew_once)
{
	for (int i = CLAUDE; i < NR_FAKES; i += CMD) {
		struct scene sc;
		scene_open(&sc, i);
		AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
		ask(&sc, "log out of ideas\nexit 3\n", &a);
		CHECK_INT(a.kind, ANSWER_ERROR);
		CHECK(strstr(a.text, "crash: it ended in the middle of its turn (exit 3)"));
		CHECK(strstr(a.text, "out of ideas"));
		CHECK(strstr(sc.logs.text, "asked again"));
		scene_close(&sc);
	}
}

TEST(a_key_that_is_refused_ends_the_turn_at_once)
{
	struct scene sc;
	scene_open(&sc, CLAUDE);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc,
	    "end {\"is_error\":true,\"api_error_status\":401,\"result\":\"Invalid API key\"}\n",
	    &a);
	CHECK_INT(a.kind, ANSWER_ERROR);
	CHECK_TEXT(a.text, "claude: auth: Invalid API key");
	CHECK(agent_answer_is_out_of_reach(&a));
	CHECK(!strstr(sc.logs.text, "asked again"));
	scene_close(&sc);
}

TEST(a_refusal_is_an_error_of_this_turn_only)
{
	struct scene sc;
	scene_open(&sc, CLAUDE);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, "end {\"stop_reason\":\"refusal\"}\n", &a);
	CHECK_INT(a.kind, ANSWER_ERROR);
	CHECK_TEXT(a.failure, "refusal");
	CHECK(!agent_answer_is_out_of_reach(&a));
	scene_close(&sc);
}

TEST(a_limit_is_waited_for_when_it_ends_before_the_deadline)
{
	struct scene sc;
	scene_open(&sc, CLAUDE);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	AUTO_FREE char *script = xasprintf(
		"send {\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\","
		"\"resetsAt\":%llu}}\n"
		"end {\"is_error\":true,\"api_error_status\":429,\"result\":\"session limit\"}\n"
		"ask\n" SUBMIT "end\n",
		(unsigned long long)(clock_wall_ns() / NS_PER_S + 2));
	ask(&sc, script, &a);
	CHECK_INT(a.kind, ANSWER_SUBMIT);
	CHECK_INT(a.nr_repairs, 0);
	CHECK(strstr(sc.logs.text, "rate_limit: session limit; the limit is lifted at"));
	scene_close(&sc);
}

TEST(a_limit_that_ends_after_the_deadline_ends_the_turn)
{
	struct scene sc;
	scene_open(&sc, CLAUDE);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	AUTO_FREE char *script = xasprintf(
		"send {\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\","
		"\"resetsAt\":%llu}}\n"
		"end {\"is_error\":true,\"api_error_status\":429,\"result\":\"session limit\"}\n",
		(unsigned long long)(clock_wall_ns() / NS_PER_S + 7200));
	ask(&sc, script, &a);
	CHECK_INT(a.kind, ANSWER_ERROR);
	CHECK(strstr(a.text, "the limit is lifted at"));
	CHECK(agent_answer_is_out_of_reach(&a));
	CHECK((uint64_t)a.retry_at_s > clock_wall_ns() / NS_PER_S);
	scene_close(&sc);
}

/* Is a process alive whose arguments hold this? */
static bool is_running(const char *mark)
{
	DIR *proc = opendir("/proc");
	bool found = false;
	for (struct dirent *d = readdir(proc); d; d = readdir(proc)) {
		AUTO_FREE char *path = xasprintf("/proc/%s/cmdline", d->d_name);
		AUTO_FCLOSE FILE *f = fopen(path, "re");
		char text[4096] = { 0 };
		size_t len = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
		for (size_t i = 0; i < len; i++)
			text[i] = text[i] ? text[i] : ' ';
		found |= strstr(text, mark) != NULL;
	}
	closedir(proc);
	return found;
}

TEST(nothing_of_an_agent_that_will_not_end_is_left)
{
	if (!agent_sandbox_works())
		SKIP("bwrap makes no sandbox here");
	struct scene sc;
	scene_open(&sc, CODEX);
	sc.spec.deadline_s = 1;
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	uint64_t start_ns = clock_mono_ns();
	ask(&sc, "ignore_sigterm\ndaemon\nsleep 600\n", &a);
	CHECK_INT(a.kind, ANSWER_ERROR);
	CHECK(strstr(a.text, "in time"));
	CHECK(clock_mono_ns() - start_ns < 30 * NS_PER_S);
	/* What is in the box dies with its first process, which the kernel sees to. */
	for (int i = 0; i < 500 && is_running(sc.workspace); i++)
		clock_sleep_ns(10 * NS_PER_MS);
	CHECK(!is_running(sc.workspace));
	scene_close(&sc);
}

/* Claude is interrupted by a request, an agent of the Agent Client Protocol by a notification. */
TEST(an_agent_that_can_be_interrupted_is_asked_before_its_input_ends)
{
	static const char *const asked[NR_FAKES] = {
		[CLAUDE] = "control_request", [ACP] = "session/cancel"
	};
	for (int i = CLAUDE; i <= ACP; i += 2) {
		struct scene sc;
		scene_open(&sc, i);
		sc.spec.deadline_s = 1;
		AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
		ask(&sc, i == CLAUDE ? "expect interrupt\nend\n" : "expect session/cancel\nend\n",
		    &a);
		CHECK_INT(a.kind, ANSWER_ERROR);
		AUTO_STR struct str lines = STR_INIT;
		read_text(&sc, "t.cli.jsonl", &lines);
		CHECK(strstr(lines.text, asked[i]));
		/* What it says to that is read. */
		CHECK(strstr(lines.text, i == CLAUDE ? "total_cost_usd" : "stopReason"));
		scene_close(&sc);
	}
}

TEST(a_stream_that_is_no_protocol_is_ended)
{
	struct scene sc;
	scene_open(&sc, CLAUDE);
	AUTO_STR struct str script = STR_INIT;
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	for (int i = 0; i < 21; i++)
		str_add(&script, "send {torn\n");
	ask(&sc, script.text, &a);
	CHECK_INT(a.kind, ANSWER_ERROR);
	CHECK(strstr(a.text, "protocol: too many lines"));
	scene_close(&sc);
}

TEST(a_key_reaches_the_program_and_no_record)
{
	static const char *const files[] = { "t.jsonl", "t.cli.jsonl" };
	for (int i = CLAUDE; i < NR_FAKES; i += CMD) {
		struct scene sc;
		scene_open(&sc, i);
		AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
		ask(&sc,
		    "run echo $FAKE_KEY\nsay told: $REPLY\n"
		    "run tr '\\0' ' ' < /proc/1/cmdline; cat /proc/*/cmdline | tr '\\0' ' '\n"
		    "say args: $REPLY\n" SUBMIT "end\n",
		    &a);
		CHECK_INT(a.kind, ANSWER_SUBMIT);
		CHECK(strstr(sc.logs.text, "told: ***"));
		CHECK(!strstr(sc.logs.text, secret));
		const char *args = strstr(sc.logs.text, "args: ");
		CHECK(args && !strstr(args, "***"));
		for (size_t k = 0; k < ARRAY_LEN(files); k++) {
			AUTO_STR struct str text = STR_INIT;
			read_text(&sc, files[k], &text);
			CHECK(!strstr(text.text, secret));
		}
		scene_close(&sc);
	}
}

TEST(a_proxy_reaches_the_program_and_its_password_no_record)
{
	static const char *const files[] = { "t.jsonl", "t.cli.jsonl" };
	for (int i = CLAUDE; i < NR_FAKES; i++) {
		struct scene sc;
		scene_open(&sc, i);
		AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
		CHECK(setenv("https_proxy", "http://jo:pa55-word@proxy.example:3128", 1) == 0);
		CHECK(setenv("NO_PROXY", "localhost,.example", 1) == 0);
		ask(&sc,
		    "run echo $https_proxy $NO_PROXY; echo $https_proxy >&2\nsay told: $REPLY\n"
		    "run tr '\\0' ' ' < /proc/1/cmdline; cat /proc/*/cmdline | tr '\\0' ' '\n"
		    "say args: $REPLY\n" SUBMIT "end\n",
		    &a);
		CHECK_INT(a.kind, ANSWER_SUBMIT);
		CHECK(strstr(sc.logs.text,
			     "told: http://***@proxy.example:3128 localhost,.example"));
		const char *args = strstr(sc.logs.text, "args: ");
		CHECK(args && !strstr(args, "***"));
		for (size_t k = 0; k < ARRAY_LEN(files); k++) {
			AUTO_STR struct str text = STR_INIT;
			read_text(&sc, files[k], &text);
			CHECK(!strstr(text.text, "pa55-word"));
		}
		scene_close(&sc);
	}
}

TEST(a_flood_is_read_to_its_end_and_recorded_up_to_a_bound)
{
	struct scene sc;
	struct stat st;
	scene_open(&sc, CMD);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	AUTO_FREE char *path = path_join(sc.dir, "t.cli.jsonl");
	ask(&sc, "flood 70000000\n" SUBMIT "end\n", &a);
	CHECK_INT(a.kind, ANSWER_SUBMIT);
	CHECK(stat(path, &st) == 0);
	CHECK(st.st_size > 10 << 20 && st.st_size < 70000000);
	scene_close(&sc);
}

TEST(the_folder_of_configuration_is_closed_to_others)
{
	struct scene sc;
	struct stat st;
	scene_open(&sc, CMD);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, SUBMIT "end\n", &a);
	CHECK(stat(sc.home, &st) == 0);
	CHECK_INT(st.st_mode & 0777, 0700);
	scene_close(&sc);
}

TEST(a_cli_agent_sees_its_workspace_its_folder_and_its_program)
{
	if (!agent_sandbox_works())
		SKIP("bwrap makes no sandbox here");
	struct scene sc;
	scene_open(&sc, CLAUDE);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, "run echo /* /agent/* /agent/*/* $PWD $HOME; env\nsay $REPLY\n" SUBMIT "end\n",
	    &a);
	CHECK_INT(a.kind, ANSWER_SUBMIT);
	CHECK(strstr(sc.logs.text, "/agent/program/claude"));
	CHECK(strstr(sc.logs.text, "/agent/config/forge-mcp.json"));
	CHECK(strstr(sc.logs.text, "/agent/bin/forge"));
	CHECK(strstr(sc.logs.text, "/workspace /agent/config"));
	CHECK(!strstr(sc.logs.text, "/root"));
	CHECK(!strstr(sc.logs.text, "/home"));
	CHECK(!strstr(sc.logs.text, "FORGE_AGENTS"));
	scene_close(&sc);
}

TEST(an_agent_that_is_too_old_or_not_there_is_our_failure)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc, CLAUDE);
	const struct agent_turn turn = { .id = 1, .kind = TURN_ROUND };
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	write_text(&sc, "script", "[version]\n2.0.9 (Claude Code)\n");
	CHECK(agent_ask(&sc.spec, &turn, &a, &e) < 0);
	printf("# %s\n", e.text);
	CHECK(strstr(e.text, "2.0.9") && strstr(e.text, "update it"));
	write_text(&sc, "claude.toml", "driver = \"claude\"\nprogram = \"no-such-claude\"\n");
	AUTO_AGENT_ANSWER struct agent_answer b = { 0 };
	CHECK(agent_ask(&sc.spec, &turn, &b, &e) < 0);
	printf("# %s\n", e.text);
	CHECK(strstr(e.text, "no-such-claude is not installed"));
	scene_close(&sc);
}

TEST(another_version_of_the_protocol_is_refused)
{
	struct scene sc;
	scene_open(&sc, ACP);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, "protocol 2\nend\n", &a);
	CHECK_INT(a.kind, ANSWER_ERROR);
	CHECK(strstr(a.text, "unsupported: it speaks version 2"));
	CHECK(agent_answer_is_out_of_reach(&a));
	scene_close(&sc);
}

TEST(what_claude_used_is_told_whole_at_the_end)
{
	struct scene sc;
	scene_open(&sc, CLAUDE);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, "say one\nsay two\n" SUBMIT "end\n", &a);
	AUTO_STR struct str lines = STR_INIT;
	read_text(&sc, "t.jsonl", &lines);
	/* Two messages of the fake: 3 in, 100 from a cache, 10 out and a cent each. */
	CHECK(strstr(lines.text, "\\\"input\\\":6,"));
	CHECK(strstr(lines.text, "\\\"output\\\":20,"));
	CHECK(strstr(lines.text, "\\\"usd\\\":0.02"));
	CHECK(strstr(lines.text, "\\\"whole\\\":true"));
	scene_close(&sc);
}

/* Dies with its driver's process running, as by kill -9 of forge, when this was said. */
static const char *last_words;

static void die_at_words(void *ctx, const char *text)
{
	(void)ctx;
	if (last_words && strstr(text, last_words))
		kill(getpid(), SIGKILL);
}

static void ask_and_die(struct scene *sc, const char *script)
{
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
		last_words = "and then";
		sc->spec.see_log = die_at_words;
		ask(sc, script, &a);
		_exit(1);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* Two words, the kill, two words again: what the session cost in all is what was recorded before
 * the kill and what is told after it. */
TEST(a_turn_that_a_kill_cut_goes_on_in_its_session_and_pays_for_the_rest)
{
	static const char script[] = "loads\nsay resumed: $RESUMED\nsay and then\n"
				     "unless killed sleep 600\n" SUBMIT "end\n";
	for (int i = CLAUDE; i <= ACP; i++) {
		struct scene sc;
		/* What forge would have recorded of the two messages of Claude. */
		const struct usage spent = { .requests = 2, .input = 6, .cache_read = 200 };
		scene_open(&sc, i);
		AUTO_FREE char *path = path_join(sc.dir, "memory.jsonl");
		const char *played = i == ACP ? script : strchr(script, '\n') + 1;
		sc.spec.memory = path;
		ask_and_die(&sc, played);
		AUTO_JSON json_t *memory = memory_load(path);
		CHECK(memory_text(memory, "session"));
		sc.spec.resume = memory;
		sc.spec.spent = i == CLAUDE ? &spent : NULL;
		AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
		ask(&sc, played, &a);
		CHECK_INT(a.kind, ANSWER_SUBMIT);
		CHECK(strstr(sc.logs.text, "resumed: yes"));
		if (i == CLAUDE) {
			CHECK_INT(a.usage.input, 4 * 3 - 6);
			CHECK_INT(a.usage.cache_read, 4 * 100 - 200);
			CHECK_INT(a.usage.output, 4 * 10);
		}
		if (i == CODEX) {
			CHECK_INT(a.usage.input, 4 * 40);
			CHECK_INT(a.usage.output, 4 * 10);
		} else {
			CHECK(a.usage.usd > 0.0399 && a.usage.usd < 0.0401);
		}
		scene_close(&sc);
	}
}

TEST(a_session_that_is_gone_is_told_so_that_the_turn_begins_anew)
{
	static const char *const ids[] = { "019abcde-gone", "--config=evil", "a b" };
	for (int i = CLAUDE; i <= ACP; i++) {
		struct scene sc;
		scene_open(&sc, i);
		AUTO_JSON json_t *memory = json_pack("[{s:s}]", "session", ids[0]);
		sc.spec.resume = memory;
		AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
		ask(&sc, i == ACP ? "loads\n" SUBMIT "end\n" : SUBMIT "end\n", &a);
		CHECK(agent_answer_is_no_resume(&a));
		CHECK(!strstr(sc.logs.text, "asked again"));
		scene_close(&sc);
	}
	/* One that can not load, and ids that could be taken for something else. */
	for (size_t k = 0; k < ARRAY_LEN(ids); k++) {
		struct scene sc;
		scene_open(&sc, k == 0 ? ACP : CODEX);
		AUTO_JSON json_t *memory = json_pack("[{s:s}]", "session", ids[k]);
		sc.spec.resume = memory;
		AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
		ask(&sc, "say resumed: $RESUMED\n" SUBMIT "end\n", &a);
		CHECK_INT(agent_answer_is_no_resume(&a), k == 0);
		CHECK(k == 0 || strstr(sc.logs.text, "resumed: no"));
		scene_close(&sc);
	}
}

TEST_MAIN()
