#include "mcp/mcp_config.h"

#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/toml.h"
#include "test.h"

static void print(const char *client, struct str *out)
{
	struct err e = { 0 };
	AUTO_STRV struct strv args = { 0 };
	strv_add(&args, "mcp");
	strv_add(&args, "--run");
	strv_add(&args, "/a \"b\"/r1");
	CHECK_OK(mcp_config_print(client, "/opt/forge", &args, out, &e));
}

static json_t *server_of(const char *client, const char *table)
{
	struct err e = { 0 };
	AUTO_STR struct str out = STR_INIT;
	print(client, &out);
	AUTO_JSON json_t *root = json_read_text(out.text, out.len, client, &e);
	return json_incref(json_object_get(json_object_get(root, table), "forge"));
}

TEST(clients_that_read_json_start_the_same_command)
{
	static const char *const rows[][2] = { { "claude", "mcpServers" },
					       { "cursor", "mcpServers" },
					       { "vscode", "servers" } };
	AUTO_JSON json_t *want = json_pack("[s, s, s]", "mcp", "--run", "/a \"b\"/r1");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_JSON json_t *server = server_of(rows[i][0], rows[i][1]);
		CHECK_TEXT(json_text_or(server, "command", ""), "/opt/forge");
		CHECK(json_equal(json_object_get(server, "args"), want));
	}
	AUTO_JSON json_t *vscode = server_of("vscode", "servers");
	CHECK_TEXT(json_text_or(vscode, "type", ""), "stdio");
}

TEST(codex_gets_a_toml_table)
{
	struct err e = { 0 };
	AUTO_STR struct str out = STR_INIT;
	AUTO_ARENA struct arena arena = { 0 };
	print("codex", &out);
	const struct toml *root = toml_parse(out.text, out.len, "config.toml", &arena, &e);
	CHECK(root != NULL);
	const struct toml *forge = toml_get(toml_get(root, "mcp_servers"), "forge");
	const struct toml *args = toml_get(forge, "args");
	CHECK_TEXT(toml_get(forge, "command")->text, "/opt/forge");
	CHECK_INT(args->nr_items, 3);
	CHECK_TEXT(args->items[2]->text, "/a \"b\"/r1");
}

TEST(an_unknown_client_is_told_the_known_ones)
{
	struct err e = { 0 };
	AUTO_STR struct str out = STR_INIT;
	AUTO_STRV struct strv args = { 0 };
	CHECK(mcp_config_print("emacs", "/opt/forge", &args, &out, &e) < 0);
	CHECK_INT(e.kind, ERR_USAGE);
	CHECK(strstr(e.text, "claude, codex, cursor and vscode") != NULL);
}

TEST_MAIN()
