#include "cmd/plan_text.h"

#include <stdio.h>

#include "base/mem.h"
#include "base/table.h"
#include "cmd/term.h"
#include "engine/engine.h"
#include "report/text.h"

static void add_stage(struct table *t, const struct plan_stage *stage)
{
	AUTO_STR struct str worst = STR_INIT;
	text_seconds(stage->worst_s, &worst);
	table_add(t, stage->name);
	table_addf(t, "%u", stage->nr_jobs);
	table_add(t, worst.text);
	table_addf(t, "%.2f", stage->worst_usd);
	table_add(t, stage->text);
}

static void print_stages(const struct plan *p)
{
	AUTO_TABLE struct table t = { 0 };
	AUTO_STR struct str out = STR_INIT;
	AUTO_STR struct str worst = STR_INIT;
	text_seconds(p->worst_s, &worst);
	table_init(&t, "lrrrl");
	table_line(&t, "stage\tjobs\tworst time\tUSD\twhat");
	for (size_t i = 0; i < p->nr_stages; i++)
		add_stage(&t, &p->stages[i]);
	table_add(&t, "total");
	table_addf(&t, "%u", p->nr_jobs);
	table_add(&t, worst.text);
	table_addf(&t, "%.2f", p->worst_usd);
	table_add(&t, "");
	table_print(&t, "  ", &out);
	term_put(out.text);
}

static void print_list(const char *heading, const struct strv *list)
{
	if (list->nr)
		term_print("%s\n", heading);
	for (size_t i = 0; i < list->nr; i++)
		term_print("  %s\n", list->items[i]);
}

void plan_print(const struct plan *p)
{
	term_print("plan for %s: reference %s, teacher %s, student %s\n", p->task_name,
		   p->reference_mode, p->teacher, p->student);
	term_print("%u shapes, %u held out, %u cases\n", p->nr_shapes, p->nr_held_out, p->nr_cases);
	print_stages(p);
	if (p->worst_tokens)
		term_print("at most %lld tokens\n", (long long)p->worst_tokens);
	print_list("the student may not see or use:", &p->denied);
	print_list("the estimate rests on:", &p->notes);
}
