#include "report/chain_report.h"

/* The number of a chain is the direct ratio of its best generation over generation 0. The product
 * of the steps stands beside it as a check and never as a result: each step was measured at another
 * time against another kernel, so their errors pile up unseen. */

#include <stdbool.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "report/page.h"
#include "report/text.h"
#include "store/chain_state.h"
#include "store/chaindir.h"
#include "store/rundir.h"

struct chain_view {
	const char *dir;
	struct chain_state state;
	const struct chain_generation *best;
};

/* Is the direct ratio where the product of the steps would have it? */
static bool is_outside_product(const struct chain_state *s, const struct chain_generation *g)
{
	double ratio, low, high;
	if (!g->direct.call || !chain_state_product(s, g->number, &ratio, &low, &high))
		return false;
	return g->direct.high < low || g->direct.low > high;
}

static void add_alerts(const struct chain_view *v, struct page *p)
{
	const struct chain_state *s = &v->state;
	const struct chain_generation *last = chain_state_last(s);
	if (!s->is_ended && !(last && last->is_decided && !last->goes_on))
		page_add(p, BLOCK_ALERT,
			 "This chain is not over: it stands in generation %u. `forge evolve %s` "
			 "goes on.",
			 last ? last->number : 0, v->dir);
	for (size_t i = 0; i < s->nr_generations; i++) {
		const struct chain_generation *g = &s->generations[i];
		if (is_outside_product(s, g))
			page_add(p, BLOCK_ALERT,
				 "The direct ratio of generation %u lies outside the interval of "
				 "the product of the steps: at least one step is not what it "
				 "claims. Believe the direct ratio.",
				 g->number);
		if (g->direct.is_contended)
			page_add(p, BLOCK_ALERT,
				 "The machine was busy while generation %u was timed directly: its "
				 "interval is wider than it need be.",
				 g->number);
	}
	if (s->nr_repairs)
		page_add(p, BLOCK_ALERT,
			 "The chain's log was repaired %u time%s after forge was killed.",
			 s->nr_repairs, s->nr_repairs == 1 ? "" : "s");
}

/* A file in the place of the kernel that was measured is not what the number is about. */
static void add_kernel_alert(const struct chain_view *v, struct page *p)
{
	struct err ignored = { 0 };
	struct digest now;
	AUTO_FREE char *path = chaindir_path(v->dir, CHAINDIR_BEST_KERNEL);
	if (v->best && file_exists(path) && digest_file(path, &now, &ignored) == 0 &&
	    !str_equal(now.hex, v->best->kernel))
		page_add(p, BLOCK_ALERT,
			 "best/kernel.c was changed after it was recorded: it is not what the "
			 "numbers below were measured on.");
}

static void add_result(const struct chain_view *v, struct page *p)
{
	AUTO_STR struct str speedup = STR_INIT;
	AUTO_STR struct str goal = STR_INIT;
	const struct chain_generation *last = chain_state_last(&v->state);
	text_ratio(v->state.ratio, &goal);
	if (v->best) {
		const struct state_estimate *direct = &v->best->direct;
		bool is_met = direct->speedup >= v->state.ratio;
		text_speedup(direct, &speedup);
		page_add(p, BLOCK_RESULT,
			 "%s over generation 0: the best of generation %u, timed directly, K=%u",
			 speedup.text, v->best->number, direct->replicates);
		page_add(p, BLOCK_TEXT, "Goal of the task: %s over generation 0. It was %smet.",
			 goal.text, is_met ? "" : "not ");
	} else {
		page_add(p, BLOCK_RESULT,
			 "No generation has a confirmed best that is faster than generation 0.");
		page_add(p, BLOCK_TEXT, "Goal of the task: %s over generation 0. It was not met.",
			 goal.text);
	}
	if (last && last->decision)
		page_add(p, BLOCK_TEXT, "The chain ended: %s.", last->decision);
}

static void add_product(const struct chain_state *s, const struct chain_generation *g,
			struct table *t)
{
	double ratio, low, high;
	if (!g->has_direct || !chain_state_product(s, g->number, &ratio, &low, &high)) {
		table_add(t, "-");
		table_add(t, "-");
		return;
	}
	table_addf(t, "%.2f× [%.2f, %.2f]", ratio, low, high);
	table_add(t, is_outside_product(s, g) ? "outside" : "agrees");
}

static void add_generation(const struct chain_view *v, const struct chain_generation *g,
			   struct table *t)
{
	AUTO_STR struct str own = STR_INIT;
	AUTO_STR struct str direct = STR_INIT;
	AUTO_STR struct str seconds = STR_INIT;
	AUTO_STR struct str kernel = STR_INIT;
	text_speedup(&g->own, &own);
	text_speedup(&g->direct, &direct);
	text_seconds(g->seconds, &seconds);
	text_digest(g->kernel, &kernel);
	table_addf(t, "%u", g->number);
	table_add(t, own.text);
	table_add(t, !g->is_ended ? "running" : g->is_confirmed ? "confirmed" : "not confirmed");
	table_add(t, direct.text);
	table_add(t, g->has_direct ? reason_name(g->verdict.reason) : "-");
	add_product(&v->state, g, t);
	table_addf(t, "`%s`", kernel.text);
	table_add(t, seconds.text);
}

static void add_generations(const struct chain_view *v, struct page *p)
{
	page_add(p, BLOCK_HEADING, "Generations");
	struct table *t = page_table(
		p, "rllllllll",
		"generation\tover its own reference\tcall\tdirectly over generation 0\t"
		"judge of generation 0\tproduct of the steps\tcheck\tkernel\tworking time");
	for (size_t i = 0; i < v->state.nr_generations; i++)
		add_generation(v, &v->state.generations[i], t);
	page_add(p, BLOCK_TEXT,
		 "A generation is a run whose reference is the best of the one before. Both ratios "
		 "are paired measurements (alternating order, fresh processes and code layouts per "
		 "replicate, operands cold, held-out shapes included), reference time divided by "
		 "kernel time, geometric mean over shapes. The direct ratio is measured against "
		 "generation 0's reference in one job; for generation 0 that is its own "
		 "confirmation. The product is a check only and is claimed nowhere.");
	page_add(p, BLOCK_TEXT,
		 "Judge and tolerances are those that were frozen in generation 0; every "
		 "generation's best was judged by them again in the job that timed it.");
}

static void add_decisions(const struct chain_view *v, struct page *p)
{
	page_add(p, BLOCK_HEADING, "Why it went on, why it stopped");
	for (size_t i = 0; i < v->state.nr_generations; i++)
		if (v->state.generations[i].decision)
			page_add(p, BLOCK_ITEM, "%s", v->state.generations[i].decision);
	page_add(p, BLOCK_TEXT,
		 "A gain counts when its whole interval is above the noise floor: what the "
		 "reference differs from itself by in the same job, and 1.5 %% at least. That no "
		 "further gain was found is not a claim that there is none.");
}

static void add_shapes(const struct chain_view *v, struct page *p)
{
	if (!v->best || !v->best->direct.nr_shapes)
		return;
	page_add(p, BLOCK_HEADING, "Per shape, best generation over generation 0");
	struct table *t =
		page_table(p, "lrrrll", "shape\tgeneration 0\tbest\tspeed-up\tinterval\tcall");
	for (size_t i = 0; i < v->best->direct.nr_shapes; i++)
		text_shape_cells(&v->best->direct.shapes[i], t);
}

static void add_reproduce(const struct chain_view *v, struct page *p)
{
	const struct chain_state *s = &v->state;
	page_add(p, BLOCK_HEADING, "Measure it again");
	if (v->best)
		page_add(p, BLOCK_CODE,
			 "forge judge %s/%s %s/%s\nforge time -k 16 --held-out %s/%s %s/%s/%s "
			 "%s/%s",
			 v->dir, s->generations[0].run, v->dir, chaindir_name(CHAINDIR_BEST_KERNEL),
			 v->dir, s->generations[0].run, v->dir, s->generations[0].run,
			 rundir_name(RUNDIR_REFERENCE_SOURCE), v->dir,
			 chaindir_name(CHAINDIR_BEST_KERNEL));
	for (size_t i = 0; i < s->nr_generations; i++)
		page_add(p, BLOCK_ITEM, "generation %u: report `%s/%s/report.html`, task `%s/%s`",
			 s->generations[i].number, v->dir, s->generations[i].run, v->dir,
			 s->generations[i].task);
	page_add(p, BLOCK_TEXT, "forge %s, chain made %s, teacher %s, student %s.",
		 s->forge_version ? s->forge_version : "?", s->created ? s->created : "?",
		 s->teacher ? s->teacher : "?", s->student ? s->student : "?");
}

typedef void (*print_fn)(const struct page *p, struct str *out);

static int write_page(const struct page *p, const char *dir, enum chaindir_part part,
		      print_fn print, struct err *e)
{
	AUTO_FREE char *path = chaindir_path(dir, part);
	AUTO_STR struct str text = STR_INIT;
	print(p, &text);
	return file_write(path, text.text, text.len, e);
}

static int write_pages(struct chain_view *v, struct strv *paths, struct err *e)
{
	AUTO_PAGE struct page p;
	page_init(&p, "");
	str_addf(&p.title, "forge report: %s, a chain of generations",
		 v->state.task_name ? v->state.task_name : v->dir);
	v->best = chain_state_best(&v->state);
	add_alerts(v, &p);
	add_kernel_alert(v, &p);
	add_result(v, &p);
	add_generations(v, &p);
	add_decisions(v, &p);
	add_shapes(v, &p);
	add_reproduce(v, &p);
	if (write_page(&p, v->dir, CHAINDIR_REPORT_MD, page_print_markdown, e) < 0 ||
	    write_page(&p, v->dir, CHAINDIR_REPORT_HTML, page_print_html, e) < 0)
		return -1;
	strv_add(paths, chaindir_name(CHAINDIR_REPORT_MD));
	strv_add(paths, chaindir_name(CHAINDIR_REPORT_HTML));
	return 0;
}

int chain_report_write(const char *chain_dir, struct strv *paths, struct err *e)
{
	struct chain_view v = { .dir = chain_dir };
	int rc = chain_state_load(&v.state, chain_dir, e);
	if (rc == 0)
		rc = write_pages(&v, paths, e);
	chain_state_release(&v.state);
	return rc < 0 ? err_wrap(e, "report %s", chain_dir) : 0;
}
