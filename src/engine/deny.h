/*
 * What the student may neither see nor use: derived from the task's reference mode, with what the
 * user adds behind it. Nothing can take an entry away.
 */
#ifndef FORGE_ENGINE_DENY_H
#define FORGE_ENGINE_DENY_H

struct strv;
struct task;

/* Appends one line for people an entry. */
void deny_list(const struct task *t, struct strv *out);

#endif
