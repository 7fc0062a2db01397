/*
 * What the author of a judge, or of a kernel to begin with, is told of a calibration that refused
 * it: which visible case is off, in which output, where and how far. Numbers only: no value of
 * either side, and of held-out shapes only that one is off.
 */
#ifndef FORGE_ENGINE_ALIGNMENT_H
#define FORGE_ENGINE_ALIGNMENT_H

#include <stdbool.h>

struct result;
struct str;
struct task;

/* Lines of the mismatches: "- shape short, group normal, output y at [3]: ...". */
void alignment_add_cases(const struct task *t, const struct result *result, struct str *out);
/* `why` unless it names a held-out shape; then `otherwise`. */
void alignment_add_reason(const struct task *t, const char *why, const char *otherwise,
			  struct str *out);
/* All that a judge's author is told. */
void alignment_tell_judge(const struct task *t, const struct result *result, struct str *out);

#endif
