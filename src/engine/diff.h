/* What a candidate changed, for people: rounds/NNNN/kernel.diff. Best effort. */
#ifndef FORGE_ENGINE_DIFF_H
#define FORGE_ENGINE_DIFF_H

struct engine;

void diff_write(const struct engine *g, unsigned round);

#endif
