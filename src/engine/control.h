/*
 * The control arm (`forge goal`): the same agent, budget and judge, and only the goal. No gates, no
 * entries of the teacher, no lessons. An agent that works on decision rows only (the embedded one)
 * gets the rows of the first curriculum in a random order that follows from the run's seed; any
 * other agent gets the goal and what its last candidate measured, and no curriculum is written.
 */
#ifndef FORGE_ENGINE_CONTROL_H
#define FORGE_ENGINE_CONTROL_H

#include <jansson.h>
#include <stdbool.h>

struct course_row;
struct curriculum;
struct engine;
struct err;
struct run_state;
struct state_round;
struct task;

/* Does this run's student get the goal instead of rows? */
bool control_is_goal_only(const struct engine *g);
/* The same for a task whose run is not made yet. */
bool control_takes_rows(const struct task *t);
/* The next row in the run's random order, whatever it needs; false: every row had its round. */
bool control_next(const struct run_state *s, const struct curriculum *c, struct course_row *row);
/* One turn of the loop: a round, or the end. */
int control_step(struct engine *g, struct err *e);
/* Data of a turn of kind goal. */
json_t *control_data(const struct engine *g, const struct state_round *r);

#endif
