/*
 * What is the embedded optimiser worth? Per task: one real run of forge, then its best kernel
 * against the reference as built, against what gcc and clang make of the same source by flags (loop
 * optimisers and a textual restrict included; the best one over all shapes counts), against their
 * parallelisers, which are told apart because few builds ask for them, and, where there is one,
 * against a library written by experts. Same operands, same number of threads where there are
 * several, cold caches, random order, one process each.
 *
 *   tuner [-r ROUNDS] [-d RUNS] [-o FILE.md] [-k KERNELS] TASKDIR...
 *
 * The last line is wins=WON/TASKS geomean=RATIO. -d keeps the runs in a folder and reuses those
 * that have ended there; -k leaves what it found in the folders of released kernels (comparison.h).
 * A win is a ratio over the best compiler build (of one thread) whose interval lies above 1.
 */

#include <math.h>
#include <time.h>
#include <unistd.h>

#include "bench/comparison.h"
#include "bench/contest.h"
#include "bench/ratio.h"
#include "build/directive.h"

enum { DEFAULT_ROUNDS = 31, SEED = 1, RUN_DEADLINE_S = 7200 };

/* ---- who takes part ---- */

struct member {
	const char *name;
	const char *flags; /* %u: threads */
};

#define GCC_FAST "gcc -O3 -march=native -ffast-math"
#define CLANG_FAST "clang -O3 -march=native -ffast-math -fveclib=libmvec"

static const struct member members[] = {
	{ "gcc strict", "gcc -O3 -march=native -fno-math-errno -fno-trapping-math" },
	{ "gcc", GCC_FAST },
	{ "gcc graphite", GCC_FAST " -fgraphite-identity -floop-nest-optimize" },
	{ "gcc parallel", GCC_FAST " -floop-parallelize-all -ftree-parallelize-loops=%u" },
	{ "clang strict", "clang -O3 -march=native -fno-math-errno -fno-trapping-math" },
	{ "clang", CLANG_FAST },
	{ "clang polly", CLANG_FAST " -mllvm -polly" },
	{ "clang polly parallel", CLANG_FAST " -mllvm -polly -mllvm -polly-parallel"
					     " -mllvm -polly-omp-backend=GNU"
					     " -mllvm -polly-num-threads=%u" },
};

struct library {
	const char *task;
	const char *name;
	const char *source; /* in bench/libraries */
	const char *flags;
	const char *libs;
	const char *env;   /* one variable, or NULL */
	const char *needs; /* feature of the processor, or NULL */
	bool is_unbound;   /* a pool of its own, which would inherit the binding of the first thread
			    */
	const char *package;
};

#define OPENBLAS_AT(kind)                                                                          \
	.task = "sgemm", .source = "sgemm-openblas.c", .flags = "",                                \
	.libs = "-Wl,-rpath,/usr/lib/x86_64-linux-gnu/openblas-" kind                              \
		" /usr/lib/x86_64-linux-gnu/openblas-" kind "/libopenblas.so.0",                   \
	.package = "libopenblas0-" kind
#define ONEDNN_FOR(name)                                                                           \
	.task = name, .source = name "-onednn.c", .libs = "-ldnnl", .package = "libdnnl-dev"

/* OpenBLAS runs on its oldest kernels where it does not know a processor by name, so it is told. */
static const struct library libraries[] = {
	{ .name = "OpenBLAS", OPENBLAS_AT("openmp") },
	{ .name = "OpenBLAS Haswell",
	  OPENBLAS_AT("openmp"),
	  .env = "OPENBLAS_CORETYPE=Haswell",
	  .needs = "avx2" },
	{ .name = "OpenBLAS SkylakeX",
	  OPENBLAS_AT("openmp"),
	  .env = "OPENBLAS_CORETYPE=SkylakeX",
	  .needs = "avx512f" },
	{ .name = "OpenBLAS pthreads", OPENBLAS_AT("pthread"), .is_unbound = true },
	{ .name = "OpenBLAS Haswell pthreads",
	  OPENBLAS_AT("pthread"),
	  .env = "OPENBLAS_CORETYPE=Haswell",
	  .needs = "avx2",
	  .is_unbound = true },
	{ .name = "OpenBLAS SkylakeX pthreads",
	  OPENBLAS_AT("pthread"),
	  .env = "OPENBLAS_CORETYPE=SkylakeX",
	  .needs = "avx512f",
	  .is_unbound = true },
	{ .name = "oneDNN, plain", ONEDNN_FOR("conv2d"), .flags = "-DBLOCKED=0" },
	{ .name = "oneDNN, blocked filters", ONEDNN_FOR("conv2d"), .flags = "-DBLOCKED=1" },
	{ .name = "oneDNN, blocked", ONEDNN_FOR("conv2d"), .flags = "-DBLOCKED=2" },
	{ .name = "oneDNN", ONEDNN_FOR("softmax"), .flags = "" },
	{ .name = "oneDNN", ONEDNN_FOR("layernorm"), .flags = "" },
};

/* The source with `restrict` at every pointer parameter of its entry; yours, or NULL without the
 * entry's definition. */
static char *with_restrict(const char *source, const char *entry)
{
	AUTO_FREE char *head = xasprintf("%s(", entry);
	const char *from = strstr(source, head);
	const char *end = from ? strchr(from, ')') : NULL;
	if (!end)
		return NULL;
	AUTO_STR struct str out = STR_INIT;
	str_add_len(&out, source, (size_t)(from - source));
	for (; from < end; from++) {
		str_add_char(&out, *from);
		if (*from == '*')
			str_add(&out, "restrict ");
	}
	str_add(&out, end);
	return str_take(&out);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static char *member_flags(const struct member *m, unsigned threads)
{
	return xasprintf(m->flags, threads);
}
#pragma GCC diagnostic pop

/* First line of what a program says of itself; yours. NULL: it says nothing. */
static char *version_of(const char *const *argv)
{
	struct err e = { 0 };
	struct proc_spec spec = { .argv = argv };
	AUTO_PROC_RESULT struct proc_result done;
	if (proc_run(&done, &spec, &e) < 0 || !proc_result_is_ok(&done))
		return NULL;
	return xstrndup(done.out.text, strcspn(done.out.text, "\n"));
}

static char *compiler_version(const char *flags)
{
	AUTO_FREE char *compiler = xstrndup(flags, strcspn(flags, " "));
	const char *const argv[] = { compiler, "--version", NULL };
	return version_of(argv);
}

static char *package_version(const char *package)
{
	const char *const argv[] = { "dpkg-query", "-W", "-f", "${Package} ${Version}\n",
				     package,      NULL };
	return version_of(argv);
}

static void add_compilers(struct contest *c, const char *source)
{
	AUTO_FREE char *restricted = with_restrict(source, c->task.entry);
	for (size_t i = 0; i < 2 * ARRAY_LEN(members); i++) {
		const struct member *m = &members[i / 2];
		const bool is_restrict = i % 2;
		if (is_restrict && !restricted)
			continue;
		AUTO_FREE char *flags = member_flags(m, c->task.threads);
		AUTO_FREE char *name = xasprintf("%s%s", m->name, is_restrict ? " restrict" : "");
		bool is_parallel = strchr(m->flags, '%') != NULL;
		struct party *p =
			contest_add(c, is_parallel ? PARTY_PARALLEL : PARTY_COMPILER, name);
		p->flags = xstrdup(flags);
		p->version = compiler_version(flags);
		party_build(p, c, flags, is_restrict ? restricted : source);
	}
}

static void add_tuner(struct contest *c, const char *source)
{
	AUTO_DIRECTIVE struct directive d = { 0 };
	struct party *p = contest_add(c, PARTY_TUNER, "optimiser");
	struct verdict v = directive_parse(&d, source, c->task.reference_build, c->task.threads);
	if (v.state != VERDICT_NONE) {
		party_dismiss(p, v.detail);
		return;
	}
	AUTO_FREE char *flags = directive_text(&d);
	party_build(p, c, flags, source);
}

static bool cpu_has(const char *feature)
{
	struct cpu_info cpu;
	AUTO_STRV struct strv features = { 0 };
	cpu_read(&cpu);
	strv_split(&features, cpu.isa, " ");
	return strv_has(&features, feature);
}

static void add_libraries(struct contest *c)
{
	for (size_t i = 0; i < ARRAY_LEN(libraries); i++) {
		const struct library *l = &libraries[i];
		if (!str_equal(l->task, c->task.name) || (l->needs && !cpu_has(l->needs)))
			continue;
		struct party *p = contest_add(c, PARTY_LIBRARY, l->name);
		AUTO_FREE char *source = xasprintf("bench/libraries/%s", l->source);
		AUTO_FREE char *object = xasprintf("%s/%zu.o", c->dir, c->nr_parties);
		AUTO_FREE char *flags = xasprintf("gcc -O2 %s", l->flags);
		p->is_unbound = l->is_unbound;
		p->env = l->env;
		p->version = package_version(l->package);
		if (party_compile(p, flags, source, object))
			party_link(p, c, object, l->libs);
		if (p->program)
			continue;
		free(p->lack);
		p->lack = xasprintf("not installed: apt install %s", l->package);
	}
}

/* ---- the run ---- */

/* What events.jsonl says. */
struct run_facts {
	double inner_s; /* stages curriculum and student */
	double whole_s;
	unsigned nr_rounds;
	int64_t nr_evaluations; /* of the optimiser's own search; -1: it does not say */
	bool has_ended;
};

static double seconds_between(int64_t from_ns, int64_t to_ns)
{
	return (double)(to_ns - from_ns) / 1e9;
}

/* What the optimiser's teacher logs when its search is over; after the number. */
static const char evaluations_text[] = " kernels were compiled";

/* Sum over a turn's transcript; -1: it says nothing. */
static int64_t evaluations_of(const char *run, const json_t *turn)
{
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_FREE char *path = path_join(run, json_text_or(turn, "transcript", ""));
	int64_t sum = -1;
	if (!json_object_get(turn, "transcript") || file_read(path, (size_t)1 << 28, &text, &e) < 0)
		return -1;
	for (const char *at = text.text; (at = strstr(at, evaluations_text)); at++) {
		const char *digit = at;
		while (digit > text.text && digit[-1] >= '0' && digit[-1] <= '9')
			digit--;
		sum = (sum < 0 ? 0 : sum) + strtoll(digit, NULL, 10);
	}
	return sum;
}

/* Instants of the monotonic clock, which counts within a session only. */
struct run_clock {
	int64_t session_ns; /* when it began */
	int64_t stage_ns;
	int64_t last_ns; /* the event before */
};

static void facts_add(struct run_facts *f, const json_t *event, struct run_clock *at)
{
	const char *type = json_text_or(event, "type", "");
	const int64_t now_ns = json_int_or(event, "mono_ns", 0);
	const json_t *body = json_object_get(event, "body");
	const char *stage = json_text_or(body, "stage", "");
	const bool is_inner = str_equal(stage, "curriculum") || str_equal(stage, "student");
	if (str_equal(type, "run_started")) {
		f->whole_s += seconds_between(at->session_ns, at->last_ns);
		at->session_ns = now_ns;
	}
	if (str_equal(type, "stage_started"))
		at->stage_ns = now_ns;
	if (str_equal(type, "stage_done") && is_inner)
		f->inner_s += seconds_between(at->stage_ns, now_ns);
	f->nr_rounds += str_equal(type, "round_closed");
	f->has_ended |= str_equal(type, "run_ended");
	at->last_ns = now_ns;
}

static int facts_read(struct run_facts *f, const char *run, struct err *e)
{
	AUTO_FREE char *path = path_join(run, "events.jsonl");
	AUTO_STR struct str text = STR_INIT;
	AUTO_STRV struct strv lines = { 0 };
	struct run_clock at = { 0 };
	*f = (struct run_facts){ .nr_evaluations = -1 };
	if (file_read(path, (size_t)1 << 30, &text, e) < 0)
		return -1;
	strv_split(&lines, text.text, "\n");
	for (size_t i = 0; i < lines.nr; i++) {
		AUTO_JSON json_t *event =
			json_read_text(lines.items[i], strlen(lines.items[i]), path, e);
		if (!event)
			return -1;
		/* run_created comes before the first session. */
		if (i == 0)
			at.session_ns = at.last_ns = json_int_or(event, "mono_ns", 0);
		facts_add(f, event, &at);
		const int64_t more = evaluations_of(run, json_object_get(event, "body"));
		if (more >= 0)
			f->nr_evaluations = more + (f->nr_evaluations > 0 ? f->nr_evaluations : 0);
	}
	f->whole_s += seconds_between(at.session_ns, at.last_ns);
	return 0;
}

static int run_forge(const char *const *argv, struct err *e)
{
	struct proc_spec spec = { .argv = argv, .deadline_ns = RUN_DEADLINE_S * NS_PER_S };
	AUTO_PROC_RESULT struct proc_result done;
	if (proc_run(&done, &spec, e) < 0)
		return -1;
	/* 2: it ended without meeting its goal. */
	if (!proc_result_is_ok(&done) && done.exit_code != 2)
		return err_set(e, ERR_CHILD, "forge %s: %s", argv[1], done.err.text);
	return 0;
}

/* A run that has ended in this folder stands. */
static int make_run(const char *task_dir, const char *run, struct run_facts *f, struct err *e)
{
	struct err old = { 0 };
	AUTO_FREE char *here = path_of_program();
	AUTO_FREE char *forge = xasprintf("%s/../bin/forge", here);
	const char *const new_argv[] = { forge, "new", task_dir, "--dir", run, NULL };
	const char *const run_argv[] = { forge, "run", run, NULL };
	if (facts_read(f, run, &old) == 0 && f->has_ended)
		return 0;
	if (!file_exists(run) && run_forge(new_argv, e) < 0)
		return -1;
	if (run_forge(run_argv, e) < 0)
		return -1;
	return facts_read(f, run, e);
}

/* The best kernel; without one, the reference stands for itself. Yours. */
static char *kernel_of(const char *run, const struct task *t)
{
	AUTO_FREE char *best = path_join(run, "best/kernel.c");
	return file_exists(best) ? kit_read(run, "best/kernel.c")
				 : kit_read(t->dir, t->reference_run);
}

/* ---- results ---- */

enum column {
	COL_TASK,
	COL_NAIVE,
	COL_COMPILER,
	COL_WHICH,
	COL_TUNER,
	COL_RATIO,
	COL_PARALLEL,
	COL_PARALLELISER,
	COL_VS_PARALLEL,
	COL_LIBRARY,
	COL_EXPERT,
	COL_VS_LIBRARY,
	COL_ROUNDS,
	COL_EVALUATIONS,
	COL_INNER,
	COL_WHOLE,
	COL_NR
};

static const char *const titles[COL_NR] = {
	"task",
	"naive ms",
	"compiler ms",
	"best compiler build",
	"optimiser ms",
	"optimiser/compiler",
	"parallel ms",
	"best parallel build",
	"optimiser/parallel",
	"library ms",
	"library",
	"optimiser/library",
	"rounds",
	"evaluations",
	"search s",
	"run s",
};

struct row {
	char *cells[COL_NR];
	struct ratio ratio; /* over the best compiler build; value 0: none */
};

struct table {
	struct row *rows;
	size_t nr;
	struct str notes;  /* who was out, and why */
	struct str shapes; /* a line per task and shape */
};

static double median_ms(const struct contest *c, const struct party *p, size_t shape)
{
	return summary_median(p->ns + shape * c->nr_rounds, c->nr_rounds) / 1e6;
}

static size_t slowest_shape(const struct contest *c)
{
	size_t at = 0;
	for (size_t i = 1; i < c->nr_beds; i++)
		if (median_ms(c, &c->parties[0], i) > median_ms(c, &c->parties[0], at))
			at = i;
	return at;
}

static struct ratio ratio_over(const struct contest *c, const struct party *other,
			       const struct party *tuner)
{
	struct ratio_spec spec = {
		.a = other->ns,
		.b = tuner->ns,
		.nr_shapes = c->nr_beds,
		.nr_rounds = c->nr_rounds,
		.seed = SEED,
	};
	return ratio_make(&spec);
}

static char *ms_cell(const struct contest *c, const struct party *p, size_t shape)
{
	return p ? xasprintf("%.3f", median_ms(c, p, shape)) : xstrdup("-");
}

static char *ratio_cell(const struct ratio *r)
{
	return r->value > 0 ? xasprintf("%.2f [%.2f, %.2f]", r->value, r->low, r->high)
			    : xstrdup("-");
}

enum { WHO = 5 };

static void describe_shapes(const struct contest *c, const struct party *const who[WHO],
			    struct str *out)
{
	for (size_t i = 0; i < c->nr_beds; i++) {
		str_addf(out, "%s\t%s", c->task.name, c->beds[i].shape->name);
		for (size_t k = 0; k < WHO; k++) {
			AUTO_FREE char *ms = ms_cell(c, who[k], i);
			str_addf(out, "\t%s", ms);
		}
		str_add_char(out, '\n');
	}
}

static void fill_row(struct row *row, const struct contest *c, const struct run_facts *f,
		     struct table *t)
{
	const struct party *who[WHO] = { &c->parties[0], comparison_best(c, PARTY_COMPILER),
					 comparison_best(c, PARTY_TUNER),
					 comparison_best(c, PARTY_LIBRARY),
					 comparison_best(c, PARTY_PARALLEL) };
	const size_t shape = slowest_shape(c);
	struct ratio over_library = { 0 };
	struct ratio over_parallel = { 0 };
	if (who[1] && who[2])
		row->ratio = ratio_over(c, who[1], who[2]);
	if (who[3] && who[2])
		over_library = ratio_over(c, who[3], who[2]);
	if (who[4] && who[2])
		over_parallel = ratio_over(c, who[4], who[2]);
	row->cells[COL_PARALLEL] = ms_cell(c, who[4], shape);
	row->cells[COL_PARALLELISER] = xstrdup(who[4] ? who[4]->name : "-");
	row->cells[COL_VS_PARALLEL] = ratio_cell(&over_parallel);
	row->cells[COL_NAIVE] = ms_cell(c, who[0], shape);
	row->cells[COL_COMPILER] = ms_cell(c, who[1], shape);
	row->cells[COL_WHICH] = xstrdup(who[1] ? who[1]->name : "-");
	row->cells[COL_TUNER] = ms_cell(c, who[2], shape);
	row->cells[COL_RATIO] = ratio_cell(&row->ratio);
	row->cells[COL_LIBRARY] = ms_cell(c, who[3], shape);
	row->cells[COL_EXPERT] = xstrdup(who[3] ? who[3]->name : "-");
	row->cells[COL_VS_LIBRARY] = ratio_cell(&over_library);
	row->cells[COL_ROUNDS] = xasprintf("%u", f->nr_rounds);
	row->cells[COL_EVALUATIONS] = f->nr_evaluations < 0
					      ? xstrdup("-")
					      : xasprintf("%lld", (long long)f->nr_evaluations);
	row->cells[COL_INNER] = xasprintf("%.0f", f->inner_s);
	row->cells[COL_WHOLE] = xasprintf("%.0f", f->whole_s);
	describe_shapes(c, who, &t->shapes);
	for (size_t i = 0; i < c->nr_parties; i++)
		if (c->parties[i].lack)
			str_addf(&t->notes, "%s: %s: %s\n", c->task.name, c->parties[i].name,
				 c->parties[i].lack);
}

/* ---- one task ---- */

struct options {
	unsigned nr_rounds;
	const char *runs;
	const char *out;     /* or NULL */
	const char *kernels; /* or NULL */
	char root[64];
};

static int compete(struct contest *c, const char *run, struct err *e)
{
	AUTO_FREE char *reference = kit_read(c->task.dir, c->task.reference_run);
	AUTO_FREE char *kernel = kernel_of(run, &c->task);
	struct party *naive = contest_add(c, PARTY_NAIVE, c->task.reference_build);
	party_build(naive, c, c->task.reference_build, reference);
	add_compilers(c, reference);
	add_tuner(c, kernel);
	add_libraries(c);
	return contest_run(c, e);
}

/* A kernel that did not stand the contest is told of in the notes only. */
static void leave_comparison(const struct options *o, const struct contest *c, const char *run)
{
	const struct party *kernel = comparison_best(c, PARTY_TUNER);
	AUTO_FREE char *best = path_join(run, "best/kernel.c");
	if (!o->kernels || !kernel || !file_exists(best))
		return;
	AUTO_FREE char *source = kit_read(run, "best/kernel.c");
	AUTO_FREE char *command =
		xasprintf("make bench-tuner TASKS=%s R=%u", c->task.name, o->nr_rounds);
	const struct comparison cmp = { .contest = c,
					.kernel = kernel,
					.kernels = o->kernels,
					.source = source,
					.command = command,
					.seed = SEED };
	const unsigned nr = comparison_write(&cmp);
	printf("%-14s %u released kernel%s compared\n", c->task.name, nr, nr == 1 ? "" : "s");
}

static int take_tolerances(struct contest *c, const char *run, struct err *e)
{
	AUTO_FREE char *path = path_join(run, "check/tolerances.json");
	AUTO_JSON json_t *json = json_read_file(path, e);
	return json ? tolerances_from_json(&c->tolerances, json, path, e) : -1;
}

static int bench_task(const struct options *o, const char *task_dir, struct row *row,
		      struct table *t, struct err *e)
{
	struct run_facts facts = { 0 };
	AUTO_CONTEST struct contest c = { .nr_rounds = o->nr_rounds, .rng = { .seed = SEED } };
	c.dir = path_join(o->root, path_base(task_dir));
	AUTO_FREE char *run = path_join(o->runs, path_base(task_dir));
	if (make_run(task_dir, run, &facts, e) < 0 || contest_open(&c, task_dir, e) < 0 ||
	    take_tolerances(&c, run, e) < 0 || compete(&c, run, e) < 0)
		return -1;
	fill_row(row, &c, &facts, t);
	leave_comparison(o, &c, run);
	return 0;
}

/* A task that could not be measured is a row of dashes and a note, and no win. */
static void add_task(const struct options *o, const char *task_dir, struct table *t)
{
	struct err e = { 0 };
	t->rows = xreallocarray(t->rows, t->nr + 1, sizeof(*t->rows));
	struct row *row = &t->rows[t->nr++];
	*row = (struct row){ 0 };
	row->cells[COL_TASK] = xstrdup(path_base(task_dir));
	if (bench_task(o, task_dir, row, t, &e) < 0)
		str_addf(&t->notes, "%s: not measured: %s\n", path_base(task_dir), e.text);
	for (size_t i = 0; i < COL_NR; i++)
		row->cells[i] = row->cells[i] ? row->cells[i] : xstrdup("-");
	printf("%-14s naive %s, %s %s, optimiser %s ms: %s\n", row->cells[COL_TASK],
	       row->cells[COL_NAIVE], row->cells[COL_WHICH], row->cells[COL_COMPILER],
	       row->cells[COL_TUNER], row->cells[COL_RATIO]);
	fflush(stdout);
}

/* ---- the table ---- */

static size_t widest(const struct table *t, size_t column)
{
	size_t width = strlen(titles[column]);
	for (size_t i = 0; i < t->nr; i++)
		if (strlen(t->rows[i].cells[column]) > width)
			width = strlen(t->rows[i].cells[column]);
	return width;
}

static void print_line(const struct table *t, const char *const *cells, struct str *out)
{
	for (size_t i = 0; i < COL_NR; i++)
		str_addf(out, "| %-*s ", (int)widest(t, i), cells ? cells[i] : "---");
	str_add(out, "|\n");
}

/* Markdown that a terminal can show, too. */
static void print_table(const struct table *t, struct str *out)
{
	print_line(t, titles, out);
	print_line(t, NULL, out);
	for (size_t i = 0; i < t->nr; i++)
		print_line(t, (const char *const *)t->rows[i].cells, out);
}

static void print_shapes(const struct table *t, struct str *out)
{
	AUTO_STRV struct strv lines = { 0 };
	strv_split(&lines, t->shapes.text, "\n");
	str_add(out, "\nMedian ms per shape:\n\n"
		     "| task | shape | naive | compiler | optimiser | library | parallel |\n"
		     "|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < lines.nr; i++) {
		AUTO_STRV struct strv cells = { 0 };
		strv_split(&cells, lines.items[i], "\t");
		AUTO_FREE char *row = strv_join(&cells, " | ");
		str_addf(out, "| %s |\n", row);
	}
}

static void print_notes(const struct table *t, struct str *out)
{
	AUTO_STRV struct strv lines = { 0 };
	strv_split(&lines, t->notes.text, "\n");
	if (lines.nr)
		str_add(out, "\nNot in the contest:\n\n");
	for (size_t i = 0; i < lines.nr; i++)
		str_addf(out, "- %s\n", lines.items[i]);
}

static void add_version(struct str *out, const char *compiler)
{
	AUTO_FREE char *version = compiler_version(compiler);
	if (version)
		str_addf(out, ", %s", version);
}

static void print_head(const struct options *o, struct str *out)
{
	struct cpu_info cpu;
	char date[32];
	cpu_read(&cpu);
	clock_format_wall(clock_wall_ns(), date);
	str_addf(out, "%.10s, %s, %u cores%s", date, cpu.model, cpu.nr_usable,
		 cpu.is_virtual ? " (virtual machine)" : "");
	add_version(out, "gcc");
	add_version(out, "clang");
	str_addf(out,
		 ".\n\nThreads as each task allows, %u rounds, operands cold, all contestants in "
		 "turns, each call\nprepared on the last thread's core. Times "
		 "are medians at the task's slowest\nshape; ratios are geometric means over the "
		 "visible "
		 "shapes of medians of paired ratios, with 95 %% bootstrap\nintervals; above 1 the "
		 "optimiser is faster. Reproduce with `make bench-tuner R=%u`.\n\n",
		 o->nr_rounds, o->nr_rounds);
}

static void print_members(struct str *out)
{
	str_add(out, "\nCompiler builds, each also with `restrict` at the entry's pointers:\n\n");
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		AUTO_FREE char *flags = member_flags(&members[i], 2);
		str_addf(out, "- %s: `%s`\n", members[i].name, flags);
	}
}

static void print_sum(const struct table *t, struct str *out)
{
	size_t nr_won = 0;
	size_t nr = 0;
	AUTO_FREE double *ratios = xcalloc(t->nr + 1, sizeof(*ratios));
	for (size_t i = 0; i < t->nr; i++) {
		const struct ratio *r = &t->rows[i].ratio;
		nr_won += r->low > 1;
		if (r->value > 0)
			ratios[nr++] = r->value;
	}
	str_addf(out, "wins=%zu/%zu geomean=%.3f\n", nr_won, t->nr, summary_geomean(ratios, nr));
}

static void print_all(const struct options *o, const struct table *t)
{
	struct err e = { 0 };
	AUTO_STR struct str out = STR_INIT;
	AUTO_STR struct str sum = STR_INIT;
	print_head(o, &out);
	print_table(t, &out);
	print_shapes(t, &out);
	print_notes(t, &out);
	print_members(&out);
	print_sum(t, &sum);
	printf("\n%s\n%s", out.text, sum.text);
	if (!o->out)
		return;
	AUTO_FREE char *document =
		xasprintf("# The embedded optimiser\n\n%s\n%s", out.text, sum.text);
	kit_check(file_write_text(o->out, document, &e), &e);
}

int main(int argc, char **argv)
{
	struct options o = { .nr_rounds = DEFAULT_ROUNDS };
	struct table t = { .notes = STR_INIT, .shapes = STR_INIT };
	int option = 0;
	while ((option = getopt(argc, argv, "r:d:o:k:")) != -1) {
		if (option == 'r')
			o.nr_rounds = (unsigned)strtoul(optarg, NULL, 10);
		else if (option == 'd')
			o.runs = optarg;
		else if (option == 'o')
			o.out = optarg;
		else if (option == 'k')
			o.kernels = optarg;
		else
			return 64;
	}
	kit_open(o.root);
	AUTO_FREE char *own_runs = path_join(o.root, "runs");
	o.runs = o.runs ? o.runs : own_runs;
	for (int i = optind; i < argc; i++)
		add_task(&o, argv[i], &t);
	print_all(&o, &t);
	for (size_t i = 0; i < t.nr; i++)
		for (size_t k = 0; k < COL_NR; k++)
			free(t.rows[i].cells[k]);
	free(t.rows);
	str_release(&t.notes);
	str_release(&t.shapes);
	kit_close(o.root);
	return 0;
}
