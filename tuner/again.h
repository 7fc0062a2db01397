/*
 * Whether iterations of a loop may run a second time behind all of them: what they read is what
 * they have written themselves, or what the loop does not write at all.
 */
#ifndef FORGE_TUNER_AGAIN_H
#define FORGE_TUNER_AGAIN_H

struct arena;
struct stmt;
struct view;

/* NULL, or why not, in words for people. The iterations are known to be independent otherwise. */
const char *again_trouble(const struct view *view, const struct stmt *loop, struct arena *a);

#endif
