#include "tuner/lab.h"

/* Keeps what was tried by its text, decides how long a call may take, and turns a child's report
 * into ratios. */

#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "tuner/lab_in.h"
#include "tuner/ttask.h"

/* A first call may be late for reasons of its own, and processor time is counted by the tick. */
#define FIRST_SLACK_NS 5e6
/* Without a better bound: as long as this many calls of the reference, and half a second. */
#define HANG_FACTOR 10
#define HANG_NS 5e8
/* The reference may take this part of the time for one call. */
#define REFERENCE_SHARE 0.25
/* Below this nothing worth knowing can be measured. */
#define LEAST_SECONDS 2.0
enum { BLOCKS = 5, CALLS_OF_BLOCK = 3 };
/* Of a normal distribution: 95 %. */
#define Z95 1.96

struct entry {
	char *source;
	char *object; /* NULL: not built */
	bool is_measured;
	struct lab_result result;
};

struct lab {
	const struct tuner_task *task;
	struct arena a;
	struct lab_cases cases;
	struct lab_kit kit;
	struct lab_report *report;
	double seconds;
	uint64_t start_ns;
	struct entry **entries; /* the first is the reference */
	size_t nr_entries;
	size_t nr_evaluations;
};

double lab_seconds_left(const struct lab *lab)
{
	return lab->seconds - (double)(clock_mono_ns() - lab->start_ns) * 1e-9;
}

bool lab_has_compiler(const struct lab *lab, const char *cc)
{
	return (strcmp(cc, "gcc") == 0 && lab->kit.has_gcc) ||
	       (strcmp(cc, "clang") == 0 && lab->kit.has_clang);
}

size_t lab_evaluations(const struct lab *lab)
{
	return lab->nr_evaluations;
}

/* A function that calls the entry with what stands in an array of places. */
static void caller_source(const struct lab_case *c, struct str *out)
{
	str_add(out, "#include <stdint.h>\n"
		     "void lab_call(void (*entry)(void), void *const *args)\n{\n\t((void (*)(");
	for (size_t i = 0; i < c->nr; i++) {
		const struct arg *arg = &c->ops[i].arg;
		str_addf(out, "%s%s%s%s", i ? ", " : "", arg->role == ARG_IN ? "const " : "",
			 dtype_ctype(arg->dtype), arg->role == ARG_SCALAR ? "" : " *");
	}
	str_add(out, "))entry)(");
	for (size_t i = 0; i < c->nr; i++) {
		const struct arg *arg = &c->ops[i].arg;
		str_add(out, i ? ", " : "");
		if (arg->role == ARG_SCALAR)
			str_addf(out, "*(const %s *)", dtype_ctype(arg->dtype));
		str_addf(out, "args[%zu]", i);
	}
	str_add(out, ");\n}\n");
}

static const struct lab_case *some_case(const struct lab *lab)
{
	for (size_t i = 0; i < lab->cases.nr; i++)
		if (lab->cases.items[i].ops)
			return &lab->cases.items[i];
	BUG("no case is measured");
}

static struct entry *find_entry(const struct lab *lab, const char *source)
{
	for (size_t i = 0; i < lab->nr_entries; i++)
		if (strcmp(lab->entries[i]->source, source) == 0)
			return lab->entries[i];
	return NULL;
}

static struct entry *add_entry(struct lab *lab, const char *source)
{
	struct entry *entry = xcalloc(1, sizeof(*entry));
	entry->source = xstrdup(source);
	lab->entries = xreallocarray(lab->entries, lab->nr_entries + 1, sizeof(struct entry *));
	lab->entries[lab->nr_entries++] = entry;
	return entry;
}

static double limit_of(const struct lab *lab, const struct lab_case *c, double give_up)
{
	if (c->reference_ns <= 0)
		return lab->seconds * REFERENCE_SHARE * 1e9;
	double hang_ns = HANG_FACTOR * c->reference_ns + HANG_NS;
	double slow_ns = give_up * c->first_ns + FIRST_SLACK_NS;
	return give_up > 0 && slow_ns < hang_ns ? slow_ns : hang_ns;
}

static struct lab_order order_of(const struct lab *lab, double give_up)
{
	struct lab_order o = { .caller = lab->kit.caller,
			       .entry = lab->task->entry,
			       .threads = lab->task->threads ? lab->task->threads : 1 };
	for (size_t i = 0; i < lab->cases.nr; i++)
		o.limit_ns[i] = limit_of(lab, &lab->cases.items[i], give_up);
	return o;
}

static double ratio_of(const struct lab *lab, const double *ns)
{
	double sum = 0;
	size_t nr = 0;
	for (size_t i = 0; i < lab->cases.nr; i++) {
		const struct lab_case *c = &lab->cases.items[i];
		if (!c->ops || ns[i] <= 0 || c->reference_ns <= 0)
			continue;
		sum += log(c->reference_ns / ns[i]);
		nr++;
	}
	return nr ? exp(sum / (double)nr) : 0;
}

static void keep_report(struct lab *lab, struct entry *entry)
{
	const struct lab_report *r = lab->report;
	struct lab_result *result = &entry->result;
	result->outcome = r->outcome;
	result->error = r->error;
	memcpy(result->text, r->text, sizeof(result->text));
	if (r->outcome != LAB_OK)
		return;
	memcpy(result->ns, r->ns, sizeof(result->ns));
	for (size_t i = 0; i < lab->cases.nr; i++) {
		struct lab_case *c = &lab->cases.items[i];
		if (c->reference_ns <= 0)
			c->reference_ns = r->ns[i];
		if (r->first_ns[i] > 0 && (c->first_ns <= 0 || r->first_ns[i] < c->first_ns))
			c->first_ns = r->first_ns[i];
		if (r->ns[i] > 0 && (c->best_ns <= 0 || r->ns[i] < c->best_ns))
			c->best_ns = r->ns[i];
	}
	result->ratio = ratio_of(lab, r->ns);
}

static void set_text(struct lab_result *result, enum lab_outcome outcome, const char *text)
{
	*result = (struct lab_result){ .outcome = outcome };
	snprintf(result->text, sizeof(result->text), "%.*s", LAB_TEXT - 1, text);
}

static void measure(struct lab *lab, struct entry *entry, const struct lab_order *order)
{
	struct err why = { 0 };
	entry->is_measured = true;
	if (lab_run(order, &lab->cases, lab->report, &why) < 0)
		set_text(&entry->result, LAB_CRASHED, why.text);
	else
		keep_report(lab, entry);
}

/* Sources that are new, each once. */
static size_t gather_new(struct lab *lab, const char *const *sources, size_t nr,
			 struct entry **news)
{
	size_t nr_new = 0;
	for (size_t i = 0; i < nr; i++) {
		struct entry *entry = find_entry(lab, sources[i]);
		if (!entry)
			entry = add_entry(lab, sources[i]);
		bool is_listed = entry->is_measured;
		for (size_t k = 0; k < nr_new; k++)
			is_listed |= news[k] == entry;
		if (!is_listed)
			news[nr_new++] = entry;
	}
	return nr_new;
}

static uint64_t end_of(const struct lab *lab)
{
	return lab->start_ns + (uint64_t)(lab->seconds * 1e9);
}

static void build_all(struct lab *lab, struct entry **news, size_t nr)
{
	struct lab_build *builds = xcalloc(nr + 1, sizeof(*builds));
	size_t nr_builds = 0;
	for (size_t i = 0; i < nr; i++)
		if (!news[i]->object)
			builds[nr_builds++].source = news[i]->source;
	lab_kit_build(&lab->kit, builds, nr_builds, end_of(lab));
	for (size_t i = 0, k = 0; i < nr; i++) {
		if (news[i]->object)
			continue;
		news[i]->object = take_ptr(&builds[k].object);
		if (builds[k].text[0]) {
			set_text(&news[i]->result, LAB_UNBUILT, builds[k].text);
			news[i]->is_measured = true;
			lab->nr_evaluations++;
		}
		k++;
	}
	free(builds);
}

/* What was not measured for lack of time stays unknown. */
void lab_try(struct lab *lab, const char *const *sources, size_t nr, double give_up,
	     struct lab_result *out)
{
	struct entry **news = xcalloc(nr + 1, sizeof(*news));
	size_t nr_new = gather_new(lab, sources, nr, news);
	build_all(lab, news, nr_new);
	for (size_t i = 0; i < nr_new; i++) {
		if (news[i]->is_measured || !news[i]->object || lab_seconds_left(lab) <= 0)
			continue;
		struct lab_order order = order_of(lab, give_up);
		order.objects[0] = news[i]->object;
		measure(lab, news[i], &order);
		lab->nr_evaluations++;
	}
	for (size_t i = 0; i < nr; i++) {
		const struct entry *entry = find_entry(lab, sources[i]);
		if (entry->is_measured)
			out[i] = entry->result;
		else
			set_text(&out[i], LAB_TOO_SLOW, "out of time");
	}
	free(news);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Median of the pairs' log ratios and half the width of its interval by order statistics. */
static double median_of_pairs(double (*pairs)[2], size_t nr, double *half)
{
	double logs[LAB_PAIRS];
	for (size_t i = 0; i < nr; i++)
		logs[i] = log(pairs[i][0] / pairs[i][1]);
	qsort(logs, nr, sizeof(logs[0]), by_size);
	size_t off = (size_t)ceil(Z95 * sqrt((double)nr) / 2);
	size_t low = nr / 2 > off ? nr / 2 - off : 0;
	size_t high = nr / 2 + off < nr ? nr / 2 + off : nr - 1;
	*half = (logs[high] - logs[low]) / 2;
	return nr % 2 ? logs[nr / 2] : (logs[nr / 2 - 1] + logs[nr / 2]) / 2;
}

/* Where calls were disturbed, the quickest ones say most: the ratio of those in each of some
 * blocks, their median and the width of their spread. */
static double median_of_blocks(double (*pairs)[2], size_t nr, double *half)
{
	double logs[BLOCKS];
	for (size_t b = 0; b < BLOCKS; b++) {
		double least[2] = { INFINITY, INFINITY };
		for (size_t i = b * nr / BLOCKS; i < (b + 1) * nr / BLOCKS; i++)
			for (size_t k = 0; k < 2; k++)
				least[k] = fmin(least[k], pairs[i][k]);
		logs[b] = log(least[0] / least[1]);
	}
	qsort(logs, BLOCKS, sizeof(logs[0]), by_size);
	*half = (logs[BLOCKS - 1] - logs[0]) / 2;
	return logs[BLOCKS / 2];
}

static double log_ratio(struct lab_report *r, size_t shape, double *half)
{
	bool has_blocks = r->nr_pairs[shape] >= BLOCKS * CALLS_OF_BLOCK;
	if (r->is_calm[shape] || !has_blocks)
		return median_of_pairs(r->pairs[shape], r->nr_pairs[shape], half);
	return median_of_blocks(r->pairs[shape], r->nr_pairs[shape], half);
}

static void decide_duel(struct lab_report *r, struct lab_duel *out)
{
	double sum = 0;
	double square = 0;
	double nr = 0;
	for (size_t i = 0; i < LAB_SHAPES; i++) {
		double half;
		if (!r->nr_pairs[i])
			continue;
		sum += log_ratio(r, i, &half);
		square += half * half;
		nr += 1;
	}
	double half = sqrt(square) / nr;
	*out = (struct lab_duel){ .ratio = exp(sum / nr),
				  .low = exp(sum / nr - half),
				  .high = exp(sum / nr + half) };
}

static const struct entry *correct_entry(const struct lab *lab, const char *source, struct err *e)
{
	const struct entry *entry = find_entry(lab, source);
	if (entry && entry->is_measured && entry->result.outcome == LAB_OK)
		return entry;
	err_set(e, ERR_INPUT, "compare: a source was not found correct before");
	return NULL;
}

int lab_compare(struct lab *lab, const char *a, const char *b, double seconds, struct lab_duel *out,
		struct err *e)
{
	const struct entry *two[] = { correct_entry(lab, a, e), correct_entry(lab, b, e) };
	if (!two[0] || !two[1])
		return -1;
	struct lab_order order = order_of(lab, 0);
	order.compare_s = seconds;
	for (size_t i = 0; i < 2; i++)
		order.objects[i] = two[i]->object;
	for (size_t i = 0; i < lab->cases.nr; i++)
		order.limit_ns[i] = 20 * order.limit_ns[i] + 4e9 * seconds;
	lab->nr_evaluations++;
	if (lab_run(&order, &lab->cases, lab->report, e) < 0)
		return -1;
	if (!lab->report->is_whole)
		return err_set(e, ERR_CHILD, "compare: %s", lab->report->text);
	decide_duel(lab->report, out);
	return 0;
}

double lab_again(struct lab *lab, const char *source)
{
	struct entry *entry = find_entry(lab, source);
	if (!entry || entry->result.outcome != LAB_OK)
		return 0;
	const struct lab_result before = entry->result;
	struct lab_order order = order_of(lab, 0);
	order.objects[0] = entry->object;
	measure(lab, entry, &order);
	lab->nr_evaluations++;
	double now = entry->result.outcome == LAB_OK ? entry->result.ratio : 0;
	if (now < before.ratio)
		entry->result = before;
	return now;
}

static int make_report(struct lab *lab, struct err *e)
{
	void *at = mmap(NULL, sizeof(*lab->report), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return err_errno(e, ERR_SYSTEM, "room for a report");
	lab->report = at;
	return 0;
}

/* The reference's answers are what variants are held against, its times what they are divided into.
 */
static int run_reference(struct lab *lab, const char *source, struct err *e)
{
	struct entry *entry = add_entry(lab, source);
	build_all(lab, &entry, 1);
	lab->nr_evaluations = 0;
	if (!entry->object)
		return err_set(e, ERR_INPUT, "compile the reference: %s", entry->result.text);
	struct lab_order order = order_of(lab, 0);
	order.objects[0] = entry->object;
	order.is_reference = true;
	measure(lab, entry, &order);
	if (entry->result.outcome != LAB_OK)
		return err_set(e, ERR_CHILD, "run the reference: %s", entry->result.text);
	lab_cases_seal(&lab->cases);
	return 0;
}

static int prepare(struct lab *lab, const char *reference, const json_t *data, const char *dir,
		   struct err *e)
{
	AUTO_STR struct str caller = STR_INIT;
	if (lab->seconds < LEAST_SECONDS)
		return err_set(e, ERR_INPUT, "no seconds to measure in");
	if (lab_cases_make(&lab->cases, data, lab->seconds, &lab->a, e) < 0 ||
	    make_report(lab, e) < 0)
		return -1;
	caller_source(some_case(lab), &caller);
	if (lab_kit_make(&lab->kit, caller.text, dir, e) < 0)
		return -1;
	return run_reference(lab, reference, e);
}

struct lab *lab_open(const struct tuner_task *task, const char *reference, const json_t *data,
		     const char *dir, struct err *e)
{
	struct lab *lab = xcalloc(1, sizeof(*lab));
	lab->task = task;
	lab->seconds = json_real_or(data, "lab_seconds", 0);
	lab->start_ns = clock_mono_ns();
	if (prepare(lab, reference, data, dir, e) == 0)
		return lab;
	err_wrap(e, "lab");
	lab_close(lab);
	return NULL;
}

void lab_close(struct lab *lab)
{
	if (!lab)
		return;
	for (size_t i = 0; i < lab->nr_entries; i++) {
		free(lab->entries[i]->source);
		free(lab->entries[i]->object);
		free(lab->entries[i]);
	}
	free(lab->entries);
	if (lab->report)
		munmap(lab->report, sizeof(*lab->report));
	lab_cases_release(&lab->cases);
	lab_kit_release(&lab->kit);
	arena_release(&lab->a);
	free(lab);
}
