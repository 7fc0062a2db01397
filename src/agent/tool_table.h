/*
 * The tools that agents are offered, one table (tools.def) for every way they are called: the
 * wire's `tool` lines, the turn's `tools`, `forge mcp`, the commands that answer a turn. A call is
 * checked here, by the schema that the agent was shown, before anybody acts on it.
 */
#ifndef FORGE_AGENT_TOOL_TABLE_H
#define FORGE_AGENT_TOOL_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "agent/agent.h"

struct err;
struct str;

enum tool_place {
	TOOL_ANSWER, /* it becomes the answer of the turn */
	TOOL_DATA,   /* answered from the turn's data */
	TOOL_FILES,  /* files of the workspace, for agents that have no hands of their own */
	TOOL_ENGINE, /* agent_spec.call_tool */
};

struct tool_spec {
	const char *name;
	unsigned kinds; /* 1u << enum turn_kind */
	bool is_answer;
	const char *description;
	/* JSON text: root object, no other members than those listed. */
	const char *schema;
	enum tool_place place;
	const char *answer; /* the wire's type of answer, or NULL */
};

/* More than the table has rows. */
enum { TOOL_MAX = 64 };

/* NULL: there is none of that name. */
const struct tool_spec *tool_find(const char *name);
/* The tool whose call becomes an answer of this wire type ("curriculum": publish_curriculum), or
 * NULL. */
const struct tool_spec *tool_of_answer(const char *type);
/* The tool by which a turn of this kind is answered with a text: submit, publish_curriculum. */
const struct tool_spec *tool_answering(enum turn_kind kind);
/* Tools of a kind of turn, in the table's order, without those for files; returns how many. */
size_t tools_for(enum turn_kind kind, const struct tool_spec **out, size_t max);
/* Is it a tool of this kind of turn? `has_files`: the agent is offered those for files, too. */
bool tool_fits(const struct tool_spec *t, enum turn_kind kind, bool has_files);
/* [{"name", "description", "schema", "answer": true?}]: what a turn line carries; yours. */
json_t *tools_to_json(enum turn_kind kind, bool has_files);
/* "decision, contract, build": for messages. */
void tools_names(enum turn_kind kind, bool has_files, struct str *out);

/* ERR_INPUT names the tool, the member, what is wrong with it and what belongs there. */
int tool_check(const struct tool_spec *t, const json_t *args, struct err *e);
/* The wire line of a checked call: an answer, or a tool call without id (also for an answer whose
 * text lies in a file of the workspace: whoever holds the workspace reads it). Yours. */
json_t *tool_to_line(const struct tool_spec *t, const json_t *args);
/* The member that holds the text of such a call ("source", "toml", "findings"), or NULL: the tool
 * takes no file. */
const char *tool_text_member(const struct tool_spec *t);

#endif
