/*
 * One round of the inner loop: one decision row, one candidate, its jobs, its fate. Every step is
 * recorded before the next begins, so a round is entered again wherever it stood.
 */
#ifndef FORGE_ENGINE_ROUND_H
#define FORGE_ENGINE_ROUND_H

struct course_row;
struct engine;
struct err;

/* Record the beginning of the next round. */
int round_start(struct engine *g, const struct course_row *row, struct err *e);
/* Take round `number` to its end. */
int round_go(struct engine *g, unsigned number, struct err *e);

#endif
