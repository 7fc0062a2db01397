/*
 * What the benchmarks share: job bundles made from a task of tasks/ (with other shapes or threads
 * if wanted), the real forge-worker run on them, and the decision rule applied to its samples. All
 * functions end the program when something of ours fails: a benchmark without its numbers has
 * nothing to say.
 */
#ifndef FORGE_BENCH_KIT_H
#define FORGE_BENCH_KIT_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/job.h"
#include "model/result.h"
#include "model/task.h"
#include "stats/paired.h"
#include "sys/proc.h"

/* A task as the benchmark wants it. */
struct kit_task {
	const char *name;     /* folder below tasks/ */
	const char *shapes;   /* JSON list that replaces the task's shapes; NULL: its own */
	const char *rows_dim; /* the outermost dim of a row-wise operator, for planted work */
	int threads;          /* 0: the task's own */
	const char *label;    /* tells apart bundles of one task; NULL: there is one */
};

static inline void kit_check(int rc, const struct err *e)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "bench: %s\n", e->text);
	exit(1);
}

static inline void kit_write(const char *dir, const char *name, const char *text)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(dir, name);
	AUTO_FREE char *folder = path_dir(path);
	kit_check(dir_make(folder, &e), &e);
	kit_check(file_write_text(path, text, &e), &e);
}

static inline char *kit_read(const char *dir, const char *name)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(dir, name);
	AUTO_STR struct str text = STR_INIT;
	kit_check(file_read(path, 1 << 22, &text, &e), &e);
	return str_take(&text);
}

static inline void kit_set_threads(const char *dir, int threads)
{
	AUTO_FREE char *text = kit_read(dir, "task/task.toml");
	char *at = strstr(text, "threads = ");
	if (!threads || !at)
		return;
	AUTO_FREE char *all = xasprintf("%.*sthreads = %d%s", (int)(at - text), text, threads,
					at + strcspn(at, "\n"));
	kit_write(dir, "task/task.toml", all);
}

static inline void kit_set_shapes(const char *dir, const char *shapes)
{
	struct err e = { 0 };
	if (!shapes)
		return;
	AUTO_FREE char *path = path_join(dir, "task/shapes.json");
	AUTO_JSON json_t *doc = json_read_file(path, &e);
	kit_check(doc ? 0 : -1, &e);
	json_t *list = json_loads(shapes, 0, NULL);
	kit_check(list ? 0 : err_set(&e, ERR_INPUT, "shapes of a benchmark: %s", shapes), &e);
	json_object_set_new(doc, "shapes", list);
	kit_check(json_write_file(path, doc, &e), &e);
}

static inline void kit_load_task(struct task *t, const char *dir)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(dir, "task");
	kit_check(task_load(t, path, &e), &e);
}

/* A job for a bundle folder; the caller changes what it wants otherwise. */
static inline struct job kit_job(enum job_kind kind, uint64_t seed, unsigned replicates)
{
	return (struct job){
		.id = "bench",
		.kind = kind,
		.seed = seed,
		.replicates = replicates,
		.rounds = 31,
		.is_cold = true,
		.accept_weak_sandbox = true,
		.deadline_s = 1800,
	};
}

/* Run the worker beside us. */
static inline void kit_run(const char *dir, const struct job *job, struct result *r)
{
	struct err e = { 0 };
	kit_check(job_save(job, dir, &e), &e);
	AUTO_FREE char *here = path_of_program();
	AUTO_FREE char *worker = xasprintf("%s/../bin/forge-worker", here);
	const char *argv[] = { worker, "run", dir, NULL };
	struct proc_spec spec = { .argv = argv };
	AUTO_PROC_RESULT struct proc_result done;
	kit_check(proc_run(&done, &spec, &e), &e);
	if (!proc_result_is_ok(&done))
		kit_check(err_set(&e, ERR_CHILD, "%s: %s", dir, done.err.text), &e);
	kit_check(result_load(r, dir, &e), &e);
}

/* The bundle of a task below `root`: copied, calibrated, reference as candidate. Yours. */
static inline char *kit_bundle(const char *root, const struct kit_task *k)
{
	struct err e = { 0 };
	char *dir = xasprintf("%s/%s-%d%s", root, k->name, k->threads, k->label ? k->label : "");
	AUTO_FREE char *from = path_join("tasks", k->name);
	AUTO_FREE char *to = path_join(dir, "task");
	kit_check(dir_make(dir, &e), &e);
	kit_check(tree_copy(from, to, &e), &e);
	kit_set_threads(dir, k->threads);
	kit_set_shapes(dir, k->shapes);
	AUTO_TASK struct task t;
	kit_load_task(&t, dir);
	AUTO_FREE char *reference = kit_read(to, t.reference_run);
	AUTO_FREE char *judge = kit_read(to, t.judge);
	kit_write(dir, "reference/kernel.c", reference);
	kit_write(dir, "candidate/kernel.c", reference);
	kit_write(dir, "check/judge.c", judge);
	struct job job = kit_job(JOB_CALIBRATE, 1, 0);
	AUTO_RESULT struct result r;
	kit_run(dir, &job, &r);
	return dir;
}

/* One call of each slot of every round, for the decision rule. */
static inline struct paired_round *kit_rounds(const struct result *r, size_t *nr)
{
	*nr = r->nr_samples / SLOT_NR;
	struct paired_round *rounds = xcalloc(*nr + 1, sizeof(*rounds));
	for (size_t i = 0; i < r->nr_samples; i++) {
		const struct sample *s = &r->samples[i];
		struct paired_round *p = &rounds[i / SLOT_NR];
		double ns = (double)s->ns / s->calls;
		p->shape = s->shape;
		p->replicate = s->replicate;
		p->round = s->round;
		p->is_dropped = s->is_dropped;
		if (s->slot == SLOT_REFERENCE)
			p->reference_ns = ns;
		else if (s->slot == SLOT_CANDIDATE)
			p->candidate_ns = ns;
		else
			p->again_ns = ns;
		/* Slots come in the order they ran. */
		if (s->slot == SLOT_REFERENCE)
			p->is_reference_first = p->candidate_ns == 0;
	}
	return rounds;
}

/* Floors that are stored for this machine: null trials, which make them, leave them out. */
enum kit_floors { KIT_OWN_FLOOR, KIT_STORED_FLOOR };

/* The estimate over all shapes of a timed job that passed, by the rule as forge applies it. */
static inline struct estimate kit_decide_by(const struct result *r, const struct job *job,
					    enum kit_floors which)
{
	struct err e = { 0 };
	if (r->verdict.state != VERDICT_PASS)
		kit_check(err_set(&e, ERR_INPUT, "a benchmark's kernel does not pass: %s: %s",
				  reason_name(r->verdict.reason), r->verdict.detail),
			  &e);
	size_t nr = 0;
	AUTO_FREE struct paired_round *rounds = kit_rounds(r, &nr);
	AUTO_FREE double *floors = xcalloc(r->nr_shapes + 1, sizeof(*floors));
	AUTO_FREE double *beside = xcalloc(job->replicates + 1, sizeof(*beside));
	for (size_t i = 0; which == KIT_STORED_FLOOR && i < r->nr_shapes; i++)
		floors[i] = result_noise_floor(r, r->shapes[i].name);
	size_t nr_beside = result_slowdowns(r, beside, job->replicates);
	for (size_t i = 0; i < nr_beside; i++)
		beside[i] = log1p(beside[i]);
	struct paired_spec spec = {
		.rounds = rounds,
		.nr_rounds = nr,
		.nr_shapes = (unsigned)r->nr_shapes,
		.nr_replicates = job->replicates,
		.shape_floors = floors,
		.beside = beside,
		.nr_beside = nr_beside,
	};
	AUTO_PAIRED struct paired p;
	kit_check(paired_evaluate(&p, &spec, &e), &e);
	return p.all;
}

static inline struct estimate kit_decide(const struct result *r, const struct job *job)
{
	return kit_decide_by(r, job, KIT_STORED_FLOOR);
}

/* A folder that lives as long as the program; builds are cached in it. */
static inline void kit_open(char root[64])
{
	snprintf(root, 64, "/tmp/forge-bench-XXXXXX");
	if (!mkdtemp(root)) {
		perror("bench: temporary folder");
		exit(1);
	}
	AUTO_FREE char *cache = path_join(root, "cache");
	setenv("FORGE_CACHE", cache, 1);
}

static inline void kit_close(const char *root)
{
	struct err e = { 0 };
	kit_check(tree_remove(root, &e), &e);
}

/* Text after an option, "-c l1-1". */
static inline const char *kit_text(int argc, char **argv, const char *name, const char *otherwise)
{
	for (int i = 1; i + 1 < argc; i++)
		if (str_equal(argv[i], name))
			return argv[i + 1];
	return otherwise;
}

/* Number after an option, "-n 20". */
static inline unsigned kit_option(int argc, char **argv, const char *name, unsigned otherwise)
{
	const char *text = kit_text(argc, argv, name, NULL);
	return text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

#endif
