/*
 * Inside of the fold, for store/fold*.c only: a reader of event bodies that remembers the first
 * thing missing, so that handlers read as lists of fields.
 */
#ifndef FORGE_STORE_FOLD_IN_H
#define FORGE_STORE_FOLD_IN_H

#include "store/eventlog.h"
#include "store/fold.h"

struct fold {
	struct run_state *s;
	const struct event *ev;
	const json_t *body;
	char doc[96]; /* names the event in messages */
	bool is_bad;
	struct err *e;
};

/* Required members: text is copied into the state; the first one missing marks the fold bad. */
const char *fold_text(struct fold *f, const char *key);
int64_t fold_int(struct fold *f, const char *key);
double fold_real(struct fold *f, const char *key);
bool fold_bool(struct fold *f, const char *key);
const json_t *fold_array(struct fold *f, const char *key);
/* Optional ones. */
const char *fold_text_or(struct fold *f, const json_t *obj, const char *key);
json_t *fold_doc(struct fold *f, const char *key);
void fold_estimate(struct fold *f, const char *key, struct state_estimate *est);
void fold_verdict(struct fold *f, const char *key, struct verdict *v);
void fold_texts(struct fold *f, const json_t *array, struct state_text *out);

/* "waited_s" of the event's body, where it has one (fold_clocks.c). */
double fold_waited(struct fold *f);
/* "queue_s" of run_interrupted. */
void fold_queued(struct fold *f);
/* What a job cost, by clock. */
void fold_job_cost(struct fold *f, struct state_job *job);
/* The budgets of run_created (fold_usage.c). */
void fold_limits(struct fold *f);
/* What a turn used; and that a session begins, so that no turn is under way (fold_usage.c). */
void fold_turn_usage(struct fold *f);
void fold_lose_attempts(struct run_state *s);

void fold_add_text(struct run_state *s, struct state_text *list, const char *text);
/* Room for one more item: the old array or a larger copy, both in the state's arena. */
void *fold_grow(struct run_state *s, void *items, size_t nr, size_t *cap, size_t size);
#define FOLD_PUSH(state, field)                                                                    \
	((state)->field = fold_grow((state), (state)->field, (state)->nr_##field,                  \
				    &(state)->cap_##field, sizeof(*(state)->field)),               \
	 &(state)->field[(state)->nr_##field++])

/* One handler a type; fold.c holds the first half, fold_loop.c the loops. */
#define EVENT(name, version, text) void on_##name(struct fold *f);
#include "store/events.def"
#undef EVENT

#endif
