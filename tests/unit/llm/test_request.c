#include "llm/llm_format.h"

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "llm/llm_settings.h"
#include "llm/talk.h"
#include "test.h"

/* How a conversation becomes a request, and how it is kept short. */

static struct llm_settings settings_of(const char *format, const char *more)
{
	struct err e = { 0 };
	struct llm_settings s;
	AUTO_FREE char *text = xasprintf(
		"{\"format\":\"%s\",\"base_url\":\"http://h\",\"model\":\"m\"%s}", format, more);
	CHECK_OK(llm_settings_parse(&s, text, &e));
	return s;
}

static void add_call(struct reply *r, const char *id, const char *arguments)
{
	struct err e = { 0 };
	struct call *c = reply_add_call(r, &e);
	reply_set(&c->id, id);
	reply_set(&c->name, "build");
	str_add(&c->arguments, arguments);
}

/* A user's word, two calls with their results, and a further word. */
static void fill(struct talk *t)
{
	AUTO_JSON json_t *tools = json_pack("[{s:s, s:s, s:{s:s}}]", "name", "build", "description",
					    "Compile.", "schema", "type", "object");
	AUTO_REPLY struct reply r;
	talk_init(t, "sys", tools);
	talk_add_user(t, "go");
	reply_init(&r);
	str_add(&r.reasoning, "hm");
	add_call(&r, "a", "{\"source\":\"x\"}");
	add_call(&r, "b", "{\"source\":");
	talk_add_reply(t, &r);
	talk_add_result(t, "a", "{\"outcome\":\"done\"}", false);
	talk_add_result(t, "b", "no JSON", true);
	talk_add_user(t, "call a tool");
}

static void check_body(const char *format, const char *more, const char *want)
{
	struct llm_settings s = settings_of(format, more);
	AUTO_TALK struct talk t;
	fill(&t);
	AUTO_JSON json_t *body = s.format->body(&s, &t);
	AUTO_FREE char *got = json_line(body);
	CHECK_TEXT(got, want);
	llm_settings_release(&s);
}

TEST(a_chat_request_pairs_calls_and_results_and_gives_reasoning_back)
{
	check_body(
		"openai-chat",
		",\"echo_reasoning\":\"reasoning_content\",\"max_output_tokens\":100",
		"{\"max_tokens\":100,\"messages\":[{\"content\":\"sys\",\"role\":\"system\"},"
		"{\"content\":\"go\",\"role\":\"user\"},"
		"{\"content\":null,\"reasoning_content\":\"hm\",\"role\":\"assistant\","
		"\"tool_calls\":[{\"function\":{\"arguments\":\"{\\\"source\\\":\\\"x\\\"}\","
		"\"name\":\"build\"},\"id\":\"a\",\"type\":\"function\"},{\"function\":"
		"{\"arguments\":\"{}\",\"name\":\"build\"},\"id\":\"b\",\"type\":\"function\"}]},"
		"{\"content\":\"{\\\"outcome\\\":\\\"done\\\"}\",\"role\":\"tool\","
		"\"tool_call_id\":\"a\"},{\"content\":\"no JSON\",\"role\":\"tool\","
		"\"tool_call_id\":\"b\"},{\"content\":\"call a tool\",\"role\":\"user\"}],"
		"\"model\":\"m\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
		"\"tool_choice\":\"auto\",\"tools\":[{\"function\":{\"description\":\"Compile.\","
		"\"name\":\"build\",\"parameters\":{\"type\":\"object\"}},\"type\":\"function\"}]"
		"}");
}

TEST(a_messages_request_puts_all_results_into_one_message_and_marks_the_cache)
{
	check_body("anthropic", ",\"max_output_tokens\":100",
		   "{\"max_tokens\":100,\"messages\":["
		   "{\"content\":[{\"cache_control\":{\"type\":\"ephemeral\"},\"text\":\"go\","
		   "\"type\":"
		   "\"text\"}],\"role\":\"user\"},"
		   "{\"content\":[{\"id\":\"a\",\"input\":{\"source\":\"x\"},\"name\":\"build\","
		   "\"type\":"
		   "\"tool_use\"},{\"id\":\"b\",\"input\":{},\"name\":\"build\",\"type\":\"tool_"
		   "use\"}],"
		   "\"role\":\"assistant\"},"
		   "{\"content\":[{\"content\":\"{\\\"outcome\\\":\\\"done\\\"}\",\"tool_use_id\":"
		   "\"a\","
		   "\"type\":\"tool_result\"},{\"content\":\"no "
		   "JSON\",\"is_error\":true,\"tool_use_id\":"
		   "\"b\",\"type\":\"tool_result\"},{\"cache_control\":{\"type\":\"ephemeral\"},"
		   "\"text\":"
		   "\"call a tool\",\"type\":\"text\"}],\"role\":\"user\"}],"
		   "\"model\":\"m\",\"stream\":true,\"system\":[{\"cache_control\":{\"type\":"
		   "\"ephemeral\"},\"text\":\"sys\",\"type\":\"text\"}],"
		   "\"tool_choice\":{\"type\":\"auto\"},\"tools\":[{\"cache_control\":{\"type\":"
		   "\"ephemeral\"},\"description\":\"Compile.\",\"input_schema\":{\"type\":"
		   "\"object\"},"
		   "\"name\":\"build\"}]}");
}

TEST(blocks_of_thinking_go_back_as_they_came)
{
	struct llm_settings s = settings_of("anthropic", "");
	AUTO_TALK struct talk t;
	AUTO_REPLY struct reply r;
	static const char *const events[] = {
		"{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":"
		"\"redacted_thinking\",\"data\":\"Zm9v\"}}",
		"{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":"
		"\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}",
		"{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":"
		"\"signature_delta\",\"signature\":\"c2ln\"}}",
		"{\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":"
		"\"text\","
		"\"text\":\"\"}}",
	};
	reply_init(&r);
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		struct err e = { 0 };
		AUTO_STR struct str data = STR_INIT;
		str_add(&data, events[i]);
		CHECK_OK(reply_messages_take(&r, "", &data, &e));
	}
	reply_end(&r);
	talk_init(&t, "sys", NULL);
	talk_add_reply(&t, &r);
	AUTO_JSON json_t *body = s.format->body(&s, &t);
	AUTO_FREE char *got = json_line(json_object_get(body, "messages"));
	CHECK_TEXT(got, "[{\"content\":[{\"data\":\"Zm9v\",\"type\":\"redacted_thinking\"},"
			"{\"signature\":\"c2ln\",\"thinking\":\"\",\"type\":\"thinking\"}],"
			"\"role\":\"assistant\"}]");
	llm_settings_release(&s);
}

static char *echo_of(const char *echo, const char *details)
{
	AUTO_FREE char *more = xasprintf(",\"echo_reasoning\":\"%s\"", echo);
	struct llm_settings s = settings_of("openai-chat", more);
	AUTO_TALK struct talk t;
	AUTO_REPLY struct reply r;
	reply_init(&r);
	str_add(&r.reasoning, "hm");
	r.details = details ? json_loads(details, 0, NULL) : NULL;
	add_call(&r, "a", "{}");
	talk_init(&t, "sys", NULL);
	size_t before = talk_bytes(&t);
	talk_add_reply(&t, &r);
	CHECK(talk_bytes(&t) > before + (details ? strlen(details) : 0));
	AUTO_JSON json_t *body = s.format->body(&s, &t);
	json_t *m = json_array_get(json_object_get(body, "messages"), 1);
	json_object_del(m, "tool_calls");
	char *text = json_line(m);
	llm_settings_release(&s);
	return text;
}

TEST(details_of_reasoning_go_back_as_they_came_and_the_text_where_none_did)
{
	static const char details[] = "[{\"data\":\"YQ==\",\"id\":null,\"index\":0}]";
	AUTO_FREE char *kept = echo_of("reasoning_details", details);
	AUTO_FREE char *text = echo_of("reasoning_details", NULL);
	AUTO_FREE char *other = echo_of("reasoning", details);
	CHECK_TEXT(kept, "{\"content\":null,\"reasoning_details\":[{\"data\":\"YQ==\",\"id\":null,"
			 "\"index\":0}],\"role\":\"assistant\"}");
	CHECK_TEXT(text, "{\"content\":null,\"reasoning\":\"hm\",\"role\":\"assistant\"}");
	CHECK_TEXT(other, text);
}

TEST(a_profile_adds_its_members_and_the_effort_at_its_place)
{
	struct llm_settings s = settings_of(
		"openai-chat",
		",\"effort\":\"high\",\"effort_field\":\"reasoning.effort\",\"max_tokens_field\":"
		"\"max_completion_tokens\",\"stream_usage\":false,\"must_call\":true,\"extra_"
		"body\":"
		"{\"reasoning\":{\"exclude\":false},\"stream\":false}");
	AUTO_TALK struct talk t;
	fill(&t);
	AUTO_JSON json_t *body = s.format->body(&s, &t);
	AUTO_FREE char *reasoning = json_line(json_object_get(body, "reasoning"));
	CHECK_TEXT(reasoning, "{\"effort\":\"high\",\"exclude\":false}");
	CHECK(json_is_false(json_object_get(body, "stream")));
	CHECK(json_object_get(body, "max_completion_tokens"));
	CHECK(!json_object_get(body, "stream_options"));
	CHECK_TEXT(json_text_or(body, "tool_choice", ""), "required");
	llm_settings_release(&s);
}

/* A long conversation: a prompt and `nr` exchanges with outputs of 1000 bytes. */
static void fill_long(struct talk *t, size_t nr)
{
	char output[1001];
	memset(output, 'o', 1000);
	output[1000] = 0;
	talk_init(t, "sys", NULL);
	talk_add_user(t, "the prompt of the turn");
	for (size_t i = 0; i < nr; i++) {
		AUTO_REPLY struct reply r;
		AUTO_FREE char *id = xasprintf("c%zu", i);
		reply_init(&r);
		add_call(&r, id, "{}");
		talk_add_reply(t, &r);
		talk_add_result(t, id, output, false);
	}
}

TEST(the_oldest_outputs_are_elided_first_and_the_newest_four_never)
{
	AUTO_TALK struct talk t;
	fill_long(&t, 10);
	size_t before = talk_bytes(&t);
	CHECK(talk_elide(&t, before - 2500));
	CHECK(talk_bytes(&t) <= before - 2500);
	CHECK_TEXT(t.items[0].text, "the prompt of the turn");
	CHECK_TEXT(t.items[2].text, "[elided 1000 bytes]");
	CHECK_TEXT(t.items[6].text, "[elided 1000 bytes]");
	CHECK(!t.items[8].is_elided);
	CHECK(talk_elide(&t, 0));
	for (size_t i = 0; i < t.nr_items; i++)
		CHECK_INT(t.items[i].is_elided, t.items[i].kind == TALK_RESULT && i < 13);
	CHECK(!talk_elide(&t, 0));
}

TEST(settings_that_lack_something_are_refused_with_its_name)
{
	static const struct {
		const char *text;
		const char *want;
	} rows[] = {
		{ "{\"base_url\":\"http://h\",\"model\":\"m\"}", "no member \"format\"" },
		{ "{\"format\":\"x\",\"base_url\":\"http://h\",\"model\":\"m\"}",
		  "no format \"x\"" },
		{ "{\"format\":\"anthropic\",\"base_url\":\"ftp://h\",\"model\":\"m\"}",
		  "begins with neither" },
		{ "[", "settings:1" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = { 0 };
		struct llm_settings s;
		CHECK(llm_settings_parse(&s, rows[i].text, &e) < 0);
		printf("# %s\n", e.text);
		CHECK(strstr(e.text, rows[i].want));
		llm_settings_release(&s);
	}
}

/* What an earlier process told makes the same request. */
TEST(a_conversation_is_the_same_after_it_was_remembered)
{
	static const char *const formats[] = { "openai-chat", "anthropic" };
	static const char more[] = ",\"echo_reasoning\":\"reasoning_details\"";
	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		struct llm_settings s = settings_of(formats[i], i == 0 ? more : "");
		AUTO_TALK struct talk t;
		AUTO_TALK struct talk again;
		fill(&t);
		t.items[1].details = json_pack("[{s:s}]", "data", "YQ==");
		t.items[1].blocks =
			json_pack("[{s:s, s:s, s:s}, {s:s, s:s}]", "type", "thinking", "thinking",
				  "hm", "signature", "c2ln", "type", "text", "text", "so");
		talk_init(&again, "sys", t.tools);
		talk_add_user(&again, "go");
		for (size_t k = 1; k < t.nr_items; k++) {
			AUTO_JSON json_t *item = talk_item_json(&t, k);
			CHECK_INT(talk_restore(&again, item), 0);
		}
		AUTO_JSON json_t *body = s.format->body(&s, &t);
		AUTO_JSON json_t *restored = s.format->body(&s, &again);
		AUTO_FREE char *want = json_line(body);
		AUTO_FREE char *got = json_line(restored);
		CHECK_TEXT(got, want);
		CHECK(strstr(got, i == 0 ? "YQ==" : "c2ln"));
		llm_settings_release(&s);
	}
}

TEST(calls_without_a_result_are_found_and_no_others)
{
	AUTO_TALK struct talk t;
	AUTO_TALK struct talk cut;
	size_t nr = 9;
	fill(&t);
	CHECK(!talk_open_calls(&t, &nr) && nr == 0);
	talk_init(&cut, "sys", NULL);
	CHECK(!talk_open_calls(&cut, &nr) && nr == 0);
	for (size_t k = 0; k < 3; k++) {
		AUTO_JSON json_t *item = talk_item_json(&t, k);
		CHECK_INT(talk_restore(&cut, item), 0);
		const struct talk_call *open = talk_open_calls(&cut, &nr);
		CHECK_INT(nr, k == 0 ? 0 : 3 - k);
		CHECK(k == 0 || str_equal(open->id, k == 1 ? "a" : "b"));
	}
}

TEST(what_is_no_item_is_not_restored)
{
	static const char *const texts[] = { "{}", "{\"kind\":\"odd\",\"text\":\"x\"}",
					     "{\"kind\":\"user\"}", "[]", "{\"text\":\"x\"}" };
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct err e = { 0 };
		AUTO_TALK struct talk t;
		AUTO_JSON json_t *item = json_read_text(texts[i], strlen(texts[i]), "item", &e);
		talk_init(&t, "sys", NULL);
		CHECK_INT(talk_restore(&t, item), -1);
		CHECK_INT(t.nr_items, 0);
	}
}

TEST_MAIN()
