#include "agent/acp_permission.h"

/* Our own tools come as kind `other`, which is why that is allowed. A command or a fetch may use
 * the network that is there for the agent's own sake, so these need the user's word in
 * share/agents. Nothing is ever allowed for always: the next question is another one. */

#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"

enum rule { RULE_DENY, RULE_ALLOW, RULE_IN_WORKSPACE };

static bool is_inside(const char *path, const char *workspace)
{
	size_t len = strlen(workspace);
	if (path[0] != '/')
		return !str_starts(path, "..") && !strstr(path, "/..");
	return str_starts(path, workspace) && (path[len] == '/' || !path[len]) &&
	       !strstr(path + len, "/..");
}

static bool all_inside(const struct acp_question *q)
{
	const json_t *places = json_object_get(q->call, "locations");
	for (size_t i = 0; i < json_array_size(places); i++)
		if (!is_inside(json_text_or(json_array_get(places, i), "path", "/"), q->workspace))
			return false;
	return true;
}

static enum rule rule_of(const struct acp_question *q, const char *kind)
{
	static const struct {
		const char *kind;
		enum rule rule;
	} rows[] = {
		{ "read", RULE_ALLOW },          { "search", RULE_ALLOW },
		{ "think", RULE_ALLOW },         { "other", RULE_ALLOW },
		{ "edit", RULE_IN_WORKSPACE },   { "move", RULE_IN_WORKSPACE },
		{ "delete", RULE_IN_WORKSPACE },
	};
	for (size_t i = 0; i < q->nr_allowed; i++)
		if (str_equal(q->allowed[i], kind))
			return RULE_ALLOW;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_equal(rows[i].kind, kind))
			return rows[i].rule;
	return RULE_DENY;
}

static const char *option_of(const json_t *options, const char *kind)
{
	for (size_t i = 0; i < json_array_size(options); i++) {
		const json_t *option = json_array_get(options, i);
		if (str_equal(json_text_or(option, "kind", ""), kind))
			return json_text_or(option, "optionId", NULL);
	}
	return NULL;
}

const char *acp_permission(const struct acp_question *q)
{
	enum rule rule = rule_of(q, json_text_or(q->call, "kind", "other"));
	bool is_allowed = rule == RULE_ALLOW || (rule == RULE_IN_WORKSPACE && all_inside(q));
	const char *option = is_allowed ? option_of(q->options, "allow_once") : NULL;
	return option ? option : option_of(q->options, "reject_once");
}
