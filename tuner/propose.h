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
/* The topics that M0 must settle; NULL past the end. */
const char *propose_topic(size_t at);
/* An M0 row that says why a topic has no meaning here; `why` NULL: for the reason it has where
 * nothing better is known. */
struct decision propose_absent(const char *topic, const char *why);

#endif
