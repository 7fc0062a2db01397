#include "engine/evolve.h"

/* A chain appears with the run of generation 0 inside: whatever is wrong with the task is said
 * before anything exists, and by the same words as forge new. */

#include <string.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/version.h"
#include "model/task.h"
#include "store/chaindir.h"
#include "store/eventlog.h"
#include "store/rundir.h"

/* "-g99" must fit behind the name (model/task.c: MAX_NAME). */
enum { MAX_CHAIN_NAME = 58 };

static char *choose_place(const struct evolve_new *spec, const struct task *t, uint64_t seed)
{
	if (spec->chain_dir)
		return xstrdup(spec->chain_dir);
	AUTO_FREE char *chain = xasprintf("%s-chain", t->name);
	AUTO_FREE char *name = rundir_fresh_name(chain, (unsigned long)(clock_wall_ns() / NS_PER_S),
						 (unsigned long)seed);
	return path_join(spec->chains_dir ? spec->chains_dir : ".artifacts", name);
}

static int add_event(struct eventlog *log, enum event_type type, json_t *body, struct err *e)
{
	return eventlog_add(log, type, body, e);
}

/* What a new chain is made from. */
struct newborn {
	const struct evolve_new *spec;
	const struct task *task;
	uint64_t seed;
};

static int write_log(const struct newborn *n, const char *dir, struct err *e)
{
	const struct evolve_new *spec = n->spec;
	const struct task *t = n->task;
	AUTO_FREE char *path = chaindir_path(dir, CHAINDIR_LOG);
	AUTO_FREE char *run = chaindir_generation(CHAINDIR_RUNS, 0);
	AUTO_FREE char *task = xasprintf("%s/task", run);
	AUTO_FREE char *whole = path_join(dir, task);
	struct digest digest;
	if (digest_tree(whole, &digest, e) < 0)
		return -1;
	AUTO_EVENTLOG struct eventlog *log = eventlog_open(path, NULL, NULL, e);
	if (!log)
		return -1;
	json_t *created =
		json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:I, s:s}", "task", t->name, "forge",
			  FORGE_VERSION, "teacher", t->teacher, "student", t->student, "step",
			  spec->step > 0 ? spec->step : EVOLVE_STEP, "ratio", t->ratio, "hours",
			  spec->hours, "seed", (json_int_t)n->seed, "task_digest", digest.hex);
	json_t *started = json_pack("{s:i, s:s, s:s, s:s}", "generation", 0, "task", task,
				    "task_digest", digest.hex, "run", run);
	if (add_event(log, EVENT_chain_created, created, e) < 0) {
		json_decref(started);
		return -1;
	}
	return add_event(log, EVENT_generation_started, started, e);
}

static int fill(const void *ctx, const char *dir, struct err *e)
{
	const struct newborn *n = ctx;
	AUTO_FREE char *run = chaindir_generation(CHAINDIR_RUNS, 0);
	AUTO_FREE char *run_dir = path_join(dir, run);
	AUTO_FREE char *runs = chaindir_path(dir, CHAINDIR_RUNS);
	AUTO_STR struct str made = STR_INIT;
	const struct engine_new first = { .task_dir = n->spec->task_dir,
					  .run_dir = run_dir,
					  .seed = rng_derive(n->seed, "g0") >> 2 };
	if (dir_make(runs, e) < 0 || engine_new_run(&first, &made, e) < 0)
		return -1;
	return write_log(n, dir, e);
}

int evolve_new(const struct evolve_new *spec, struct str *made, struct err *e)
{
	AUTO_TASK struct task task = { 0 };
	uint64_t seed = spec->seed;
	if (task_load(&task, spec->task_dir, e) < 0 || rng_draw_seed(&seed, e) < 0)
		return -1;
	if (strlen(task.name) > MAX_CHAIN_NAME)
		return err_set(e, ERR_INPUT,
			       "task.toml: the name \"%s\" leaves no room for \"-g1\"; use at most "
			       "%d characters",
			       task.name, MAX_CHAIN_NAME);
	if (task.leaderboard)
		return err_set(
			e, ERR_INPUT,
			"task.toml: [leaderboard]: the origin's reference is what its judge "
			"and its number rest on, so there are no generations; use forge run");
	AUTO_FREE char *place = choose_place(spec, &task, seed);
	if (file_exists(place))
		return err_set(e, ERR_CONFLICT, "%s: already there; choose another folder", place);
	const struct newborn newborn = { spec, &task, seed };
	if (dir_make_whole(place, fill, &newborn, e) < 0)
		return -1;
	str_add(made, place);
	return 0;
}
