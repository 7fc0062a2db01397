#include "report/cost.h"

#include "base/mem.h"
#include "report/page.h"
#include "report/text.h"
#include "report/usage_text.h"
#include "report/view.h"

static const char *name_of(const struct state_attempt *a)
{
	return a->milestone && *a->milestone ? a->milestone : a->role;
}

static struct cost_row *row_of(struct cost_row *rows, size_t *nr, const char *name)
{
	for (size_t i = 0; i < *nr; i++)
		if (str_equal(rows[i].name, name))
			return &rows[i];
	rows[*nr] = (struct cost_row){ .name = name };
	return &rows[(*nr)++];
}

size_t cost_rows(const struct run_state *s, struct cost_row *rows)
{
	size_t nr = 0;
	for (size_t i = 0; i < s->nr_attempts; i++) {
		const struct state_attempt *a = &s->attempts[i];
		struct cost_row *row = row_of(rows, &nr, name_of(a));
		row->usage.turns += !a->is_open && !a->is_lost;
		row->nr_lost += a->is_lost;
		row->usage.seconds += a->seconds;
		usage_add(&row->usage.used, &a->used);
	}
	return nr;
}

static bool has_name(const char *const *names, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (str_equal(names[i], name))
			return true;
	return false;
}

size_t cost_scopes(const struct run_state *s, const char **scopes)
{
	size_t nr = 0;
	scopes[nr++] = limits_scope_name(LIMITS_TEACHER);
	scopes[nr++] = limits_scope_name(LIMITS_STUDENT);
	for (size_t i = 0; i < s->nr_attempts && !s->is_control; i++) {
		const char *milestone = s->attempts[i].milestone;
		if (milestone && *milestone && !has_name(scopes, nr, milestone))
			scopes[nr++] = milestone;
	}
	return nr;
}

static void add_time(struct table *t, const char *what, double seconds)
{
	AUTO_STR struct str text = STR_INIT;
	text_seconds(seconds, &text);
	table_add(t, what);
	table_add(t, text.text);
}

static void add_clocks(const struct state_clocks *c, struct page *p)
{
	struct table *t = page_table(p, "lr", "clock\ttime");
	add_time(t, "turns of the agents", c->agent_s);
	add_time(t, "builds", c->build_s);
	add_time(t, "kernels", c->kernel_s);
	add_time(t, "judge", c->judge_s);
	add_time(t, "rest of the jobs", c->other_s);
	add_time(t, "queue, not taken off the budget", c->queue_s);
	if (c->person_s > 0)
		add_time(t, "waiting for a person, not taken off the budget", c->person_s);
}

static void add_cell(struct table *t, const struct usage *u, enum usage_count count)
{
	AUTO_STR struct str text = STR_INIT;
	text_count(u, count, &text);
	table_add(t, text.text);
}

/* Writes of both lifetimes; their price differs, their place in the table need not. */
static void add_written(struct table *t, const struct usage *u)
{
	struct usage both = *u;
	both.cache_write_5m += both.cache_write_1h;
	both.untold |= usage_is_told(u, USAGE_CACHE_WRITE_1H) ? 0 : 1u << USAGE_CACHE_WRITE_5M;
	add_cell(t, &both, USAGE_CACHE_WRITE_5M);
}

static void add_row(struct table *t, const struct cost_row *row)
{
	const struct usage *u = &row->usage.used;
	AUTO_STR struct str seconds = STR_INIT;
	AUTO_STR struct str usd = STR_INIT;
	text_seconds(row->usage.seconds, &seconds);
	text_usd(u, &usd);
	table_add(t, row->name);
	table_addf(t, "%u", row->usage.turns);
	table_add(t, seconds.text);
	add_cell(t, u, USAGE_REQUESTS);
	add_cell(t, u, USAGE_TOOL_CALLS);
	add_cell(t, u, USAGE_TOKENS);
	add_cell(t, u, USAGE_INPUT);
	add_cell(t, u, USAGE_CACHE_READ);
	add_written(t, u);
	add_cell(t, u, USAGE_OUTPUT);
	table_add(t, usd.text);
	table_add(t, text_basis(u));
}

static void add_milestones(const struct cost_row *rows, size_t nr, struct page *p)
{
	struct table *t =
		page_table(p, "lrrrrrrrrrrl",
			   "role or milestone\tturns\ttime\trequests\ttool calls\ttokens\t"
			   "input\tcache read\tcache written\toutput\tUSD\tbasis");
	for (size_t i = 0; i < nr; i++)
		add_row(t, &rows[i]);
}

static unsigned count_lost(const struct cost_row *rows, size_t nr)
{
	unsigned lost = 0;
	for (size_t i = 0; i < nr; i++)
		lost += rows[i].nr_lost;
	return lost;
}

/* Of roles and milestones, where the task limits them. */
static void add_budgets(const struct run_state *s, struct page *p)
{
	AUTO_FREE const char **scopes = xcalloc(s->nr_attempts + 2, sizeof(*scopes));
	size_t nr = cost_scopes(s, scopes);
	for (size_t i = 0; i < nr; i++) {
		const struct limits *limits = run_state_limits(s, scopes[i]);
		const struct spending spent = run_state_spending(s, scopes[i]);
		AUTO_STR struct str text = STR_INIT;
		text_spending(&spent, limits, true, &text);
		if (text.len)
			page_add(p, BLOCK_ITEM, "Budget of %s: %s", scopes[i], text.text);
	}
}

static void add_notes(const struct run_state *s, unsigned nr_lost, struct page *p)
{
	AUTO_STR struct str limits = STR_INIT;
	text_limits(s, &limits);
	page_add(p, BLOCK_TEXT, "Budget: %s.", limits.text);
	add_budgets(s, p);
	if (s->prices)
		page_add(p, BLOCK_TEXT,
			 "What agents do not report in dollars is priced by the price table of %s.",
			 s->prices);
	if (nr_lost)
		page_add(p, BLOCK_TEXT,
			 "%u turn%s lost when a session ended in the middle and %s asked again; "
			 "what "
			 "is known of them is in these sums.",
			 nr_lost, nr_lost == 1 ? " was" : "s were", nr_lost == 1 ? "was" : "were");
}

void section_cost(const struct view *v, struct page *p)
{
	const struct run_state *s = &v->state;
	AUTO_FREE struct cost_row *rows = xcalloc(s->nr_attempts + 1, sizeof(*rows));
	size_t nr = cost_rows(s, rows);
	const struct usage used = run_state_used(s);
	if (!s->nr_attempts)
		return;
	page_add(p, BLOCK_HEADING, "What it cost");
	add_clocks(&s->clocks, p);
	if (usage_is_free(&used))
		return;
	add_milestones(rows, nr, p);
	add_notes(s, count_lost(rows, nr), p);
}
