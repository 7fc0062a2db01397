#include "agent/provider.h"

#include "agent/agent.h"
#include "agent/agent_ops.h"
#include "agent/key.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "model/task_agents.h"
#include "test.h"

/* What forge-llm is started with: a fake in its place says what it sees. */

static const char secret[] = "sk-canary-0123456789";

struct scene {
	char dir[64];
	struct agent_settings settings;
	struct agent_spec spec;
};

static void scene_open(struct scene *sc, const struct agent_ops *ops)
{
	*sc = (struct scene){ .dir = "/tmp/forge-llm-XXXXXX" };
	CHECK(mkdtemp(sc->dir));
	sc->settings = (struct agent_settings){ .model = "m" };
	sc->spec = (struct agent_spec){ .ops = ops,
					.role = AGENT_STUDENT,
					.workspace = sc->dir,
					.program = "tests/fake/fake-agent",
					.settings = &sc->settings,
					.deadline_s = 20 };
	unsetenv("OPENAI_API_KEY");
	unsetenv("ANTHROPIC_API_KEY");
	unsetenv("FORGE_LLM_BASE_URL");
	unsetenv("FORGE_PROVIDERS");
	setenv("AWS_SECRET", secret, 1);
}

static void scene_close(struct scene *sc)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(sc->dir, &e));
}

static int ask(struct scene *sc, struct agent_answer *answer, struct err *e)
{
	AUTO_JSON json_t *data = json_object();
	const struct agent_turn turn = {
		.id = 1, .kind = TURN_ROUND, .prompt = "mode seen", .data = data
	};
	return agent_ask(&sc->spec, &turn, answer, e);
}

/* What the fake saw: "arguments|environment". */
static char *seen(struct scene *sc)
{
	struct err e = { 0 };
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	CHECK_OK(ask(sc, &a, &e));
	printf("# %s\n", a.text);
	CHECK_INT(a.kind, ANSWER_SUBMIT);
	return xstrdup(a.text);
}

TEST(the_one_key_is_in_the_environment_and_nowhere_else)
{
	struct scene sc;
	scene_open(&sc, &agent_openai_chat);
	setenv("OPENAI_API_KEY", secret, 1);
	setenv("ANTHROPIC_API_KEY", "sk-of-another", 1);
	AUTO_FREE char *text = seen(&sc);
	char *env = strchr(text, '|');
	CHECK(env);
	*env++ = 0;
	CHECK(strstr(text, "--settings"));
	CHECK(strstr(text, "https://api.openai.com/v1"));
	CHECK(!strstr(text, secret));
	AUTO_FREE char *want = xasprintf("OPENAI_API_KEY=%s ", secret);
	CHECK(strstr(env, want));
	CHECK(!strstr(env, "sk-of-another") && !strstr(env, "AWS_SECRET"));
	scene_close(&sc);
}

TEST(an_address_of_the_task_gets_no_key_and_one_of_the_user_does)
{
	struct scene sc;
	scene_open(&sc, &agent_anthropic);
	setenv("ANTHROPIC_API_KEY", secret, 1);
	sc.settings.base_url = "https://elsewhere.example";
	AUTO_FREE char *of_task = seen(&sc);
	CHECK(strstr(of_task, "https://elsewhere.example"));
	CHECK(!strstr(of_task, secret) && !strstr(of_task, "key_env"));
	setenv("FORGE_LLM_BASE_URL", "http://127.0.0.1:1", 1);
	AUTO_FREE char *of_user = seen(&sc);
	CHECK(strstr(of_user, "http://127.0.0.1:1") && !strstr(of_user, "elsewhere"));
	CHECK(strstr(of_user, secret));
	scene_close(&sc);
}

TEST(the_way_out_of_the_machine_is_for_those_that_have_a_network)
{
	static const char *const set[] = { "HTTPS_PROXY=http://jo:pa55-word@proxy.example:3128",
					   "http_proxy=http://proxy.example:3128",
					   "NO_PROXY=.example", "SSL_CERT_DIR=/etc/ssl/certs" };
	struct scene sc;
	scene_open(&sc, &agent_openai_chat);
	setenv("OPENAI_API_KEY", secret, 1);
	for (size_t i = 0; i < ARRAY_LEN(set); i++) {
		AUTO_FREE char *name = xstrndup(set[i], strcspn(set[i], "="));
		CHECK(setenv(name, strchr(set[i], '=') + 1, 1) == 0);
	}
	AUTO_FREE char *with = seen(&sc);
	char *env = strchr(with, '|');
	CHECK(env);
	*env++ = 0;
	CHECK(!strstr(with, "pa55-word"));
	for (size_t i = 0; i < ARRAY_LEN(set); i++)
		CHECK(strstr(env, set[i]));
	sc.spec.ops = &agent_tuner;
	AUTO_FREE char *without = seen(&sc);
	CHECK(!strstr(without, "roxy") && !strstr(without, "PROXY") && !strstr(without, "SSL_"));
	scene_close(&sc);
}

TEST(certificates_of_the_user_are_shown_at_their_place)
{
	struct scene sc;
	struct err e = { 0 };
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	AUTO_JSON json_t *data = json_object();
	const struct agent_turn turn = {
		.id = 1, .kind = TURN_ROUND, .prompt = "mode certificates", .data = data
	};
	char dir[] = "/tmp/forge-certs-XXXXXX";
	scene_open(&sc, &agent_openai_chat);
	setenv("OPENAI_API_KEY", secret, 1);
	CHECK(mkdtemp(dir));
	AUTO_FREE char *path = path_join(dir, "own.pem");
	CHECK_OK(file_write_text(path, "of our own", &e));
	CHECK(setenv("SSL_CERT_FILE", path, 1) == 0);
	CHECK_OK(agent_ask(&sc.spec, &turn, &a, &e));
	CHECK_TEXT(a.text, "of our own");
	CHECK_OK(tree_remove(dir, &e));
	scene_close(&sc);
}

TEST(a_proxy_stands_in_local_env_too)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc, &agent_openai_chat);
	setenv("OPENAI_API_KEY", secret, 1);
	unsetenv("HTTPS_PROXY");
	AUTO_FREE char *fake = realpath(sc.spec.program, NULL);
	sc.spec.program = fake;
	CHECK(chdir(sc.dir) == 0);
	CHECK_OK(file_write_text("local.env", "HTTPS_PROXY=http://of-the-file.example:1\n", &e));
	AUTO_FREE char *text = seen(&sc);
	CHECK(strstr(text, "HTTPS_PROXY=http://of-the-file.example:1"));
	scene_close(&sc);
}

TEST(without_a_key_or_a_model_the_message_says_what_to_do)
{
	struct scene sc;
	struct err e = { 0 };
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	scene_open(&sc, &agent_openai_chat);
	CHECK(ask(&sc, &a, &e) < 0);
	CHECK(strstr(e.text, "there is no key: set OPENAI_API_KEY in the environment"));
	sc.settings.model = NULL;
	CHECK(ask(&sc, &a, &e) < 0);
	CHECK(strstr(e.text, "[agents.openai-chat] model"));
	sc.settings.profile = "anthropic";
	CHECK(ask(&sc, &a, &e) < 0);
	CHECK(strstr(
		e.text,
		"provider profile \"anthropic\" is for the driver anthropic, not openai-chat"));
	sc.settings.profile = "nobody";
	CHECK(ask(&sc, &a, &e) < 0);
	CHECK(strstr(e.text, "no provider profile \"nobody\"; known: openai, deepseek"));
	scene_close(&sc);
}

TEST(what_is_missing_is_told_before_a_run)
{
	struct scene sc;
	struct err e = { 0 };
	const struct agent_settings unsaid = { 0 };
	scene_open(&sc, &agent_openai_chat);
	CHECK(agent_openai_chat.check(&agent_openai_chat, &sc.settings, &e) < 0);
	CHECK(strstr(e.text, "there is no key"));
	setenv("OPENAI_API_KEY", secret, 1);
	CHECK_OK(agent_openai_chat.check(&agent_openai_chat, &sc.settings, &e));
	setenv("PATH", "/nowhere", 1);
	CHECK(agent_codex.check(&agent_codex, &unsaid, &e) < 0);
	printf("# %s\n", e.text);
	CHECK(strstr(e.text, "codex"));
	scene_close(&sc);
}

TEST(a_key_stands_in_local_env_too)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc, &agent_openai_chat);
	CHECK(chdir(sc.dir) == 0);
	CHECK_OK(file_write_text(
		"local.env",
		"# keys\nA=1\nexport TOKEN_A=\"quoted one\"\r\nTOKEN_B= \nTOKEN_C=x=y\n", &e));
	AUTO_FREE char *a = key_find("TOKEN_A", &e);
	AUTO_FREE char *b = key_find("TOKEN_B", &e);
	AUTO_FREE char *c = key_find("TOKEN_C", &e);
	AUTO_FREE char *part = key_find("TOKEN", &e);
	CHECK_TEXT(a, "quoted one");
	CHECK(!b);
	CHECK_TEXT(c, "x=y");
	CHECK(!part);
	setenv("TOKEN_A", "of the environment", 1);
	AUTO_FREE char *first = key_find("TOKEN_A", &e);
	CHECK_TEXT(first, "of the environment");
	scene_close(&sc);
}

TEST(every_profile_of_the_share_folder_loads)
{
	static const char *const names[] = { "openai",     "deepseek",  "qwen",
					     "openrouter", "vllm",      "llama.cpp",
					     "ollama",     "anthropic", "anthropic-plain" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct err e = { 0 };
		AUTO_PROVIDER struct provider p;
		const struct agent_settings task = { .model = "m" };
		const char *key_env;
		CHECK_OK(provider_load(&p, names[i], &e));
		AUTO_JSON json_t *settings = provider_settings(&p, &task, &key_env, &e);
		CHECK(settings != NULL);
		CHECK(p.context_window > p.max_output_tokens && p.max_output_tokens > 0);
		CHECK(p.free == !p.key_env);
	}
}

TEST(a_profile_of_the_user_goes_first_and_its_slips_are_named)
{
	struct scene sc;
	struct err e = { 0 };
	struct provider p;
	scene_open(&sc, &agent_openai_chat);
	AUTO_FREE char *path = path_join(sc.dir, "forge/providers.toml");
	AUTO_FREE char *folder = path_join(sc.dir, "forge");
	CHECK_OK(dir_make(folder, &e));
	setenv("XDG_CONFIG_HOME", sc.dir, 1);
	CHECK_OK(file_write_text(path,
				 "[openai]\nformat='openai-chat'\nbase_url='https://mine/v1'\n"
				 "extra_body = { a = { b = [1, true, 'x'] } }\n"
				 "[bad]\nformat='chat'\nbase_url='https://mine'\n",
				 &e));
	CHECK_OK(provider_load(&p, "openai", &e));
	CHECK_TEXT(p.base_url, "https://mine/v1");
	const char *key_env;
	const struct agent_settings task = { .model = "m", .max_output_tokens = 77 };
	AUTO_JSON json_t *settings = provider_settings(&p, &task, &key_env, &e);
	AUTO_FREE char *body = json_line(json_object_get(settings, "extra_body"));
	CHECK_TEXT(body, "{\"a\":{\"b\":[1,true,\"x\"]}}");
	CHECK_INT(json_int_or(settings, "max_output_tokens", 0), 77);
	CHECK(!key_env);
	provider_release(&p);
	CHECK_OK(provider_load(&p, "deepseek", &e));
	provider_release(&p);
	setenv("FORGE_PROVIDERS", "/dev/null/nothing", 1);
	CHECK(provider_load(&p, "openai", &e) < 0);
	provider_release(&p);
	unsetenv("FORGE_PROVIDERS");
	CHECK(provider_load(&p, "bad", &e) < 0);
	CHECK(strstr(e.text, "providers.toml:6:8: unknown format \"chat\""));
	provider_release(&p);
	scene_close(&sc);
}

TEST_MAIN()
