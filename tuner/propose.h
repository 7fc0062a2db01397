/*
 * From what is known about a reference to rows worth trying. A first course takes the rows of the
 * first choice; revisions draw on the others.
 */
#ifndef FORGE_TUNER_PROPOSE_H
#define FORGE_TUNER_PROPOSE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/curriculum.h"
#include "tuner/kernel.h"
#include "tuner/nest.h"
#include "tuner/ttask.h"

struct err;

/* A reference under study. */
struct study {
	struct arena *a;
	struct tuner_task task;
	const char *source;
	struct kernel kernel; /* specialised where that applies */
	struct nest nest;
	double ns; /* of one call at the largest size; 0: not told */
};

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

int study_open(struct study *s, const json_t *data, struct arena *a, struct err *e);
void study_release(struct study *s);
#define AUTO_STUDY __attribute__((cleanup(study_release)))
/* In the order in which they should run; of two rows of one kind for one loop the later wins. */
void propose_all(struct proposals *out, const struct study *s);
/* Whether the student could apply this value to the reference. */
bool study_applies(const struct study *s, const char *value);
/* M0 rows that say why a topic has no meaning here. */
struct decision propose_absent(const char *topic, const char *what, const char *why);

#endif
