#include "agent/acp.h"

#include "agent/acp_permission.h"
#include "agent/ndjson.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

/* A client whose replies and events are kept as lines of text. */
struct scene {
	struct acp acp;
	struct acp_setup setup;
	struct str events;
};

static const char *const mcp_arguments[] = { "mcp", "--run", "r1" };

static void see(void *ctx, const struct cli_event *event)
{
	struct scene *sc = ctx;
	cli_event_print(&sc->events, event);
	str_add_char(&sc->events, '\n');
}

static void scene_open(struct scene *sc)
{
	*sc = (struct scene){ .setup = { .workspace = "/w/student",
					 .mcp_program = "/usr/bin/forge",
					 .mcp_arguments = mcp_arguments,
					 .nr_mcp_arguments = 3,
					 .version = "0.1.0" },
			      .events = STR_INIT };
	acp_init(&sc->acp, &sc->setup, (struct cli_sink){ see, sc });
}

static void scene_close(struct scene *sc)
{
	acp_release(&sc->acp);
	str_release(&sc->events);
}

static void take(struct scene *sc, const char *text)
{
	struct err e = { 0 };
	AUTO_JSON json_t *msg = json_read_text(text, strlen(text), "line", &e);
	CHECK(msg);
	acp_take(&sc->acp, msg);
}

/* What was said since the last look. */
static void check_said(struct scene *sc, const char *want)
{
	CHECK_TEXT(sc->events.text, want);
	str_clear(&sc->events);
}

/* Up to the prompt, which is request 2. */
static void open_session(struct scene *sc)
{
	acp_prompt(&sc->acp, "Go.");
	take(sc, "{\"id\":0,\"result\":{\"protocolVersion\":1}}");
	take(sc, "{\"id\":1,\"result\":{\"sessionId\":\"s\"}}");
	str_clear(&sc->events);
}

TEST(a_session_is_opened_and_asked)
{
	struct scene sc;
	scene_open(&sc);
	acp_prompt(&sc.acp, "Go.");
	check_said(&sc, "reply {\"id\":0,\"jsonrpc\":\"2.0\",\"method\":\"initialize\",\"params\":{"
			"\"clientCapabilities\":{\"fs\":{\"readTextFile\":false,\"writeTextFile\":"
			"false},\"terminal\":false},\"clientInfo\":{\"name\":\"forge\",\"title\":"
			"\"forge\",\"version\":\"0.1.0\"},\"protocolVersion\":1}}\n");
	take(&sc, "{\"id\":0,\"result\":{\"protocolVersion\":1}}");
	check_said(&sc,
		   "reply {\"id\":1,\"jsonrpc\":\"2.0\",\"method\":\"session/new\",\"params\":{"
		   "\"cwd\":\"/w/student\",\"mcpServers\":[{\"args\":[\"mcp\",\"--run\",\"r1\"],"
		   "\"command\":\"/usr/bin/forge\",\"env\":[],\"name\":\"forge\"}]}}\n");
	take(&sc, "{\"id\":1,\"result\":{\"sessionId\":\"s\"}}");
	check_said(&sc,
		   "session s\n"
		   "reply {\"id\":2,\"jsonrpc\":\"2.0\",\"method\":\"session/prompt\",\"params\":{"
		   "\"prompt\":[{\"text\":\"Go.\",\"type\":\"text\"}],\"sessionId\":\"s\"}}\n");
	take(&sc, "{\"id\":2,\"result\":{\"stopReason\":\"end_turn\"}}");
	check_said(&sc, "turn_end done\n");
	acp_prompt(&sc.acp, "On.");
	check_said(&sc,
		   "reply {\"id\":3,\"jsonrpc\":\"2.0\",\"method\":\"session/prompt\",\"params\":{"
		   "\"prompt\":[{\"text\":\"On.\",\"type\":\"text\"}],\"sessionId\":\"s\"}}\n");
	scene_close(&sc);
}

TEST(another_version_is_refused)
{
	struct scene sc;
	scene_open(&sc);
	acp_prompt(&sc.acp, "Go.");
	str_clear(&sc.events);
	take(&sc, "{\"id\":0,\"result\":{\"protocolVersion\":2}}");
	check_said(&sc,
		   "turn_end error unsupported it speaks version 2 of the Agent Client Protocol, "
		   "and forge speaks 1\n");
	acp_prompt(&sc.acp, "Again.");
	check_said(&sc, "turn_end error protocol there is no session with the agent\n");
	scene_close(&sc);
}

TEST(a_login_is_a_clear_error_or_done_by_the_method_that_is_named)
{
	struct scene sc;
	static const char refusal[] = "{\"id\":1,\"error\":{\"code\":-32000,\"message\":\"No.\"}}";
	scene_open(&sc);
	acp_prompt(&sc.acp, "Go.");
	take(&sc,
	     "{\"id\":0,\"result\":{\"protocolVersion\":1,\"authMethods\":[{\"id\":\"login\"}]}}");
	str_clear(&sc.events);
	take(&sc, refusal);
	CHECK(str_starts(sc.events.text, "turn_end error auth No.: it wants a login;"));
	CHECK(strstr(sc.events.text, "it offers: login"));
	scene_close(&sc);

	scene_open(&sc);
	sc.setup.auth = "login";
	acp_prompt(&sc.acp, "Go.");
	take(&sc, "{\"id\":0,\"result\":{\"protocolVersion\":1}}");
	str_clear(&sc.events);
	take(&sc, refusal);
	check_said(&sc,
		   "reply {\"id\":2,\"jsonrpc\":\"2.0\",\"method\":\"authenticate\",\"params\":{"
		   "\"methodId\":\"login\"}}\n");
	take(&sc, "{\"id\":2,\"result\":{}}");
	CHECK(strstr(sc.events.text, "\"method\":\"session/new\""));
	str_clear(&sc.events);
	take(&sc, "{\"id\":3,\"error\":{\"code\":-32000,\"message\":\"No.\"}}");
	CHECK(str_starts(sc.events.text, "turn_end error auth"));
	scene_close(&sc);
}

TEST(files_and_terminals_are_not_offered)
{
	static const char *const methods[] = { "fs/read_text_file", "fs/write_text_file",
					       "terminal/create", "odd" };
	struct scene sc;
	scene_open(&sc);
	open_session(&sc);
	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		AUTO_FREE char *line = xasprintf(
			"{\"id\":\"x%zu\",\"method\":\"%s\",\"params\":{}}", i, methods[i]);
		AUTO_FREE char *want = xasprintf("reply {\"error\":{\"code\":-32601,\"message\":"
						 "\"Method not found: %s\"},\"id\":\"x%zu\","
						 "\"jsonrpc\":\"2.0\"}\n",
						 methods[i], i);
		take(&sc, line);
		check_said(&sc, want);
	}
	take(&sc, "{\"method\":\"odd/notification\"}");
	check_said(&sc, "");
	scene_close(&sc);
}

TEST(the_model_is_chosen_where_the_agent_lets_one)
{
	struct scene sc;
	scene_open(&sc);
	sc.setup.model = "big";
	acp_prompt(&sc.acp, "Go.");
	take(&sc, "{\"id\":0,\"result\":{\"protocolVersion\":1}}");
	str_clear(&sc.events);
	take(&sc, "{\"id\":1,\"result\":{\"sessionId\":\"s\",\"configOptions\":[{\"id\":\"mo\","
		  "\"category\":\"model\"}]}}");
	check_said(&sc,
		   "session s\nreply {\"id\":2,\"jsonrpc\":\"2.0\",\"method\":\"session/set_config_"
		   "option\",\"params\":{\"configId\":\"mo\",\"sessionId\":\"s\",\"value\":\"big\"}"
		   "}\n");
	take(&sc, "{\"id\":2,\"error\":{\"code\":-32602,\"message\":\"no such model\"}}");
	CHECK(str_starts(sc.events.text, "warning no such model\nreply {\"id\":3,"));
	scene_close(&sc);
}

TEST(updates_become_events_and_open_tools_are_closed)
{
	struct scene sc;
	scene_open(&sc);
	open_session(&sc);
#define UPDATE(body)                                                                               \
	"{\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":{" body "}}}"
	take(&sc,
	     UPDATE("\"sessionUpdate\":\"agent_thought_chunk\",\"content\":{\"text\":\"Hm.\"}"));
	take(&sc,
	     UPDATE("\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"text\":\"Hi.\"}"));
	take(&sc,
	     UPDATE("\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"t1\",\"title\":\"Edit\""));
	take(&sc,
	     UPDATE("\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"t2\",\"title\":\"Run\""));
	take(&sc, UPDATE("\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"t1\",\"status\":"
			 "\"completed\""));
	take(&sc, UPDATE("\"sessionUpdate\":\"odd\""));
	take(&sc,
	     UPDATE("\"sessionUpdate\":\"usage_update\",\"cost\":{\"amount\":0.25,\"currency\":"
		    "\"USD\"}"));
	take(&sc,
	     "{\"id\":2,\"result\":{\"stopReason\":\"max_tokens\",\"usage\":{\"inputTokens\":5,"
	     "\"outputTokens\":6}}}");
	check_said(&sc,
		   "think Hm.\ntext Hi.\ntool_start t1 Edit\ntool_start t2 Run\ntool_end ok t1\n"
		   "tool_end failed t2\n"
		   "turn_end max_tokens input=5 read=0 write=0 output=6 reasoning=0 "
		   "usd=0.250000\n");
	acp_prompt(&sc.acp, "On.");
	str_clear(&sc.events);
	take(&sc,
	     UPDATE("\"sessionUpdate\":\"usage_update\",\"cost\":{\"amount\":0.75,\"currency\":"
		    "\"USD\"}"));
	take(&sc, "{\"id\":3,\"result\":{\"stopReason\":\"end_turn\"}}");
	check_said(&sc, "turn_end done usd=0.500000\n");
	scene_close(&sc);
}

TEST(a_cancelled_turn_cancels_questions_and_ends_once)
{
	struct scene sc;
	scene_open(&sc);
	open_session(&sc);
	acp_cancel(&sc.acp);
	acp_cancel(&sc.acp);
	check_said(&sc, "reply {\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{"
			"\"sessionId\":\"s\"}}\n");
	take(&sc,
	     "{\"id\":9,\"method\":\"session/request_permission\",\"params\":{\"toolCall\":{"
	     "\"toolCallId\":\"t\"},\"options\":[{\"optionId\":\"ok\",\"kind\":\"allow_once\"}]}}");
	check_said(&sc, "reply {\"id\":9,\"jsonrpc\":\"2.0\",\"result\":{\"outcome\":{\"outcome\":"
			"\"cancelled\"}}}\n");
	take(&sc, "{\"id\":2,\"result\":{\"stopReason\":\"cancelled\"}}");
	check_said(&sc, "turn_end cancelled\n");
	take(&sc, "{\"id\":2,\"result\":{\"stopReason\":\"end_turn\"}}");
	check_said(&sc, "warning an answer to no open request\n");
	scene_close(&sc);
}

static const char all_options[] =
	"[{\"optionId\":\"always\",\"kind\":\"allow_always\"},{\"optionId\":"
	"\"yes\",\"kind\":\"allow_once\"},{\"optionId\":\"no\",\"kind\":"
	"\"reject_once\"}]";

static const struct {
	const char *call;
	const char *options;
	const char *want; /* NULL: cancelled */
} questions[] = {
	{ "{\"kind\":\"read\"}", all_options, "yes" },
	{ "{\"kind\":\"search\"}", all_options, "yes" },
	{ "{\"kind\":\"think\"}", all_options, "yes" },
	{ "{\"kind\":\"other\"}", all_options, "yes" },
	{ "{}", all_options, "yes" },
	{ "{\"kind\":\"edit\",\"locations\":[{\"path\":\"/w/student/a.c\"}]}", all_options, "yes" },
	{ "{\"kind\":\"edit\",\"locations\":[{\"path\":\"a.c\"}]}", all_options, "yes" },
	{ "{\"kind\":\"edit\",\"locations\":[{\"path\":\"/w/student/../b\"}]}", all_options, "no" },
	{ "{\"kind\":\"edit\",\"locations\":[{\"path\":\"/w/students/b\"}]}", all_options, "no" },
	{ "{\"kind\":\"move\",\"locations\":[{\"path\":\"a\"},{\"path\":\"/etc/b\"}]}", all_options,
	  "no" },
	{ "{\"kind\":\"delete\",\"locations\":[{\"path\":\"../b\"}]}", all_options, "no" },
	{ "{\"kind\":\"execute\"}", all_options, "no" },
	{ "{\"kind\":\"fetch\"}", all_options, "no" },
	{ "{\"kind\":\"switch_mode\"}", all_options, "no" },
	{ "{\"kind\":\"read\"}", "[{\"optionId\":\"a\",\"kind\":\"allow_always\"}]", NULL },
	{ "{\"kind\":\"fetch\"}", "[{\"optionId\":\"a\",\"kind\":\"allow_once\"}]", NULL },
	{ "{\"kind\":\"read\"}", "[]", NULL },
};

static const char *answer_to(const char *call_text, json_t **options, const char *allowed)
{
	struct err e = { 0 };
	AUTO_JSON json_t *call = json_read_text(call_text, strlen(call_text), "call", &e);
	const struct acp_question q = { .call = call,
					.options = *options,
					.workspace = "/w/student",
					.allowed = &allowed,
					.nr_allowed = allowed ? 1 : 0 };
	return acp_permission(&q);
}

TEST(permissions_follow_their_table)
{
	struct err e = { 0 };
	for (size_t i = 0; i < ARRAY_LEN(questions); i++) {
		AUTO_JSON json_t *options = json_read_text(
			questions[i].options, strlen(questions[i].options), "options", &e);
		const char *got = answer_to(questions[i].call, &options, NULL);
		printf("# %s\n", questions[i].call);
		CHECK_TEXT(got ? got : "cancelled",
			   questions[i].want ? questions[i].want : "cancelled");
	}
	AUTO_JSON json_t *options = json_read_text(all_options, strlen(all_options), "options", &e);
	CHECK_TEXT(answer_to("{\"kind\":\"execute\"}", &options, "execute"), "yes");
}

/* Lines of the agent in a sample, and those that a client should have sent. */
static void load_sample(const char *name, struct str *agent, struct str *client)
{
	const char *shared = getenv("FORGE_SHARED");
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_STRV struct strv lines = { 0 };
	if (!shared || !*shared)
		SKIP("FORGE_SHARED names no folder with samples");
	AUTO_FREE char *path = xasprintf("%s/notes/protocol/examples/%s", shared, name);
	CHECK_OK(file_read(path, 1 << 20, &text, &e));
	strv_split(&lines, text.text, "\n");
	for (size_t i = 0; i < lines.nr; i++) {
		AUTO_JSON json_t *row =
			json_read_text(lines.items[i], strlen(lines.items[i]), name, &e);
		CHECK(row);
		AUTO_FREE char *msg = json_line(json_object_get(row, "msg"));
		bool is_agent = str_equal(json_text_or(row, "dir", ""), "a2c");
		str_addf(is_agent ? agent : client, "%s\n", msg);
	}
}

/* Sends the second prompt of the sample, and cancels it when a question comes, as the sample does.
 */
static void take_line(void *ctx, const struct ndjson_item *item)
{
	struct scene *sc = ctx;
	CHECK_INT(item->kind, NDJSON_OBJECT);
	if (strstr(item->text, "\"p2\""))
		acp_cancel(&sc->acp);
	acp_take(&sc->acp, item->obj);
	if (strstr(item->text, "end_turn"))
		acp_prompt(&sc->acp, "Go on.");
}

static void play(struct scene *sc, const struct str *agent, size_t cut)
{
	struct ndjson n;
	ndjson_init(&n);
	sc->setup.model = "big";
	sc->setup.mcp_arguments = mcp_arguments;
	acp_prompt(&sc->acp, "Make gemm.c pass milestone 2.");
	ndjson_feed(&n, agent->text, cut, take_line, sc);
	ndjson_feed(&n, agent->text + cut, agent->len - cut, take_line, sc);
	ndjson_end(&n, take_line, sc);
	ndjson_release(&n);
}

TEST(a_sample_turn_cut_at_every_byte_gives_the_same_events)
{
	AUTO_STR struct str agent = STR_INIT;
	AUTO_STR struct str client = STR_INIT;
	struct scene whole;
	load_sample("acp_v1_turn.jsonl", &agent, &client);
	scene_open(&whole);
	play(&whole, &agent, agent.len);
	for (size_t cut = 0; cut < agent.len; cut++) {
		struct scene sc;
		scene_open(&sc);
		play(&sc, &agent, cut);
		CHECK_TEXT(sc.events.text, whole.events.text);
		scene_close(&sc);
	}
	printf("# %s", whole.events.text);
	CHECK(strstr(whole.events.text, "turn_end done usd=0.042000\n"));
	CHECK(strstr(whole.events.text, "turn_end cancelled"));
	scene_close(&whole);
}

TEST(a_client_says_what_the_sample_says)
{
	AUTO_STR struct str agent = STR_INIT;
	AUTO_STR struct str client = STR_INIT;
	AUTO_STRV struct strv wants = { 0 };
	struct scene sc;
	load_sample("acp_v1_turn.jsonl", &agent, &client);
	scene_open(&sc);
	play(&sc, &agent, agent.len);
	strv_split(&wants, client.text, "\n");
	for (size_t i = 0; i < wants.nr; i++) {
		/* A token in the server's environment, and the end of the session, are the
		 * sample's. */
		bool is_own = strstr(wants.items[i], "FORGE_TOKEN") ||
			      strstr(wants.items[i], "session/close");
		AUTO_FREE char *want = xasprintf("reply %s\n", wants.items[i]);
		printf("# %s", want);
		CHECK(is_own || strstr(sc.events.text, want));
	}
	scene_close(&sc);
}

TEST_MAIN()
