#include "fuzz.h"

/* Any bytes from a CLI agent, cut anywhere: each prompt ends at most once, every tool that began
 * ends, and replies are lines of JSON. The first byte says which agent speaks and where the rest is
 * cut in two. */

#include "agent/acp.h"
#include "agent/claude_stream.h"
#include "agent/codex_stream.h"
#include "agent/ndjson.h"
#include "base/json.h"

struct fuzz_agent {
	struct claude_stream claude;
	struct codex_stream codex;
	struct acp acp;
	unsigned which;
	unsigned nr_ends;
	unsigned nr_open;
};

static void fuzz_see(void *ctx, const struct cli_event *event)
{
	struct fuzz_agent *a = ctx;
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	cli_event_print(&text, event);
	a->nr_ends += event->kind == CLI_TURN_END;
	a->nr_open += event->kind == CLI_TOOL_START;
	FUZZ_CHECK(event->kind != CLI_TOOL_END || a->nr_open-- > 0);
	FUZZ_CHECK(event->kind != CLI_TURN_END || a->nr_open == 0);
	if (event->kind != CLI_REPLY)
		return;
	AUTO_JSON json_t *line = json_read_text(event->text, strlen(event->text), "reply", &e);
	FUZZ_CHECK(line && !strchr(event->text, '\n'));
}

static void fuzz_take(void *ctx, const struct ndjson_item *item)
{
	struct fuzz_agent *a = ctx;
	if (item->kind != NDJSON_OBJECT)
		return;
	if (a->which == 0)
		claude_stream_take(&a->claude, item->obj);
	else if (a->which == 1)
		codex_stream_take(&a->codex, item->obj);
	else
		acp_take(&a->acp, item->obj);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct acp_setup setup = { .workspace = "/w",
						.mcp_program = "/forge",
						.version = "1",
						.model = "m",
						.auth = "key" };
	struct fuzz_agent a = { .which = len ? data[0] % 3u : 0 };
	const struct cli_sink sink = { fuzz_see, &a };
	struct ndjson n;
	size_t cut = len > 1 ? 1 + data[0] / 3u % (len - 1) : len;
	const char *bytes = (const char *)data;
	ndjson_init(&n);
	n.max_line = 4096;
	claude_stream_init(&a.claude, sink);
	codex_stream_init(&a.codex, sink);
	acp_init(&a.acp, &setup, sink);
	claude_stream_begin(&a.claude);
	codex_stream_begin(&a.codex);
	acp_prompt(&a.acp, "go");
	if (len > 1) {
		ndjson_feed(&n, bytes + 1, cut - 1, fuzz_take, &a);
		ndjson_feed(&n, bytes + cut, len - cut, fuzz_take, &a);
	}
	ndjson_end(&n, fuzz_take, &a);
	FUZZ_CHECK(a.nr_ends <= 1);
	claude_stream_cut(&a.claude);
	codex_stream_cut(&a.codex);
	acp_cut(&a.acp);
	FUZZ_CHECK(a.nr_open == 0);
	ndjson_release(&n);
	claude_stream_release(&a.claude);
	codex_stream_release(&a.codex);
	acp_release(&a.acp);
	return 0;
}

#ifndef FUZZ_NO_MAIN
static const char *const agents_words[] = { "{\"type\":\"",
					    "\"result\"",
					    "\"assistant\"",
					    "\"system\"",
					    "\"subtype\":\"init\"",
					    "\"session_id\":\"s\"",
					    "\"is_error\":true",
					    "\"turn.completed\"",
					    "\"turn.failed\"",
					    "\"item.started\"",
					    "\"item.completed\"",
					    "\"item\":{\"id\":\"i\",\"type\":\"mcp_tool_call\"",
					    "\"usage\":{",
					    "\"input_tokens\":",
					    "{\"jsonrpc\":\"2.0\",\"id\":",
					    "\"result\":{",
					    "\"protocolVersion\":1",
					    "\"sessionId\":\"s\"",
					    "\"method\":\"session/update\"",
					    "\"method\":\"session/request_permission\"",
					    "\"sessionUpdate\":\"tool_call\"",
					    "\"toolCallId\":\"t\"",
					    "\"stopReason\":\"end_turn\"",
					    "\"error\":{\"code\":-32000}",
					    "\\u0000",
					    "\\ud800",
					    "\\udc00",
					    "\xff",
					    "\xEF\xBB\xBF",
					    "\n",
					    "\r\n",
					    "{",
					    "}",
					    "[",
					    "]",
					    "-1",
					    "1e999",
					    "9223372036854775808",
					    NULL };
#endif
FUZZ_MAIN(agents_words)
