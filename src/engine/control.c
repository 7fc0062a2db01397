#include "engine/control.h"

/* The order is by a number drawn for each row from the seed and the row's id, so that it needs no
 * state and a resumed run goes on with the same one. */

#include "agent/agent_ops.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/str.h"
#include "engine/course.h"
#include "engine/engine_in.h"
#include "engine/round.h"
#include "engine/start.h"
#include "engine/turn_data.h"

enum { MAX_TEXT_BYTES = 4 << 20, MAX_ERRORS_IN_A_ROW = 3 };

bool control_takes_rows(const struct task *t)
{
	const struct agent_ops *ops = agent_driver(t->student);
	return ops && ops->takes_rows_only;
}

bool control_is_goal_only(const struct engine *g)
{
	return g->state.is_control && !control_takes_rows(&g->task);
}

static uint64_t place_of(const struct run_state *s, const struct decision *d)
{
	AUTO_FREE char *name = xasprintf("order %s", d->id);
	return rng_derive(s->seed, name);
}

static bool is_pending(const struct run_state *s, const struct decision *d)
{
	const struct state_decision *st = course_state(s, d->id);
	return !d->is_not_applicable && st && st->fate == FATE_PENDING;
}

bool control_next(const struct run_state *s, const struct curriculum *c, struct course_row *row)
{
	*row = (struct course_row){ 0 };
	for (size_t i = 0; i < c->nr_milestones; i++) {
		const struct milestone *m = &c->milestones[i];
		for (size_t j = 0; j < m->nr_decisions; j++) {
			const struct decision *d = &m->decisions[j];
			if (!is_pending(s, d) || (row->d && place_of(s, row->d) < place_of(s, d)))
				continue;
			*row = (struct course_row){ .milestone = i, .m = m, .d = d };
		}
	}
	return row->d != NULL;
}

static int end_loop(struct engine *g, const char *reason, struct err *e)
{
	return engine_event(g, EVENT_loop_ended, e, "{s:s}", "reason", reason);
}

static int row_step(struct engine *g, struct err *e)
{
	struct course_row row;
	if (!control_next(&g->state, &g->course, &row))
		return end_loop(g, "every row has had its round, in random order", e);
	if (round_start(g, &row, e) < 0)
		return -1;
	return round_go(g, (unsigned)g->state.nr_rounds, e);
}

/* The newest correct candidate: what the agent goes on from. */
static unsigned newest_kept(const struct run_state *s)
{
	for (size_t i = s->nr_rounds; i > 0; i--)
		if (s->rounds[i - 1].outcome == ROUND_KEPT)
			return s->rounds[i - 1].number;
	return 0;
}

/* Why the agent gets no more rounds, or NULL. */
static const char *agent_end(const struct run_state *s)
{
	unsigned errors = 0;
	for (size_t i = s->nr_rounds; i > 0 && s->rounds[i - 1].absent; i--) {
		if (!str_equal(s->rounds[i - 1].absent, "error"))
			return "the agent gave up";
		if (++errors == MAX_ERRORS_IN_A_ROW)
			return "the agent failed three times in a row";
	}
	return NULL;
}

static int goal_step(struct engine *g, struct err *e)
{
	const char *reason = agent_end(&g->state);
	unsigned number = (unsigned)g->state.nr_rounds + 1;
	if (reason)
		return end_loop(g, reason, e);
	if (engine_event(g, EVENT_round_started, e, "{s:i, s:s, s:s, s:s, s:s, s:i, s:i, s:b}",
			 "round", (int)number, "decision", "goal", "milestone", "goal", "what",
			 "reach the goal", "value", "", "curriculum", 0, "base",
			 (int)newest_kept(&g->state), "replay", false) < 0)
		return -1;
	return round_go(g, number, e);
}

int control_step(struct engine *g, struct err *e)
{
	return control_is_goal_only(g) ? goal_step(g, e) : row_step(g, e);
}

static json_t *text_of(const char *path)
{
	AUTO_STR struct str text = STR_INIT;
	struct err ignored = { 0 };
	if (!path || file_read(path, MAX_TEXT_BYTES, &text, &ignored) < 0)
		return json_null();
	json_t *value = json_stringn(text.text, text.len);
	return value ? value : json_null();
}

json_t *control_data(const struct engine *g, const struct state_round *r)
{
	AUTO_FREE char *base = r->base ? rundir_round(g->run_dir, r->base, "kernel.c") : NULL;
	AUTO_FREE char *task = engine_path(g, RUNDIR_TASK);
	AUTO_FREE char *description = path_join(task, "description.md");
	AUTO_FREE char *reference = engine_path(g, RUNDIR_REFERENCE_SOURCE);
	const struct state_reference *ref = &g->state.reference;
	json_t *goal =
		json_pack("{s:o, s:o, s:o}", "ratio", json_number(ref->ratio), "reference_ns",
			  json_number(ref->geomean_ns), "target_ns", json_number(ref->target_ns));
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "goal", goal, "description",
			 text_of(description), "base", text_of(base), "start",
			 text_of(start_is_open(&g->task) ? reference : NULL), "feedback",
			 turn_data_feedback(g));
}
