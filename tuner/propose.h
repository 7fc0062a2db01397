/*
 * From what is known about a reference to rows worth trying. A first course takes the rows of the
 * first choice; revisions draw on the others.
 */
#ifndef FORGE_TUNER_PROPOSE_H
#define FORGE_TUNER_PROPOSE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/curriculum.h"

struct study;

struct proposal {
	size_t milestone;
	bool is_first_choice;
	struct decision row;   /* without id; needs NULL */
	const char *builds_on; /* value of the row it needs, or NULL */
};

struct proposals {
	struct proposal *items;
	size_t nr;
	size_t cap;
};

/* In the order in which they should run; of two rows of one kind for one loop the later wins. */
void propose_all(struct proposals *out, const struct study *s);
/* M0 rows that say why a topic has no meaning here. */
struct decision propose_absent(const char *topic, const char *what, const char *why);

#endif
