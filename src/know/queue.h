/*
 * Lessons that a run's teacher proposed, waiting for a person: a folder laid out like the base,
 * with ID.review.json beside each that was decided. Nothing in it is knowledge: it enters the base
 * linted, certified and accepted, or not at all.
 */
#ifndef FORGE_KNOW_QUEUE_H
#define FORGE_KNOW_QUEUE_H

#include "base/str.h"
#include "know/lesson.h"

struct err;
struct findings;

enum review { REVIEW_WAITING, REVIEW_ACCEPTED, REVIEW_REJECTED };

const char *review_name(enum review r);

/* Put a proposed lesson and its probe into the queue at `dir`. 0: it is there, or `refused` says
 * what is wrong with its text; -1: it could not be written. The same text again changes nothing; an
 * id that waits there with another text is refused. `id` gets its id. */
int queue_put(const char *dir, const char *lesson, const char *probe, struct str *id,
	      struct str *refused, struct err *e);
/* Take it out again: the lint refused it. */
int queue_drop(const struct lesson *l, struct err *e);
/* What was decided about a lesson of the queue, and why; `why` may be NULL. */
int queue_review(const struct lesson *l, enum review *out, struct str *why, struct err *e);
int queue_decide(const struct lesson *l, enum review decision, const char *why, const char *date,
		 struct err *e);

#endif
