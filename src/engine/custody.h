/*
 * The chain of custody: the bytes that were submitted, judged, timed and exported must be the same
 * bytes, and the code that was judged the code that was timed. Promotion and confirmation ask here
 * first.
 */
#ifndef FORGE_ENGINE_CUSTODY_H
#define FORGE_ENGINE_CUSTODY_H

struct chain;
struct engine;
struct err;
struct str;

struct custody_spec {
	unsigned round;
	const char *job; /* whose time is the claim */
};

/* Fill every link but the claim, and check none. Results are read with their digests verified. */
int custody_fill(const struct engine *g, const struct custody_spec *spec, struct chain *c,
		 struct err *e);
/* 0: the round's bytes are those that the job measured. 1: they are not, `why` names the links.
 * -1: a result can not be read. */
int custody_check(const struct engine *g, const struct custody_spec *spec, struct str *why,
		  struct err *e);

#endif
