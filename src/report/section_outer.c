#include "report/sections.h"

/* What the outer loop found out: why the student falls short, and what decisions of the best were
 * worth when the teacher asked. */

#include "base/json.h"
#include "base/mem.h"
#include "model/diagnosis.h"
#include "report/page.h"
#include "report/text.h"
#include "report/view.h"

static void add_jobs(struct table *t, const struct state_text *jobs)
{
	AUTO_STR struct str out = STR_INIT;
	for (size_t i = 0; i < jobs->nr; i++)
		str_addf(&out, "%s`%s`", i ? " " : "", jobs->items[i]);
	table_add(t, out.len ? out.text : "-");
}

static void add_finding(struct table *t, const struct state_finding *one)
{
	AUTO_STR struct str class = STR_INIT;
	text_words(diagnosis_name(one->class), &class);
	table_add(t, one->decision ? one->decision : "the course");
	table_add(t, class.text);
	table_add(t, diagnosis_side_name(one->class));
	table_add(t, diagnosis_text(one->class));
	add_jobs(t, &one->jobs);
}

void section_diagnosis(const struct view *v, struct page *p)
{
	const struct state_diagnosed *d = &v->state.diagnosed;
	if (!d->nr_findings || v->state.is_goal_met)
		return;
	page_add(p, BLOCK_HEADING, "Why it falls short");
	page_add(p, BLOCK_TEXT,
		 "Read off the trajectory after round %u, curriculum v%ld. "
		 "A row gets the first class whose rule fits.",
		 d->after_round, d->curriculum);
	struct table *t = page_table(p, "lllll", "decision\tclass\tside\twhat it means\trests on");
	for (size_t i = 0; i < d->nr_findings; i++)
		add_finding(t, &d->findings[i]);
}

static void add_ratio(struct table *t, const json_t *speedup)
{
	AUTO_STR struct str out = STR_INIT;
	double ratio = json_real_or(speedup, "ratio", 0);
	if (ratio > 0)
		text_ratio(ratio, &out);
	table_add(t, out.len ? out.text : "-");
}

static void add_tool(struct table *t, const struct state_tool *tool)
{
	const char *reason = json_text_or(json_object_get(tool->answer, "verdict"), "reason", NULL);
	const char *text = json_text_or(tool->answer, "text", "");
	table_addf(t, "%s%s%s", tool->tool, tool->how ? ", " : "", tool->how ? tool->how : "");
	table_add(t, tool->decision ? tool->decision : "-");
	table_addf(t, "%s%s%s", json_text_or(tool->answer, "outcome", "open"), *text ? ": " : "",
		   text);
	table_add(t, reason ? reason : "-");
	add_ratio(t, json_object_get(tool->answer, "speedup"));
	add_ratio(t, json_object_get(tool->answer, "best"));
}

void section_tools(const struct view *v, struct page *p)
{
	if (!v->state.nr_tools)
		return;
	page_add(p, BLOCK_HEADING, "What the teacher asked for");
	page_add(
		p, BLOCK_TEXT,
		"Before it answered. Ablations (K=8) and probes are measured, and both ratios are "
		"over the reference: without the decision, and the best as it was then. The other "
		"tools look at the reference itself: its behaviour, times, profile, instructions.");
	struct table *t =
		page_table(p, "llllrr", "tool\tdecision\toutcome\tverdict\tmeasured\tthe best");
	for (size_t i = 0; i < v->state.nr_tools; i++)
		add_tool(t, &v->state.tools[i]);
}
