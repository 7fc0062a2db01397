#include "engine/teacher_tools.h"

/* Order of a call: tool_asked, the job, tool_answered. A request is known by the digest of what was
 * asked, for which best and which version; so a teacher that is asked again after a crash, and asks
 * the same, finds its answer, or goes on with the job that was under way. Refusals cost nothing and
 * are recorded, too, up to a number that no honest teacher reaches. */

#include <string.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/budget.h"
#include "engine/course.h"
#include "engine/engine_in.h"
#include "engine/jobs.h"
#include "engine/knowledge.h"
#include "engine/pairing.h"
#include "engine/start.h"
#include "engine/teacher_tools_in.h"
#include "engine/turn_data.h"
#include "engine/turns.h"
#include "model/result.h"

/* Of the inner loop's hours; the loop itself must not starve. */
#define TIME_SHARE 0.2
enum { MAX_REFUSED = 64 };

static void outcome_release(struct tool_outcome *o)
{
	str_release(&o->text);
	free(o->candidate);
	free(o->job);
	json_decref(o->members);
	arena_release(&o->arena);
}

/* Also a student that was asked for an ablation and had none has cost something. */
static unsigned nr_used(const struct run_state *s)
{
	unsigned nr = 0;
	for (size_t i = 0; i < s->nr_tools; i++) {
		const json_t *answer = s->tools[i].answer;
		nr += answer && !str_equal(json_text_or(answer, "outcome", ""), "refused");
	}
	return nr;
}

static double seconds_used(const struct run_state *s)
{
	double sum = 0;
	for (size_t i = 0; i < s->nr_tools; i++) {
		const struct state_job *job =
			s->tools[i].job ? run_state_job(s, s->tools[i].job) : NULL;
		sum += job ? job->seconds : 0;
	}
	return sum;
}

static int64_t calls_left(const struct engine *g)
{
	int64_t left = g->task.limits.teacher_jobs - (int64_t)nr_used(&g->state);
	return left > 0 ? left : 0;
}

int tool_refuse(struct tool_outcome *o, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	o->name = "refused";
	str_vaddf(&o->text, fmt, ap);
	va_end(ap);
	return 0;
}

static int check_budget(const struct tool_call *c, struct tool_outcome *o)
{
	const struct engine *g = c->g;
	double job_s = job_expected_s(g, c->replicates);
	double share_s = TIME_SHARE * g->state.hours * 3600;
	if (!calls_left(g))
		return tool_refuse(o, "the budget of %lld jobs for the teacher is used up",
				   (long long)g->task.limits.teacher_jobs);
	if (seconds_used(&g->state) + job_s > share_s || budget_left_s(g) < job_s)
		return tool_refuse(o, "there is no time left for it");
	return 1;
}

/* The round of a decision that the best holds, or NULL with the reason. */
static const struct state_round *round_in_best(const struct tool_call *c, struct tool_outcome *o)
{
	const struct engine *g = c->g;
	const struct state_best *best = run_state_best(&g->state);
	const struct decision *d =
		g->course_version && c->decision ? curriculum_find(&g->course, c->decision) : NULL;
	const struct state_decision *st = d ? course_state(&g->state, d->id) : NULL;
	if (!best)
		return tool_refuse(o, "there is no best yet"), NULL;
	if (!st || !course_is_accepted(&g->state, &g->course, d) || st->round > best->round)
		return tool_refuse(o, "%s is no decision of the best",
				   c->decision ? c->decision : "it"),
		       NULL;
	return run_state_round(&g->state, st->round);
}

static int prepare_revert(const struct tool_call *c, struct tool_outcome *o)
{
	const struct state_round *r = round_in_best(c, o);
	if (!r)
		return 0;
	const struct state_round *base = run_state_round(&c->g->state, r->base);
	if (!base)
		return tool_refuse(o, "%s was applied to the start; there is nothing before it",
				   c->decision);
	o->candidate = rundir_round(c->g->run_dir, base->number, "kernel.c");
	return 1;
}

static char *source_path(const struct tool_call *c)
{
	AUTO_FREE char *jobs = engine_path(c->g, RUNDIR_JOBS);
	return xasprintf("%s/tool-%04u.c", jobs, c->number);
}

static int keep_source(const struct tool_call *c, const char *text, struct tool_outcome *o,
		       struct err *e)
{
	AUTO_FREE char *jobs = engine_path(c->g, RUNDIR_JOBS);
	o->candidate = source_path(c);
	if (dir_make(jobs, e) < 0 || file_write_text(o->candidate, text, e) < 0)
		return -1;
	return 1;
}

static const struct milestone *milestone_of(const struct engine *g, const struct decision *d)
{
	for (size_t m = 0; m < g->course.nr_milestones; m++)
		for (size_t i = 0; i < g->course.milestones[m].nr_decisions; i++)
			if (&g->course.milestones[m].decisions[i] == d)
				return &g->course.milestones[m];
	BUG("decision %s is in no milestone", d->id);
}

static json_t *ablation_data(const struct tool_call *c)
{
	struct engine *g = c->g;
	const struct decision *d = curriculum_find(&g->course, c->decision);
	const struct state_best *best = run_state_best(&g->state);
	AUTO_FREE char *base = rundir_round(g->run_dir, best->round, "kernel.c");
	AUTO_FREE char *reference = engine_path(g, RUNDIR_REFERENCE_SOURCE);
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "row", turn_data_row(milestone_of(g, d), d),
			 "rows", turn_data_accepted(g, best->round, d->id), "description",
			 turn_data_description(g), "base", turn_data_source(base), "start",
			 turn_data_source(start_is_open(&g->task) ? reference : NULL));
}

static int prepare_drop(const struct tool_call *c, struct tool_outcome *o, struct err *e)
{
	if (!round_in_best(c, o))
		return 0;
	AUTO_AGENT_ANSWER struct agent_answer answer = { 0 };
	AUTO_FREE char *purpose = turn_ablation_purpose(c->number);
	AUTO_JSON json_t *data = ablation_data(c);
	const struct turn_spec turn = {
		.role = AGENT_STUDENT, .kind = TURN_ABLATION, .purpose = purpose, .data = data
	};
	if (knowledge_cite(c->g, curriculum_find(&c->g->course, c->decision), data, e) < 0 ||
	    turn_ask(c->g, &turn, &answer, e) < 0)
		return -1;
	if (answer.kind == ANSWER_SUBMIT)
		return keep_source(c, answer.text, o, e);
	o->name = "failed";
	str_addf(&o->text, "the student answered %s: %s", answer_kind_name(answer.kind),
		 answer.text);
	return 0;
}

static int prepare_probe(const struct tool_call *c, struct tool_outcome *o, struct err *e)
{
	if (!c->source || !*c->source)
		return tool_refuse(o, "a probe needs \"source\", one C file");
	if (c->replicates != SCREEN_REPLICATES && c->replicates != DECIDE_REPLICATES)
		return tool_refuse(o, "\"replicates\" is %d or %d", SCREEN_REPLICATES,
				   DECIDE_REPLICATES);
	return keep_source(c, c->source, o, e);
}

static int prepare_ablate(const struct tool_call *c, struct tool_outcome *o, struct err *e)
{
	if (str_equal(c->how, "drop"))
		return prepare_drop(c, o, e);
	if (str_equal(c->how, "revert"))
		return prepare_revert(c, o);
	return tool_refuse(o, "\"how\" must be \"revert\" or \"drop\"");
}

int tool_job_failed(const struct tool_call *c, struct tool_outcome *o, struct err *e)
{
	if (!job_is_failure(c->g, o->job, e))
		return -1;
	o->name = "failed";
	str_add(&o->text, e->text);
	*e = (struct err){ 0 };
	return 0;
}

static int read_result(const struct tool_call *c, const struct result *result,
		       struct tool_outcome *o, struct err *e)
{
	const struct pairing_spec pairing = { .result = result,
					      .purpose = c->tool,
					      .comparator = "the reference" };
	json_t *profile = json_object_get(json_object_get(result->doc, "profile"), "candidate");
	bool is_pass = result->verdict.state == VERDICT_PASS;
	if (is_pass && pairing_estimate(&pairing, &o->arena, &o->estimate, e) < 0)
		return -1;
	json_object_set_new(o->members, "verdict", verdict_to_json(&result->verdict));
	json_object_set_new(o->members, "speedup", turn_data_speedup(&o->estimate));
	if (profile)
		json_object_set(o->members, "profile", profile);
	return 0;
}

static int measure(const struct tool_call *c, struct tool_outcome *o, struct err *e)
{
	AUTO_RESULT struct result result = { 0 };
	o->job = xasprintf("tool-%04u", c->number);
	const struct job_spec job = { .id = o->job,
				      .purpose = c->tool,
				      .kind = JOB_TIME,
				      .candidate = o->candidate,
				      .replicates = c->replicates,
				      .with_profile = true,
				      .may_fail = true };
	if (digest_file(o->candidate, &o->source, e) < 0)
		return -1;
	if (job_run(c->g, &job, &result, e) < 0)
		return tool_job_failed(c, o, e);
	return read_result(c, &result, o, e);
}

static int ablate(const struct tool_call *c, struct tool_outcome *o, struct err *e)
{
	int ready = prepare_ablate(c, o, e);
	if (ready <= 0)
		return ready;
	const struct state_best *best = run_state_best(&c->g->state);
	if (best)
		json_object_set_new(o->members, "best", turn_data_speedup(&best->estimate));
	return measure(c, o, e);
}

static int probe(const struct tool_call *c, struct tool_outcome *o, struct err *e)
{
	int ready = prepare_probe(c, o, e);
	return ready <= 0 ? ready : measure(c, o, e);
}

static const struct tool {
	const char *name;
	tool_fn answer;
} tools[] = {
	{ "ablate", ablate },
	{ "probe", probe },
	{ "run", tool_run },
	{ "time", tool_time },
	{ "profile", tool_profile },
	{ "disassemble", tool_disassemble },
	{ "propose_lesson", tool_propose },
};

json_t *teacher_tools_offer(const struct engine *g)
{
	json_t *names = json_array();
	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		json_array_append_new(names, json_string(tools[i].name));
	return json_pack("{s:o, s:I}", "names", names, "left", (json_int_t)calls_left(g));
}

static int refuse_unknown(const struct tool_call *c, struct tool_outcome *o)
{
	AUTO_STR struct str known = STR_INIT;
	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		str_addf(&known, " %s", tools[i].name);
	return tool_refuse(o, "there is no tool \"%s\"; there are:%s", c->tool, known.text);
}

static int work(const struct tool_call *c, struct tool_outcome *o, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		if (str_equal(tools[i].name, c->tool))
			return check_budget(c, o) ? tools[i].answer(c, o, e) : 0;
	return refuse_unknown(c, o);
}

static json_t *answer_of(const struct tool_call *c, struct tool_outcome *o)
{
	json_t *answer = json_incref(o->members);
	int64_t left = calls_left(c->g) - !str_equal(o->name, "refused");
	json_object_set_new(answer, "outcome", json_string(o->name));
	json_object_set_new(answer, "text", json_string(o->text.text));
	json_object_set_new(answer, "left", json_integer(left > 0 ? left : 0));
	return answer;
}

static int record_answer(const struct tool_call *c, const struct tool_outcome *o, json_t *answer,
			 struct err *e)
{
	json_t *estimate = o->estimate.call ? state_estimate_to_json(&o->estimate) : NULL;
	return engine_event(c->g, EVENT_tool_answered, e, "{s:i, s:O, s:s*, s:s*, s:o*}", "number",
			    (int)c->number, "answer", answer, "job", o->job, "source",
			    o->source.hex[0] ? o->source.hex : NULL, "estimate", estimate);
}

static json_t *go(const struct tool_call *c, struct err *e)
{
	struct tool_outcome o = { .name = "done", .text = STR_INIT, .members = json_object() };
	json_t *answer = NULL;
	if (work(c, &o, e) == 0)
		answer = answer_of(c, &o);
	if (answer && record_answer(c, &o, answer, e) < 0) {
		json_decref(answer);
		answer = NULL;
	}
	outcome_release(&o);
	return answer;
}

/* What was asked, the call's own id aside, of which best and version. */
static struct digest request_of(const struct engine *g, const json_t *call)
{
	const struct state_best *best = run_state_best(&g->state);
	AUTO_JSON json_t *key = json_deep_copy(call);
	json_object_del(key, "id");
	json_object_set_new(key, "for_best", json_integer(best ? best->round : 0));
	json_object_set_new(key, "for_version", json_integer(g->course_version));
	AUTO_FREE char *text = json_line(key);
	return digest_text(text);
}

static const struct state_tool *asked_before(const struct tool_call *c)
{
	for (size_t i = 0; i < c->g->state.nr_tools; i++)
		if (str_equal(c->g->state.tools[i].request, c->request.hex))
			return &c->g->state.tools[i];
	return NULL;
}

static struct tool_call read_call(struct engine *g, const json_t *call)
{
	struct tool_call c = { .g = g,
			       .tool = json_text_or(call, "tool", ""),
			       .decision = json_text_or(call, "decision", NULL),
			       .how = json_text_or(call, "how", NULL),
			       .source = json_text_or(call, "source", NULL),
			       .asked = call,
			       .number = (unsigned)g->state.nr_tools + 1,
			       .request = request_of(g, call) };
	c.replicates = str_equal(c.tool, "ablate") ? DECIDE_REPLICATES : 1;
	if (str_equal(c.tool, "probe"))
		c.replicates = (unsigned)json_int_or(call, "replicates", SCREEN_REPLICATES);
	return c;
}

static json_t *told_again(const struct engine *g, const struct state_tool *known)
{
	json_t *answer = json_deep_copy(known->answer);
	json_object_set_new(answer, "left", json_integer(calls_left(g)));
	return answer;
}

json_t *teacher_tools_call(struct engine *g, const char *purpose, const json_t *call, struct err *e)
{
	struct tool_call c = read_call(g, call);
	const struct state_tool *known = asked_before(&c);
	if (known && known->answer)
		return told_again(g, known);
	if (known)
		c.number = known->number;
	if (g->state.nr_tools >= (size_t)g->task.limits.teacher_jobs + MAX_REFUSED)
		return json_pack("{s:s, s:s, s:i}", "outcome", "refused", "text",
				 "too many calls in this run", "left", 0);
	if (!known &&
	    engine_event(g, EVENT_tool_asked, e, "{s:i, s:s, s:s, s:s, s:s*, s:s*}", "number",
			 (int)c.number, "purpose", purpose, "request", c.request.hex, "tool",
			 c.tool, "decision", c.decision, "how", c.how) < 0)
		return NULL;
	return go(&c, e);
}
