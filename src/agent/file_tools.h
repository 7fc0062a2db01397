/*
 * read, write, edit, list: hands for an agent that has none of its own (the models that forge-llm
 * talks to). They reach the files of its workspace and nothing else (sys/beneath.h).
 */
#ifndef FORGE_AGENT_FILE_TOOLS_H
#define FORGE_AGENT_FILE_TOOLS_H

#include <jansson.h>

struct err;
struct str;
struct tool_spec;

/* Members of the tool's result, yours; arguments are checked (tool_check). A file that is not there
 * or too large is an outcome, `failed`. */
json_t *file_tool(const struct tool_spec *t, const char *workspace, const json_t *args);
/* The whole text of a file of the workspace; ERR_INPUT when it is none that can be sent. */
int file_tool_text(const char *workspace, const char *path, struct str *text, struct err *e);

#endif
