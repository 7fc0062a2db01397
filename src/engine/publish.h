/*
 * From a teacher's text to the version in force: parse, lint, repair turns, publish. Used for the
 * first curriculum and for revisions.
 */
#ifndef FORGE_ENGINE_PUBLISH_H
#define FORGE_ENGINE_PUBLISH_H

#include <jansson.h>

#include "agent/agent.h"

struct engine;
struct err;
struct str;

struct publish_spec {
	enum turn_kind kind;
	const char *purpose; /* of the turns: "curriculum", "revision-1"; "-N" is the attempt */
	const char *reason;  /* "first", "stall", "exhausted" */
	json_t *data;        /* of the turn; "errors" and "previous" are set on repair */
};

enum { PUBLISH_REPAIRS = 3 };

/* 1: published. 0: the teacher gave up, failed, or all its drafts were refused; `why` says so.
 * -1: our failure. */
int publish(struct engine *g, const struct publish_spec *spec, struct str *why, struct err *e);
/* Text of the reference for lints on leaks; NULL when it can not be read as text. Yours. */
char *publish_reference_text(const struct engine *g);
/* Load the version in force into g->course, if it is not there yet. */
int publish_load(struct engine *g, struct err *e);

#endif
