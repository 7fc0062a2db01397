#include "cmd/live_text.h"

/* One small printer an event type. Everything is read from the folded state, so a line says the
 * same as status and report. */

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/untrusted.h"
#include "report/origin_text.h"
#include "report/text.h"
#include "store/eventlog.h"
#include "store/fold.h"

enum { MAX_LINE_BYTES = 2000 };

typedef enum tone (*line_fn)(const struct event *event, const struct run_state *s, struct str *out);

static const struct state_round *last_round(const struct run_state *s)
{
	return s->nr_rounds ? &s->rounds[s->nr_rounds - 1] : NULL;
}

static enum tone on_warning(const struct event *event, const struct run_state *s, struct str *out)
{
	(void)s;
	str_addf(out, "warning: %s", json_text_or(event->body, "text", ""));
	return TONE_WARN;
}

static enum tone on_lack(const struct event *event, const struct run_state *s, struct str *out)
{
	(void)s;
	str_addf(out, "machine lacks %s%s: %s", json_text_or(event->body, "mechanism", ""),
		 json_object_get(event->body, "accepted") ? " (accepted)" : "",
		 json_text_or(event->body, "cost", ""));
	return TONE_WARN;
}

static enum tone on_repair(const struct event *event, const struct run_state *s, struct str *out)
{
	(void)s;
	str_addf(out, "repaired the log: a torn last line of %lld bytes was cut",
		 (long long)json_int_or(event->body, "cut_bytes", 0));
	return TONE_WARN;
}

static enum tone on_stage(const struct event *event, const struct run_state *s, struct str *out)
{
	(void)event;
	str_addf(out, "stage %d/7 %s", (int)s->stage, stage_name(s->stage));
	return TONE_DIM;
}

static enum tone on_judge(const struct event *event, const struct run_state *s, struct str *out)
{
	(void)event;
	str_addf(out, "  judge: by the %s, %s", s->judge.author,
		 s->judge.is_independent ? "independent of the reference" : "NOT independent");
	return s->judge.is_independent ? TONE_PLAIN : TONE_WARN;
}

static enum tone on_misaligned(const struct event *event, const struct run_state *s,
			       struct str *out)
{
	(void)s;
	bool is_fault = json_text_or(event->body, "fault", NULL) != NULL;
	str_addf(out, "  %s: %s",
		 is_fault ? "the judge can not be used" : "judge and reference disagree",
		 json_text_or(event->body, "text", ""));
	return TONE_WARN;
}

static enum tone on_calibrated(const struct event *event, const struct run_state *s,
			       struct str *out)
{
	(void)event;
	str_addf(out, "  judge agrees with the reference on %lld cases; self-test holds",
		 (long long)s->judge.nr_cases);
	return TONE_PLAIN;
}

static enum tone on_goal(const struct event *event, const struct run_state *s, struct str *out)
{
	(void)event;
	str_add(out, "  reference ");
	text_time(s->reference.geomean_ns, out);
	str_add(out, ", goal ");
	text_time(s->reference.target_ns, out);
	str_add(out, " (");
	text_ratio(s->reference.ratio, out);
	str_add(out, ")");
	return TONE_PLAIN;
}

static enum tone on_curriculum(const struct event *event, const struct run_state *s,
			       struct str *out)
{
	(void)event;
	const struct state_curriculum *c = run_state_curriculum(s);
	size_t done = 0;
	size_t all = 0;
	run_state_progress(s, &done, &all);
	str_addf(out, "  curriculum v%ld: %zu milestones, %zu decisions to try", c->version,
		 c->nr_milestones, all - done);
	return TONE_PLAIN;
}

static void add_row(const struct state_round *r, struct str *out)
{
	str_addf(out, "round %u  %s %s", r->number, r->decision, r->what ? r->what : "");
	if (r->value && *r->value)
		str_addf(out, " = %s", r->value);
}

/* A screen says so: it ranks rows, and decides nothing. */
static void add_estimate(const struct state_estimate *estimate, struct str *out)
{
	text_speedup(estimate, out);
	str_addf(out, " %s (%sK=%u)", text_call(estimate),
		 str_equal(estimate->purpose, "screen") ? "screen, " : "", estimate->replicates);
}

static enum tone add_fate(const struct state_round *r, struct str *out)
{
	const struct state_estimate *estimate = state_round_estimate(r);
	char line[600];
	if (r->outcome == ROUND_NO_CANDIDATE) {
		if (r->absent)
			str_addf(out, "no candidate, %s",
				 r->absent_text ? r->absent_text : r->absent);
		else
			str_add(out, "not measured");
		return TONE_DIM;
	}
	if (r->outcome == ROUND_ROLLED_BACK) {
		verdict_print(&r->verdict, line, sizeof(line));
		str_addf(out, "%s; rolled back", line);
		return TONE_BAD;
	}
	double predicted = json_real_or(r->predicted, "speedup", 0);
	str_add(out, "correct, ");
	if (predicted > 0) {
		str_add(out, "predicted ");
		text_ratio(predicted, out);
		str_add(out, ", measured ");
	}
	add_estimate(estimate, out);
	str_add(out, r->is_best ? ", NEW BEST" : "");
	return r->is_best ? TONE_GOOD : TONE_PLAIN;
}

static enum tone on_round(const struct event *event, const struct run_state *s, struct str *out)
{
	(void)event;
	const struct state_round *r = last_round(s);
	if (!r)
		return TONE_PLAIN;
	add_row(r, out);
	str_add(out, ": ");
	return add_fate(r, out);
}

/* The rounds that share the decision about `number`. */
static void add_shared(const json_t *settled, int64_t number, struct str *out)
{
	const char *join = "; stands for ";
	for (size_t i = 0; i < json_array_size(settled); i++) {
		int64_t other = json_integer_value(json_array_get(settled, i));
		if (other == number)
			continue;
		str_addf(out, "%sround %lld", join, (long long)other);
		join = ", ";
	}
}

static enum tone on_decided(const struct event *event, const struct run_state *s, struct str *out)
{
	const int64_t number = json_int_or(event->body, "round", 0);
	const struct state_round *r = run_state_round(s, (unsigned)number);
	char line[600];
	str_addf(out, "  decision: round %u  %s: ", r->number, r->decision);
	if (r->outcome == ROUND_ROLLED_BACK) {
		verdict_print(&r->verdict, line, sizeof(line));
		str_addf(out, "%s; rolled back", line);
		return TONE_BAD;
	}
	if (r->decide.call)
		add_estimate(&r->decide, out);
	else
		str_add(out, "none, its measurement failed");
	str_add(out, r->is_best ? ", NEW BEST" : "");
	add_shared(json_object_get(event->body, "settled"), number, out);
	return r->is_best ? TONE_GOOD : TONE_PLAIN;
}

static enum tone on_gate(const struct event *event, const struct run_state *s, struct str *out)
{
	(void)event;
	const struct state_gate *g = &s->gates[s->nr_gates - 1];
	str_addf(out, "  gate %s: %s%s%s", g->milestone, gate_result_name(g->result),
		 g->text ? ", " : "", g->text ? g->text : "");
	return g->result == GATE_PASS ? TONE_GOOD : TONE_WARN;
}

static enum tone on_teacher(const struct event *event, const struct run_state *s, struct str *out)
{
	(void)event;
	const struct state_meta *m = &s->metas[s->nr_metas - 1];
	str_addf(out, "  teacher re-enters (%u of %lld): %s", m->number, (long long)s->max_meta,
		 m->trigger);
	return TONE_PLAIN;
}

static enum tone on_teacher_left(const struct event *event, const struct run_state *s,
				 struct str *out)
{
	(void)s;
	if (strcmp(json_text_or(event->body, "answer", ""), "give_up") != 0)
		return TONE_PLAIN;
	str_addf(out, "  nothing changes: %s", json_text_or(event->body, "text", ""));
	return TONE_WARN;
}

static enum tone on_diagnosed(const struct event *event, const struct run_state *s, struct str *out)
{
	(void)event;
	const struct state_diagnosed *d = &s->diagnosed;
	str_add(out, "  short of the goal:");
	for (size_t i = 0; i < d->nr_findings; i++) {
		const struct state_finding *one = &d->findings[i];
		str_addf(out, "%s %s %s (%s)", i ? ";" : "",
			 one->decision ? one->decision : "course", diagnosis_name(one->class),
			 diagnosis_side_name(one->class));
	}
	if (!d->nr_findings)
		str_add(out, " nothing is refuted so far, rows are left");
	return TONE_PLAIN;
}

static enum tone on_tool(const struct event *event, const struct run_state *s, struct str *out)
{
	const json_t *answer = json_object_get(event->body, "answer");
	const json_t *speedup = json_object_get(answer, "speedup");
	int64_t number = json_int_or(event->body, "number", 0);
	if (number < 1 || (uint64_t)number > s->nr_tools)
		return TONE_PLAIN;
	const struct state_tool *t = &s->tools[number - 1];
	str_addf(out, "  the teacher's %s%s%s: %s", t->tool, t->decision ? " of " : "",
		 t->decision ? t->decision : "", json_text_or(answer, "outcome", ""));
	if (json_is_object(speedup)) {
		str_add(out, ", ");
		text_ratio(json_real_or(speedup, "ratio", 0), out);
		str_addf(out, " %s", json_text_or(speedup, "call", ""));
	} else {
		const char *reason =
			json_text_or(json_object_get(answer, "verdict"), "reason", NULL);
		const char *said = reason ? reason : json_text_or(answer, "text", "");
		str_addf(out, "%s%s", *said ? ", " : "", said);
	}
	return TONE_DIM;
}

static enum tone on_dispatch(const struct event *event, const struct run_state *s, struct str *out)
{
	(void)event;
	if (s->dispatch.expected > 0)
		str_addf(out, "  dispatch kernel%s: %s", s->dispatch.is_offered ? "" : ", none",
			 s->dispatch.text);
	return s->dispatch.is_offered ? TONE_PLAIN : TONE_DIM;
}

static enum tone on_confirm(const struct event *event, const struct run_state *s, struct str *out)
{
	(void)event;
	str_addf(out, "  confirm: %s", s->confirm.text ? s->confirm.text : "");
	return s->confirm.is_confirmed ? TONE_GOOD : TONE_WARN;
}

static enum tone on_loop_end(const struct event *event, const struct run_state *s, struct str *out)
{
	(void)event;
	str_addf(out, "  inner loop ends: %s", s->loop_end ? s->loop_end : "");
	return TONE_PLAIN;
}

static enum tone on_spent(const struct event *event, const struct run_state *s, struct str *out)
{
	(void)s;
	enum resource r = resource_parse(json_text_or(event->body, "resource", ""));
	const char *scope = json_text_or(event->body, "scope", limits_scope_name(LIMITS_RUN));
	double used = json_real_or(event->body, "used", 0);
	double limit = json_real_or(event->body, "limit", 0);
	if (r == RESOURCE_NR)
		return TONE_WARN;
	str_addf(out, "  %lld %% of ", (long long)json_int_or(event->body, "percent", 0));
	limits_print_name(scope, r, out);
	str_add(out, " used: ");
	if (r == RESOURCE_TIME) {
		text_seconds(used, out);
		str_add(out, " of ");
		text_seconds(limit, out);
	} else {
		text_number(used, out);
		str_add(out, " of ");
		text_number(limit, out);
	}
	return TONE_WARN;
}

static enum tone on_failed_job(const struct event *event, const struct run_state *s,
			       struct str *out)
{
	(void)s;
	str_addf(out, "  job %s failed: %s", json_text_or(event->body, "job", ""),
		 json_text_or(event->body, "error", ""));
	return TONE_WARN;
}

static line_fn find_line(enum event_type type)
{
	static const line_fn lines[EVENT_NR] = {
		[EVENT_warning] = on_warning,
		[EVENT_machine_lack] = on_lack,
		[EVENT_log_repaired] = on_repair,
		[EVENT_stage_started] = on_stage,
		[EVENT_judge_promoted] = on_judge,
		[EVENT_judge_misaligned] = on_misaligned,
		[EVENT_calibrated] = on_calibrated,
		[EVENT_goal_set] = on_goal,
		[EVENT_curriculum_published] = on_curriculum,
		[EVENT_round_closed] = on_round,
		[EVENT_round_decided] = on_decided,
		[EVENT_gate_closed] = on_gate,
		[EVENT_diagnosed] = on_diagnosed,
		[EVENT_teacher_entered] = on_teacher,
		[EVENT_teacher_left] = on_teacher_left,
		[EVENT_tool_answered] = on_tool,
		[EVENT_loop_ended] = on_loop_end,
		[EVENT_budget_spent] = on_spent,
		[EVENT_dispatch_considered] = on_dispatch,
		[EVENT_confirm_done] = on_confirm,
		[EVENT_job_failed] = on_failed_job,
	};
	return lines[type];
}

bool live_line(const struct event *event, const struct run_state *s, struct str *out,
	       enum tone *tone)
{
	line_fn add = find_line(event->type);
	AUTO_STR struct str line = STR_INIT;
	AUTO_STR struct str origin = STR_INIT;
	if (add)
		*tone = add(event, s, &line);
	untrusted_line(out, line.text, MAX_LINE_BYTES);
	if (event->type == EVENT_confirm_done && s->confirm.origin) {
		origin_print(s->confirm.origin, &origin);
		str_add(out, "\n  ");
		untrusted_line(out, origin.text, MAX_LINE_BYTES);
	}
	return line.len > 0;
}

/* Working time of the student's stage up to this instant: the fold only knows it up to the last
 * event. */
static double left_s(const struct run_state *s, uint64_t mono_ns)
{
	double now_s = s->session_base_s;
	if (mono_ns > s->session_mono_ns)
		now_s += (double)(mono_ns - s->session_mono_ns) / (double)NS_PER_S;
	double since = now_s > s->elapsed_s ? now_s - s->elapsed_s : 0;
	double left = s->hours * 3600 - s->stages[STAGE_STUDENT].seconds - since;
	return left > 0 ? left : 0;
}

static void add_round(const struct run_state *s, struct str *out)
{
	const struct state_round *r = last_round(s);
	size_t done = 0;
	size_t all = 0;
	if (!r || r->outcome != ROUND_OPEN)
		return;
	run_state_progress(s, &done, &all);
	str_addf(out, " round %u (%zu of %zu) %s", r->number, done + 1, all > done ? all : done + 1,
		 r->decision);
	if (r->value && *r->value)
		str_addf(out, " = %s", r->value);
}

void live_picture(const struct run_state *s, const char *activity, uint64_t mono_ns,
		  struct str *out)
{
	const struct state_best *best = run_state_best(s);
	str_addf(out, "[%d/7 %s]", (int)s->stage, stage_name(s->stage));
	add_round(s, out);
	if (activity && *activity)
		str_addf(out, " | %s", activity);
	if (best) {
		str_add(out, " | best ");
		text_speedup(&best->estimate, out);
	}
	if (s->stage == STAGE_STUDENT) {
		str_add(out, " | ");
		text_seconds(left_s(s, mono_ns), out);
		str_add(out, " left");
	}
}
