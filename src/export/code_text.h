/*
 * Pieces of C and C++ that follow from a task: parameters, scalars, the sizes that were judged,
 * texts of strangers in comments.
 */
#ifndef FORGE_EXPORT_CODE_TEXT_H
#define FORGE_EXPORT_CODE_TEXT_H

#include <stdbool.h>

struct arg;
struct dims;
struct err;
struct str;
struct task;

/* "const float *x, int64_t n"; of a CUDA task with the stream. */
void code_params(const struct task *t, struct str *out);
/* "x, n" of all arguments. */
void code_names(const struct task *t, struct str *out);
/* "int64_t n, float s" and "n, s" of the scalars; "void" and "" when there are none. */
void code_scalar_params(const struct task *t, struct str *out);
void code_scalar_names(const struct task *t, struct str *out);
/* A scalar's value at a shape as C writes it: "128", "0x1.4p-17f". */
int code_literal(const struct arg *arg, const struct dims *dims, struct str *out, struct err *e);
/* Lines "	if (n == 128) return 1;" for each shape that was judged. */
int code_judged(const struct task *t, bool with_held_out, struct str *out, struct err *e);
/* Lines " *   NAME: n = 128" of the same shapes, and " *   NAME: PURPOSE" of input groups, each
 * once, for a comment. */
int code_judged_list(const struct task *t, bool with_held_out, struct str *out, struct err *e);
void code_groups(const struct task *t, struct str *out);
/* Append somebody's text so that it neither ends a comment nor begins one. */
void code_comment(struct str *out, const char *text);

#endif
