#include "mcp/mcp_config.h"

#include <jansson.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"

/* A client's own limit of a call, in seconds; a call is answered within 45. */
enum { TOOL_TIMEOUT_S = 120 };

typedef void (*config_fn)(const char *command, const struct strv *args, struct str *out);

static json_t *args_json(const struct strv *args)
{
	json_t *list = json_array();
	for (size_t i = 0; i < args->nr; i++)
		json_array_append_new(list, json_string(args->items[i]));
	return list;
}

static void add_page(struct str *out, json_t *config)
{
	AUTO_FREE char *page = json_page(config);
	str_add(out, page);
	json_decref(config);
}

/* .mcp.json, --mcp-config, .cursor/mcp.json */
static void print_servers(const char *command, const struct strv *args, struct str *out)
{
	add_page(out, json_pack("{s:{s:{s:s, s:o}}}", "mcpServers", "forge", "command", command,
				"args", args_json(args)));
}

/* .vscode/mcp.json */
static void print_vscode(const char *command, const struct strv *args, struct str *out)
{
	add_page(out, json_pack("{s:{s:{s:s, s:s, s:o}}}", "servers", "forge", "type", "stdio",
				"command", command, "args", args_json(args)));
}

/* A table of ~/.codex/config.toml. JSON's strings are TOML's, too. */
static void print_codex(const char *command, const struct strv *args, struct str *out)
{
	AUTO_JSON json_t *command_json = json_string(command);
	AUTO_JSON json_t *list = args_json(args);
	AUTO_FREE char *command_text = json_line(command_json);
	AUTO_FREE char *args_text = json_line(list);
	str_addf(out,
		 "[mcp_servers.forge]\ncommand = %s\nargs = %s\ntool_timeout_sec = %d\n"
		 "default_tools_approval_mode = \"approve\"\n",
		 command_text, args_text, TOOL_TIMEOUT_S);
}

static const struct {
	const char *client;
	config_fn print;
} rows[] = {
	{ "claude", print_servers },
	{ "codex", print_codex },
	{ "cursor", print_servers },
	{ "vscode", print_vscode },
};

int mcp_config_print(const char *client, const char *command, const struct strv *args,
		     struct str *out, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (!str_equal(rows[i].client, client))
			continue;
		rows[i].print(command, args, out);
		return 0;
	}
	return err_set(e, ERR_USAGE,
		       "'%s' is no client known here; there are claude, codex, cursor "
		       "and vscode",
		       client);
}
