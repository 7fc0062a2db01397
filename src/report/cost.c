#include "report/cost.h"

#include "base/mem.h"
#include "report/page.h"
#include "report/text.h"
#include "report/view.h"

static const char *name_of(const struct state_turn *turn)
{
	return turn->milestone && *turn->milestone ? turn->milestone : turn->role;
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
	for (size_t i = 0; i < s->nr_turns; i++) {
		const struct state_turn *turn = &s->turns[i];
		struct state_usage *usage = &row_of(rows, &nr, name_of(turn))->usage;
		usage->turns++;
		usage->seconds += turn->seconds;
		usage->tokens += turn->tokens;
		usage->usd += turn->usd;
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

static void add_milestones(const struct cost_row *rows, size_t nr, struct page *p)
{
	struct table *t = page_table(p, "lrrrr", "milestone\tturns\ttime\ttokens\tUSD");
	for (size_t i = 0; i < nr; i++) {
		AUTO_STR struct str seconds = STR_INIT;
		text_seconds(rows[i].usage.seconds, &seconds);
		table_add(t, rows[i].name);
		table_addf(t, "%u", rows[i].usage.turns);
		table_add(t, seconds.text);
		table_addf(t, "%lld", (long long)rows[i].usage.tokens);
		table_addf(t, "%.2f", rows[i].usage.usd);
	}
}

void section_cost(const struct view *v, struct page *p)
{
	const struct run_state *s = &v->state;
	AUTO_FREE struct cost_row *rows = xcalloc(s->nr_turns + 1, sizeof(*rows));
	size_t nr = cost_rows(s, rows);
	double usd = s->teacher_usage.usd + s->student_usage.usd;
	int64_t tokens = s->teacher_usage.tokens + s->student_usage.tokens;
	if (!s->nr_turns)
		return;
	page_add(p, BLOCK_HEADING, "What it cost");
	add_clocks(&s->clocks, p);
	if (usd > 0 || tokens > 0)
		add_milestones(rows, nr, p);
}
