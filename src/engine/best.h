/*
 * best/: the best kernel and its evidence. The event best_changed is the promotion; the folder is
 * derived from it and may be written again at any time with the same outcome.
 */
#ifndef FORGE_ENGINE_BEST_H
#define FORGE_ENGINE_BEST_H

struct engine;
struct err;

/* Make best/ say what the state says; nothing to do while there is no best. */
int best_write(struct engine *g, struct err *e);

#endif
