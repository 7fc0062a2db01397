/*
 * The doorbell loop: wait for an order, carry it out, answer.
 */
#ifndef FORGE_RUNNER_BELL_H
#define FORGE_RUNNER_BELL_H

#include "runner/object.h"
#include "runner/room.h"

struct bell;

/* The loop's tables, before memory is limited; exits on failure. */
struct bell *bell_new(const struct room *room);
/* Wait for the first order: to load the object. */
void bell_await_load(struct bell *b);
/* Answer the worker that we are ready, then serve it until it says quit. */
_Noreturn void bell_serve(struct bell *b, const struct object *o);

#endif
