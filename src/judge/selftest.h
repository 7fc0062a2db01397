/*
 * The judge's self-test (DESIGN.md 7): eight wrong answers are made from the expected output of a
 * case and judged as a candidate's would be; none may pass. The exact answer, rounded to the
 * output's type, must. All in memory; the worker calls it for every case after calibration.
 */
#ifndef FORGE_JUDGE_SELFTEST_H
#define FORGE_JUDGE_SELFTEST_H

#include <stddef.h>
#include <stdint.h>

#include "judge/tolerance.h"
#include "model/dtype.h"

struct err;

enum cheat {
#define CHEAT(id, name, text) CHEAT_##id,
#include "judge/cheats.def"
#undef CHEAT
	CHEAT_NR
};

struct selftest_output {
	const char *name;
	enum dtype dtype;
	const int64_t *extent;
	size_t rank;
	const void *want; /* double for float dtypes, else in `dtype` */
	struct tolerance tol;
	/* The same output's expected values in another case, same representation; NULL (there is
	 * only one case): the elements of `want` in reverse order. */
	const void *stale;
	size_t nr_stale;
};

struct selftest_case {
	const char *shape;
	const char *group;
	const struct selftest_output *outputs;
	size_t nr_outputs;
	/* First tensor input, for the input copy; NULL: the task has none. */
	const void *input;
	enum dtype input_dtype;
	size_t nr_input;
};

struct selftest {
	unsigned nr_judged; /* cheats times outputs that were judged */
	unsigned passed;    /* bit 1 << cheat: it was not caught */
	unsigned refused;   /* outputs whose exact answer was not accepted */
};

const char *cheat_name(enum cheat c);
/* Error (ERR_INPUT) that names the case and each cheat that passed; `out` is filled either way. An
 * output that a cheat does not change (a counter that is the same in both cases) does not count,
 * unless the cheat changes no output at all: then the case can not tell it from the truth. */
int selftest_run(const struct selftest_case *c, struct selftest *out, struct err *e);

#endif
