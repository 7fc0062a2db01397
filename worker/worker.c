#include "worker/worker.h"

/*
 * Opening a bundle: everything that a stage could trip over later (task, tolerances, programs
 * beside us) is looked at here, before any kernel runs. The kit may travel in the bundle, so that
 * a bare machine needs forge-worker and forge-runner only.
 */

#include <stdarg.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "build/backend.h"
#include "sys/priority.h"
#include "worker/gpu_bench.h"

static const char *const party_names[] = {
	[PARTY_REFERENCE] = "reference",
	[PARTY_CANDIDATE] = "candidate",
	[PARTY_ORACLE] = "oracle",
};

const char *party_name(enum party p)
{
	return party_names[p];
}

bool worker_is_sampling(const struct worker *w)
{
	return w->job.kind == JOB_TIME && !w->job.held_out && !w->job.with_monitor;
}

static bool take_kit(struct worker *w, char *dir)
{
	AUTO_FREE char *header = path_join(dir, "forge/kernel.h");
	if (!file_exists(header)) {
		free(dir);
		return false;
	}
	w->kit_dir = dir;
	return true;
}

static int find_programs(struct worker *w, struct err *e)
{
	AUTO_FREE char *here = path_of_program();
	w->runner_path = path_join(here, "forge-runner");
	if (!file_exists(w->runner_path))
		return err_set(e, ERR_SYSTEM, "no forge-runner beside forge-worker in %s", here);
	if (take_kit(w, path_join(w->bundle, "include")) ||
	    take_kit(w, xasprintf("%s/../../../include", here)) ||
	    take_kit(w, xasprintf("%s/../../include", here)) ||
	    take_kit(w, xasprintf("%s/../share/forge/include", here)))
		return 0;
	return err_set(e, ERR_SYSTEM, "forge/kernel.h is neither in the bundle nor beside %s",
		       here);
}

static int load_tolerances(struct worker *w, struct err *e)
{
	if (w->job.kind != JOB_JUDGE && w->job.kind != JOB_TIME)
		return 0;
	AUTO_FREE char *path = path_join(w->bundle, "check/tolerances.json");
	AUTO_JSON json_t *json = json_read_file(path, e);
	if (!json)
		return -1;
	if (tolerances_from_json(&w->tolerances, json, path, e) < 0)
		return -1;
	return tolerances_check_task(&w->tolerances, &w->task, path, e);
}

static void take_cache(struct worker *w)
{
	const char *dir = getenv("FORGE_CACHE");
	if (dir && dir[0])
		w->cache_dir = xstrdup(dir);
}

int worker_open(struct worker *w, const char *bundle, struct err *e)
{
	*w = (struct worker){ .bundle = bundle, .begin_ns = clock_mono_ns() };
	w->result.doc = json_object();
	if (job_load(&w->job, bundle, e) < 0)
		return -1;
	w->result.job_id = w->job.id;
	w->deadline_ns = w->begin_ns + (uint64_t)(w->job.deadline_s * (double)NS_PER_S);
	if (w->job.kind == JOB_LESSON)
		return cpu_usable(&w->cpus, e);
	AUTO_FREE char *task_dir = path_join(bundle, "task");
	if (task_load(&w->task, task_dir, e) < 0 || find_programs(w, e) < 0 ||
	    load_tolerances(w, e) < 0)
		return -1;
	if (w->job.kind != JOB_BUILD && backend_runs_here(&w->task, e) < 0)
		return -1;
	take_cache(w);
	/* Tried once; where it is not allowed nothing is ever raised. */
	w->is_realtime = priority_set_own(PRIORITY_WORKER) && priority_set_own(PRIORITY_ORDINARY);
	return cpu_usable(&w->cpus, e);
}

void worker_release(struct worker *w)
{
	gpu_bench_free(&w->gpu);
	for (size_t i = 0; i < PARTY_NR; i++)
		build_release(&w->builds[i]);
	tolerances_release(&w->tolerances);
	task_release(&w->task);
	result_release(&w->result);
	free(w->runner_path);
	free(w->kit_dir);
	free(w->cache_dir);
}

uint64_t worker_left_ns(const struct worker *w)
{
	uint64_t now = clock_mono_ns();
	return now < w->deadline_ns ? w->deadline_ns - now : 0;
}

int worker_check_time(const struct worker *w, struct err *e)
{
	if (worker_left_ns(w) > 0)
		return 0;
	return err_set(e, ERR_TIMEOUT, "the job's deadline of %g s has passed", w->job.deadline_s);
}

void worker_note(struct worker *w, const char *fmt, ...)
{
	AUTO_STR struct str text = STR_INIT;
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	json_t *notes = json_object_get(w->result.doc, "notes");
	if (!notes) {
		notes = json_array();
		json_object_set_new(w->result.doc, "notes", notes);
	}
	json_array_append_new(notes, json_string(text.text));
}

void worker_record(struct worker *w, const char *key, json_t *value)
{
	json_object_set_new(w->result.doc, key, value);
}

void worker_close_cost(struct worker *w)
{
	struct job_cost *c = &w->result.cost;
	c->build_s = (double)w->spent.build_ns / 1e9;
	c->start_s = (double)w->spent.start_ns / 1e9;
	c->kernel_s = (double)w->spent.kernel_ns / 1e9;
	c->judge_s = (double)w->spent.judge_ns / 1e9;
	c->prepare_s = (double)w->spent.prepare_ns / 1e9;
	c->wait_s = (double)w->spent.wait_ns / 1e9;
	c->total_s = (double)(clock_mono_ns() - w->begin_ns) / 1e9;
}

int worker_kernel_cpu(const struct worker *w)
{
	if (w->task.threads > 1 || w->cpus.nr < 2 || gpu_is_used(w))
		return -1;
	return w->cpus.ids[w->cpus.nr - 1];
}

static void charge(struct spent *s)
{
	uint64_t now = clock_mono_ns();
	if (s->current && now > s->since_ns)
		*s->current += now - s->since_ns;
	s->since_ns = now;
}

/* Who asked a judge with several threads sits on one of that one's cores, and what it starts from
 * there stays there with it. Where kernels run on a GPU it goes back to all of its cores. */
int worker_pin(const struct worker *w, struct err *e)
{
	if (gpu_is_used(w))
		return cpu_pin_list(&w->cpus, e);
	return worker_kernel_cpu(w) < 0 ? 0 : cpu_pin(w->cpus.ids[0], e);
}

struct spend spend_begin(struct spent *s, uint64_t *counter)
{
	struct spend inner = { .spent = s, .outer = s->current };
	charge(s);
	s->current = counter;
	return inner;
}

void spend_end(const struct spend *s)
{
	charge(s->spent);
	s->spent->current = s->outer;
}

void spent_move(struct spent *s, uint64_t *counter, uint64_t ns)
{
	*counter += ns;
	s->since_ns += ns;
}
