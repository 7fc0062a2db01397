/*
 * What an agent may do when it asks (session/request_permission): by the kind of the tool and the
 * places it names. The agent's box is what holds it; this keeps an honest agent to its role.
 */
#ifndef FORGE_AGENT_ACP_PERMISSION_H
#define FORGE_AGENT_ACP_PERMISSION_H

#include <jansson.h>
#include <stddef.h>

struct acp_question {
	const json_t *call;    /* {kind, locations} as told so far; or NULL */
	const json_t *options; /* [{optionId, name, kind}] */
	const char *workspace;
	const char *const *allowed; /* further kinds that are allowed */
	size_t nr_allowed;
};

/* The id of the option to select, borrowed from the question; NULL: none fits, cancel. */
const char *acp_permission(const struct acp_question *q);

#endif
