/*
 * The verdict of a case, and of a candidate from its cases: the only place that says PASS. The
 * worker hands over frozen outputs, the oracle's values and what it saw around the call; outcomes
 * without outputs (crash, timeout, policy...) are made with verdict_make() where they are seen and
 * meet the others in judge_candidate(). The order of classification is in judge.c.
 */
#ifndef FORGE_JUDGE_JUDGE_H
#define FORGE_JUDGE_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "judge/compare.h"
#include "judge/tolerance.h"
#include "model/verdict.h"

struct judge_output {
	const char *name;
	enum dtype dtype;
	const int64_t *extent;
	size_t rank;
	const void *got;  /* in `dtype` */
	const void *want; /* double for float dtypes, else in `dtype` */
	uint64_t poison_salt;
	struct tolerance tol;
};

struct judge_case {
	const char *shape;
	const char *group;
	const struct judge_output *outputs;
	size_t nr_outputs;
	/* What was seen around the call; NULL: all well. Each names the argument. */
	const char *stray_write;    /* a canary area beside this argument was written */
	const char *input_modified; /* this read-only argument changed */
	const char *not_repeatable; /* this output had other bits for the same input */
};

struct judgement {
	struct verdict verdict;
	double max_err;   /* of the output that is furthest from its tolerance */
	double tolerance; /* what max_err was held against */
	/* The comparison of that output, for logs of people who may see it; never for the student.
	 */
	struct compare compare;
};

void judge_case_run(const struct judge_case *c, struct judgement *out);

/* The candidate's verdict from those of all its cases: the gravest one (TAMPER, POLICY, FAIL), the
 * first of equals; PASS when every case passed. No case at all, or a case without a verdict, is a
 * BUG: nothing passes by not being looked at. */
struct verdict judge_candidate(const struct verdict *cases, size_t nr);

#endif
