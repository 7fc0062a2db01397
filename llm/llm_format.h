/*
 * A format of the wire to a provider: how a conversation becomes a request, and which events
 * build a reply. Two rows; nothing else knows which one is spoken. Pure.
 */
#ifndef FORGE_LLM_LLM_FORMAT_H
#define FORGE_LLM_LLM_FORMAT_H

#include <jansson.h>

#include "llm/reply.h"

struct llm_settings;
struct strv;
struct talk;

struct llm_format {
	const char *name;
	const char *path; /* behind base_url */
	/* The request's body; a new reference. */
	json_t *(*body)(const struct llm_settings *s, const struct talk *t);
	/* Headers that carry the key (which may be NULL) and the version. */
	void (*headers)(const char *key, struct strv *out);
	int (*take)(struct reply *r, const char *name, const struct str *data, struct err *e);
	int (*whole)(struct reply *r, const json_t *body, struct err *e);
};

extern const struct llm_format llm_chat;
extern const struct llm_format llm_messages;

const struct llm_format *llm_format_find(const char *name);
/* What both formats put into a body: the profile's own members over `body`, the effort at its
 * dotted place. */
void llm_body_finish(json_t *body, const struct llm_settings *s);

#endif
