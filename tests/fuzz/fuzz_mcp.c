#include "fuzz.h"

/* Any bytes for lines: a line is answered once at most, by one line that is a message with the id
 * of the request, and whatever was begun is answered or cancelled when time has passed. */

#include "base/json.h"
#include "mcp/jsonrpc.h"
#include "mcp/mcp.h"

enum { LONG_S = 100 };

static size_t nr_lines(const struct str *out)
{
	size_t nr = 0;
	for (size_t i = 0; i < out->len; i++)
		nr += out->text[i] == '\n';
	return nr;
}

static void check_message(const char *line, size_t len, const json_t *id)
{
	json_error_t why;
	AUTO_JSON json_t *message = json_loadb(line, len, JSON_ALLOW_NUL, &why);
	FUZZ_CHECK(json_is_object(message));
	FUZZ_CHECK(str_equal(json_text_or(message, "jsonrpc", ""), "2.0"));
	bool is_result = json_object_get(message, "result") != NULL;
	FUZZ_CHECK(is_result != (json_object_get(message, "error") != NULL));
	FUZZ_CHECK(!id || json_equal(id, json_object_get(message, "id")));
}

static void take_line(struct mcp *m, const char *line, size_t len)
{
	AUTO_RPC_MESSAGE struct rpc_message r = { 0 };
	rpc_read(&r, line, len);
	mcp_take(m, line, len, 1);
	size_t nr = nr_lines(&m->out);
	FUZZ_CHECK(nr <= 1);
	FUZZ_CHECK(nr == 0 || r.kind == RPC_REQUEST || r.kind == RPC_BAD);
	if (nr)
		check_message(m->out.text, m->out.len, r.id);
	str_clear(&m->out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	/* Where nothing can be: calls that need a turn are told so, waits begin. */
	const struct mcp_spec spec = { .mailbox = "/proc/no-mailbox", .role = AGENT_STUDENT };
	AUTO_MCP struct mcp m = { .out = STR_INIT };
	AUTO_STR struct str text = STR_INIT;
	str_add_len(&text, data, len);
	mcp_init(&m, &spec);
	for (size_t at = 0; at < text.len;) {
		const char *feed = memchr(text.text + at, '\n', text.len - at);
		size_t line_len = feed ? (size_t)(feed - text.text) - at : text.len - at;
		take_line(&m, text.text + at, line_len);
		at += line_len + 1;
	}
	size_t nr_waiting = m.nr_calls;
	mcp_tick(&m, LONG_S * NS_PER_S);
	FUZZ_CHECK(nr_lines(&m.out) == nr_waiting && !mcp_is_busy(&m));
	return 0;
}

#ifndef FUZZ_NO_MAIN
static const char *const mcp_words[] = {
	"{\"jsonrpc\":\"2.0\",",
	"\"id\":1,",
	"\"id\":\"a\",",
	"\"id\":null,",
	"\"method\":\"tools/call\"",
	"\"method\":\"tools/list\"",
	"\"method\":\"initialize\"",
	"\"method\":\"ping\"",
	"\"method\":\"notifications/cancelled\"",
	"\"method\":\"resources/read\"",
	",\"params\":{",
	"\"name\":\"wait\"",
	"\"name\":\"submit\"",
	"\"arguments\":{",
	"\"max_s\":1e300",
	"\"requestId\":1",
	"\"uri\":\"forge://turn\"",
	"\"_meta\":{\"progressToken\":1}",
	"\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"",
	"\"io.modelcontextprotocol/clientCapabilities\":{}",
	"\"protocolVersion\":\"2025-11-25\"",
	"\\u0000",
	"\\ud800",
	"}",
	"}}",
	"]",
	"[",
	"\n",
	"\xff",
	"9223372036854775807",
	"1.0",
	NULL
};
#endif
FUZZ_MAIN(mcp_words)
