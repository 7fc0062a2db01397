/*
 * Recall: which lessons speak of these words, the most useful first. The index (SQLite's FTS5) is
 * built in memory from the files each time, some milliseconds for hundreds of lessons: nothing can
 * be out of date, and nothing needs a place to be written to.
 */
#ifndef FORGE_KNOW_RECALL_H
#define FORGE_KNOW_RECALL_H

#include <stddef.h>

#include "know/cert.h"

struct err;
struct kb;
struct kb_device;
struct kb_entry;

struct recall_query {
	const char *words; /* any of them, also the beginnings of longer ones; NULL: all lessons */
	const char *language; /* lessons for it come first; NULL: any */
	const char *topic;    /* likewise */
	/* Lessons of its family, and those certified on it, come first; NULL: any. */
	const struct kb_device *device;
};

struct recalled {
	const struct kb_entry *entry;
	double score; /* higher is better; comparable within one recall only */
};

/* At most `max` lessons in order; *nr says how many. */
int recall(const struct kb *kb, const struct recall_query *query, struct recalled *out, size_t max,
	   size_t *nr, struct err *e);

#endif
