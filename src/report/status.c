#include "report/status.h"

/* Lines are "label  value"; long lists show their end, because a watcher wants the newest. */

#include "base/mem.h"
#include "base/table.h"
#include "base/untrusted.h"
#include "model/verdict.h"
#include "report/cost.h"
#include "report/origin_text.h"
#include "report/text.h"
#include "report/usage_text.h"
#include "report/view.h"
#include "store/fold.h"

enum { MAX_ROUNDS_SHOWN = 24, MAX_WARNINGS_SHOWN = 8, MAX_LINE_BYTES = 1000 };

/* Whatever the arguments quote, it stays one line. */
__attribute__((format(printf, 2, 3))) static void add_text(struct str *out, const char *fmt, ...)
{
	AUTO_STR struct str text = STR_INIT;
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	untrusted_line(out, text.text, MAX_LINE_BYTES);
	str_add(out, "\n");
}

static void add_state(const struct run_state *s, struct str *out)
{
	if (s->is_ended && s->is_goal_met)
		str_add(out, "ended: goal met");
	else if (s->is_ended)
		str_addf(out, "ended: goal not met, %s", s->end_reason ? s->end_reason : "");
	else if (s->is_interrupted)
		str_addf(out, "stopped in stage %d of 7, %s; 'forge run' goes on", (int)s->stage,
			 stage_name(s->stage));
	else if (s->stage == STAGE_NONE)
		str_add(out, "not started");
	else
		str_addf(out, "stage %d of 7, %s", (int)s->stage, stage_name(s->stage));
}

static void add_best(const struct run_state *s, struct str *out)
{
	const struct state_best *best = run_state_best(s);
	if (!best) {
		str_add(out, "none yet");
		return;
	}
	text_speedup(&best->estimate, out);
	str_addf(out, "  round %u, %s, K=%u", best->round, best->decision,
		 best->estimate.replicates);
	if (s->confirm.is_confirmed && s->confirm.round == best->round) {
		str_add(out, "; confirmed ");
		text_speedup(&s->confirm.estimate, out);
		str_addf(out, " K=%u", s->confirm.estimate.replicates);
	}
}

static void add_goal(const struct run_state *s, struct str *out)
{
	if (!s->reference.has_goal) {
		str_add(out, "not set yet");
		return;
	}
	text_ratio(s->reference.ratio, out);
	str_add(out, " over the reference (");
	text_time(s->reference.geomean_ns, out);
	str_add(out, ", geometric mean over shapes)");
}

static void add_budget(const struct run_state *s, struct str *out)
{
	text_seconds(s->stages[STAGE_STUDENT].seconds, out);
	str_add(out, " of ");
	text_seconds(s->hours * 3600, out);
	str_addf(out, " in the inner loop; %zu of %lld teacher entries", s->nr_metas,
		 (long long)s->max_meta);
	const struct usage used = run_state_used(s);
	if (usage_is_free(&used))
		return;
	str_add(out, "; ");
	text_limits(s, out);
}

/* What a role used; nothing where that is known to be nothing. */
static void add_role(const char *role, const struct state_usage *usage, struct str *out)
{
	if (usage_is_free(&usage->used))
		return;
	str_addf(out, "%s%s, %u turns, ", out->len ? "; " : "", role, usage->turns);
	text_usage(&usage->used, out);
}

static void add_usage(const struct run_state *s, struct str *out)
{
	add_role("teacher", &s->teacher_usage, out);
	add_role("student", &s->student_usage, out);
	if (s->prices)
		str_addf(out, "; price table of %s", s->prices);
}

static void add_limits(const struct run_state *s, struct str *out)
{
	AUTO_FREE const char **scopes = xcalloc(s->nr_attempts + 2, sizeof(*scopes));
	size_t nr = cost_scopes(s, scopes);
	for (size_t i = 0; i < nr; i++) {
		const struct spending spent = run_state_spending(s, scopes[i]);
		const struct limits *limits = run_state_limits(s, scopes[i]);
		if (limits->set)
			str_addf(out, "%s%s ", out->len ? "; " : "", scopes[i]);
		text_spending(&spent, limits, true, out);
	}
}

static void add_clocks(const struct run_state *s, struct str *out)
{
	const struct state_clocks *c = &s->clocks;
	const struct {
		const char *what;
		double seconds;
	} rows[] = { { "agents ", c->agent_s },         { ", builds ", c->build_s },
		     { ", kernels ", c->kernel_s },     { ", judge ", c->judge_s },
		     { ", rest of jobs ", c->other_s }, { ", queue ", c->queue_s } };
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		str_add(out, rows[i].what);
		text_seconds(rows[i].seconds, out);
	}
	if (c->person_s <= 0)
		return;
	str_add(out, ", person ");
	text_seconds(c->person_s, out);
}

static void add_course(const struct run_state *s, struct str *out)
{
	const struct state_curriculum *c = run_state_curriculum(s);
	size_t done = 0;
	size_t all = 0;
	if (!c) {
		str_add(out, "none yet");
		return;
	}
	run_state_progress(s, &done, &all);
	str_addf(out, "v%ld, %zu milestones, %zu of %zu decisions tried", c->version,
		 c->nr_milestones, done, all);
}

/* Only where kernels gain by being put together. */
static void add_dispatch(const struct run_state *s, struct str *out)
{
	if (s->dispatch.expected > 0)
		str_addf(out, "%s%s", s->dispatch.is_offered ? "" : "none: ", s->dispatch.text);
}

/* A leaderboard's own number; the lines above hold forge's. */
static void add_origin(const struct run_state *s, struct str *out)
{
	if (s->confirm.origin)
		origin_print(s->confirm.origin, out);
}

typedef void (*line_fn)(const struct run_state *s, struct str *out);

static void add_lines(const struct run_state *s, struct str *out)
{
	static const struct {
		const char *label;
		line_fn add;
	} lines[] = {
		{ "state", add_state },       { "best", add_best },
		{ "goal", add_goal },         { "curriculum", add_course },
		{ "budget", add_budget },     { "limits", add_limits },
		{ "usage", add_usage },       { "clocks", add_clocks },
		{ "dispatch", add_dispatch }, { "leaderboard", add_origin },
	};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		AUTO_STR struct str value = STR_INIT;
		lines[i].add(s, &value);
		if (value.len)
			add_text(out, "%-12s%s", lines[i].label, value.text);
	}
}

/* What each milestone cost, a line each; the roles stand in "usage". */
static void add_milestones(const struct run_state *s, struct str *out)
{
	AUTO_FREE struct cost_row *rows = xcalloc(s->nr_attempts + 1, sizeof(*rows));
	size_t nr = cost_rows(s, rows);
	for (size_t i = 0; i < nr; i++) {
		AUTO_STR struct str text = STR_INIT;
		if (!str_equal(rows[i].name, "teacher") && !str_equal(rows[i].name, "student"))
			add_role(rows[i].name, &rows[i].usage, &text);
		if (text.len)
			add_text(out, "%-12s%s", "", text.text);
	}
}

static const char *round_verdict(const struct state_round *r)
{
	if (r->verdict.state != VERDICT_NONE)
		return reason_name(r->verdict.reason);
	return r->absent ? r->absent : "-";
}

static void add_round(const struct run_state *s, const struct state_round *r, struct table *t)
{
	const struct state_estimate *estimate = state_round_estimate(r);
	AUTO_STR struct str speedup = STR_INIT;
	AUTO_STR struct str outcome = STR_INIT;
	text_speedup(estimate, &speedup);
	table_addf(t, "%u", r->number);
	table_add(t, r->decision);
	table_add(t, r->value && *r->value ? r->value : "-");
	table_add(t, round_verdict(r));
	table_add(t, speedup.text);
	table_add(t, text_call(estimate));
	if (estimate->call)
		table_addf(t, "%u", estimate->replicates);
	else
		table_add(t, "-");
	text_words(decision_fate_name(round_fate(s, r)), &outcome);
	table_add(t, outcome.text);
}

static void add_rounds(const struct run_state *s, struct str *out)
{
	AUTO_TABLE struct table t = { 0 };
	if (!s->nr_rounds)
		return;
	table_init(&t, "rlllllrl");
	table_line(&t, "round\tdecision\tvalue\tverdict\tspeed-up\tcall\tK\toutcome");
	size_t first = s->nr_rounds > MAX_ROUNDS_SHOWN ? s->nr_rounds - MAX_ROUNDS_SHOWN : 0;
	for (size_t i = first; i < s->nr_rounds; i++)
		add_round(s, &s->rounds[i], &t);
	str_add(out, "\n");
	if (first)
		str_addf(out, "(%zu earlier rounds: forge log, report.html)\n", first);
	table_print(&t, "", out);
}

static void add_warnings(const struct run_state *s, struct str *out)
{
	if (s->warnings.nr || s->nr_lacks)
		str_add(out, "\n");
	size_t first =
		s->warnings.nr > MAX_WARNINGS_SHOWN ? s->warnings.nr - MAX_WARNINGS_SHOWN : 0;
	for (size_t i = first; i < s->warnings.nr; i++)
		add_text(out, "warning: %s", s->warnings.items[i]);
	for (size_t i = 0; i < s->nr_lacks; i++)
		add_text(out, "machine lacks %s%s: %s", s->lacks[i].mechanism,
			 s->lacks[i].accepted ? " (accepted)" : "", s->lacks[i].cost);
}

void status_text(const struct run_state *s, const char *run_dir, struct str *out)
{
	add_text(out, "%s: task %s, teacher %s, student %s%s", run_dir,
		 s->task_name ? s->task_name : "?", s->teacher ? s->teacher : "?",
		 s->student ? s->student : "?", s->is_control ? ", control arm" : "");
	add_lines(s, out);
	add_milestones(s, out);
	add_rounds(s, out);
	add_warnings(s, out);
}
