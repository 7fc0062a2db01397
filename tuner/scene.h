/*
 * The loops and operands of the body that costs most, as they are after some rows: what moves are
 * found by. Trips, work and strides are numbers there, because its sizes are known.
 */
#ifndef FORGE_TUNER_SCENE_H
#define FORGE_TUNER_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "tuner/kernel.h"

struct access;
struct plan;
struct tuner_task;

enum { SCENE_LOOPS = 48, SCENE_TOUCHES = 200, SCENE_DEPTH = 8, NO_LOOP = -1 };

struct scene_loop {
	struct stmt *stmt;
	const char *label;
	int parent;     /* index, NO_LOOP: a top loop */
	int top;        /* index of the outermost loop around it, itself included */
	unsigned depth; /* loops around it */
	double trips;   /* an estimate where bounds are not constant */
	double starts;  /* how often it begins in one call */
	bool is_innermost;
	bool is_exact;     /* trips is one known number */
	bool is_shared;    /* iterations are proved independent */
	unsigned nr_below; /* loops directly inside */
};

/* One place that touches an operand, with how far it moves per step of each loop. */
struct touch {
	const struct expr *at; /* the place itself */
	const char *array;
	bool is_operand; /* a parameter, no local array */
	bool is_write;
	bool is_read;
	int loop;                   /* innermost loop around it */
	double stride[SCENE_LOOPS]; /* elements per step, by loop index; NAN: not linear */
	double weight;              /* executions in one call */
};

struct scene {
	struct arena a; /* holds the rest: a search opens thousands */
	struct kernel kernel;
	const struct variant *body; /* the one that costs most */
	struct scene_loop loops[SCENE_LOOPS];
	int nr_loops;
	struct touch *touches;
	size_t nr_touches;
	double work; /* iterations of innermost loops in one call */
};

/* ERR_INPUT: a row of the plan does not apply. Release in any case. */
int scene_open(struct scene *s, const struct plan *p, const char *source,
	       const struct tuner_task *task, struct err *e);
void scene_release(struct scene *s);
#define AUTO_SCENE __attribute__((cleanup(scene_release)))

int scene_find(const struct scene *s, const char *label);
/* Whether loop `inner` is `outer` or lies inside it. */
bool scene_is_inside(const struct scene *s, int inner, int outer);
/* Innermost iterations below a loop in one call. */
double scene_work(const struct scene *s, int loop);

#endif
