/*
 * Between teacher_tools.c, which keeps the budget and the record, and the tools themselves.
 */
#ifndef FORGE_ENGINE_TEACHER_TOOLS_IN_H
#define FORGE_ENGINE_TEACHER_TOOLS_IN_H

#include <jansson.h>

#include "base/digest.h"
#include "base/mem.h"
#include "base/str.h"
#include "store/fold.h"

struct engine;
struct err;

struct tool_call {
	struct engine *g;
	const char *tool;
	const char *decision;
	const char *how;
	const char *source;  /* probe: text */
	const json_t *asked; /* the whole call */
	unsigned replicates; /* of its job */
	unsigned number;
	struct digest request;
};

/* What came of it. */
struct tool_outcome {
	const char *name; /* "done", "refused", "failed" */
	struct str text;
	char *candidate; /* path of what is measured */
	char *job;
	struct digest source;
	json_t *members; /* of the answer */
	struct state_estimate estimate;
	struct arena arena;
};

/* 0, with the outcome filled, or -1: our failure, or the engine was stopped. */
typedef int (*tool_fn)(const struct tool_call *c, struct tool_outcome *o, struct err *e);

/* 0, with why in words: the call is refused and costs nothing. */
int tool_refuse(struct tool_outcome *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The job of a call has failed: 0 with that as its outcome, -1 when it is no outcome. */
int tool_job_failed(const struct tool_call *c, struct tool_outcome *o, struct err *e);

/* Tools that look at the reference (teacher_look.c). */
int tool_run(const struct tool_call *c, struct tool_outcome *o, struct err *e);
int tool_time(const struct tool_call *c, struct tool_outcome *o, struct err *e);
int tool_profile(const struct tool_call *c, struct tool_outcome *o, struct err *e);
int tool_disassemble(const struct tool_call *c, struct tool_outcome *o, struct err *e);
/* A lesson of the teacher's into the queue (teacher_lesson.c). */
int tool_propose(const struct tool_call *c, struct tool_outcome *o, struct err *e);

#endif
