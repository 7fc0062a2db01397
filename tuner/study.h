/*
 * A reference under study: read, specialised where that applies, its loops surveyed. What the
 * teacher's proposals rest on.
 */
#ifndef FORGE_TUNER_STUDY_H
#define FORGE_TUNER_STUDY_H

#include <jansson.h>
#include <stdbool.h>

#include "tuner/kernel.h"
#include "tuner/nest.h"
#include "tuner/plan.h"
#include "tuner/ttask.h"

struct arena;
struct err;
struct say;
struct strv;

struct study {
	struct arena *a;
	struct tuner_task task;
	const char *reference; /* as granted */
	const char *source;    /* what rows apply to: the reference, or what it was made of */
	struct plan start;     /* rows that the reference holds already; nr 0: none */
	struct kernel kernel;  /* specialised where that applies */
	struct nest nest;
	double ns; /* of one call at the largest size; 0: not told */
};

/* `data` is the data of a turn that holds a reference. Says what the reference is, if it is more
 * than a plain one. */
int study_open(struct study *s, const json_t *data, const struct say *say, struct arena *a,
	       struct err *e);
void study_release(struct study *s);
#define AUTO_STUDY __attribute__((cleanup(study_release)))
/* Whether the student could apply this value to the reference. */
bool study_applies(const struct study *s, const char *value);
/* The plan of the source with the rows of decisions on top. ERR_INPUT: they do not go together. */
int study_plan(const struct study *s, const struct strv *values, struct plan *out, struct err *e);
/* A view of the kernel that these decisions make, as a start to go on from. It lives as long as the
 * study. ERR_INPUT: there are no decisions, or they make no kernel. */
int study_go_on(struct study *out, const struct study *s, const struct strv *values, struct err *e);

#endif
