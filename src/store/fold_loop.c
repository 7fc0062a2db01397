#include "store/fold_in.h"

/* The loops' part of the fold: curricula, rounds, jobs, gates, the teacher's entries, and the
 * lookups that everybody uses on them. */

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

static struct state_round *round_of(struct fold *f)
{
	int64_t number = fold_int(f, "round");
	struct run_state *s = f->s;
	if (!f->is_bad && number >= 1 && (uint64_t)number <= s->nr_rounds)
		return &s->rounds[number - 1];
	if (!f->is_bad)
		err_set(f->e, ERR_INPUT, "%s: there is no round %lld", f->doc, (long long)number);
	f->is_bad = true;
	return NULL;
}

static struct state_decision *find_decision(struct state_curriculum *c, const char *id)
{
	for (size_t i = 0; c && i < c->nr_milestones; i++)
		for (size_t j = 0; j < c->milestones[i].nr_decisions; j++)
			if (str_equal(c->milestones[i].decisions[j].id, id))
				return &c->milestones[i].decisions[j];
	return NULL;
}

static struct state_curriculum *newest(struct run_state *s)
{
	return s->nr_curricula ? &s->curricula[s->nr_curricula - 1] : NULL;
}

void on_curriculum_refused(struct fold *f)
{
	f->s->nr_refused++;
}

/* [{"id", "digest"}] */
static void read_lessons(struct fold *f, const json_t *list, struct state_text *out)
{
	AUTO_JSON json_t *ids = json_array();
	for (size_t i = 0; i < json_array_size(list); i++)
		json_array_append_new(ids,
				      json_string(json_text_or(json_array_get(list, i), "id", "")));
	fold_texts(f, ids, out);
}

/* "fate" and "round" stand in the event where a revision reuses the work of the version before. */
static void read_decision(struct fold *f, const json_t *obj, struct state_decision *d)
{
	d->id = fold_text_or(f, obj, "id");
	d->what = fold_text_or(f, obj, "what");
	d->value = fold_text_or(f, obj, "value");
	d->why = fold_text_or(f, obj, "why");
	d->wrong_when = fold_text_or(f, obj, "wrong_when");
	d->is_not_applicable = json_bool_or(obj, "not_applicable", false);
	d->round = (unsigned)json_int_or(obj, "round", 0);
	d->fate = d->is_not_applicable ? FATE_NOT_APPLICABLE
				       : decision_fate_parse(json_text_or(obj, "fate", "pending"));
	fold_texts(f, json_object_get(obj, "needs"), &d->needs);
	read_lessons(f, json_object_get(obj, "lessons"), &d->lessons);
}

static void read_milestone(struct fold *f, const json_t *obj, struct state_milestone *m)
{
	const json_t *rows = json_object_get(obj, "decisions");
	m->id = fold_text_or(f, obj, "id");
	m->title = fold_text_or(f, obj, "title");
	m->gate = fold_text_or(f, obj, "gate");
	m->nr_decisions = json_array_size(rows);
	m->decisions = arena_array(&f->s->arena, m->nr_decisions, sizeof(*m->decisions));
	for (size_t i = 0; i < m->nr_decisions; i++)
		read_decision(f, json_array_get(rows, i), &m->decisions[i]);
}

void on_curriculum_published(struct fold *f)
{
	struct state_curriculum *c = FOLD_PUSH(f->s, curricula);
	const json_t *milestones = fold_array(f, "milestones");
	*c = (struct state_curriculum){ .version = fold_int(f, "version"),
					.epoch = fold_int(f, "epoch"),
					.path = fold_text(f, "path"),
					.digest = fold_text(f, "digest"),
					.reason = fold_text(f, "reason"),
					.knowledge = fold_text_or(f, f->body, "knowledge"),
					.after_round = (unsigned)fold_int(f, "after_round"),
					.nr_refused = f->s->nr_refused,
					.nr_milestones = json_array_size(milestones),
					.seq = f->ev->seq };
	f->s->nr_refused = 0;
	c->milestones = arena_array(&f->s->arena, c->nr_milestones, sizeof(*c->milestones));
	for (size_t i = 0; i < c->nr_milestones; i++)
		read_milestone(f, json_array_get(milestones, i), &c->milestones[i]);
}

void on_round_started(struct fold *f)
{
	struct state_round *r = FOLD_PUSH(f->s, rounds);
	*r = (struct state_round){ .number = (unsigned)fold_int(f, "round"),
				   .decision = fold_text(f, "decision"),
				   .milestone = fold_text(f, "milestone"),
				   .what = fold_text(f, "what"),
				   .value = fold_text(f, "value"),
				   .curriculum = fold_int(f, "curriculum"),
				   .base = (unsigned)fold_int(f, "base"),
				   .is_replay = fold_bool(f, "replay"),
				   .is_dispatch =
					   str_equal(json_text_or(f->body, "kind", ""), "dispatch"),
				   .started_s = f->s->elapsed_s,
				   .free_s = state_free_s(&f->s->clocks),
				   .seq = f->ev->seq };
	if (r->is_dispatch)
		f->s->dispatch.round = r->number;
	if (f->is_bad || r->number == f->s->nr_rounds)
		return;
	f->is_bad = true;
	err_set(f->e, ERR_INPUT, "%s: round %u follows round %zu", f->doc, r->number,
		f->s->nr_rounds - 1);
}

void on_candidate_submitted(struct fold *f)
{
	struct state_round *r = round_of(f);
	if (!r)
		return;
	r->source = fold_text(f, "source");
	r->note = fold_text_or(f, f->body, "note");
	r->chosen = fold_text_or(f, f->body, "value");
	r->predicted = fold_doc(f, "predicted");
}

void on_candidate_absent(struct fold *f)
{
	struct state_round *r = round_of(f);
	if (!r)
		return;
	r->absent = fold_text(f, "kind");
	r->absent_text = fold_text(f, "text");
}

static struct state_job *find_job(struct run_state *s, const char *id)
{
	for (size_t i = s->nr_jobs; i > 0; i--)
		if (str_equal(s->jobs[i - 1].id, id))
			return &s->jobs[i - 1];
	return NULL;
}

static struct state_job *job_of(struct fold *f)
{
	const char *id = fold_text(f, "job");
	struct state_job *job = find_job(f->s, id);
	if (!job && !f->is_bad)
		err_set(f->e, ERR_INPUT, "%s: job %s was never started", f->doc, id);
	if (!job)
		f->is_bad = true;
	return job;
}

/* A job that was under way when forge died is started again under its own name. */
void on_job_started(struct fold *f)
{
	const char *id = fold_text(f, "job");
	struct state_job *job = find_job(f->s, id);
	unsigned nr_failed = job ? job->nr_failed : 0;
	if (!job)
		job = FOLD_PUSH(f->s, jobs);
	*job = (struct state_job){ .id = id,
				   .kind = fold_text(f, "kind"),
				   .dir = fold_text(f, "dir"),
				   .purpose = fold_text(f, "purpose"),
				   .nr_failed = nr_failed,
				   .seq = f->ev->seq };
}

void on_job_done(struct fold *f)
{
	struct state_job *job = job_of(f);
	if (!job)
		return;
	job->is_done = true;
	job->nr_failed = 0;
	job->result = fold_text(f, "result");
	job->samples = fold_text(f, "samples");
	job->seconds = fold_real(f, "seconds");
	fold_job_cost(f, job);
	job->profile = fold_doc(f, "profile");
}

void on_job_failed(struct fold *f)
{
	struct state_job *job = job_of(f);
	if (!job)
		return;
	job->has_failed = true;
	job->nr_failed++;
	job->error = fold_text(f, "error");
}

void on_verdict_given(struct fold *f)
{
	struct state_round *r = round_of(f);
	if (!r)
		return;
	fold_verdict(f, "verdict", &r->verdict);
	r->verdict_job = fold_text(f, "job");
}

void on_trial_estimated(struct fold *f)
{
	struct state_round *r = round_of(f);
	if (!r)
		return;
	struct state_estimate est;
	fold_estimate(f, "estimate", &est);
	*(str_equal(est.purpose, "decide") ? &r->decide : &r->screen) = est;
}

static void read_fate(struct fold *f, struct state_round *r)
{
	r->outcome = round_outcome_parse(fold_text(f, "outcome"));
	r->is_best = decision_fate_parse(fold_text(f, "fate")) == FATE_BEST;
}

void on_round_closed(struct fold *f)
{
	struct state_round *r = round_of(f);
	if (!r)
		return;
	read_fate(f, r);
	r->is_settled = r->outcome != ROUND_KEPT || r->decide.call;
	r->seconds = f->s->elapsed_s - r->started_s;
	r->free_s = state_free_s(&f->s->clocks) - r->free_s;
	struct state_decision *d = find_decision(newest(f->s), r->decision);
	if (!d)
		return;
	d->fate = decision_fate_parse(fold_text(f, "fate"));
	d->round = r->number;
}

/* One K=8 decision; `settled` are the rounds that share it. A row that was tried again since keeps
 * what the later round made of it. */
void on_round_decided(struct fold *f)
{
	struct state_round *r = round_of(f);
	const json_t *settled = fold_array(f, "settled");
	if (!r)
		return;
	read_fate(f, r);
	for (size_t i = 0; i < json_array_size(settled); i++) {
		json_int_t number = json_integer_value(json_array_get(settled, i));
		if (number >= 1 && (size_t)number <= f->s->nr_rounds)
			f->s->rounds[number - 1].is_settled = true;
	}
	struct state_decision *d = find_decision(newest(f->s), r->decision);
	if (d && d->round == r->number)
		d->fate = decision_fate_parse(fold_text(f, "fate"));
}

void on_best_changed(struct fold *f)
{
	struct state_best *best = FOLD_PUSH(f->s, bests);
	*best = (struct state_best){ .round = (unsigned)fold_int(f, "round"),
				     .decision = fold_text(f, "decision"),
				     .source = fold_text(f, "source"),
				     .wall = arena_strdup(&f->s->arena, f->ev->wall),
				     .seq = f->ev->seq };
	fold_estimate(f, "estimate", &best->estimate);
}

static struct state_mechanism read_mechanism(struct fold *f, const json_t *obj)
{
	struct state_mechanism m = { .decision = fold_text_or(f, obj, "decision"),
				     .metric = fold_text_or(f, obj, "metric"),
				     .direction = fold_text_or(f, obj, "direction"),
				     .before = json_real_or(obj, "before", 0),
				     .after = json_real_or(obj, "after", 0),
				     .result = gate_result_parse(
					     json_text_or(obj, "result", "none")) };
	fold_texts(f, json_object_get(obj, "jobs"), &m.jobs);
	return m;
}

void on_gate_closed(struct fold *f)
{
	struct state_gate *g = FOLD_PUSH(f->s, gates);
	const json_t *rows = fold_array(f, "mechanisms");
	*g = (struct state_gate){ .milestone = fold_text(f, "milestone"),
				  .curriculum = fold_int(f, "curriculum"),
				  .result = gate_result_parse(fold_text(f, "result")),
				  .correctness = gate_result_parse(fold_text(f, "correctness")),
				  .performance = gate_result_parse(fold_text(f, "performance")),
				  .mechanism = gate_result_parse(fold_text(f, "mechanism")),
				  .text = fold_text(f, "text"),
				  .nr_mechanisms = json_array_size(rows),
				  .seq = f->ev->seq };
	fold_texts(f, fold_array(f, "evidence"), &g->evidence);
	g->mechanisms = arena_array(&f->s->arena, g->nr_mechanisms, sizeof(*g->mechanisms));
	for (size_t i = 0; i < g->nr_mechanisms; i++)
		g->mechanisms[i] = read_mechanism(f, json_array_get(rows, i));
	const json_t *parts = json_object_get(f->body, "evidence_of");
	fold_texts(f, json_object_get(parts, "correctness"), &g->correctness_jobs);
	fold_texts(f, json_object_get(parts, "performance"), &g->performance_jobs);
	fold_texts(f, json_object_get(parts, "mechanism"), &g->mechanism_jobs);
}

void on_structure_frozen(struct fold *f)
{
	f->s->structure = (struct state_structure){ .epoch = fold_int(f, "epoch"),
						    .curriculum = fold_int(f, "curriculum"),
						    .round = (unsigned)fold_int(f, "round"),
						    .source = fold_text(f, "source"),
						    .rows = fold_text(f, "rows") };
}

static struct state_finding read_finding(struct fold *f, const json_t *obj)
{
	struct state_finding one = { .class = diagnosis_parse(json_text_or(obj, "class", "")),
				     .decision = fold_text_or(f, obj, "decision"),
				     .round = (unsigned)json_int_or(obj, "round", 0) };
	fold_texts(f, json_object_get(obj, "jobs"), &one.jobs);
	return one;
}

void on_diagnosed(struct fold *f)
{
	const json_t *rows = fold_array(f, "findings");
	struct state_diagnosed *d = &f->s->diagnosed;
	*d = (struct state_diagnosed){ .has_any = true,
				       .number = (unsigned)fold_int(f, "number"),
				       .after_round = (unsigned)fold_int(f, "after_round"),
				       .curriculum = fold_int(f, "curriculum"),
				       .nr_findings = json_array_size(rows) };
	d->findings = arena_array(&f->s->arena, d->nr_findings, sizeof(*d->findings));
	for (size_t i = 0; i < d->nr_findings; i++)
		d->findings[i] = read_finding(f, json_array_get(rows, i));
}

void on_teacher_entered(struct fold *f)
{
	struct state_meta *m = FOLD_PUSH(f->s, metas);
	*m = (struct state_meta){ .number = (unsigned)fold_int(f, "number"),
				  .trigger = fold_text(f, "trigger"),
				  .digest_path = fold_text(f, "digest"),
				  .after_round = (unsigned)fold_int(f, "after_round"),
				  .from_version = fold_int(f, "from_version") };
}

void on_tool_asked(struct fold *f)
{
	struct state_tool *t = FOLD_PUSH(f->s, tools);
	*t = (struct state_tool){ .number = (unsigned)fold_int(f, "number"),
				  .request = fold_text(f, "request"),
				  .tool = fold_text(f, "tool"),
				  .purpose = fold_text(f, "purpose"),
				  .decision = fold_text_or(f, f->body, "decision"),
				  .how = fold_text_or(f, f->body, "how") };
}

void on_tool_answered(struct fold *f)
{
	int64_t number = fold_int(f, "number");
	for (size_t i = 0; i < f->s->nr_tools; i++) {
		struct state_tool *t = &f->s->tools[i];
		if (t->number != (unsigned)number)
			continue;
		t->answer = fold_doc(f, "answer");
		t->job = fold_text_or(f, f->body, "job");
	}
}

void on_teacher_left(struct fold *f)
{
	f->s->nr_refused = 0;
	if (!f->s->nr_metas)
		return;
	struct state_meta *m = &f->s->metas[f->s->nr_metas - 1];
	m->answer = fold_text(f, "answer");
	m->text = fold_text(f, "text");
	m->to_version = fold_int(f, "to_version");
}

void on_loop_ended(struct fold *f)
{
	f->s->loop_end = fold_text(f, "reason");
}

static struct state_part read_part(struct fold *f, const json_t *obj)
{
	struct state_part part = { .round = (unsigned)json_int_or(obj, "round", 0) };
	fold_texts(f, json_object_get(obj, "shapes"), &part.shapes);
	return part;
}

void on_dispatch_considered(struct fold *f)
{
	const json_t *parts = fold_array(f, "parts");
	struct state_dispatch *d = &f->s->dispatch;
	*d = (struct state_dispatch){ .is_considered = true,
				      .is_offered = fold_bool(f, "offered"),
				      .text = fold_text(f, "text"),
				      .expected = fold_real(f, "expected"),
				      .nr_parts = json_array_size(parts) };
	d->parts = arena_array(&f->s->arena, d->nr_parts, sizeof(*d->parts));
	for (size_t i = 0; i < d->nr_parts; i++)
		d->parts[i] = read_part(f, json_array_get(parts, i));
}

void on_confirm_done(struct fold *f)
{
	struct state_confirm *c = &f->s->confirm;
	*c = (struct state_confirm){ .is_done = true,
				     .has_best = fold_bool(f, "has_best"),
				     .is_confirmed = fold_bool(f, "confirmed"),
				     .is_goal_met = fold_bool(f, "goal_met"),
				     .round = (unsigned)fold_int(f, "round"),
				     .text = fold_text(f, "text"),
				     .wall = arena_strdup(&f->s->arena, f->ev->wall),
				     .job = fold_text_or(f, f->body, "job"),
				     .monitor = fold_doc(f, "monitor"),
				     .origin = fold_doc(f, "origin") };
	if (c->has_best)
		fold_verdict(f, "verdict", &c->verdict);
	fold_estimate(f, "estimate", &c->estimate);
	fold_texts(f, json_object_get(f->body, "lost"), &c->lost);
}

const struct state_best *run_state_best(const struct run_state *s)
{
	return s->nr_bests ? &s->bests[s->nr_bests - 1] : NULL;
}

const struct state_curriculum *run_state_curriculum(const struct run_state *s)
{
	return s->nr_curricula ? &s->curricula[s->nr_curricula - 1] : NULL;
}

const struct state_round *run_state_round(const struct run_state *s, unsigned number)
{
	return number && number <= s->nr_rounds ? &s->rounds[number - 1] : NULL;
}

const struct state_job *run_state_job(const struct run_state *s, const char *id)
{
	for (size_t i = s->nr_jobs; i > 0; i--)
		if (str_equal(s->jobs[i - 1].id, id))
			return &s->jobs[i - 1];
	return NULL;
}

const struct state_turn *run_state_turn(const struct run_state *s, const char *purpose)
{
	for (size_t i = s->nr_turns; i > 0; i--)
		if (str_equal(s->turns[i - 1].purpose, purpose))
			return &s->turns[i - 1];
	return NULL;
}

const struct state_estimate *state_round_estimate(const struct state_round *r)
{
	return r->decide.call ? &r->decide : &r->screen;
}

static bool is_settled(const struct state_decision *d)
{
	return d->fate != FATE_PENDING;
}

void run_state_progress(const struct run_state *s, size_t *done, size_t *all)
{
	const struct state_curriculum *c = run_state_curriculum(s);
	*done = *all = 0;
	for (size_t i = 0; c && i < c->nr_milestones; i++) {
		for (size_t j = 0; j < c->milestones[i].nr_decisions; j++) {
			const struct state_decision *d = &c->milestones[i].decisions[j];
			*all += !d->is_not_applicable;
			*done += !d->is_not_applicable && is_settled(d);
		}
	}
}
