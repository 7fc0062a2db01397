/*
 * A curriculum being written: rows by milestone, and the values that were tried, refused or
 * priced before (kept as comments of the file, so that later turns know them without any memory).
 */
#ifndef FORGE_TUNER_DRAFT_H
#define FORGE_TUNER_DRAFT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "model/curriculum.h"

struct arena;

enum { DRAFT_MILESTONES = 3 };

struct draft_part {
	const char *title;
	struct decision *items;
	size_t nr;
	size_t cap;
};

struct draft {
	struct arena *a;
	long version;
	long structure_epoch;
	struct draft_part parts[DRAFT_MILESTONES];
	struct strv tried;   /* values that later versions must not propose again */
	struct strv refused; /* rows that the judge refused, or that did not apply */
	struct strv priced;  /* values whose worth was measured and that pay */
};

/* Takes the next free id of the milestone unless the row has one. The row added, until the next. */
struct decision *draft_add(struct draft *d, size_t milestone, const struct decision *row);
const struct decision *draft_find(const struct draft *d, const char *id);
const struct decision *draft_find_value(const struct draft *d, const char *value);
/* Rows after M0 hang on the first one of them, and that one, where it is alone, on the structure;
 * needs that are gone are dropped. */
void draft_connect(struct draft *d);
/* Empty milestones at the end are left out. */
void draft_print(const struct draft *d, struct str *out);
/* The comments "# tried:", "# refused:" and "# priced:" of a curriculum's text. */
void draft_read_notes(struct draft *d, const char *toml);
void draft_release(struct draft *d);
#define AUTO_DRAFT __attribute__((cleanup(draft_release)))

#endif
