#include "report/sections.h"

/* The first screen of a report. Reservations come before the number they weaken: a reader who stops
 * after three lines has read the right three. */

#include "base/json.h"
#include "base/mem.h"
#include "report/origin_text.h"
#include "report/page.h"
#include "report/receipt.h"
#include "report/text.h"
#include "report/view.h"

static void alert_judge(const struct view *v, struct page *p)
{
	const struct state_judge *judge = &v->state.judge;
	/* Of an origin that judges by its reference a warning says so. */
	bool is_made = judge->author && !str_equal(judge->author, "origin");
	if (is_made && !judge->is_independent)
		page_add(p, BLOCK_ALERT,
			 "The judge is not independent: the task has none of its own, so the %s "
			 "promoted the reference to double precision. An error in the reference is "
			 "an error in the judge too.",
			 judge->author);
}

static void alert_start(const struct view *v, struct page *p)
{
	if (str_equal(v->state.started_from ? v->state.started_from : "", "reference"))
		page_add(p, BLOCK_ALERT,
			 "The student (%s) was granted the reference's source as its starting "
			 "point: it transforms code and can not write it from a description. An "
			 "agent that is a model never gets it.",
			 v->state.student ? v->state.student : "embedded");
}

static void alert_control(const struct view *v, struct page *p)
{
	if (v->state.is_control)
		page_add(
			p, BLOCK_ALERT,
			"This is a control arm (`forge goal`): the agent, the budget and the judge "
			"of a run, but no milestones, no gates and no entries of the teacher. "
			"`forge compare` holds it against a run of the same task.");
}

static void alert_busy(const struct view *v, struct page *p)
{
	if (v->head && v->head->is_contended)
		page_add(p, BLOCK_ALERT,
			 "The machine was busy with other work while the headline number was "
			 "measured: its interval is wider than it need be.");
}

static void alert_direct(const struct view *v, struct page *p)
{
	const json_t *timing = json_object_get(v->result.doc, "timing");
	if (view_is_gpu(v) && str_starts(json_text_or(timing, "method", ""), "direct"))
		page_add(
			p, BLOCK_ALERT,
			"One side can not be captured as a graph: its host code ran inside of the "
			"timed window, so that what the host takes to launch counts on that side.");
}

static void alert_slowed(const struct view *v, struct page *p)
{
	if (v->head && v->head->is_reference_slowed)
		page_add(p, BLOCK_ALERT,
			 "While the headline number was measured the reference ran %.1f %% slower "
			 "beside the candidate than alone: that part of the gain may not be the "
			 "kernel's.",
			 100 * v->head->slowdown);
}

static void alert_lacks(const struct view *v, struct page *p)
{
	for (size_t i = 0; i < v->state.nr_lacks; i++)
		page_add(p, BLOCK_ALERT, "The machine lacks %s: %s.%s%s%s",
			 v->state.lacks[i].mechanism, v->state.lacks[i].cost,
			 v->state.lacks[i].accepted ? " The user accepted this (--accept " : "",
			 v->state.lacks[i].accepted ? v->state.lacks[i].accepted : "",
			 v->state.lacks[i].accepted ? ")." : "");
}

static void alert_unfinished(const struct view *v, struct page *p)
{
	const struct run_state *s = &v->state;
	if (!s->is_ended && !s->confirm.is_done)
		page_add(p, BLOCK_ALERT,
			 "This run is not over: it stands in stage %d of 7, %s. Nothing here is "
			 "confirmed.",
			 (int)s->stage, stage_name(s->stage));
	if (s->nr_repairs)
		page_add(p, BLOCK_ALERT,
			 "The event log was repaired %u time%s after forge was killed; the step "
			 "that was under way was done again.",
			 s->nr_repairs, s->nr_repairs == 1 ? "" : "s");
}

void section_alerts(const struct view *v, struct page *p)
{
	receipt_alerts(v, p);
	alert_control(v, p);
	alert_judge(v, p);
	alert_start(v, p);
	alert_unfinished(v, p);
	alert_busy(v, p);
	alert_slowed(v, p);
	alert_direct(v, p);
	alert_lacks(v, p);
	for (size_t i = 0; i < v->state.warnings.nr; i++)
		page_add(p, BLOCK_ALERT, "%s", v->state.warnings.items[i]);
}

static const char *standing(const struct run_state *s)
{
	if (!s->confirm.is_done)
		return "not confirmed yet";
	return s->confirm.is_confirmed ? "confirmed by a fresh measurement"
				       : "NOT confirmed by the fresh measurement";
}

static void add_goal(const struct view *v, struct page *p)
{
	const struct run_state *s = &v->state;
	AUTO_STR struct str ratio = STR_INIT;
	if (!s->reference.has_goal)
		return;
	text_ratio(s->reference.ratio, &ratio);
	const char *why = s->confirm.is_done ? s->confirm.text : s->end_reason;
	if (s->is_ended || s->confirm.is_done)
		page_add(p, BLOCK_TEXT, "Goal: %s. It was %smet%s%s.", ratio.text,
			 s->confirm.is_goal_met || s->is_goal_met ? "" : "not ", why ? ": " : "",
			 why ? why : "");
	else
		page_add(p, BLOCK_TEXT, "Goal: %s.", ratio.text);
}

static void add_meaning(const struct view *v, struct page *p)
{
	const json_t *build = json_object_get(json_object_get(v->result.doc, "build"), "reference");
	const char *flags = json_text_or(build, "flags", NULL);
	/* A Python module is not built. */
	AUTO_FREE char *built = flags && *flags ? xasprintf(", built by %s", flags) : xstrdup("");
	/* More digits than the confidence of K=16 has nines. */
	page_add(p, BLOCK_TEXT,
		 "Reference time divided by kernel time, geometric mean over shapes; the interval "
		 "spans the %u replicates (%s). Compared with: %s%s. "
		 "Noise floor of this measurement %.2f %%, confidence that the sign is right %.6g.",
		 v->head->replicates,
		 view_is_gpu(v) ? "code loaded anew, operands at new addresses"
				: "fresh processes and code layouts",
		 v->head->comparator ? v->head->comparator : "the sealed reference", built,
		 100 * v->head->floor, v->head->confidence);
}

/* The other number of a leaderboard; it is never the headline. */
static void add_origin(const struct view *v, struct page *p)
{
	AUTO_STR struct str text = STR_INIT;
	if (!v->state.confirm.origin)
		return;
	origin_print(v->state.confirm.origin, &text);
	page_add(p, BLOCK_TEXT,
		 "%s. That is the leaderboard's own number, over the visible shapes: each side "
		 "once, "
		 "one after the other, without an interval. The number above is forge's paired "
		 "measurement; the goal and every decision are over that one.",
		 text.text);
}

void section_result(const struct view *v, struct page *p)
{
	AUTO_STR struct str speedup = STR_INIT;
	if (!v->head) {
		page_add(p, BLOCK_RESULT, "No kernel faster than the reference was found.");
		add_goal(v, p);
		return;
	}
	text_speedup(v->head, &speedup);
	page_add(p, BLOCK_RESULT, "%s: %s, K=%u, %s", speedup.text, text_call(v->head),
		 v->head->replicates, standing(&v->state));
	add_meaning(v, p);
	add_goal(v, p);
	add_origin(v, p);
}

static void add_share(const struct view *v, struct table *t, const char *shape, double ns)
{
	double share = view_roofline_share(v, shape, ns);
	if (share > 0)
		table_addf(t, "%.0f %%", 100 * share);
	else
		table_add(t, "-");
}

static void add_shape(const struct view *v, struct table *t, const struct state_shape *shape)
{
	text_shape_cells(shape, t);
	add_share(v, t, shape->name, shape->reference_ns);
	add_share(v, t, shape->name, shape->candidate_ns);
}

void section_shapes(const struct view *v, struct page *p)
{
	if (!v->head || !v->head->nr_shapes)
		return;
	page_add(p, BLOCK_HEADING, "Per shape");
	const bool is_gpu = view_is_gpu(v);
	const char *whose = is_gpu ? "the device" : "one thread";
	AUTO_FREE char *head = xasprintf("shape\treference\tbest\tspeed-up\tinterval\tcall\t"
					 "reference, of %s's roofline\tbest, of %s's roofline",
					 whose, whose);
	struct table *t = page_table(p, "lrrrllrr", head);
	for (size_t i = 0; i < v->head->nr_shapes; i++)
		add_shape(v, t, &v->head->shapes[i]);
	bool is_confirm = v->head->purpose && str_equal(v->head->purpose, "confirm");
	page_add(p, BLOCK_TEXT,
		 "Times are medians of one call, operands cold. Held-out shapes are shown to no "
		 "agent and first timed at the confirmation. The roofline is that of %s, as %s. "
		 "The geometric mean above is over %s.",
		 whose,
		 is_gpu ? "its ceilings were measured once (\"How they ran\" takes the rate of a "
			  "copy "
			  "in this job)"
			: "measured in this job",
		 is_confirm ? "all shapes of this table, the held-out ones too"
			    : "the visible shapes");
}
