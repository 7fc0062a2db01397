/*
 * A task: the problem, immutable during a run. Loaded from a folder with task.toml, shapes.json,
 * description.md, reference/ and an optional judge/ (docs/format/task.md). All text lives in the
 * task's arena and dies with task_release.
 */
#ifndef FORGE_MODEL_TASK_H
#define FORGE_MODEL_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/dtype.h"
#include "model/limits.h"
#include "model/shape.h"

struct err;
struct leaderboard;
struct task_agent;

enum { TASK_MAX_THREADS = 256 };

enum arg_role { ARG_IN, ARG_OUT, ARG_INOUT, ARG_SCALAR, ARG_WORKSPACE };

struct arg {
	const char *name;
	enum arg_role role;
	enum dtype dtype;
	const char **shape; /* expressions over dims; none for scalars */
	size_t nr_shape;
	const char *value; /* scalars: literal or expression; NULL: the dim of the same name */
	unsigned line;
};

struct task_limits {
	double hours;
	int64_t max_meta;
	int64_t stall;
	int64_t teacher_jobs; /* calls of its tools that the teacher has */
	struct limits
		of[LIMITS_NR]; /* of the run (hours among them), of roles, of each milestone */
};

struct task {
	struct arena arena;
	const char *dir; /* as given to task_load */
	const char *name;
	const char *language;
	const char *arch; /* CUDA: "sm_90a", or NULL: of the device there is */
	const char *entry;
	unsigned threads;
	unsigned judge_threads; /* cores that the judge may use; 1 by default */
	const char **linear;    /* inputs that the outputs are linear in: task_linear.h */
	size_t nr_linear;
	struct arg *args;
	size_t nr_args;
	const char *flops; /* expression or NULL */
	const char *bytes;
	const char *reference_run;      /* path below dir, or NULL in generate mode */
	const char *reference_language; /* as `language`; that of the task unless it says another */
	bool reference_is_source;       /* also where the run writes it: nothing is to be hidden */
	const char *reference_symbol;   /* of a compiled reference; NULL: the entry */
	const char *reference_build;    /* "gcc -O2" unless [reference] build says otherwise */
	const struct leaderboard *leaderboard; /* the origin's rules, or NULL: ours */
	const char **deny;
	size_t nr_deny;
	double ratio;
	double shape_loss; /* share of the reference's speed that a single shape may lose */
	struct task_limits limits;
	const char *teacher; /* agent driver names; "tuner" by default */
	const char *student;
	struct task_agent *agents; /* [agents.DRIVER]: task_agents.h */
	size_t nr_agents;
	const char *judge; /* path below dir ("judge/judge.c"), or NULL */
	/* Measured on an earlier reference and frozen with the judge: path below dir
	 * ("judge/tolerances.json"), or NULL: they are measured on this reference. */
	const char *tolerances;
	struct shapes shapes;
};

/* Is there no reference to begin with, so that generation 0 is written in the run? */
bool task_is_generated(const struct task *t);
/* Are the expected values the reference's own outputs? So on a leaderboard without a judge/. */
bool task_expects_reference(const struct task *t);
int task_load(struct task *t, const char *dir, struct err *e);
void task_release(struct task *t);
#define AUTO_TASK __attribute__((cleanup(task_release)))

/* Elements of a tensor argument at a shape (1 for scalars); checked for overflow. */
int arg_elements(const struct arg *arg, const struct dims *dims, size_t *nr, struct err *e);
/* Extents of a tensor argument at a shape; `extent` has room for arg->nr_shape values. */
int arg_extents(const struct arg *arg, const struct dims *dims, int64_t *extent, struct err *e);
/* Value of a scalar argument at a shape, stored as its dtype in `bytes` (8 bytes, zero padded). */
int arg_scalar(const struct arg *arg, const struct dims *dims, unsigned char bytes[8],
	       struct err *e);
bool arg_is_output(const struct arg *arg);
bool arg_is_input(const struct arg *arg);
const char *arg_role_name(enum arg_role role);
/* Prototype of the entry: "void scale(const float *x, ..., float eps)"; of a CUDA task with the
 * stream that its kernels are enqueued on as the last parameter; of a Python task
 * "def run(x, ..., eps)". */
void task_prototype(const struct task *t, struct str *out);
/* The same with double for every float type: that of a judge. */
void task_judge_prototype(const struct task *t, struct str *out);
/* flops or bytes of [work] at a shape; -1 when the task has none (then *out is 0). */
int task_work(const char *expression, const struct dims *dims, double *out, struct err *e);

/* Lint (forge check): every finding is "file:line: severity: what; cure". */
struct finding {
	char *file;
	unsigned line;
	bool is_error; /* else a warning */
	char *text;
};
struct findings {
	struct finding *items;
	size_t nr;
	size_t cap;
};
/* An exact repetition of an earlier finding is dropped. */
void finding_error(struct findings *f, const char *file, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void finding_warning(struct findings *f, const char *file, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void findings_release(struct findings *f);
#define AUTO_FINDINGS __attribute__((cleanup(findings_release)))
/* The first error among them, if there is one, with its place; `command` on `what` shows all. */
int findings_refuse(const struct findings *f, const char *command, const char *what, struct err *e);
/* All static checks of DESIGN.md 5 on a folder; a task that does not load is one finding. */
void task_lint(const char *dir, struct findings *f);
/* -1 with the first error that task_lint finds. */
int task_refuse(const char *dir, struct err *e);

#endif
