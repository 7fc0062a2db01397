#include "engine/structure.h"

/* The digest runs over a JSON text of the rows with sorted keys, so that it depends on what is
 * decided and not on how the file is laid out. */

#include "base/digest.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/course.h"
#include "engine/engine_in.h"

static json_t *row_of(const struct decision *d)
{
	return json_pack("{s:s, s:s?, s:s?, s:s?, s:b}", "id", d->id, "what", d->what, "value",
			 d->value, "range", d->range, "not_applicable", d->is_not_applicable);
}

struct digest structure_digest(const struct curriculum *c)
{
	AUTO_JSON json_t *rows = json_array();
	for (size_t i = 0; c->nr_milestones && i < c->milestones[0].nr_decisions; i++)
		json_array_append_new(rows, row_of(&c->milestones[0].decisions[i]));
	AUTO_FREE char *text = json_line(rows);
	return digest_text(text);
}

static bool is_same_structure(const struct engine *g, const struct curriculum *next)
{
	const struct digest now = structure_digest(&g->course);
	const struct digest then = structure_digest(next);
	return str_equal(now.hex, then.hex);
}

long structure_epoch(const struct engine *g, const struct curriculum *next)
{
	const struct state_curriculum *old = run_state_curriculum(&g->state);
	if (!old)
		return 1;
	return is_same_structure(g, next) ? old->epoch : old->epoch + 1;
}

static const struct state_gate *passed_gate(const struct engine *g)
{
	for (size_t i = 0; i < g->state.nr_gates; i++) {
		const struct state_gate *gate = &g->state.gates[i];
		if (gate->curriculum == g->course_version && str_equal(gate->milestone, "M0") &&
		    gate->result == GATE_PASS)
			return gate;
	}
	return NULL;
}

/* The round whose kernel holds every accepted row of M0; 0: the start. */
static unsigned last_round(const struct engine *g)
{
	unsigned last = 0;
	for (size_t i = 0; i < g->course.milestones[0].nr_decisions; i++) {
		const struct decision *d = &g->course.milestones[0].decisions[i];
		const struct state_decision *st = course_state(&g->state, d->id);
		if (st && st->round > last && course_is_accepted(&g->state, &g->course, d))
			last = st->round;
	}
	return last;
}

int structure_freeze(struct engine *g, struct err *e)
{
	const struct state_curriculum *now = run_state_curriculum(&g->state);
	if (g->state.structure.epoch == now->epoch || !passed_gate(g))
		return 0;
	unsigned last = last_round(g);
	const struct state_round *r = run_state_round(&g->state, last);
	const struct digest rows = structure_digest(&g->course);
	return engine_event(g, EVENT_structure_frozen, e, "{s:I, s:I, s:s, s:i, s:s}", "epoch",
			    (json_int_t)now->epoch, "curriculum", (json_int_t)now->version, "rows",
			    rows.hex, "round", (int)last, "source", r ? r->source : "");
}

int structure_check(const struct engine *g, struct err *e)
{
	const struct state_structure *s = &g->state.structure;
	if (!s->round)
		return 0;
	AUTO_FREE char *path = rundir_round(g->run_dir, s->round, "kernel.c");
	struct digest now;
	if (digest_file(path, &now, e) < 0)
		return -1;
	if (str_equal(now.hex, s->source))
		return 0;
	return err_set(e, ERR_CONFLICT,
		       "%s: changed after the structure was frozen with it; put it back, or make a "
		       "new run",
		       path);
}
