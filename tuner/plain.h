/*
 * A loop's body made plain before it is taken apart: local pointers and index variables that are
 * set once give way to what they stand for, and "if (c) continue;" to a condition around the rest.
 */
#ifndef FORGE_TUNER_PLAIN_H
#define FORGE_TUNER_PLAIN_H

struct arena;
struct stmt;

/* `body` is a block; `counter` the loop's own: index variables that do not depend on it stay. */
void plain_body(struct arena *a, struct stmt *body, const char *counter);

#endif
