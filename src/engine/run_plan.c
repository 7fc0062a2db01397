#include "engine/engine.h"

/* forge new --dry-run. Worst case by what is known before anything ran: counts of shapes, rows are
 * unknown, so the inner loop's worst case is its budget. Notes say what each number rests on. */

#include <math.h>

#include "agent/agent_ops.h"
#include "base/err.h"
#include "engine/deny.h"
#include "engine/jobs.h"
#include "engine/start.h"
#include "model/leaderboard.h"
#include "model/task.h"
#include "store/fold.h"
#include "store/rundir.h"

/* A job's worst case before the reference was timed: compile, start, judge, and this many seconds
 * per replicate and shape for kernels of the allowed 200 ms a call. */
#define JOB_FIXED_S 20.0
#define SHAPE_REPLICATE_S 8.0

enum { MAX_TEACHER_ATTEMPTS = 3, MAX_STUDENT_ATTEMPTS = 3, MAX_CONFIRMATIONS = 3 };

static double job_worst_s(unsigned shapes, unsigned replicates)
{
	return JOB_FIXED_S + SHAPE_REPLICATE_S * shapes * replicates;
}

static void count(struct plan *p, const struct task *t)
{
	p->nr_shapes = (unsigned)t->shapes.nr;
	for (size_t i = 0; i < t->shapes.nr; i++) {
		p->nr_held_out += t->shapes.items[i].held_out;
		p->nr_cases += (unsigned)t->shapes.items[i].nr_groups;
	}
}

static void add_stage(struct plan *p, struct plan_stage stage)
{
	p->stages[p->nr_stages++] = stage;
	p->nr_jobs += stage.nr_jobs;
	p->worst_s += stage.worst_s;
	p->worst_usd += stage.worst_usd;
	p->worst_tokens += stage.worst_tokens;
}

static const char *judge_text(const struct task *t)
{
	if (t->leaderboard)
		return "hold the origin's judge and tolerance against its reference, self-test, "
		       "freeze";
	return t->judge ? "align the task's judge with the reference, calibrate, self-test, freeze"
			: "the teacher writes a judge; align, calibrate, self-test, freeze";
}

/* Of judges and of kernels to begin with, the last of both in one job. */
static unsigned max_calibrations(const struct task *t)
{
	unsigned judges = t->judge || t->leaderboard ? 1 : MAX_TEACHER_ATTEMPTS;
	unsigned kernels = task_is_generated(t) ? MAX_STUDENT_ATTEMPTS : 1;
	return judges + kernels - 1;
}

static void add_front(struct plan *p, const struct task *t)
{
	unsigned visible = p->nr_shapes - p->nr_held_out;
	unsigned tries = max_calibrations(t);
	add_stage(p, (struct plan_stage){ .name = "freeze",
					  .text = "copy and hash the task, record the machine",
					  .worst_s = JOB_FIXED_S });
	add_stage(p, (struct plan_stage){ .name = "judge",
					  .text = judge_text(t),
					  .nr_jobs = tries,
					  .worst_s = tries * job_worst_s(p->nr_shapes, 1) });
	add_stage(p,
		  (struct plan_stage){
			  .name = "reference",
			  .text = "time the reference against itself (K=4), profile, set the goal",
			  .nr_jobs = 1,
			  .worst_s = job_worst_s(visible, REFERENCE_REPLICATES) });
}

/* The embedded agents run on this machine. */
static bool is_free(const struct task *t)
{
	const struct agent_ops *teacher = agent_driver(t->teacher);
	const struct agent_ops *student = agent_driver(t->student);
	return teacher && teacher->is_free && student && student->is_free;
}

/* What a role may use of it: nothing where it costs nothing, else its limit or the run's. */
static double worst_of_role(const struct task *t, enum limits_scope role, enum resource r)
{
	const char *driver = role == LIMITS_TEACHER ? t->teacher : t->student;
	const struct agent_ops *ops = agent_driver(driver);
	const struct limits *of = &t->limits.of[role];
	if (ops && ops->is_free)
		return 0;
	return limits_get(limits_has(of, r) ? of : &t->limits.of[LIMITS_RUN], r);
}

static double worst_of(const struct task *t, enum resource r)
{
	return fmin(limits_get(&t->limits.of[LIMITS_RUN], r),
		    worst_of_role(t, LIMITS_TEACHER, r) + worst_of_role(t, LIMITS_STUDENT, r));
}

static void add_loop(struct plan *p, const struct task *t)
{
	double hours_s = t->limits.hours * 3600;
	unsigned visible = p->nr_shapes - p->nr_held_out;
	double screen_s = JOB_FIXED_S / 4 + visible * SCREEN_REPLICATES;
	add_stage(p, (struct plan_stage){ .name = "curriculum",
					  .text = "the teacher writes milestones, linted" });
	add_stage(p,
		  (struct plan_stage){ .name = "student",
				       .text = "one row a round, screened by K=2; K=8 decides when "
					       "a milestone ends",
				       .nr_jobs = (unsigned)(hours_s / screen_s) + 1,
				       .worst_s = hours_s,
				       .worst_usd = worst_of(t, RESOURCE_USD),
				       .worst_tokens = (int64_t)worst_of(t, RESOURCE_TOKENS) });
}

/* Two jobs more where a dispatch kernel pays. */
/* As long as the paired trial's calls may take. */
#define ORIGIN_CALL_S 0.2
enum { ORIGIN_SIDES = 2 };

static double origin_worst_s(const struct plan *p, const struct task *t)
{
	const struct leaderboard *b = t->leaderboard;
	unsigned visible = p->nr_shapes - p->nr_held_out;
	return b ? ORIGIN_CALL_S * ORIGIN_SIDES * visible * (b->warmups + b->repeats) : 0;
}

static void add_back(struct plan *p, const struct task *t)
{
	unsigned visible = p->nr_shapes - p->nr_held_out;
	double dispatch_s =
		job_worst_s(visible, SCREEN_REPLICATES) + job_worst_s(visible, DECIDE_REPLICATES);
	add_stage(p, (struct plan_stage){
			     .name = "confirm",
			     .text = "a dispatch kernel where it pays; measure the best afresh "
				     "(K=16), held-out shapes, monitor",
			     .nr_jobs = MAX_CONFIRMATIONS + 2,
			     .worst_s = MAX_CONFIRMATIONS *
						(job_worst_s(p->nr_shapes, CONFIRM_REPLICATES) +
						 origin_worst_s(p, t)) +
					dispatch_s });
	add_stage(p, (struct plan_stage){ .name = "report",
					  .text = "report.md, report.html, best/",
					  .worst_s = 1 });
}

/* What the run's limits say beside hours, USD and tokens. */
static void add_more_of_run(struct plan *p, const struct limits *run)
{
	static const enum resource told[] = { RESOURCE_TIME, RESOURCE_USD, RESOURCE_TOKENS };
	struct limits more = *run;
	AUTO_STR struct str text = STR_INIT;
	for (size_t i = 0; i < ARRAY_LEN(told); i++)
		more.set &= ~(1u << told[i]);
	limits_print(&more, &text);
	if (text.len)
		strv_addf(&p->notes, "the agents of the run may use at most %s", text.text);
}

static void add_parts(struct plan *p, const struct task_limits *m)
{
	static const char *const whose[LIMITS_NR] = { "", "the teacher", "the student",
						      "the rounds of each milestone" };
	for (int i = LIMITS_TEACHER; i < LIMITS_NR; i++) {
		AUTO_STR struct str text = STR_INIT;
		limits_print(&m->of[i], &text);
		if (text.len)
			strv_addf(&p->notes, "%s may use at most %s", whose[i], text.text);
	}
}

static void add_limits(struct plan *p, const struct task *t)
{
	const struct limits *run = &t->limits.of[LIMITS_RUN];
	if (is_free(t))
		strv_addf(&p->notes,
			  "the student's loop ends at %.4g hours; its agents (%s%s%s) cost no "
			  "money and no tokens",
			  t->limits.hours, t->teacher,
			  str_equal(t->teacher, t->student) ? "" : ", ",
			  str_equal(t->teacher, t->student) ? "" : t->student);
	else
		strv_addf(&p->notes,
			  "the student's loop ends at %.4g hours, %.2f USD or %.0f tokens, "
			  "whichever comes first",
			  t->limits.hours, limits_get(run, RESOURCE_USD),
			  limits_get(run, RESOURCE_TOKENS));
	add_more_of_run(p, run);
	add_parts(p, &t->limits);
}

static void add_origin(struct plan *p, const struct task *t)
{
	AUTO_STR struct str rule = STR_INIT;
	if (!t->leaderboard)
		return;
	leaderboard_rule_print(t->leaderboard, &rule);
	strv_addf(&p->notes,
		  "the origin, %s (%s), counts %s; that is measured at the confirmation, "
		  "the goal is over the paired number",
		  t->leaderboard->name, t->leaderboard->origin, rule.text);
}

static void add_notes(struct plan *p, const struct task *t)
{
	add_limits(p, t);
	add_origin(p, t);
	strv_addf(&p->notes,
		  "the teacher comes back at most %lld times: after %lld rounds without "
		  "a new best, at a gate that does not close, or when no row is left",
		  (long long)t->limits.max_meta, (long long)t->limits.stall);
	strv_addf(&p->notes,
		  "it has up to %lld calls of its tools: ablations, probes, looks at the reference",
		  (long long)t->limits.teacher_jobs);
	strv_addf(&p->notes,
		  "a job is taken at %.0f s plus %.0f s per shape and replicate, which "
		  "kernels of 200 ms a call need; most need a tenth of it",
		  JOB_FIXED_S, SHAPE_REPLICATE_S);
	if (start_is_granted(t))
		strv_add(&p->notes, "the embedded student starts from the reference's source "
				    "(docs/decision/0001)");
}

static int plan_task(const char *task_dir, struct plan *p, struct err *e)
{
	AUTO_TASK struct task t = { 0 };
	if (task_load(&t, task_dir, e) < 0)
		return -1;
	p->task_name = arena_strdup(&p->arena, t.name);
	p->reference_mode = start_mode(&t);
	p->teacher = arena_strdup(&p->arena, t.teacher);
	p->student = arena_strdup(&p->arena, t.student);
	p->stages = arena_array(&p->arena, STAGE_NR, sizeof(*p->stages));
	count(p, &t);
	add_front(p, &t);
	add_loop(p, &t);
	add_back(p, &t);
	deny_list(&t, &p->denied);
	add_notes(p, &t);
	return 0;
}

/* What a stage that is over, or under way, may still cost. */
static void take_off(struct plan_stage *stage, const struct run_state *s)
{
	const struct state_stage *now = &s->stages[stage_parse(stage->name)];
	if (now->is_done) {
		*stage = (struct plan_stage){ .name = stage->name, .text = "done" };
		return;
	}
	if (!str_equal(stage->name, stage_name(STAGE_STUDENT)))
		return;
	double used_s = now->seconds - (state_free_s(&s->clocks) - now->free_s);
	const struct usage used = run_state_used(s);
	int64_t tokens = (int64_t)used.tokens;
	stage->worst_s = fmax(stage->worst_s - (now->is_started ? used_s : 0), 0);
	stage->worst_usd = fmax(stage->worst_usd - used.usd, 0);
	stage->worst_tokens = stage->worst_tokens > tokens ? stage->worst_tokens - tokens : 0;
}

static void plan_rest(struct plan *p, const struct run_state *s)
{
	p->nr_jobs = 0;
	p->worst_s = p->worst_usd = 0;
	p->worst_tokens = 0;
	for (size_t i = 0; i < p->nr_stages; i++) {
		struct plan_stage *stage = &p->stages[i];
		take_off(stage, s);
		p->nr_jobs += stage->nr_jobs;
		p->worst_s += stage->worst_s;
		p->worst_usd += stage->worst_usd;
		p->worst_tokens += stage->worst_tokens;
	}
}

int engine_plan(const char *task_dir, struct plan *p, struct err *e)
{
	*p = (struct plan){ 0 };
	return task_refuse(task_dir, e) < 0 ? -1 : plan_task(task_dir, p, e);
}

int engine_plan_rest(const char *run_dir, struct plan *p, struct err *e)
{
	AUTO_RUN_STATE struct run_state s = { 0 };
	AUTO_FREE char *task = rundir_path(run_dir, RUNDIR_TASK);
	*p = (struct plan){ 0 };
	if (run_state_load(&s, run_dir, e) < 0 || plan_task(task, p, e) < 0)
		return -1;
	plan_rest(p, &s);
	return 0;
}

void plan_release(struct plan *p)
{
	strv_release(&p->denied);
	strv_release(&p->notes);
	arena_release(&p->arena);
}
