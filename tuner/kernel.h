/*
 * A kernel in the making: the reference as read, the bodies that stand for it, and the decisions
 * taken so far. Rows change it; kernel_print writes the one C file that is submitted.
 */
#ifndef FORGE_TUNER_KERNEL_H
#define FORGE_TUNER_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/str.h"
#include "tuner/cparse.h"
#include "tuner/env.h"

struct err;
struct row;
struct str;
struct stmt;
struct tuner_task;

/* One body of the entry: for one known size, or for all (then nothing is bound). */
struct variant {
	struct arena *a;
	const char *function; /* name of its C function; NULL: the entry itself */
	const char *shape;    /* name of the shape, NULL: any */
	struct view view;
	struct stmt *body;
};

struct kernel {
	struct arena *a;
	const struct tuner_task *task;
	const char *source;
	struct unit unit;
	const char *unread; /* why the source was not read; NULL: it was. Then only build applies */
	bool is_restrict;   /* pointers are said not to overlap and to be aligned */
	struct variant *variants;
	size_t nr_variants; /* the general one is last */
	const char *cc;
	struct strv flags;
	struct strv texts; /* types and small functions that the bodies need, in order */
	struct strv taken; /* "D1.2 simd loop=L0.0", for the header */
};

/* A source that can not be read is no error: kernel->unread says why. */
void kernel_init(struct kernel *k, const char *source, const struct tuner_task *task,
		 struct arena *a);
void kernel_release(struct kernel *k);
#define AUTO_KERNEL __attribute__((cleanup(kernel_release)))
void kernel_print(const struct kernel *k, struct str *out);

/* Has this text written in front of the bodies, once; not when the source has it already. */
void kernel_need_text(struct kernel *k, const char *text);
/* All but the first `nr` of them are needed no longer. */
void kernel_forget_texts(struct kernel *k, size_t nr);
/* The loop with this label in one body, or NULL. */
struct stmt *kernel_loop(const struct variant *v, const char *label);
/* The same below a statement, itself included. */
struct stmt *kernel_loop_below(struct stmt *s, const char *label);
/* ERR_INPUT when the source was not read or no body has the row's loop. */
int kernel_need_loop(const struct kernel *k, const struct row *row, struct err *e);
bool kernel_has_threads(const struct kernel *k);
bool kernel_has_simd(const struct kernel *k);

/* The kinds of rows, see row_kinds.def. */
#define ROW_KIND(name, keys, text)                                                                 \
	int row_##name(struct kernel *k, const struct row *row, struct err *e);
#include "tuner/row_kinds.def"
#undef ROW_KIND

#endif
