#include "store/chain_state.h"

/* Handlers decide nothing: what an event does not say, the state does not know. Types of a run's
 * log are passed over, but for the repair that the log itself records. */

#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "store/chaindir.h"
#include "store/eventlog.h"

/* A body that is being read; the first member missing marks it bad. */
struct reader {
	struct chain_state *s;
	const struct event *ev;
	const json_t *body;
	char doc[96];
	bool is_bad;
	struct err *e;
};

static const char *text_of(struct reader *r, const char *key)
{
	const char *text = "";
	if (!r->is_bad && json_get_text(r->body, key, r->doc, &text, r->e) < 0)
		r->is_bad = true;
	return arena_strdup(&r->s->arena, text);
}

static const char *text_or_none(struct reader *r, const char *key)
{
	const char *text = json_text_or(r->body, key, NULL);
	return text ? arena_strdup(&r->s->arena, text) : NULL;
}

static double real_of(struct reader *r, const char *key)
{
	double value = 0;
	if (!r->is_bad && json_get_real(r->body, key, r->doc, &value, r->e) < 0)
		r->is_bad = true;
	return value;
}

static int64_t int_of(struct reader *r, const char *key)
{
	int64_t value = 0;
	if (!r->is_bad && json_get_int(r->body, key, r->doc, &value, r->e) < 0)
		r->is_bad = true;
	return value;
}

static bool bool_of(struct reader *r, const char *key)
{
	bool value = false;
	if (!r->is_bad && json_get_bool(r->body, key, r->doc, &value, r->e) < 0)
		r->is_bad = true;
	return value;
}

static void read_estimate(struct reader *r, struct state_estimate *est)
{
	state_estimate_from_json(json_object_get(r->body, "estimate"), &r->s->arena, est);
	est->seq = r->ev->seq;
}

static void on_created(struct reader *r)
{
	struct chain_state *s = r->s;
	s->task_name = text_of(r, "task");
	s->forge_version = text_of(r, "forge");
	s->teacher = text_of(r, "teacher");
	s->student = text_of(r, "student");
	s->created = arena_strdup(&s->arena, r->ev->wall);
	s->step = real_of(r, "step");
	s->ratio = real_of(r, "ratio");
	s->hours = real_of(r, "hours");
	s->seed = (uint64_t)int_of(r, "seed");
}

static void on_started(struct reader *r)
{
	r->s->nr_sessions++;
	r->s->is_interrupted = false;
}

static struct chain_generation *push(struct chain_state *s)
{
	if (s->nr_generations == s->cap_generations) {
		size_t more = s->cap_generations ? 2 * s->cap_generations : 8;
		struct chain_generation *wider = arena_array(&s->arena, more, sizeof(*wider));
		if (s->nr_generations)
			memcpy(wider, s->generations, s->nr_generations * sizeof(*wider));
		s->generations = wider;
		s->cap_generations = more;
	}
	return &s->generations[s->nr_generations++];
}

static void on_generation_started(struct reader *r)
{
	struct chain_generation *g = push(r->s);
	*g = (struct chain_generation){ .number = (unsigned)int_of(r, "generation"),
					.task = text_of(r, "task"),
					.task_digest = text_of(r, "task_digest"),
					.run = text_of(r, "run"),
					.wall = arena_strdup(&r->s->arena, r->ev->wall) };
	if (!r->is_bad && g->number + 1 != r->s->nr_generations) {
		r->is_bad = true;
		err_set(r->e, ERR_INPUT, "%s: generation %u is out of order", r->doc, g->number);
	}
}

/* The generation that an event is about: always the newest one. */
static struct chain_generation *newest(struct reader *r)
{
	struct chain_state *s = r->s;
	int64_t number = int_of(r, "generation");
	if (!r->is_bad && s->nr_generations && number == (int64_t)s->nr_generations - 1)
		return &s->generations[s->nr_generations - 1];
	if (!r->is_bad)
		err_set(r->e, ERR_INPUT, "%s: generation %lld is not the newest", r->doc,
			(long long)number);
	r->is_bad = true;
	return NULL;
}

static void on_generation_ended(struct reader *r)
{
	struct chain_generation *g = newest(r);
	if (!g)
		return;
	g->is_ended = true;
	g->is_confirmed = bool_of(r, "confirmed");
	g->reason = text_of(r, "reason");
	g->seconds = real_of(r, "seconds");
	g->kernel = text_or_none(r, "kernel");
	read_estimate(r, &g->own);
}

static void on_direct_timed(struct reader *r)
{
	struct chain_generation *g = newest(r);
	if (!g)
		return;
	g->has_direct = true;
	g->direct_dir = text_of(r, "dir");
	read_estimate(r, &g->direct);
	if (!r->is_bad &&
	    verdict_from_json(json_object_get(r->body, "verdict"), r->doc, &g->verdict, r->e) < 0)
		r->is_bad = true;
}

static void on_generation_decided(struct reader *r)
{
	struct chain_generation *g = newest(r);
	if (!g)
		return;
	g->is_decided = true;
	g->goes_on = bool_of(r, "goes_on");
	g->floor = real_of(r, "floor");
	g->decision = text_of(r, "text");
}

static void on_reported(struct reader *r)
{
	struct chain_state *s = r->s;
	const json_t *paths = json_object_get(r->body, "paths");
	size_t nr = json_array_size(paths);
	s->is_reported = true;
	s->report_paths = (struct state_text){ .items = arena_array(&s->arena, nr + 1,
								    sizeof(*s->report_paths.items)),
					       .cap = nr + 1 };
	for (size_t i = 0; i < nr; i++) {
		const char *path = json_string_value(json_array_get(paths, i));
		s->report_paths.items[s->report_paths.nr++] =
			arena_strdup(&s->arena, path ? path : "");
	}
}

static void on_ended(struct reader *r)
{
	r->s->is_ended = true;
	r->s->is_goal_met = bool_of(r, "goal_met");
	r->s->end_reason = text_of(r, "reason");
}

static void handle(struct reader *r)
{
	static void (*const handlers[EVENT_NR])(struct reader * r) = {
		[EVENT_chain_created] = on_created,
		[EVENT_chain_started] = on_started,
		[EVENT_generation_started] = on_generation_started,
		[EVENT_generation_ended] = on_generation_ended,
		[EVENT_direct_timed] = on_direct_timed,
		[EVENT_generation_decided] = on_generation_decided,
		[EVENT_chain_reported] = on_reported,
		[EVENT_chain_ended] = on_ended,
	};
	r->s->is_interrupted = r->s->is_interrupted || r->ev->type == EVENT_chain_interrupted;
	r->s->nr_repairs += r->ev->type == EVENT_log_repaired;
	if (handlers[r->ev->type])
		handlers[r->ev->type](r);
}

void chain_state_init(struct chain_state *s)
{
	*s = (struct chain_state){ 0 };
}

void chain_state_release(struct chain_state *s)
{
	arena_release(&s->arena);
	*s = (struct chain_state){ 0 };
}

int chain_state_fold(struct chain_state *s, const struct event *ev, struct err *e)
{
	struct reader r = { .s = s, .ev = ev, .body = ev->body, .e = e };
	snprintf(r.doc, sizeof(r.doc), "event %llu %s", (unsigned long long)ev->seq, ev->type_name);
	s->nr_events = ev->seq;
	s->last_wall = arena_strdup(&s->arena, ev->wall);
	handle(&r);
	return r.is_bad ? -1 : 0;
}

static int fold_seen(void *ctx, const struct event *ev, struct err *e)
{
	return chain_state_fold(ctx, ev, e);
}

int chain_state_load(struct chain_state *s, const char *chain_dir, struct err *e)
{
	chain_state_init(s);
	AUTO_FREE char *path = chaindir_path(chain_dir, CHAINDIR_LOG);
	return eventlog_read(path, fold_seen, s, e);
}

const struct chain_generation *chain_state_last(const struct chain_state *s)
{
	return s->nr_generations ? &s->generations[s->nr_generations - 1] : NULL;
}

const struct chain_generation *chain_state_best(const struct chain_state *s)
{
	for (size_t i = s->nr_generations; i > 0; i--) {
		const struct chain_generation *g = &s->generations[i - 1];
		if (g->has_direct && g->verdict.state == VERDICT_PASS &&
		    str_equal(g->direct.call, "faster"))
			return g;
	}
	return NULL;
}

double chain_state_seconds(const struct chain_state *s)
{
	double seconds = 0;
	for (size_t i = 0; i < s->nr_generations; i++)
		seconds += s->generations[i].seconds;
	return seconds;
}

bool chain_state_product(const struct chain_state *s, unsigned last, double *ratio, double *low,
			 double *high)
{
	*ratio = *low = *high = 1;
	for (size_t i = 0; i < s->nr_generations && i <= last; i++) {
		const struct state_estimate *own = &s->generations[i].own;
		if (!own->call)
			return false;
		*ratio *= own->speedup;
		*low *= own->low;
		*high *= own->high;
	}
	return true;
}
