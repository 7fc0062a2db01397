#include "agent/claude_stream.h"
#include "agent/codex_stream.h"
#include "agent/ndjson.h"

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

/* The parsers of both streams behind one face: bytes in, one line of text an event out. */

struct reader {
	struct claude_stream claude;
	struct codex_stream codex;
	bool is_codex;
	struct str events;
};

static void see(void *ctx, const struct cli_event *event)
{
	struct reader *r = ctx;
	cli_event_print(&r->events, event);
	str_add_char(&r->events, '\n');
}

static void reader_open(struct reader *r, bool is_codex)
{
	*r = (struct reader){ .is_codex = is_codex, .events = STR_INIT };
	claude_stream_init(&r->claude, (struct cli_sink){ see, r });
	codex_stream_init(&r->codex, (struct cli_sink){ see, r });
}

static void reader_close(struct reader *r)
{
	claude_stream_release(&r->claude);
	codex_stream_release(&r->codex);
	str_release(&r->events);
}

static void take(void *ctx, const struct ndjson_item *item)
{
	struct reader *r = ctx;
	if (item->kind != NDJSON_OBJECT)
		str_addf(&r->events, "line %s\n", item->text);
	else if (r->is_codex)
		codex_stream_take(&r->codex, item->obj);
	else
		claude_stream_take(&r->claude, item->obj);
}

/* Bytes in two pieces, the first of `cut`; or one by one where `cut` is 0. */
static void feed(struct reader *r, const char *bytes, size_t len, size_t cut)
{
	struct ndjson n;
	ndjson_init(&n);
	claude_stream_begin(&r->claude);
	codex_stream_begin(&r->codex);
	if (cut) {
		ndjson_feed(&n, bytes, cut, take, r);
		ndjson_feed(&n, bytes + cut, len - cut, take, r);
	} else {
		for (size_t i = 0; i < len; i++)
			ndjson_feed(&n, bytes + i, 1, take, r);
	}
	ndjson_end(&n, take, r);
	ndjson_release(&n);
}

static void check_cuts(bool is_codex, const char *bytes, size_t len)
{
	struct reader whole;
	reader_open(&whole, is_codex);
	feed(&whole, bytes, len, len);
	for (size_t cut = 0; cut < len; cut++) {
		struct reader r;
		reader_open(&r, is_codex);
		feed(&r, bytes, len, cut);
		CHECK_TEXT(r.events.text, whole.events.text);
		reader_close(&r);
	}
	reader_close(&whole);
}

static void check_events(bool is_codex, const char *bytes, const char *want)
{
	struct reader r;
	reader_open(&r, is_codex);
	feed(&r, bytes, strlen(bytes), strlen(bytes));
	CHECK_TEXT(r.events.text, want);
	reader_close(&r);
	check_cuts(is_codex, bytes, strlen(bytes));
}

#define INIT "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s1\",\"model\":\"m\"}\n"
#define SAYS(id, text)                                                                             \
	"{\"type\":\"assistant\",\"message\":{\"id\":\"" id                                        \
	"\",\"model\":\"m\",\"content\":[" text                                                    \
	"],\"usage\":{\"input_tokens\":3,\"cache_read_input_tokens\":9,\"output_tokens\":1}}}\n"
#define TOTALS                                                                                     \
	"\"total_cost_usd\":0.5,\"modelUsage\":{\"m\":{\"inputTokens\":6,\"outputTokens\":7,"      \
	"\"cacheReadInputTokens\":20,\"cacheCreationInputTokens\":2}}"

TEST(a_turn_of_claude_is_told_once_and_counted_by_its_totals)
{
	check_events(
		false,
		"[SandboxDebug] noise\n" INIT INIT SAYS("a", "{\"type\":\"text\",\"text\":\"Hi.\"}")
			SAYS("a", "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":"
				  "\"x\"}") "{\"type\":\"user\",\"message\":{"
					    "\"content\":[{\"type\":\"tool_"
					    "result\",\"tool_use_id\":\"t1\"}]}}\n"
					    "{\"type\":\"later\"}\n" SAYS(
						    "b", "{\"type\":\"tool_use\","
							 "\"id\":\"t2\",\"name\":"
							 "\"y\"}") "{\"type\":"
								   "\"result\","
								   "\"subtype\":"
								   "\"success\",\"is_"
								   "error\":"
								   "false," TOTALS ",\"result\":"
								   "\"Done.\"}\n"
								   "{\"type\":"
								   "\"result\","
								   "\"subtype\":"
								   "\"success\"}\n",
		"line [SandboxDebug] noise\n"
		"session s1 m\n"
		"text Hi.\n"
		"usage m requests=1 input=3 read=9 write=0 output=0 reasoning=0\n"
		"tool_start t1 x\n"
		"tool_end ok t1\n"
		"tool_start t2 y\n"
		"usage m requests=1 input=3 read=9 write=0 output=0 reasoning=0\n"
		"tool_end failed t2\n"
		"turn_end done Done. requests=2 input=6 read=20 write=2 output=7 reasoning=0 "
		"usd=0.500000\n"
		"warning a second result of one turn\n");
}

/* What the last line of a turn says, and the class it is of. */
static const struct {
	const char *line;
	const char *want;
} ends[] = {
	{ "\"subtype\":\"error_max_turns\",\"is_error\":true,\"errors\":[\"E\"]",
	  "turn_end max_turns E\n" },
	{ "\"subtype\":\"error_max_budget_usd\",\"is_error\":true", "turn_end budget\n" },
	{ "\"subtype\":\"success\",\"is_error\":true,\"api_error_status\":529,\"result\":\"R\"",
	  "turn_end error overloaded R\n" },
	{ "\"subtype\":\"success\",\"is_error\":true,\"api_error_status\":401",
	  "turn_end error auth\n" },
	{ "\"subtype\":\"success\",\"is_error\":true,\"result\":\"Credit balance is too low\"",
	  "turn_end error billing Credit balance is too low\n" },
	{ "\"subtype\":\"success\",\"is_error\":true,\"result\":\"Invalid API key\"",
	  "turn_end error auth Invalid API key\n" },
	{ "\"subtype\":\"error_during_execution\",\"errors\":[\"odd\"]",
	  "turn_end error server odd\n" },
	{ "\"subtype\":\"success\",\"terminal_reason\":\"prompt_too_long\"", "turn_end context\n" },
	{ "\"subtype\":\"success\",\"terminal_reason\":\"aborted_tools\"", "turn_end cancelled\n" },
	{ "\"subtype\":\"success\",\"stop_reason\":\"refusal\"", "turn_end refusal\n" },
	{ "\"subtype\":\"success\",\"is_error\":false", "turn_end done\n" },
};

TEST(the_end_of_a_turn_of_claude_is_classed_by_is_error_first)
{
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		AUTO_FREE char *line = xasprintf("{\"type\":\"result\",%s}\n", ends[i].line);
		check_events(false, line, ends[i].want);
	}
}

TEST(a_limit_that_rejects_tells_when_to_ask_again)
{
	check_events(
		false,
		"{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"allowed\"}}\n"
		"{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\","
		"\"resetsAt\":1796000000}}\n"
		"{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"api_error_"
		"status\":429,\"result\":\"limit\"}\n",
		"limit rejected at=1796000000\n"
		"turn_end error rate_limit limit at=1796000000\n");
}

TEST(a_request_of_claude_is_never_left_without_an_answer)
{
	check_events(
		false,
		"{\"type\":\"control_request\",\"request_id\":\"r1\",\"request\":{\"subtype\":"
		"\"can_"
		"use_tool\",\"tool_name\":\"Write\",\"input\":{}}}\n"
		"{\"type\":\"control_request\",\"request_id\":\"r2\",\"request\":{\"subtype\":"
		"\"odd\"}"
		"}\n",
		"reply {\"response\":{\"request_id\":\"r1\",\"response\":{\"behavior\":\"deny\","
		"\"message\":\"not allowed in this workspace\"},\"subtype\":\"success\"},\"type\":"
		"\"control_response\"}\n"
		"reply {\"response\":{\"error\":\"not "
		"supported\",\"request_id\":\"r2\",\"subtype\":"
		"\"error\"},\"type\":\"control_response\"}\n");
}

static void end_claude(struct claude_stream *s, const char *totals)
{
	struct err e = { 0 };
	AUTO_FREE char *text =
		xasprintf("{\"type\":\"result\",\"subtype\":\"success\",%s}", totals);
	AUTO_JSON json_t *line = json_read_text(text, strlen(text), "line", &e);
	CHECK(line);
	claude_stream_begin(s);
	claude_stream_take(s, line);
}

TEST(running_totals_of_claude_are_told_as_differences)
{
	struct reader r;
	reader_open(&r, false);
	end_claude(&r.claude, "\"total_cost_usd\":0.5,\"modelUsage\":{\"m\":{\"inputTokens\":6}}");
	end_claude(&r.claude, "\"total_cost_usd\":0.7,\"modelUsage\":{\"m\":{\"inputTokens\":9}}");
	end_claude(&r.claude, "\"total_cost_usd\":0.1,\"modelUsage\":{\"m\":{\"inputTokens\":2}}");
	CHECK_TEXT(r.events.text,
		   "turn_end done input=6 read=0 write=0 output=0 reasoning=0 usd=0.500000\n"
		   "turn_end done input=3 read=0 write=0 output=0 reasoning=0 usd=0.200000\n"
		   "turn_end done input=2 read=0 write=0 output=0 reasoning=0 usd=0.100000\n");
	reader_close(&r);
}

TEST(totals_that_contradict_each_other_count_in_full)
{
	struct reader r;
	const struct cli_tokens before = { .input = 6, .usd = 0.0213 };
	reader_open(&r, false);
	claude_stream_resume(&r.claude, &before);
	end_claude(&r.claude,
		   "\"total_cost_usd\":0.0413,\"modelUsage\":{\"m\":{\"inputTokens\":6}}");
	CHECK_TEXT(r.events.text, "turn_end done input=6 read=0 write=0 output=0 reasoning=0 "
				  "usd=0.041300 partial\n");
	reader_close(&r);
}

static void tell_version(struct claude_stream *s, const char *version)
{
	struct err e = { 0 };
	AUTO_FREE char *text = xasprintf("{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":"
					 "\"s\",\"claude_code_version\":\"%s\"}",
					 version);
	AUTO_JSON json_t *line = json_read_text(text, strlen(text), "line", &e);
	CHECK(line);
	claude_stream_take(s, line);
}

/* 6 tokens and more dollars than the session cost were recorded before it was taken up again. */
TEST(what_was_recorded_of_a_resumed_session_is_not_paid_again_whatever_its_version)
{
	static const struct {
		const char *version;
		const char *want;
	} rows[] = {
		{ "2.1.328",
		  "turn_end done input=3 read=0 write=0 output=40 reasoning=0 usd=0.000000\n" },
		{ "2.1.276",
		  "turn_end done input=9 read=0 write=0 output=40 reasoning=0 usd=0.040000\n" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct reader r;
		const struct cli_tokens recorded = { .input = 6, .usd = 0.05 };
		reader_open(&r, false);
		claude_stream_resume(&r.claude, &recorded);
		tell_version(&r.claude, rows[i].version);
		str_clear(&r.events);
		end_claude(&r.claude,
			   "\"total_cost_usd\":0.04,\"modelUsage\":{\"m\":{\"inputTokens\":"
			   "9,\"outputTokens\":40}}");
		CHECK_TEXT(r.events.text, rows[i].want);
		reader_close(&r);
	}
}

TEST(a_thread_of_codex_that_is_taken_up_again_goes_on_from_what_was_recorded)
{
	static const char stream[] =
		"{\"type\":\"thread.started\",\"thread_id\":\"th\"}\n{\"type\":\"turn.completed\","
		"\"usage\":{\"input_tokens\":100,\"cached_input_tokens\":60,\"output_tokens\":7}}"
		"\n";
	struct reader r;
	const struct cli_tokens recorded = { .input = 30, .cache_read = 70, .output = 2 };
	reader_open(&r, true);
	codex_stream_resume(&r.codex, &recorded);
	feed(&r, stream, sizeof(stream) - 1, 5);
	CHECK_TEXT(r.events.text,
		   "session th\nturn_end done input=10 read=0 write=0 output=5 reasoning=0\n");
	reader_close(&r);
}

#define THREAD "{\"type\":\"thread.started\",\"thread_id\":\"th\"}\n{\"type\":\"turn.started\"}\n"

TEST(a_turn_of_codex_goes_on_after_errors_that_are_remarks)
{
	check_events(
		true,
		THREAD
		"{\"type\":\"item.completed\",\"item\":{\"id\":\"i0\",\"type\":\"error\","
		"\"message\":"
		"\"shortened\"}}\n"
		"{\"type\":\"error\",\"message\":\"Reconnecting... 1/5\"}\n"
		"{\"type\":\"item.started\",\"item\":{\"id\":\"i1\",\"type\":\"mcp_tool_call\","
		"\"tool\":\"submit\",\"status\":\"in_progress\"}}\n"
		"{\"type\":\"item.completed\",\"item\":{\"id\":\"i1\",\"type\":\"mcp_tool_call\","
		"\"tool\":\"submit\",\"error\":{\"message\":\"no\"},\"status\":\"failed\"}}\n"
		"{\"type\":\"item.completed\",\"item\":{\"id\":\"i2\",\"type\":\"odd\"}}\n"
		"{\"type\":\"item.completed\",\"item\":{\"id\":\"i3\",\"type\":\"agent_message\","
		"\"text\":\"Done.\"}}\n"
		"{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":100,\"cached_input_"
		"tokens\":"
		"60,\"cache_write_input_tokens\":10,\"output_tokens\":7,\"reasoning_output_"
		"tokens\":"
		"3}}\n",
		"session th\n"
		"warning shortened\n"
		"retry Reconnecting... 1/5\n"
		"tool_start i1 submit\n"
		"tool_end failed i1\n"
		"text Done.\n"
		"turn_end done input=30 read=60 write=10 output=7 reasoning=3\n");
}

TEST(a_failed_turn_of_codex_is_classed_by_its_words)
{
	static const struct {
		const char *words;
		const char *want;
	} rows[] = {
		{ "exceeded retry limit, last status: 429 Too Many Requests", "error rate_limit" },
		{ "You've hit your usage limit. Try again in 5 minutes.", "error rate_limit" },
		{ "stream disconnected before completion", "error network" },
		{ "unexpected status 401 Unauthorized", "error auth" },
		{ "the context window is full", "context" },
		{ "odd", "error server" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct reader r;
		AUTO_FREE char *line =
			xasprintf("{\"type\":\"turn.failed\",\"error\":{\"message\":\"%s\"}}\n",
				  rows[i].words);
		reader_open(&r, true);
		feed(&r, line, strlen(line), strlen(line));
		AUTO_FREE char *want = xasprintf("turn_end %s %s", rows[i].want, rows[i].words);
		CHECK(str_starts(r.events.text, want));
		reader_close(&r);
	}
}

TEST(times_to_wait_are_read_off_the_words)
{
	CHECK_INT(cli_retry_in_s("Try again in 5 minutes."), 301);
	CHECK_INT(cli_retry_in_s("please try again in 1.5s"), 2);
	CHECK_INT(cli_retry_in_s("try again in 2 hours"), 7201);
	CHECK_INT(cli_retry_in_s("try again in 20ms"), 0);
	CHECK_INT(cli_retry_in_s("try again at 3:45 PM"), 0);
	CHECK_INT(cli_retry_in_s("try again in -5 minutes"), 0);
	CHECK_INT(cli_retry_in_s(NULL), 0);
}

TEST(usage_of_a_thread_is_told_as_differences)
{
	struct reader r;
	static const char first[] =
		THREAD "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":"
		       "19508,\"cached_input_tokens\":11008,\"output_tokens\":220}}\n";
	static const char next[] =
		THREAD "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":"
		       "41200,\"cached_input_tokens\":30000,\"output_tokens\":410}}\n";
	reader_open(&r, true);
	feed(&r, first, sizeof(first) - 1, sizeof(first) - 1);
	feed(&r, next, sizeof(next) - 1, sizeof(next) - 1);
	CHECK_TEXT(r.events.text,
		   "session th\n"
		   "turn_end done input=8500 read=11008 write=0 output=220 reasoning=0\n"
		   "turn_end done input=2700 read=18992 write=0 output=190 reasoning=0\n");
	reader_close(&r);
}

static const struct {
	const char *usage;
	const char *want;
} odd_counts[] = {
	{ "{\"input_tokens\":5,\"output_tokens\":1e300}",
	  "turn_end done input=5 read=0 write=0 output=1125899906842624 reasoning=0\n" },
	{ "{\"input_tokens\":5,\"cached_input_tokens\":9,\"output_tokens\":1}",
	  "turn_end done input=0 read=9 write=0 output=1 reasoning=0\n" },
	{ "{\"input_tokens\":-5,\"output_tokens\":1}", "turn_end done\n" },
	{ "{\"input_tokens\":5,\"output_tokens\":\"x\"}", "turn_end done\n" },
	{ "{}", "turn_end done\n" },
	{ "null", "turn_end done\n" },
};

TEST(counts_that_make_no_sense_are_unknown_or_a_bound)
{
	for (size_t i = 0; i < ARRAY_LEN(odd_counts); i++) {
		struct reader r;
		AUTO_FREE char *line = xasprintf("{\"type\":\"turn.completed\",\"usage\":%s}\n",
						 odd_counts[i].usage);
		reader_open(&r, true);
		feed(&r, line, strlen(line), strlen(line));
		CHECK_TEXT(r.events.text, odd_counts[i].want);
		reader_close(&r);
	}
}

TEST(totals_of_claude_that_make_no_sense_are_unknown)
{
	struct reader r;
	reader_open(&r, false);
	end_claude(&r.claude, "\"total_cost_usd\":-1,\"modelUsage\":{\"m\":{\"inputTokens\":-6}}");
	end_claude(&r.claude, "\"total_cost_usd\":\"x\",\"modelUsage\":[]");
	end_claude(&r.claude, "\"total_cost_usd\":0.5");
	CHECK_TEXT(r.events.text, "turn_end done\nturn_end done\nturn_end done usd=0.500000\n");
	reader_close(&r);
}

static void check_sample(const char *dir, const char *name, bool is_codex)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(dir, name);
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read(path, 1 << 20, &text, &e));
	printf("# %s\n", name);
	check_cuts(is_codex, text.text, text.len);
}

TEST(each_sample_cut_at_every_byte_gives_the_same_events)
{
	const char *shared = getenv("FORGE_SHARED");
	if (!shared || !*shared)
		SKIP("FORGE_SHARED names no folder with samples");
	struct err e = { 0 };
	AUTO_STRV struct strv names = { 0 };
	AUTO_FREE char *dir = path_join(shared, "notes/protocol/examples");
	unsigned nr = 0;
	CHECK_OK(dir_list(dir, &names, &e));
	for (size_t i = 0; i < names.nr; i++) {
		bool is_codex = str_starts(names.items[i], "codex_");
		if (!is_codex && !str_starts(names.items[i], "claude_"))
			continue;
		check_sample(dir, names.items[i], is_codex);
		nr++;
	}
	CHECK(nr >= 10);
}

TEST_MAIN()
