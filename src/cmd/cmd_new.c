#include "cmd/cmd.h"

/* Freeze a task into a run directory, or print what a run of it would do at worst. No option can
 * change the problem: that is what editing the task is for. */

#include <stdio.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/table.h"
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
	fputs(out.text, stdout);
}

static void print_list(const char *heading, const struct strv *list)
{
	if (list->nr)
		printf("%s\n", heading);
	for (size_t i = 0; i < list->nr; i++)
		printf("  %s\n", list->items[i]);
}

static int print_plan(const char *task_dir, struct err *e)
{
	AUTO_PLAN struct plan p = { 0 };
	if (engine_plan(task_dir, &p, e) < 0)
		return -1;
	printf("plan for %s: reference %s, teacher %s, student %s\n"
	       "%u shapes, %u held out, %u cases\n",
	       p.task_name, p.reference_mode, p.teacher, p.student, p.nr_shapes, p.nr_held_out,
	       p.nr_cases);
	print_stages(&p);
	if (p.worst_tokens)
		printf("at most %lld tokens\n", (long long)p.worst_tokens);
	print_list("the student may not see or use:", &p.denied);
	print_list("the estimate rests on:", &p.notes);
	printf("nothing was made; without --dry-run this becomes a run directory\n");
	return 0;
}

int cmd_new(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	bool is_dry = false;
	const char *run_dir = NULL;
	const struct opt rows[] = {
		{ 0, "dry-run", OPT_FLAG, NULL, "print the plan, touch nothing", &is_dry },
		{ 0, "dir", OPT_TEXT, "RUNDIR", "where; .artifacts/NAME_DATE-xxxx", &run_dir },
	};
	AUTO_STRV struct strv rest = { 0 };
	AUTO_STR struct str made = STR_INIT;
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	if (is_dry)
		return print_plan(rest.items[0], e);
	const struct engine_new spec = { .task_dir = rest.items[0], .run_dir = run_dir };
	if (engine_new_run(&spec, &made, e) < 0)
		return -1;
	printf("made run %s\n  forge run %s\n", made.text, made.text);
	return 0;
}
