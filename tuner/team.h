/*
 * Loops that are dealt out to threads, in the file that is submitted. Each becomes three things: a
 * part (a function that runs a range of the loop), a share (a struct of what parts are given), and
 * a team function that every thread runs. The runtime is entered by the call that gcc makes of a
 * parallel region, written out: any compiler can use it then.
 */
#ifndef FORGE_TUNER_TEAM_H
#define FORGE_TUNER_TEAM_H

#include <stdbool.h>

struct cprint;
struct kernel;
struct part;
struct stmt;
struct str;
struct variant;

struct team {
	const struct kernel *k;
	const struct variant *v;
	struct str *out;
	struct part *parts; /* in the order of the body */
	unsigned nr_parts;
};

/* Declarations of the runtime's functions, once in a file. */
void team_print_runtime(struct str *out);
/* The dealt loops of the body; everything lives in the kernel's arena. */
void team_find(struct team *t);
void team_print_parts(const struct team *t);
/* For cprint: prints the call in the place of a loop that is dealt out; its ctx is the team. */
bool team_print_call(const struct cprint *c, const struct stmt *s, unsigned indent);

#endif
