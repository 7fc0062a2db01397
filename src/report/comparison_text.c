#include "report/comparison.h"

/* The wording is the point: "earned its keep" needs an interval above 1 over enough units; a pair
 * speaks about itself only; an interval that holds 1 shows no difference, which is not the same as
 * showing that there is none. */

#include "base/json.h"
#include "base/table.h"
#include "report/text.h"

static void add_claim(const struct compare_run *run, struct table *t)
{
	AUTO_STR struct str text = STR_INIT;
	const struct state_confirm *c = &run->state.confirm;
	if (c->is_confirmed)
		text_speedup(&c->estimate, &text);
	else
		str_add(&text, "1 (nothing confirmed)");
	table_add(t, text.text);
}

static void add_pairs(const struct compare *c, struct str *out)
{
	AUTO_TABLE struct table t = { 0 };
	table_init(&t, "lrllll");
	table_line(&t, "task\tseed\tharness\tcontrol arm\tcontrol / harness\tby");
	for (size_t i = 0; i < c->nr_pairs; i++) {
		const struct compare_pair *pair = &c->pairs[i];
		const struct run_state *s = &pair->harness->state;
		bool is_one_seed = s->seed == pair->control->state.seed;
		table_add(&t, s->task_name);
		if (is_one_seed)
			table_addf(&t, "%llu", (unsigned long long)s->seed);
		else
			table_add(&t, "two");
		add_claim(pair->harness, &t);
		add_claim(pair->control, &t);
		table_addf(&t, "%.3f× [%.3f, %.3f]", pair->ratio, pair->low, pair->high);
		table_add(&t, pair->is_direct ? "one job" : "the reference");
	}
	table_print(&t, "", out);
}

static void add_one_pair(const struct compare_pair *pair, struct str *out)
{
	if (pair->low > 1)
		str_addf(out,
			 "In this pair the harness's kernel is the faster, %.3f× [%.3f, %.3f].",
			 pair->ratio, pair->low, pair->high);
	else if (pair->high < 1)
		str_addf(out,
			 "In this pair the control arm's kernel is the faster, %.3f× [%.3f, %.3f].",
			 1 / pair->ratio, 1 / pair->high, 1 / pair->low);
	else
		str_addf(out, "In this pair no difference is shown: %.3f× [%.3f, %.3f] holds 1.",
			 pair->ratio, pair->low, pair->high);
	str_add(out, " The interval is that of measuring; how much runs differ by luck one pair "
		     "does not tell, so whether the harness earns its keep is open: at least 6 "
		     "pairs, or tasks, tell.\n");
}

static const char *unit_of(const struct compare_total *t)
{
	return t->is_over_tasks ? "tasks" : "pairs";
}

static void add_open(const struct compare_total *t, struct str *out)
{
	str_addf(out,
		 "%zu %s, median %.3f×, all within [%.3f, %.3f]: too few for 95 %% (this interval "
		 "holds the median of such %s with %.0f %%), so whether the harness earns its keep "
		 "is open.\n",
		 t->nr, unit_of(t), t->ratio, t->low, t->high, unit_of(t), 100 * t->confidence);
}

static void add_decided(const struct compare_total *t, struct str *out)
{
	if (t->low > 1)
		str_add(out, "The harness earned its keep: in the median its kernel is the faster");
	else if (t->high < 1)
		str_add(out,
			"The harness did not earn its keep: in the median the control arm's kernel "
			"is the faster");
	else
		str_add(out, "No difference is shown: the interval holds 1");
	str_addf(out, ". Median of control / harness over %zu %s: %.3f× [%.3f, %.3f], %.1f %%.\n",
		 t->nr, unit_of(t), t->ratio, t->low, t->high, 100 * t->confidence);
}

static void add_total(const struct compare *c, struct str *out)
{
	const struct compare_total *t = &c->total;
	if (!c->nr_pairs)
		str_add(out, "Nothing to compare: it takes a run (forge run) and a control arm "
			     "(forge goal) of the same task.\n");
	else if (c->nr_pairs == 1)
		add_one_pair(&c->pairs[0], out);
	else if (!t->is_decided)
		add_open(t, out);
	else
		add_decided(t, out);
}

void compare_text(const struct compare *c, struct str *out)
{
	if (c->nr_pairs)
		add_pairs(c, out);
	for (size_t i = 0; i < c->left_out.nr; i++)
		str_addf(out, "left out: %s\n", c->left_out.items[i]);
	add_total(c, out);
}

static json_t *interval_json(double ratio, double low, double high, double confidence)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "ratio", json_number(ratio), "low",
			 json_number(low), "high", json_number(high), "confidence",
			 json_number(confidence));
}

static json_t *pair_json(const struct compare_pair *p)
{
	return json_pack("{s:s?, s:s, s:s, s:o, s:o, s:b, s:o}", "task",
			 p->harness->state.task_name, "harness", p->harness->dir, "control",
			 p->control->dir, "harness_speedup",
			 json_number(compare_speedup(p->harness)), "control_speedup",
			 json_number(compare_speedup(p->control)), "is_direct", p->is_direct,
			 "difference", interval_json(p->ratio, p->low, p->high, p->confidence));
}

json_t *compare_json(const struct compare *c)
{
	const struct compare_total *t = &c->total;
	AUTO_STR struct str text = STR_INIT;
	json_t *pairs = json_array();
	json_t *left_out = json_array();
	for (size_t i = 0; i < c->nr_pairs; i++)
		json_array_append_new(pairs, pair_json(&c->pairs[i]));
	for (size_t i = 0; i < c->left_out.nr; i++)
		json_array_append_new(left_out, json_string(c->left_out.items[i]));
	add_total(c, &text);
	json_t *total =
		c->nr_pairs ? interval_json(t->ratio, t->low, t->high, t->confidence) : json_null();
	return json_pack("{s:i, s:o, s:o, s:o, s:I, s:s, s:b, s:s}", "version", 1, "pairs", pairs,
			 "left_out", left_out, "total", total, "units", (json_int_t)t->nr, "unit",
			 unit_of(t), "is_decided", t->is_decided, "text", text.text);
}
