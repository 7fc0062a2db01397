#include "report/sections.h"

/* How both kernels ran in the job behind the headline: the metrics of its profile, side by side,
 * with what they mean. What ncu could not tell is said, and is no zero. */

#include "base/json.h"
#include "base/mem.h"
#include "report/page.h"
#include "report/text.h"
#include "report/view.h"

static const struct row {
	const char *metric;
	const char *text;
} rows[] = {
#define ROW(metric, text) { metric, text },
#include "report/profile_rows.def"
#undef ROW
	{ "ncu_kernels", "kernels of a call, by ncu as the rows below" },
#define NCU(ncu, name, kind, fold, text) { name, text },
#include "model/ncu_metrics.def"
#undef NCU
};

static void add_side(const struct view *v, struct table *t, const char *side, const char *metric)
{
	AUTO_STR struct str text = STR_INIT;
	double value = 0;
	if (result_metric(&v->result, side, metric, &value))
		text_number(value, &text);
	table_add(t, text.len ? text.text : "-");
}

static bool has_metric(const struct view *v, const struct row *row)
{
	double ignored = 0;
	return result_metric(&v->result, "reference", row->metric, &ignored) ||
	       result_metric(&v->result, "candidate", row->metric, &ignored);
}

static void add_table(const struct view *v, struct page *p)
{
	/* Without a best kernel the job is the one that times the reference against itself. */
	struct table *t = page_table(p, "lrrl",
				     v->head ? "metric\treference\tbest\twhat it is"
					     : "metric\treference\tagain\twhat it is");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (!has_metric(v, &rows[i]))
			continue;
		table_addf(t, "`%s`", rows[i].metric);
		add_side(v, t, "reference", rows[i].metric);
		add_side(v, t, "candidate", rows[i].metric);
		table_add(t, rows[i].text);
	}
}

static void list(const json_t *names, struct str *out)
{
	for (size_t i = 0; i < json_array_size(names); i++)
		str_addf(out, "%s%s", i ? ", " : "", json_string_value(json_array_get(names, i)));
}

static void add_ncu(const json_t *ncu, struct page *p)
{
	const json_t *missing = json_object_get(ncu, "missing");
	AUTO_STR struct str names = STR_INIT;
	list(missing, &names);
	if (json_text_or(ncu, "trouble", NULL))
		page_add(p, BLOCK_TEXT, "No counters of the GPU (%s): %s.",
			 json_text_or(ncu, "trouble", ""), json_text_or(ncu, "text", ""));
	if (json_text_or(ncu, "shape", NULL) && json_text_or(ncu, "version", NULL))
		page_add(p, BLOCK_TEXT,
			 "Rows that begin with ncu_ are of Nsight Compute %s at shape %s, in a "
			 "process of their own, one launch after the other: its times are no times "
			 "of the trial.",
			 json_text_or(ncu, "version", ""), json_text_or(ncu, "shape", ""));
	if (names.len)
		page_add(p, BLOCK_TEXT, "Without a number there: %s.", names.text);
	for (size_t i = 0; i < json_array_size(json_object_get(ncu, "left_out")); i++)
		page_add(p, BLOCK_TEXT, "Not played for ncu: %s.",
			 json_string_value(json_array_get(json_object_get(ncu, "left_out"), i)));
}

void section_profile(const struct view *v, struct page *p)
{
	const json_t *profile = json_object_get(v->result.doc, "profile");
	bool has_rows = false;
	if (!v->has_result || !json_is_object(profile))
		return;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		has_rows = has_rows || has_metric(v, &rows[i]);
	if (!has_rows)
		return;
	page_add(p, BLOCK_HEADING, "How they ran");
	add_table(v, p);
	add_ncu(json_object_get(profile, "ncu"), p);
}
