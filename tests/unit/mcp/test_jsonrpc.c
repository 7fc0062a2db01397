#include "mcp/jsonrpc.h"

#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "test.h"

struct row {
	const char *line;
	enum rpc_kind kind;
	enum rpc_code code;
	const char *id; /* as JSON; NULL: none */
};

static const struct row rows[] = {
	{ "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"a\"}", RPC_REQUEST, 0, "7" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":\"7\",\"method\":\"a\",\"params\":{}}", RPC_REQUEST, 0,
	  "\"7\"" },
	{ "{\"jsonrpc\":\"2.0\",\"method\":\"a\"}", RPC_NOTIFICATION, 0, NULL },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", RPC_RESPONSE, 0, "1" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}", RPC_RESPONSE, 0, "1" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1}", RPC_BAD, RPC_NO_REQUEST, "1" },
	{ "{\"id\":1,\"method\":\"a\"}", RPC_BAD, RPC_NO_REQUEST, "1" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"a\"}", RPC_BAD, RPC_NO_REQUEST, NULL },
	{ "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"a\"}", RPC_BAD, RPC_NO_REQUEST, NULL },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}", RPC_BAD, RPC_NO_REQUEST, "1" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":null}", RPC_BAD,
	  RPC_BAD_PARAMS, "1" },
	{ "[]", RPC_BAD, RPC_NO_REQUEST, NULL },
	{ "\"x\"", RPC_BAD, RPC_NO_REQUEST, NULL },
	{ "{", RPC_BAD, RPC_NOT_JSON, NULL },
	{ "{\"id\":\"\\ud800\"}", RPC_BAD, RPC_NOT_JSON, NULL },
	{ "\xff\xfe", RPC_BAD, RPC_NOT_JSON, NULL },
	{ "{\"id\":1,\"a\\u0000\":1}", RPC_BAD, RPC_NOT_JSON, NULL },
	{ "{} {}", RPC_BAD, RPC_NOT_JSON, NULL },
};

TEST(a_line_is_a_request_a_notification_a_response_or_told_what_is_wrong_with_it)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_RPC_MESSAGE struct rpc_message r = { 0 };
		rpc_read(&r, rows[i].line, strlen(rows[i].line));
		printf("# %s\n", rows[i].line);
		CHECK_INT(r.kind, rows[i].kind);
		CHECK_INT(r.fault.code, rows[i].code);
		AUTO_FREE char *id = r.id ? json_line(r.id) : NULL;
		CHECK(!id == !rows[i].id);
		if (id)
			CHECK_TEXT(id, rows[i].id);
	}
}

TEST(a_nul_byte_is_no_json_also_where_a_number_ends)
{
	static const char line[] = "{\"jsonrpc\":\"2.0\",\"id\":7\0,\"method\":\"ping\"}";
	AUTO_RPC_MESSAGE struct rpc_message r = { 0 };
	rpc_read(&r, line, sizeof(line) - 1);
	CHECK_INT(r.kind, RPC_BAD);
	CHECK_INT(r.fault.code, RPC_NOT_JSON);
}

TEST(what_a_fault_quotes_is_one_harmless_line)
{
	AUTO_RPC_FAULT struct rpc_fault f = { 0 };
	AUTO_STR struct str out = STR_INIT;
	rpc_fault_set(&f, RPC_BAD_PARAMS, "unknown: %s", "a\nb\xff\x1b[2J");
	rpc_add_error(&out, NULL, &f);
	CHECK_TEXT(out.text, "{\"error\":{\"code\":-32602,\"message\":\"unknown: a "
			     "b\\\\xff\\\\x1b[2J\"},\"jsonrpc\":\"2.0\"}\n");
}

TEST(the_text_after_a_nul_is_seen)
{
	AUTO_JSON json_t *plain = json_pack("{s:[s, {s:s}]}", "a", "b", "c", "d");
	json_error_t why;
	const char text[] = "{\"a\":[1,{\"b\":\"c\\u0000d\"}]}";
	AUTO_JSON json_t *deep = json_loads(text, JSON_ALLOW_NUL, &why);
	CHECK(deep != NULL);
	CHECK(!rpc_has_nul(plain));
	CHECK(rpc_has_nul(deep));
}

TEST_MAIN()
