/*
 * Tools that are answered from the data of the turn, without the engine: for agents that look
 * things up instead of reading one long text.
 */
#ifndef FORGE_AGENT_DATA_TOOLS_H
#define FORGE_AGENT_DATA_TOOLS_H

#include <jansson.h>

struct tool_spec;

/* Members of the tool's result, yours. `data` may be NULL. */
json_t *data_tool(const struct tool_spec *t, const json_t *data, const json_t *args);

#endif
