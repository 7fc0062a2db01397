#include "export/kernels_page.h"

/* A row is one comparison. The claim itself is over the reference; comparison.json, where a
 * campaign left one, has compilers and libraries. What was lost or tied stands in the same table,
 * and once more under it. */

#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/untrusted.h"
#include "export/released.h"
#include "report/text.h"
#include "report/view.h"

enum { MAX_DEPTH = 4, MAX_CELL_BYTES = 320, MAX_PAGE_BYTES = 16 << 20 };

struct kernels {
	const char *dir;
	const char *name; /* its last part, for commands */
	struct released *items;
	size_t nr;
	struct strv machines; /* in words, each once */
	struct str notes;     /* losses and ties */
};

static void kernels_release(struct kernels *k)
{
	for (size_t i = 0; i < k->nr; i++)
		released_release(&k->items[i]);
	free(k->items);
	strv_release(&k->machines);
	str_release(&k->notes);
}
#define AUTO_KERNELS __attribute__((cleanup(kernels_release)))

/* ---- reading ---- */

static void note_machine(struct kernels *k, struct released *r)
{
	AUTO_STR struct str words = STR_INIT;
	released_machine(r, &words);
	for (r->machine = 0; r->machine < k->machines.nr; r->machine++)
		if (str_equal(k->machines.items[r->machine], words.text))
			return;
	strv_add(&k->machines, words.text);
}

typedef int (*load_fn)(struct released *r, const char *from, struct err *e);

static int add(struct kernels *k, const char *place, const char *from, load_fn load, struct err *e)
{
	k->items = xreallocarray(k->items, k->nr + 1, sizeof(*k->items));
	struct released *r = &k->items[k->nr++];
	*r = (struct released){ .place = xstrdup(place), .group = path_dir(place) };
	if (load(r, from, e) < 0)
		return -1;
	note_machine(k, r);
	return 0;
}

static int walk(struct kernels *k, const char *dir, const char *place, int depth, struct err *e)
{
	AUTO_FREE char *evidence = path_join(dir, "evidence.json");
	AUTO_FREE char *outcome = path_join(dir, "outcome.json");
	AUTO_STRV struct strv names = { 0 };
	if (file_exists(evidence))
		return add(k, place, dir, released_load_claim, e);
	if (file_exists(outcome))
		return add(k, place, outcome, released_load_outcome, e);
	if (depth == MAX_DEPTH)
		return 0;
	if (dir_list(dir, &names, e) < 0)
		return -1;
	for (size_t i = 0; i < names.nr; i++) {
		AUTO_FREE char *path = path_join(dir, names.items[i]);
		AUTO_FREE char *below =
			*place ? path_join(place, names.items[i]) : xstrdup(names.items[i]);
		if (file_is_dir(path) && walk(k, path, below, depth + 1, e) < 0)
			return -1;
	}
	return 0;
}

/* ---- rows ---- */

static void cell(struct table *t, const char *text)
{
	AUTO_STR struct str line = STR_INIT;
	untrusted_line(&line, text, MAX_CELL_BYTES);
	table_add(t, line.text);
}

/* An interval that holds 1 is a tie, whatever its middle. */
static const char *outcome_of(double low, double high)
{
	return low > 1 ? "faster" : high < 1 ? "**slower**" : "**tie**";
}

static void note_outcome(struct kernels *k, const struct released *r, const char *other, double low,
			 double high)
{
	if (low > 1)
		return;
	AUTO_STR struct str line = STR_INIT;
	untrusted_line(&line, other, MAX_CELL_BYTES);
	str_addf(&k->notes, "- %s against %s: %s, [%.2f, %.2f].\n", r->place, line.text,
		 high < 1 ? "slower" : "a tie", low, high);
}

/* Faster as a whole says nothing of each shape. */
static void note_shapes(struct kernels *k, const struct released *r)
{
	const struct state_estimate *est = &r->claim.estimate;
	for (size_t i = 0; i < est->nr_shapes && est->low > 1; i++) {
		const struct state_shape *s = &est->shapes[i];
		if (s->low > 1)
			continue;
		AUTO_STR struct str name = STR_INIT;
		untrusted_line(&name, s->name, MAX_CELL_BYTES);
		str_addf(&k->notes, "- %s against the reference, at %s%s: %s, [%.3f, %.3f].\n",
			 r->place, name.text, s->held_out ? " (held out)" : "",
			 s->high < 1 ? "slower" : "a tie", s->low, s->high);
	}
}

/* Comparisons have no interval for a shape. */
static void note_compared_shapes(struct kernels *k, const struct released *r, const json_t *row)
{
	size_t i;
	json_t *shape;
	json_array_foreach(json_object_get(row, "shapes"), i, shape)
	{
		const double other_ns = json_real_or(shape, "other_ns", 0);
		const double kernel_ns = json_real_or(shape, "kernel_ns", 0);
		if (json_real_or(row, "low", 0) <= 1 || kernel_ns <= other_ns)
			continue;
		AUTO_STR struct str other = STR_INIT;
		AUTO_STR struct str name = STR_INIT;
		untrusted_line(&other, json_text_or(row, "name", "?"), MAX_CELL_BYTES);
		untrusted_line(&name, json_text_or(shape, "name", "?"), MAX_CELL_BYTES);
		str_addf(&k->notes, "- %s against %s, at %s: slower, %.2f× of the medians.\n",
			 r->place, other.text, name.text, other_ns / kernel_ns);
	}
}

static void shapes_cell(struct table *t, const struct state_estimate *est)
{
	AUTO_STR struct str text = STR_INIT;
	for (size_t i = 0; i < est->nr_shapes; i++)
		str_addf(&text, "%s%s%s", i ? ", " : "", est->shapes[i].name,
			 est->shapes[i].held_out ? " (held out)" : "");
	cell(t, text.text);
}

/* The least and the most over the shapes. */
static void roofline_cell(struct table *t, const struct released *r)
{
	const struct state_estimate *est = &r->claim.estimate;
	double low = INFINITY;
	double high = 0;
	for (size_t i = 0; r->has_result && i < est->nr_shapes; i++) {
		double share = roofline_share(&r->result, est->shapes[i].name,
					      est->shapes[i].candidate_ns);
		low = share < low ? share : low;
		high = share > high ? share : high;
	}
	if (high > 0)
		table_addf(t, "%.0f to %.0f %%", 100 * low, 100 * high);
	else
		table_add(t, "-");
}

static char letter_of(const struct released *r)
{
	return (char)('A' + (r->machine < 26 ? r->machine : 25));
}

static void name_cells(struct table *t, const struct released *r)
{
	cell(t, path_base(r->place));
	table_addf(t, "%.10s, %c", released_date(r), letter_of(r));
}

/* The command to type, in the folder that holds the folder of kernels. */
static void verify_cell(const struct kernels *k, const struct released *r, struct table *t)
{
	table_addf(t, "`forge verify %s/%s`%s", k->name, r->place,
		   r->is_sealed ? " with the key of its sealed reference" : "");
}

static void claim_row(struct kernels *k, const struct released *r, struct table *t)
{
	const struct state_estimate *est = &r->claim.estimate;
	AUTO_STR struct str speedup = STR_INIT;
	AUTO_STR struct str reference = STR_INIT;
	AUTO_STR struct str version = STR_INIT;
	text_speedup(est, &speedup);
	released_reference(r, &reference);
	released_version(r, &version);
	name_cells(t, r);
	cell(t, reference.text);
	cell(t, version.text);
	shapes_cell(t, est);
	table_add(t, speedup.text);
	table_add(t, outcome_of(est->low, est->high));
	roofline_cell(t, r);
	verify_cell(k, r, t);
	note_outcome(k, r, "the reference", est->low, est->high);
	note_shapes(k, r);
}

/* No kernel to release: how far the best correct one came, by a measurement that confirmed nothing.
 */
static void outcome_row(struct kernels *k, const struct released *r, struct table *t)
{
	const json_t *best = json_object_get(r->outcome, "best");
	const char *reason = json_text_or(r->outcome, "reason", "?");
	AUTO_ARENA struct arena arena = { 0 };
	AUTO_STR struct str speedup = STR_INIT;
	AUTO_STR struct str reference = STR_INIT;
	AUTO_STR struct str version = STR_INIT;
	AUTO_STR struct str why = STR_INIT;
	struct state_estimate est = { 0 };
	state_estimate_from_json(json_object_get(best, "estimate"), &arena, &est);
	text_speedup(&est, &speedup);
	if (est.replicates)
		str_addf(&speedup, " (K=%u)", (unsigned)est.replicates);
	released_reference(r, &reference);
	released_version(r, &version);
	name_cells(t, r);
	table_add(t, reference.text);
	table_add(t, version.text);
	shapes_cell(t, &est);
	table_add(t, speedup.text);
	table_add(t, "**no kernel**");
	table_add(t, "-");
	table_addf(t, "`%s/%s/report.md`", k->name, r->place);
	untrusted_line(&why, reason, MAX_CELL_BYTES);
	str_addf(&k->notes, "- %s: no confirmed kernel: %s.\n", r->place, why.text);
}

static void comparison_shapes(struct table *t, const json_t *row)
{
	AUTO_STR struct str text = STR_INIT;
	const json_t *shapes = json_object_get(row, "shapes");
	for (size_t i = 0; i < json_array_size(shapes); i++)
		str_addf(&text, "%s%s", i ? ", " : "",
			 json_text_or(json_array_get(shapes, i), "name", "?"));
	cell(t, text.text);
}

static void comparison_row(struct kernels *k, const struct released *r, const json_t *row,
			   struct table *t)
{
	const char *name = json_text_or(row, "name", "?");
	const char *flags = json_text_or(row, "flags", "");
	const double low = json_real_or(row, "low", 0);
	const double high = json_real_or(row, "high", 0);
	AUTO_FREE char *with = *flags ? xasprintf("%s, `%s`", name, flags) : xstrdup(name);
	const struct state_estimate est = {
		.call = "-", .speedup = json_real_or(row, "speedup", 0), .low = low, .high = high
	};
	AUTO_STR struct str speedup = STR_INIT;
	text_speedup(&est, &speedup);
	cell(t, path_base(r->place));
	table_addf(t, "%.10s, %c", json_text_or(r->comparison, "date", "?"), letter_of(r));
	cell(t, with);
	cell(t, json_text_or(row, "version", "-"));
	comparison_shapes(t, row);
	table_add(t, speedup.text);
	table_add(t, outcome_of(low, high));
	table_add(t, "-");
	AUTO_FREE char *command = xasprintf("`%s`", json_text_or(r->comparison, "command", "-"));
	cell(t, command);
	note_outcome(k, r, name, low, high);
	note_compared_shapes(k, r, row);
}

static void add_rows(struct kernels *k, const struct released *r, struct table *t)
{
	const json_t *rows = json_object_get(r->comparison, "rows");
	if (r->outcome) {
		outcome_row(k, r, t);
		return;
	}
	claim_row(k, r, t);
	for (size_t i = 0; i < json_array_size(rows); i++)
		comparison_row(k, r, json_array_get(rows, i), t);
}

/* ---- the page ---- */

static const char head[] =
	"# Released kernels\n\n"
	"Made by `forge kernels` from the evidence in these folders; `forge kernels --check` holds "
	"it. Each folder is a claim that can be taken away\n"
	"(docs/format/evidence.md): kernel, reference, judge, raw samples, and one hash chain over "
	"all of them.\n\n"
	"Speed-up is the other's time divided by the kernel's, geometric mean over the shapes, "
	"with its interval. *Faster* means that the whole interval\n"
	"lies above 1, **slower** that it lies below, **tie** that it holds 1, **no kernel** that "
	"none was confirmed: its number is that of the choice, of visible\n"
	"shapes, and no claim; what the confirmation said stands below. Over the reference: K=16 "
	"fresh processes and code layouts (on a GPU: code loaded anew,\n"
	"operands at new addresses), confirmed after the choice, held-out shapes included. Over "
	"compilers and libraries: all in turns in one run, visible shapes, medians\n"
	"of paired ratios with 95 % intervals (docs/format/comparison.md). Operands are cold. The "
	"roofline is what the machine was seen to reach; above\n"
	"100 % of one thread's, more threads or a cache took part. A number holds for its machine "
	"and date.\n\n";

static void print_machines(const struct kernels *k, struct str *out)
{
	str_add(out,
		"Machines (a folder is named by what the processor says of itself, which several "
		"kinds of machines may share):\n\n");
	for (size_t i = 0; i < k->machines.nr; i++)
		str_addf(out, "- %c: %s\n", 'A' + (int)(i < 26 ? i : 25), k->machines.items[i]);
}

static bool begins_group(const struct kernels *k, size_t i)
{
	return i == 0 || !str_equal(k->items[i].group, k->items[i - 1].group);
}

static void print_group(struct kernels *k, size_t from, struct str *out)
{
	AUTO_TABLE struct table t;
	table_init(&t, "lllllllrl");
	table_line(&t, released_gpu(&k->items[from])
			       ? "kernel\tdate, machine\tcompared with\tversion\tshapes\tspeed-up\t"
				 "outcome\tof the roofline\tmeasure again"
			       : "kernel\tdate, machine\tcompared with\tversion\tshapes\tspeed-up\t"
				 "outcome\tof one thread's roofline\tmeasure again");
	for (size_t i = from; i < k->nr && (i == from || !begins_group(k, i)); i++)
		add_rows(k, &k->items[i], &t);
	str_addf(out, "\n## %s\n\n", k->items[from].group);
	table_print_markdown(&t, out);
}

static void print_notes(const struct kernels *k, struct str *out)
{
	str_add(out,
		"\n## Losses and ties\n\n"
		"Whole comparisons, and single shapes of those that are faster as a whole.\n\n");
	str_add(out, k->notes.len ? k->notes.text : "None in these tables.\n");
}

static int load(struct kernels *k, struct err *e)
{
	if (!file_is_dir(k->dir))
		return err_set(e, ERR_INPUT, "%s: not a folder", k->dir);
	return walk(k, k->dir, "", 0, e);
}

int kernels_page_print(const char *dir, struct str *out, struct err *e)
{
	AUTO_FREE char *trimmed = xstrdup(dir);
	for (size_t len = strlen(trimmed); len > 1 && trimmed[len - 1] == '/'; len--)
		trimmed[len - 1] = 0;
	AUTO_KERNELS struct kernels k = { .dir = trimmed,
					  .name = path_base(trimmed),
					  .notes = STR_INIT };
	if (load(&k, e) < 0)
		return -1;
	str_add(out, head);
	if (!k.nr) {
		str_add(out, "No kernel is released yet.\n");
		return 0;
	}
	print_machines(&k, out);
	for (size_t i = 0; i < k.nr; i++)
		if (begins_group(&k, i))
			print_group(&k, i, out);
	print_notes(&k, out);
	return 0;
}

int kernels_page_write(const char *dir, struct strv *made, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	AUTO_FREE char *path = path_join(dir, "README.md");
	if (kernels_page_print(dir, &text, e) < 0 || file_write(path, text.text, text.len, e) < 0)
		return -1;
	strv_add(made, path);
	return 0;
}

int kernels_page_check(const char *dir, struct err *e)
{
	AUTO_STR struct str want = STR_INIT;
	AUTO_STR struct str is = STR_INIT;
	AUTO_FREE char *path = path_join(dir, "README.md");
	if (kernels_page_print(dir, &want, e) < 0 || file_read(path, MAX_PAGE_BYTES, &is, e) < 0)
		return -1;
	if (str_equal(want.text, is.text))
		return 0;
	return err_set(e, ERR_CONFLICT,
		       "%s: not what the evidence gives; 'forge kernels %s' writes it anew", path,
		       dir);
}
