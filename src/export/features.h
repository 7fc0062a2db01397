/*
 * What a processor must have to run code that was compiled with some flags. All that the compiler
 * was allowed to use counts, whether the code holds it or not: less could be wrong.
 */
#ifndef FORGE_EXPORT_FEATURES_H
#define FORGE_EXPORT_FEATURES_H

struct err;
struct str;
struct strv;
struct toolbox;

/* Ask the compiler of a command line ("gcc", "-O3", "-march=native") in a toolbox; adds names of
 * __builtin_cpu_supports. */
int features_of_build(const struct toolbox *t, const struct strv *flags, struct strv *names,
		      struct err *e);
/* The same of what `compiler -dM -E` printed. */
void features_of_macros(const char *macros, struct strv *names);
/* An expression of C that says whether the processor has them all; "1" for none. */
void features_check(const struct strv *names, struct str *out);

#endif
