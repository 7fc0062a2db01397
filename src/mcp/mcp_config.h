/* What a client's configuration must say to start the server: one row a client. */
#ifndef FORGE_MCP_MCP_CONFIG_H
#define FORGE_MCP_MCP_CONFIG_H

struct err;
struct str;
struct strv;

/* Append the text of the client's file. `command`: path of forge; `args`: after it. ERR_USAGE for a
 * client that is not known, with those that are. */
int mcp_config_print(const char *client, const char *command, const struct strv *args,
		     struct str *out, struct err *e);

#endif
