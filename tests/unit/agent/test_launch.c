#include "agent/launch.h"

#include "agent/fenced.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/task_agents.h"
#include "test.h"

static const char *const shipped[] = { "claude",   "codex",  "cmd",     "gemini", "qwen",
				       "opencode", "cursor", "copilot", "goose",  "kimi" };

TEST(every_agent_that_comes_along_can_be_read)
{
	for (size_t i = 0; i < ARRAY_LEN(shipped); i++) {
		struct err e = { 0 };
		AUTO_FREE char *path = xasprintf("share/agents/%s.toml", shipped[i]);
		AUTO_LAUNCH struct launch l = { 0 };
		CHECK_OK(launch_read(&l, path, &e));
		CHECK_TEXT(l.name, shipped[i]);
		for (size_t v = 0; v < l.nr_env; v++)
			CHECK(!strchr(l.env[v], '='));
	}
}

static void write_agent(const char *dir, const char *name, const char *text)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(dir, name);
	CHECK_OK(file_write_text(path, text, &e));
}

TEST(a_file_of_the_user_goes_before_the_one_that_comes_along)
{
	char dir[] = "/tmp/forge-launch-XXXXXX";
	struct err e = { 0 };
	CHECK(mkdtemp(dir));
	CHECK(setenv("FORGE_AGENTS", dir, 1) == 0);
	write_agent(dir, "claude.toml", "driver = \"claude\"\nprogram = \"mine\"\n");
	AUTO_LAUNCH struct launch l = { 0 };
	CHECK_OK(launch_load(&l, "claude", "claude", &e));
	CHECK_TEXT(l.program, "mine");
	CHECK_OK(tree_remove(dir, &e));
}

static const struct {
	const char *text;
	const char *want;
} bad[] = {
	{ "driver = \"acp\"\n", "program" },
	{ "driver = \"acp\"\nprogram = \"x\"\nenv = [\"KEY=secret\"]\n", "names only" },
	{ "driver = \"acp\"\nprogram = \"x\"\nset = [\"HOME\"]\n", "NAME=value" },
	{ "driver = \"acp\"\nprogram = \"x\"\nodd = 1\n", "odd" },
	{ "driver = \"acp\"\nprogram = \"x\"\n[[file]]\npath = \"../x\"\ntext = \"\"\n", "../x" },
	{ "driver = \"acp\"\nprogram = \"x\"\n[[file]]\npath = \"a/x\"\ntext = \"\"\n", "a/x" },
	{ "driver = \"claude\"\nprogram = \"x\"\n", "it is for driver claude, not acp" },
};

TEST(what_is_wrong_in_a_file_is_said_with_its_place)
{
	char dir[] = "/tmp/forge-launch-XXXXXX";
	struct err e = { 0 };
	CHECK(mkdtemp(dir));
	CHECK(setenv("FORGE_AGENTS", dir, 1) == 0);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		AUTO_LAUNCH struct launch l = { 0 };
		struct err why = { 0 };
		write_agent(dir, "odd.toml", bad[i].text);
		CHECK(launch_load(&l, "odd", "acp", &why) < 0);
		printf("# %s\n", why.text);
		CHECK(strstr(why.text, bad[i].want));
		CHECK(strstr(why.text, "odd.toml"));
	}
	CHECK_OK(tree_remove(dir, &e));
}

TEST(an_agent_that_nobody_described_is_an_error_with_its_cure)
{
	static const char *const names[] = { "nobody", "../../etc/passwd", "", "a/b" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTO_LAUNCH struct launch l = { 0 };
		struct err e = { 0 };
		CHECK(launch_load(&l, names[i], "acp", &e) < 0);
		CHECK_INT(e.kind, ERR_INPUT);
	}
}

TEST(a_program_that_is_not_there_is_an_error_with_its_cure)
{
	const struct launch l = { .program = "no-such-agent", .path = "f.toml" };
	const struct launch none = { .program = "", .path = "f.toml" };
	struct err e = { 0 };
	CHECK(!launch_program(&l, &e));
	CHECK(strstr(e.text, "no-such-agent is not installed"));
	CHECK(!launch_program(&none, &e));
	CHECK(strstr(e.text, "names no program"));
}

static char *words_of(const struct launch *l)
{
	AUTO_STRV struct strv all = { 0 };
	strv_add(&all, l->program);
	for (size_t i = 0; i < l->nr_arguments; i++)
		strv_add(&all, l->arguments[i]);
	return strv_join(&all, " ");
}

TEST(a_task_may_ask_for_a_model_and_cmd_for_a_program)
{
	static const char *command[] = { "mine", "-x" };
	const struct agent_settings model = { .model = "m" };
	const struct agent_settings other = { .command = command, .nr_command = 2 };
	const char *const add[] = { "--model", "{model}" };
	const char *args[] = { "exec", "-" };
	struct err e = { 0 };
	AUTO_LAUNCH struct launch l = { .driver = "codex",
					.program = "codex",
					.arguments = args,
					.nr_arguments = 2,
					.model_arguments = (const char **)(uintptr_t)add,
					.nr_model_arguments = 2 };
	CHECK(launch_adapt(&l, &other, &e) < 0);
	CHECK(strstr(e.text, "only agent cmd"));
	CHECK_OK(launch_adapt(&l, NULL, &e));
	AUTO_FREE char *plain = words_of(&l);
	CHECK_TEXT(plain, "codex exec -");
	CHECK_OK(launch_adapt(&l, &model, &e));
	AUTO_FREE char *with = words_of(&l);
	CHECK_TEXT(with, "codex exec --model {model} -");
	CHECK_TEXT(l.model, "m");
	l.driver = "cmd";
	l.model = NULL;
	CHECK_OK(launch_adapt(&l, &other, &e));
	AUTO_FREE char *own = words_of(&l);
	CHECK_TEXT(own, "mine -x");
	CHECK(l.is_of_task);
}

static const struct {
	const char *have;
	const char *least;
	bool fits;
} versions[] = {
	{ "2.1.328 (Claude Code)", "2.1.0", true },
	{ "2.1.328 (Claude Code)", "2.1.328", true },
	{ "2.0.99", "2.1.0", false },
	{ "codex-cli 0.169.0", "0.100.0", true },
	{ "codex-cli 0.99.9", "0.100.0", false },
	{ "1.10.0", "1.9", true },
	{ "1.9", "1.10.0", false },
	{ "nightly", "2.1.0", true },
	{ "2.1.0", NULL, true },
};

TEST(versions_are_compared_number_by_number)
{
	for (size_t i = 0; i < ARRAY_LEN(versions); i++)
		CHECK_INT(launch_version_fits(versions[i].have, versions[i].least),
			  versions[i].fits);
}

TEST(slots_are_filled_and_braces_of_json_stay)
{
	const struct launch_slot slots[] = { { "forge", "/agent/bin/forge" }, { "odd", "a\"b" } };
	struct err e = { 0 };
	AUTO_STR struct str out = STR_INIT;
	CHECK_OK(launch_fill(&out, "{\"a\":{\"b\":\"{forge}\"},\"c\":\"{other}\"}", slots, 2, &e));
	CHECK_TEXT(out.text, "{\"a\":{\"b\":\"/agent/bin/forge\"},\"c\":\"{other}\"}");
	CHECK(launch_fill(&out, "{odd}", slots, 2, &e) < 0);
}

static const struct {
	const char *text;
	const char *want; /* NULL: none */
} blocks[] = {
	{ "words\n```c\nint x;\n```\n", "int x;\n" },
	{ "```\na\n```\n```c\nb\n```", "b\n" },
	{ "````md\n```\na\n```\n````\n", "```\na\n```\n" },
	{ "```c\nint x;\n", NULL },
	{ "no block", NULL },
	{ "", NULL },
	{ "```", NULL },
	{ "```c\n```\n", "" },
	{ "```c\nint x;\n```   \nwords", "int x;\n" },
	{ "```c\n`` `\n```\n", "`` `\n" },
};

TEST(the_last_whole_block_is_found)
{
	for (size_t i = 0; i < ARRAY_LEN(blocks); i++) {
		size_t len = 0;
		const char *got = fenced_last(blocks[i].text, strlen(blocks[i].text), &len);
		printf("# %zu\n", i);
		CHECK((got != NULL) == (blocks[i].want != NULL));
		AUTO_FREE char *text = got ? xstrndup(got, len) : NULL;
		if (got)
			CHECK_TEXT(text, blocks[i].want);
	}
}

TEST_MAIN()
