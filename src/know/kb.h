/*
 * The knowledge base: all lessons below one folder (docs/format/lesson.md). The files are the
 * truth; what is built from them (recall.h) is thrown away. A file that can not be read is a
 * finding and left out, so that one bad lesson does not take the others away.
 */
#ifndef FORGE_KNOW_KB_H
#define FORGE_KNOW_KB_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "know/cert.h"
#include "know/lesson.h"

struct err;
struct findings;
struct kb_device;
struct strv;

struct kb_entry {
	struct lesson lesson;
	json_t *certs; /* NULL: it has none, or none that can be read */
};

struct kb {
	char *dir;
	struct kb_entry *items; /* by family, then id */
	size_t nr;
};

/* The base of this installation: the folder that FORGE_KB names, else hw_kb/ beside share/ (of the
 * source tree) or in it (installed); yours. NULL on error. */
char *kb_find_dir(struct err *e);
/* Findings of files that can not be read are added to `f`, which may be NULL. -1: there is no such
 * folder. Released in both cases. */
int kb_load(struct kb *kb, const char *dir, struct findings *f, struct err *e);
void kb_release(struct kb *kb);
#define AUTO_KB __attribute__((cleanup(kb_release)))
/* By id; NULL: there is none. */
const struct kb_entry *kb_find(const struct kb *kb, const char *id);
/* NULL: there is none; the error names what was meant. */
const struct kb_entry *kb_need(const struct kb *kb, const char *id, struct err *e);
void kb_ids(const struct kb *kb, struct strv *ids);
enum lesson_state kb_state(const struct kb_entry *entry, const struct kb_device *machine,
			   struct str *why);

/* Copy a lesson, its probe and a certificate into the base: the certificate comes last, so that
 * what was cut short is an uncertified lesson. A lesson of that id that is there already is
 * ERR_CONFLICT unless `is_replacing`. */
int kb_enter(const char *dir, const struct lesson *l, const json_t *certificate, bool is_replacing,
	     struct err *e);

#endif
