/*
 * The curriculum: ordered milestones M0..Mk of decision rows (docs/format/curriculum.md). Written
 * by the teacher, linted by curriculum_lint, read by the student one row at a time. It holds
 * decisions and parameters, never code (L0).
 */
#ifndef FORGE_MODEL_CURRICULUM_H
#define FORGE_MODEL_CURRICULUM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

struct err;
struct findings;
struct strv;

struct mechanism {
	const char *metric;    /* NULL: none, then `none_reason` says why */
	const char *direction; /* "up", "down", "same" */
	double at_least;       /* predicted size of the change: as a factor; 0: any */
	double by_pct;         /* or in percent of the value before; 0: any */
	double to;             /* or the value that is reached or passed, with has_to */
	bool has_to;
	const char *none_reason;
};

struct decision {
	const char *id; /* "D0.1" */
	const char *what;
	const char *value; /* one value, or NULL when `range` is given */
	const char *range;
	const char *why;
	const char *wrong_when;
	const char **needs;
	size_t nr_needs;
	const char *atomic; /* name of the atomic group, or NULL */
	struct mechanism mechanism;
	double predicts; /* speed-up over the reference that the teacher expects; 0: not told */
	const char **lessons;
	size_t nr_lessons;
	const char *covers;     /* M0 only: which structural topic this row settles, or NULL */
	bool is_not_applicable; /* states why in `why`; the student gets no round for it */
	unsigned line;
};

struct milestone {
	const char *id; /* "M0" */
	const char *title;
	const char *gate; /* "correctness" or "correctness+performance+mechanism" */
	struct decision *decisions;
	size_t nr_decisions;
	unsigned line;
};

struct curriculum {
	struct arena arena;
	const char *path;
	long version;
	long structure_epoch;
	struct milestone *milestones;
	size_t nr_milestones;
};

int curriculum_load(struct curriculum *c, const char *path, struct err *e);
int curriculum_parse(struct curriculum *c, const char *text, const char *name, struct err *e);
void curriculum_release(struct curriculum *c);
#define AUTO_CURRICULUM __attribute__((cleanup(curriculum_release)))
/* Rules of DESIGN.md 6. `reference_text` may be NULL (then no leak lint against identifiers). */
void curriculum_lint(const struct curriculum *c, const char *reference_text, struct findings *f);
/* Findings of rows that cite a lesson which is none of these ids. */
void curriculum_lint_lessons(const struct curriculum *c, const struct strv *ids,
			     struct findings *f);
const struct decision *curriculum_find(const struct curriculum *c, const char *id);

#endif
