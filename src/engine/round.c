#include "engine/round.h"

/* A candidate is judged and screened by K=2 before its round closes; whether it is the new best is
 * decided later (engine/decide.h). */

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/control.h"
#include "engine/course.h"
#include "engine/diff.h"
#include "engine/dispatch.h"
#include "engine/engine_in.h"
#include "engine/fate.h"
#include "engine/knowledge.h"
#include "engine/mail.h"
#include "engine/measure.h"
#include "engine/start.h"
#include "engine/turn_data.h"
#include "engine/turns.h"

static const struct state_round *round_at(const struct engine *g, unsigned number)
{
	return run_state_round(&g->state, number);
}

int round_start(struct engine *g, const struct course_row *row, struct err *e)
{
	const struct decision *d = row->d;
	const char *value = d->value ? d->value : d->range;
	bool is_replay = false;
	for (size_t i = 0; i < g->state.nr_rounds; i++)
		is_replay = is_replay || str_equal(g->state.rounds[i].decision, d->id);
	return engine_event(g, EVENT_round_started, e, "{s:i, s:s, s:s, s:s, s:s, s:I, s:i, s:b}",
			    "round", (int)g->state.nr_rounds + 1, "decision", d->id, "milestone",
			    row->m->id, "what", d->what, "value", value ? value : "", "curriculum",
			    (json_int_t)g->course_version, "base",
			    (int)course_base(&g->state, &g->course), "replay", is_replay);
}

static const struct milestone *milestone_of(const struct engine *g, const char *id)
{
	for (size_t i = 0; i < g->course.nr_milestones; i++)
		if (str_equal(g->course.milestones[i].id, id))
			return &g->course.milestones[i];
	return NULL;
}

static json_t *round_data(const struct engine *g, const struct state_round *r)
{
	AUTO_FREE char *base = r->base ? rundir_round(g->run_dir, r->base, "kernel.c") : NULL;
	AUTO_FREE char *reference = engine_path(g, RUNDIR_REFERENCE_SOURCE);
	const struct milestone *m = milestone_of(g, r->milestone);
	const struct decision *d = curriculum_find(&g->course, r->decision);
	if (!m || !d)
		BUG("round %u is about %s, which curriculum %ld does not have", r->number,
		    r->decision, g->course_version);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "row", turn_data_row(m, d), "rows",
			 turn_data_accepted(g, g->state.nr_rounds, NULL), "description",
			 turn_data_description(g), "base", turn_data_source(base), "start",
			 turn_data_source(start_is_open(&g->task) ? reference : NULL), "feedback",
			 turn_data_feedback(g));
}

static int record_candidate(struct engine *g, unsigned number, const struct agent_answer *a,
			    struct err *e)
{
	AUTO_FREE char *path = rundir_round(g->run_dir, number, "kernel.c");
	AUTO_FREE char *dir = rundir_round(g->run_dir, number, NULL);
	size_t len = strlen(a->text);
	const struct digest digest = digest_bytes(a->text, len);
	if (dir_make(dir, e) < 0 || file_write(path, a->text, len, e) < 0)
		return -1;
	diff_write(g, number);
	return engine_event(g, EVENT_candidate_submitted, e, "{s:i, s:s, s:I, s:s*, s:s*, s:O*}",
			    "round", (int)number, "source", digest.hex, "bytes", (json_int_t)len,
			    "note", a->note, "value", a->value, "predicted", a->predicted);
}

static int ask_student(struct engine *g, unsigned number, struct err *e)
{
	AUTO_AGENT_ANSWER struct agent_answer answer = { 0 };
	AUTO_FREE char *purpose = xasprintf("round-%04u", number);
	bool is_goal = control_is_goal_only(g);
	const struct state_round *r = round_at(g, number);
	AUTO_JSON json_t *data = is_goal ? control_data(g, r) : round_data(g, r);
	const struct turn_spec turn = { .role = AGENT_STUDENT,
					.kind = is_goal ? TURN_GOAL : TURN_ROUND,
					.purpose = purpose,
					.data = data };
	if (!is_goal && knowledge_cite(g, curriculum_find(&g->course, r->decision), data, e) < 0)
		return -1;
	if (turn_ask(g, &turn, &answer, e) < 0)
		return -1;
	if (answer.kind == ANSWER_SUBMIT)
		return record_candidate(g, number, &answer, e);
	return engine_event(g, EVENT_candidate_absent, e, "{s:i, s:s, s:s}", "round", (int)number,
			    "kind", answer_kind_name(answer.kind), "text", answer.text);
}

static int write_dispatch(struct engine *g, unsigned number, struct err *e)
{
	AUTO_AGENT_ANSWER struct agent_answer answer = { 0 };
	if (dispatch_write(g, &answer, e) < 0)
		return -1;
	return record_candidate(g, number, &answer, e);
}

static int propose(struct engine *g, unsigned number, struct err *e)
{
	return round_at(g, number)->is_dispatch ? write_dispatch(g, number, e)
						: ask_student(g, number, e);
}

static int close_round(struct engine *g, unsigned number, struct err *e)
{
	enum decision_fate fate = fate_of_round(g, number);
	if (engine_event(g, EVENT_round_closed, e, "{s:i, s:s, s:s}", "round", (int)number,
			 "outcome", round_outcome_name(fate_outcome(fate)), "fate",
			 decision_fate_name(fate)) < 0)
		return -1;
	mail_tell(g);
	return 0;
}

int round_go(struct engine *g, unsigned number, struct err *e)
{
	const struct state_round *r = round_at(g, number);
	if (!r->source && !r->absent && propose(g, number, e) < 0)
		return -1;
	if (round_at(g, number)->source && measure_screen(g, number, e) < 0 &&
	    measure_bear_failure(g, number, "measurement", e) < 0)
		return -1;
	if (fate_promote(g, number, e) < 0)
		return -1;
	return close_round(g, number, e);
}
