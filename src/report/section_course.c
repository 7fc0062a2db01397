#include "report/sections.h"

/* What was tried: rounds in order of time, decisions in order of the curriculum, gates, and the
 * teacher's entries. */

#include "base/mem.h"
#include "report/page.h"
#include "report/plot.h"
#include "report/text.h"
#include "report/view.h"

static const char *or_dash(const char *text)
{
	return text && *text ? text : "-";
}

static void add_what(struct table *t, const char *what, const char *value)
{
	bool has_value = value && *value;
	table_addf(t, "%s%s%s", or_dash(what), has_value ? " = " : "", has_value ? value : "");
}

static void add_verdict(struct table *t, const struct state_round *r)
{
	if (r->verdict.state == VERDICT_NONE)
		table_addf(t, "%s%s%s", or_dash(r->absent), r->absent_text ? ": " : "",
			   r->absent_text ? r->absent_text : "");
	else if (r->verdict.state == VERDICT_PASS)
		table_add(t, reason_name(r->verdict.reason));
	else
		table_addf(t, "%s: %s", reason_name(r->verdict.reason),
			   *r->verdict.detail ? r->verdict.detail : reason_text(r->verdict.reason));
}

static void add_round(struct table *t, const struct run_state *s, const struct state_round *r)
{
	const struct state_estimate *estimate = state_round_estimate(r);
	AUTO_STR struct str speedup = STR_INIT;
	AUTO_STR struct str source = STR_INIT;
	AUTO_STR struct str outcome = STR_INIT;
	text_speedup(estimate, &speedup);
	text_digest(r->source, &source);
	table_addf(t, "%u", r->number);
	table_add(t, or_dash(r->decision));
	add_what(t, r->what, r->value);
	add_verdict(t, r);
	table_add(t, speedup.text);
	table_addf(t, "%s", text_call(estimate));
	if (estimate->call)
		table_addf(t, "%u", estimate->replicates);
	else
		table_add(t, "-");
	text_words(decision_fate_name(round_fate(s, r)), &outcome);
	table_addf(t, "%s%s", outcome.text, r->is_replay ? ", replay" : "");
	table_addf(t, "`%s`", source.text);
}

/* Where a dispatch kernel would pay it says what it is made of, or why there is none. */
static void add_dispatch(const struct view *v, struct page *p)
{
	const struct state_dispatch *d = &v->state.dispatch;
	if (!d->is_considered)
		return;
	page_add(p, BLOCK_TEXT, "Dispatch kernel%s: %s.",
		 !d->is_offered ? ", none"
		 : d->round     ? ""
				: ", not measured yet",
		 d->text);
}

void section_rounds(const struct view *v, struct page *p)
{
	AUTO_STR struct str svg = STR_INIT;
	if (!v->state.nr_rounds)
		return;
	page_add(p, BLOCK_HEADING, "Rounds");
	if (plot_rounds(v, &svg))
		page_figure(p,
			    "Speed-up over the reference for each round; bars are intervals over "
			    "its K replicates, the line is the best so far.",
			    &svg);
	struct table *t = page_table(p, "rlllrlrll",
				     "round\tdecision\twhat\tverdict\tspeed-up\tcall\tK\toutcome\t"
				     "source");
	for (size_t i = 0; i < v->state.nr_rounds; i++)
		add_round(t, &v->state, &v->state.rounds[i]);
	page_add(p, BLOCK_TEXT,
		 "A wrong kernel is rolled back; a correct one stays as the base of the next row "
		 "even when it is slower than that base. K=2 screens each round and decides "
		 "nothing; K=8 decides about the kernel that a milestone ends with, for all of its "
		 "rounds.");
	add_dispatch(v, p);
}

static bool is_in_newest(const struct view *v, const struct state_decision *d)
{
	const struct state_curriculum *c = run_state_curriculum(&v->state);
	for (size_t i = 0; i < c->nr_milestones; i++)
		for (size_t j = 0; j < c->milestones[i].nr_decisions; j++) {
			const struct state_decision *other = &c->milestones[i].decisions[j];
			bool is_same_value = str_equal(or_dash(other->value), or_dash(d->value));
			if (str_equal(other->id, d->id) && is_same_value)
				return true;
		}
	return false;
}

static void add_speedup_of(struct table *t, const struct view *v, unsigned number)
{
	const struct state_round *r = number ? run_state_round(&v->state, number) : NULL;
	AUTO_STR struct str speedup = STR_INIT;
	if (r)
		text_speedup(state_round_estimate(r), &speedup);
	table_add(t, r ? speedup.text : "-");
}

static void add_decision(struct table *t, const struct view *v, const struct state_decision *d,
			 long dropped_after)
{
	AUTO_STR struct str fate = STR_INIT;
	AUTO_FREE char *needs = d->needs.nr ? xstrdup(d->needs.items[0]) : NULL;
	for (size_t i = 1; i < d->needs.nr; i++) {
		char *longer = xasprintf("%s, %s", needs, d->needs.items[i]);
		free(needs);
		needs = longer;
	}
	table_add(t, d->id);
	add_what(t, d->what, d->value);
	table_add(t, or_dash(needs));
	table_add(t, or_dash(d->why));
	table_add(t, or_dash(d->wrong_when));
	text_words(decision_fate_name(d->fate), &fate);
	table_add(t, fate.text);
	if (dropped_after)
		table_addf(t, "dropped after v%ld", dropped_after);
	else if (d->round)
		table_addf(t, "%u", d->round);
	else
		table_add(t, "-");
	add_speedup_of(t, v, d->round);
}

static void add_rows_of(struct table *t, const struct view *v, const struct state_curriculum *c,
			bool is_newest)
{
	for (size_t i = 0; i < c->nr_milestones; i++)
		for (size_t j = 0; j < c->milestones[i].nr_decisions; j++) {
			const struct state_decision *d = &c->milestones[i].decisions[j];
			if (is_newest)
				add_decision(t, v, d, 0);
			else if (!is_in_newest(v, d))
				add_decision(t, v, d, c->version);
		}
}

void section_decisions(const struct view *v, struct page *p)
{
	const struct state_curriculum *c = run_state_curriculum(&v->state);
	AUTO_STR struct str svg = STR_INIT;
	if (!c)
		return;
	page_add(p, BLOCK_HEADING, "Decisions");
	page_add(p, BLOCK_TEXT, "Curriculum v%ld (%s), structure epoch %ld: `%s`.", c->version,
		 or_dash(c->reason), c->epoch, or_dash(c->path));
	if (plot_graph(v, &svg))
		page_figure(p,
			    "Milestones and decisions with their fates; arrows lead from what a "
			    "decision needs.",
			    &svg);
	struct table *t = page_table(p, "lllllllr",
				     "id\tdecision\tneeds\twhy\twrong when\tfate\tround\tspeed-up");
	add_rows_of(t, v, c, true);
	for (size_t i = v->state.nr_curricula - 1; i-- > 0;)
		add_rows_of(t, v, &v->state.curricula[i], false);
}

static void add_gate(struct table *t, const struct state_gate *g)
{
	table_addf(t, "%s (v%ld)", g->milestone, g->curriculum);
	table_add(t, gate_result_name(g->result));
	table_add(t, gate_result_name(g->correctness));
	table_add(t, gate_result_name(g->performance));
	table_add(t, gate_result_name(g->mechanism));
	table_add(t, or_dash(g->text));
}

static void add_mechanism(struct table *t, const struct state_mechanism *m)
{
	AUTO_STR struct str change = STR_INIT;
	text_number(m->before, &change);
	str_add(&change, " → ");
	text_number(m->after, &change);
	table_add(t, or_dash(m->decision));
	table_addf(t, "`%s`", or_dash(m->metric));
	table_add(t, or_dash(m->direction));
	table_add(t, change.text);
	table_add(t, gate_result_name(m->result));
}

static void add_mechanisms(const struct view *v, struct page *p)
{
	struct table *t = NULL;
	for (size_t i = 0; i < v->state.nr_gates; i++)
		for (size_t j = 0; j < v->state.gates[i].nr_mechanisms; j++) {
			if (!t)
				t = page_table(p, "lllll",
					       "decision\tmetric\tpredicted\tmeasured\tresult");
			add_mechanism(t, &v->state.gates[i].mechanisms[j]);
		}
}

void section_gates(const struct view *v, struct page *p)
{
	if (!v->state.nr_gates)
		return;
	page_add(p, BLOCK_HEADING, "Gates");
	struct table *t = page_table(p, "llllll",
				     "milestone\tresult\tcorrectness\tperformance\tmechanism\t"
				     "why");
	for (size_t i = 0; i < v->state.nr_gates; i++)
		add_gate(t, &v->state.gates[i]);
	add_mechanisms(v, p);
}

static void add_meta(struct page *p, const struct state_meta *m)
{
	page_add(p, BLOCK_ITEM,
		 "Entry %u after round %u, because of %s, with curriculum v%ld: answer %s%s%s. %s"
		 "%s%s",
		 m->number, m->after_round, or_dash(m->trigger), m->from_version,
		 or_dash(m->answer), m->text ? ", " : "", m->text ? m->text : "",
		 m->digest_path ? "It was shown `" : "", m->digest_path ? m->digest_path : "",
		 m->digest_path ? "`." : "");
}

void section_teacher(const struct view *v, struct page *p)
{
	if (!v->state.nr_metas)
		return;
	page_add(p, BLOCK_HEADING, "The teacher's entries");
	for (size_t i = 0; i < v->state.nr_metas; i++)
		add_meta(p, &v->state.metas[i]);
}
