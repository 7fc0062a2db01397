/*
 * Between the verbs of `forge kb`: what each is given. A verb is a row of kb_verbs.def and a
 * function here; cmd_kb.c reads options and loads the base for all of them.
 */
#ifndef FORGE_CMD_KB_IN_H
#define FORGE_CMD_KB_IN_H

#include <jansson.h>
#include <stdbool.h>

#include "cmd/kb_host.h"
#include "know/kb.h"
#include "model/task.h"

struct err;
struct strv;

struct kb_call {
	const char *base;     /* --base, else the installation's */
	const char *host;     /* --host, or NULL */
	const char *language; /* --language, or NULL: any; likewise the next two */
	const char *topic;
	const char *family;
	const char *tasks; /* --tasks: whose references lessons are held against */
	const char *why;   /* --why: of a review */
	bool is_json;
	bool is_all;
	bool is_replacing;
	const struct strv *operands; /* behind the verb */
	struct kb kb;
	struct findings unreadable; /* files of the base that could not be read */
	struct kb_host place;       /* open once the verb asked for it */
};

typedef int (*kb_verb_fn)(struct kb_call *c, struct err *e);

#define KB_VERB(name, min, max, needs_base, text) int kb_##name(struct kb_call *c, struct err *e);
#include "cmd/kb_verbs.def"
#undef KB_VERB

/* The host's device; asked once. */
int kb_call_open_host(struct kb_call *c, struct err *e);
/* Is it of the family that was named, if one was? */
bool kb_call_means(const struct kb_call *c, const struct lesson *l);
/* {"version", "base", "device": {...}, "gpu"} to which a verb adds its own; yours. */
json_t *kb_answer(const struct kb_call *c);
/* {"id", "title", "family", "languages", "topics", "negative", "state", "why", "path"}; yours. */
json_t *kb_entry_json(const struct kb_call *c, const struct kb_entry *entry);
/* "certified", or "stale (the compiler changed)". */
void kb_add_state(const struct kb_call *c, const struct kb_entry *entry, struct str *out);
/* Sources of the tasks below --tasks whose reference is no secret, one behind the other. */
int kb_references(const struct kb_call *c, struct str *out, struct err *e);
/* Findings of one lesson by all rules. */
int kb_lint_entry(const struct kb_call *c, const struct kb_entry *entry, struct findings *f,
		  struct err *e);
/* "gain 3.92 ratio, claimed >= 1.3; ..." of a certificate. */
void kb_add_claims(const json_t *certificate, struct str *out);

#endif
