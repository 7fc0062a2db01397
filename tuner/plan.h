/*
 * A plan: the rows that make one kernel out of the reference, in the order in which they apply.
 * A value type; texts live in an arena. Rendering a plan is cheap (milliseconds), so whether a row
 * applies is found out by rendering.
 */
#ifndef FORGE_TUNER_PLAN_H
#define FORGE_TUNER_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct arena;
struct err;
struct kernel;
struct tuner_task;

enum { PLAN_ROWS = 40 };

struct plan {
	const char *rows[PLAN_ROWS];
	size_t nr;
};

/* The plan with one row more, put where its kind belongs; it takes the place of a row it
 * supersedes. A full plan stays as it is. */
struct plan plan_with(const struct plan *p, const char *row, struct arena *a);
/* The same for a row of a course: "drop row=KIND ..." takes one out. ERR_INPUT: there is no such
 * row, or the plan is full. */
int plan_change(struct plan *p, const char *row, struct arena *a, struct err *e);
/* The rows of a decision's value, which are separated by " | ", in their order. What does not fit
 * is left out. */
struct plan plan_of_value(const char *value, struct arena *a);
/* Whether the value holds a row that is there for the sake of others: known sizes, sums in
 * registers. */
bool plan_value_opens(const char *value, struct arena *a);
/* What plan_change needs to come from one plan to the other, in the order of kinds. */
void plan_difference(const struct plan *from, const struct plan *to, struct plan *out,
		     struct arena *a);
/* The row that another one would take the place of; NULL: there is none. */
const char *plan_rival(const struct plan *p, const char *row, struct arena *a);
/* Whether one of the plan's rows is a drop of this one. */
bool plan_drops(const struct plan *p, const char *row, struct arena *a);
struct plan plan_without(const struct plan *p, size_t at);
struct plan plan_without_kind(const struct plan *p, const char *kind);
bool plan_equal(const struct plan *a, const struct plan *b);
/* Whether the plans differ in one row only, and that row has the same kind in both. */
bool plan_is_near(const struct plan *a, const struct plan *b);
bool plan_has_kind(const struct plan *p, const char *kind);
/* Whether the row is there, word for word. */
bool plan_has(const struct plan *p, const char *row);
/* "gcc" or "clang". */
const char *plan_compiler(const struct plan *p);

/* All rows applied to the source; the caller releases the kernel. ERR_INPUT: a row does not apply,
 * and the text says which and why. */
int plan_apply(const struct plan *p, const char *source, const struct tuner_task *task,
	       struct kernel *k, struct arena *a, struct err *e);
/* The source of the kernel that the plan stands for. */
int plan_render(const struct plan *p, const char *source, const struct tuner_task *task,
		struct str *out, struct err *e);

/* The number behind KEY= in a row's text, 0 when there is none. */
long row_text_number(const char *row, const char *key);
/* The row with another value for KEY. */
const char *row_text_with(const char *row, const char *key, long value, struct arena *a);
/* Whether the row is of this kind. */
bool row_text_is(const char *row, const char *kind);

#endif
