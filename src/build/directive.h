/*
 * The build directive: a comment in the first 20 lines of a kernel,
 *     forge-build: gcc -O3 -march=native
 * names compiler and flags: gcc or clang of a C source, nvcc of a CUDA one. They are checked
 * against flags.def, so flags can neither name files nor reach the linker; what is not on the list
 * is the verdict forbidden_flag.
 */
#ifndef FORGE_BUILD_DIRECTIVE_H
#define FORGE_BUILD_DIRECTIVE_H

#include <stdbool.h>

#include "base/str.h"
#include "model/verdict.h"

enum compiler { COMPILER_GCC, COMPILER_CLANG, COMPILER_NVCC };

struct directive {
	enum compiler compiler;
	struct strv flags;
	bool is_default; /* the source holds none */
};

/* `otherwise` is used for a source without directive ("gcc -O2"), and says of which language it is:
 * a source names compilers of that language only. A refused flag is a verdict; VERDICT_NONE means
 * accepted. `threads` is the task's: -fopenmp needs more than one. */
struct verdict directive_parse(struct directive *d, const char *source, const char *otherwise,
			       unsigned threads);
void directive_release(struct directive *d);
#define AUTO_DIRECTIVE __attribute__((cleanup(directive_release)))
const char *compiler_name(enum compiler c);
/* "gcc -O3 -march=native"; yours. */
char *directive_text(const struct directive *d);
bool directive_has(const struct directive *d, const char *flag);

#endif
