#include "store/fold.h"

/* The fold proper: lists, lookups, clocks, and the handlers of everything outside the loops
 * (those are in fold_loop.c). Handlers decide nothing: what an event does not say, the state does
 * not know. Working time counts from run_started by the monotonic clock, so that neither a pause
 * between sessions nor a jump of the wall clock spends budget. */

#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "store/fold_in.h"
#include "store/rundir.h"

static const char *const stage_names[STAGE_NR] = { "none",       "freeze",  "judge",   "reference",
						   "curriculum", "student", "confirm", "report" };

const char *stage_name(enum stage s)
{
	return stage_names[s];
}

enum stage stage_parse(const char *name)
{
	for (int i = STAGE_FREEZE; i < STAGE_NR; i++)
		if (str_equal(stage_names[i], name))
			return (enum stage)i;
	return STAGE_NONE;
}

static int by_name(const char *const *names, int nr, const char *name)
{
	for (int i = 0; i < nr; i++)
		if (str_equal(names[i], name))
			return i;
	return 0;
}

static const char *const outcome_names[] = { "open", "kept", "rolled_back", "no_candidate" };

const char *round_outcome_name(enum round_outcome o)
{
	return outcome_names[o];
}

enum round_outcome round_outcome_parse(const char *name)
{
	return (enum round_outcome)by_name(outcome_names, ARRAY_LEN(outcome_names), name);
}

static const char *const gate_names[] = { "none", "pass", "fail", "undecided", "error" };

const char *gate_result_name(enum gate_result r)
{
	return gate_names[r];
}

enum gate_result gate_result_parse(const char *name)
{
	return (enum gate_result)by_name(gate_names, ARRAY_LEN(gate_names), name);
}

static const char *const fate_names[] = { "pending", "not_applicable", "kept",        "kept_slower",
					  "best",    "rolled_back",    "no_candidate" };

const char *decision_fate_name(enum decision_fate f)
{
	return fate_names[f];
}

enum decision_fate decision_fate_parse(const char *name)
{
	return (enum decision_fate)by_name(fate_names, ARRAY_LEN(fate_names), name);
}

void *fold_grow(struct run_state *s, void *items, size_t nr, size_t *cap, size_t size)
{
	if (nr < *cap)
		return items;
	size_t more = *cap ? *cap * 2 : 8;
	void *wider = arena_array(&s->arena, more, size);
	if (nr)
		memcpy(wider, items, nr * size);
	*cap = more;
	return wider;
}

void fold_add_text(struct run_state *s, struct state_text *list, const char *text)
{
	list->items = fold_grow(s, list->items, list->nr, &list->cap, sizeof(*list->items));
	list->items[list->nr++] = arena_strdup(&s->arena, text);
}

const char *fold_text(struct fold *f, const char *key)
{
	const char *text = "";
	if (!f->is_bad && json_get_text(f->body, key, f->doc, &text, f->e) < 0)
		f->is_bad = true;
	return arena_strdup(&f->s->arena, text);
}

int64_t fold_int(struct fold *f, const char *key)
{
	int64_t value = 0;
	if (!f->is_bad && json_get_int(f->body, key, f->doc, &value, f->e) < 0)
		f->is_bad = true;
	return value;
}

double fold_real(struct fold *f, const char *key)
{
	double value = 0;
	if (!f->is_bad && json_get_real(f->body, key, f->doc, &value, f->e) < 0)
		f->is_bad = true;
	return value;
}

bool fold_bool(struct fold *f, const char *key)
{
	bool value = false;
	if (!f->is_bad && json_get_bool(f->body, key, f->doc, &value, f->e) < 0)
		f->is_bad = true;
	return value;
}

const json_t *fold_array(struct fold *f, const char *key)
{
	json_t *value = NULL;
	if (!f->is_bad && json_get_array(f->body, key, f->doc, &value, f->e) < 0)
		f->is_bad = true;
	return value;
}

const char *fold_text_or(struct fold *f, const json_t *obj, const char *key)
{
	const char *text = json_text_or(obj, key, NULL);
	return text ? arena_strdup(&f->s->arena, text) : NULL;
}

json_t *fold_doc(struct fold *f, const char *key)
{
	json_t *value = json_deep_copy(json_object_get(f->body, key));
	if (!value || json_is_null(value)) {
		json_decref(value);
		return NULL;
	}
	json_array_append_new(f->s->keep, value);
	return value;
}

void fold_estimate(struct fold *f, const char *key, struct state_estimate *est)
{
	state_estimate_from_json(json_object_get(f->body, key), &f->s->arena, est);
	est->seq = f->ev->seq;
}

void fold_verdict(struct fold *f, const char *key, struct verdict *v)
{
	if (f->is_bad)
		return;
	if (verdict_from_json(json_object_get(f->body, key), f->doc, v, f->e) < 0)
		f->is_bad = true;
}

void fold_texts(struct fold *f, const json_t *array, struct state_text *out)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		const char *text = json_string_value(json_array_get(array, i));
		if (text)
			fold_add_text(f->s, out, text);
	}
}

void on_run_created(struct fold *f)
{
	struct run_state *s = f->s;
	s->task_name = fold_text(f, "task");
	s->language = fold_text(f, "language");
	s->forge_version = fold_text(f, "forge");
	s->teacher = fold_text(f, "teacher");
	s->student = fold_text(f, "student");
	s->started_from = fold_text(f, "started_from");
	s->reference.mode = fold_text(f, "reference_mode");
	s->created = arena_strdup(&s->arena, f->ev->wall);
	s->hours = fold_real(f, "hours");
	s->max_meta = fold_int(f, "max_meta");
	s->stall = fold_int(f, "stall");
	fold_limits(f);
	s->is_control = str_equal(json_text_or(f->body, "arm", ""), "control");
	s->seed = (uint64_t)fold_int(f, "seed");
	s->prompts = fold_doc(f, "prompts");
}

void on_run_started(struct fold *f)
{
	f->s->nr_sessions++;
	f->s->is_interrupted = false;
	f->s->session_mono_ns = f->ev->mono_ns;
	f->s->session_base_s = f->s->elapsed_s;
	fold_lose_attempts(f->s);
}

void on_run_interrupted(struct fold *f)
{
	f->s->is_interrupted = true;
	fold_waited(f);
	fold_queued(f);
}

void on_log_repaired(struct fold *f)
{
	f->s->nr_repairs++;
}

void on_stage_started(struct fold *f)
{
	enum stage stage = stage_parse(fold_text(f, "stage"));
	f->s->stage = stage;
	f->s->stages[stage] = (struct state_stage){ .is_started = true,
						    .started_s = f->s->elapsed_s,
						    .free_s = state_free_s(&f->s->clocks) };
}

void on_stage_done(struct fold *f)
{
	struct state_stage *stage = &f->s->stages[stage_parse(fold_text(f, "stage"))];
	stage->is_done = true;
	stage->seconds = f->s->elapsed_s - stage->started_s;
}

void on_machine_noted(struct fold *f)
{
	f->s->machine_name = fold_text(f, "name");
	f->s->machine_doc = fold_doc(f, "doc");
	f->s->machine = (struct state_text){ 0 };
	fold_texts(f, fold_array(f, "lines"), &f->s->machine);
}

void on_machine_lack(struct fold *f)
{
	struct state_lack *lack = FOLD_PUSH(f->s, lacks);
	lack->mechanism = fold_text(f, "mechanism");
	lack->cost = fold_text(f, "cost");
	lack->accepted = fold_text_or(f, f->body, "accepted");
}

void on_warning(struct fold *f)
{
	fold_add_text(f->s, &f->s->warnings, fold_text(f, "text"));
}

void on_agent_turn(struct fold *f)
{
	struct state_turn *turn = FOLD_PUSH(f->s, turns);
	*turn = (struct state_turn){ .role = fold_text(f, "role"),
				     .purpose = fold_text(f, "purpose"),
				     .answer = fold_text(f, "answer"),
				     .file = fold_text(f, "file"),
				     .digest = fold_text(f, "digest") };
	fold_turn_usage(f);
}

void on_judge_promoted(struct fold *f)
{
	f->s->judge.author = fold_text(f, "author");
	f->s->judge.is_independent = fold_bool(f, "independent");
	f->s->judge.source = fold_text(f, "source");
}

void on_judge_misaligned(struct fold *f)
{
	f->s->judge.nr_misaligned++;
	f->s->judge.misaligned_text = fold_text(f, "text");
	f->s->judge.told = fold_text_or(f, f->body, "told");
	f->s->judge.fault = fold_text_or(f, f->body, "fault");
	f->s->judge.nr_faults += f->s->judge.fault != NULL;
}

void on_calibrated(struct fold *f)
{
	f->s->judge.is_calibrated = true;
	f->s->judge.nr_cases = fold_int(f, "cases");
	f->s->judge.tolerances = fold_text_or(f, f->body, "tolerances");
}

void on_judge_frozen(struct fold *f)
{
	f->s->judge.is_frozen = true;
	f->s->judge.task_digest = fold_text(f, "task");
	f->s->judge.check_digest = fold_text(f, "check");
	f->s->judge.reference_digest = fold_text(f, "reference");
}

void on_reference_written(struct fold *f)
{
	f->s->reference.nr_written = (unsigned)fold_int(f, "attempt");
	f->s->reference.written = fold_text(f, "source");
}

void on_reference_timed(struct fold *f)
{
	fold_estimate(f, "estimate", &f->s->reference.self);
	f->s->reference.geomean_ns = fold_real(f, "geomean_ns");
	f->s->reference.profile = fold_doc(f, "profile");
}

void on_goal_set(struct fold *f)
{
	f->s->reference.has_goal = true;
	f->s->reference.ratio = fold_real(f, "ratio");
	f->s->reference.target_ns = fold_real(f, "target_ns");
}

void on_report_written(struct fold *f)
{
	f->s->has_report = true;
	f->s->report_paths = (struct state_text){ 0 };
	fold_texts(f, fold_array(f, "paths"), &f->s->report_paths);
}

void on_run_ended(struct fold *f)
{
	f->s->is_ended = true;
	f->s->is_goal_met = fold_bool(f, "goal_met");
	f->s->end_reason = fold_text(f, "reason");
}

void run_state_init(struct run_state *s)
{
	*s = (struct run_state){ .keep = json_array() };
}

void run_state_release(struct run_state *s)
{
	json_decref(s->keep);
	s->keep = NULL;
	arena_release(&s->arena);
}

typedef void (*fold_fn)(struct fold *f);

static const fold_fn handlers[EVENT_NR] = {
#define EVENT(name, version, text) [EVENT_##name] = on_##name,
#include "store/events.def"
#undef EVENT
};

/* Events outside a session carry a clock that cannot be compared with the last one's. */
static bool is_outside_session(const struct run_state *s, enum event_type type)
{
	return !s->nr_sessions || type == EVENT_run_started || type == EVENT_log_repaired;
}

static void fold_clock(struct run_state *s, const struct event *ev)
{
	s->nr_events = ev->seq;
	s->last_wall = arena_strdup(&s->arena, ev->wall);
	if (is_outside_session(s, ev->type) || ev->mono_ns < s->session_mono_ns)
		return;
	s->elapsed_s = s->session_base_s + (double)(ev->mono_ns - s->session_mono_ns) * 1e-9;
	struct state_stage *open = &s->stages[s->stage];
	if (open->is_started && !open->is_done)
		open->seconds = s->elapsed_s - open->started_s;
}

int run_state_fold(struct run_state *s, const struct event *ev, struct err *e)
{
	struct fold f = { .s = s, .ev = ev, .body = ev->body, .e = e };
	snprintf(f.doc, sizeof(f.doc), "event %llu %s", (unsigned long long)ev->seq, ev->type_name);
	fold_clock(s, ev);
	/* Types of a chain's log have no place in a run's either. */
	if (!handlers[ev->type]) {
		s->nr_unknown++;
		return 0;
	}
	handlers[ev->type](&f);
	return f.is_bad ? -1 : 0;
}

static int fold_seen(void *ctx, const struct event *ev, struct err *e)
{
	return run_state_fold(ctx, ev, e);
}

int run_state_load(struct run_state *s, const char *run_dir, struct err *e)
{
	run_state_init(s);
	AUTO_FREE char *path = rundir_path(run_dir, RUNDIR_EVENTS);
	return eventlog_read(path, fold_seen, s, e);
}
