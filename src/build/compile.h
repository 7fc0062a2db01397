/*
 * One C source to one leaf object, in the jail: src/kernel.c -> out/leaf.o. A source that does not
 * compile or includes what it may not is a verdict.
 */
#ifndef FORGE_BUILD_COMPILE_H
#define FORGE_BUILD_COMPILE_H

#include "base/str.h"
#include "model/verdict.h"

struct directive;
struct err;
struct toolbox;

#define COMPILE_SOURCE_NAME "kernel.c"
#define COMPILE_OBJECT_NAME "leaf.o"

/* Appends the compiler's output to `log`: bounded, printable, our paths taken out; nothing when the
 * verdict is forbidden_include. */
int compile_run(const struct toolbox *t, const struct directive *d, struct verdict *v,
		struct str *log, struct err *e);
/* Compiler, the author's flags and the harness' own: what the object's code follows from. */
void compile_flags(const struct directive *d, struct strv *argv);
/* Append tool output to a log as compile_run does. */
void compile_log_add(const struct toolbox *t, struct str *log, const char *text);
/* What may be told of a log when the source is sealed: "kernel.c:12:5: error", a line for each
 * message with a place in the source. Messages quote the text they speak of, so none is kept. */
void compile_log_places(const char *log, struct str *out);
/* First file of a dependency list (make syntax) that is neither the source nor below the kit or the
 * system's include folders; yours. NULL: all are fine. */
char *compile_foreign_include(const char *deps, const char *kit);
/* First file that a message has its place in and that is neither; yours, or NULL. */
char *compile_foreign_place(const char *log, const char *kit);
/* Is this file the source, or below the kit or the system's include folders? */
bool compile_include_is_fine(const char *path, const char *kit);
/* The file that the compiler says it cannot find; yours, or NULL. */
char *compile_missing_include(const char *log);
/* The first line of a log that tells of an error, else its first line. */
void compile_first_error(const char *log, char *out, size_t len);

#endif
