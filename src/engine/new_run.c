#include "engine/engine.h"

/* forge new: lint, copy, hash, first event. All of it happens in a folder of another name beside
 * the target, which is renamed at the end: a run directory appears whole or not at all. */

#include <string.h>

#include "agent/agent_ops.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/version.h"
#include "engine/on_host.h"
#include "engine/prompt_custody.h"
#include "engine/start.h"
#include "model/task.h"
#include "store/eventlog.h"
#include "store/rundir.h"
#include "store/seal.h"

static int check_driver(const char *role, const char *name, struct err *e)
{
	if (agent_driver(name))
		return 0;
	AUTO_STR struct str known = STR_INIT;
	agent_driver_names(&known);
	return err_set(e, ERR_INPUT, "task.toml: [agents] %s = \"%s\": no such agent; known: %s",
		       role, name, known.text);
}

static int check_task(const struct task *t, struct err *e)
{
	if (on_host_check_task(NULL, t, e) < 0)
		return err_wrap(e, "task.toml: language \"%s\"", t->language);
	if (check_driver("teacher", t->teacher, e) < 0)
		return -1;
	return check_driver("student", t->student, e);
}

static char *choose_place(const struct engine_new *spec, const struct task *t, uint64_t seed)
{
	if (spec->run_dir)
		return xstrdup(spec->run_dir);
	AUTO_FREE char *name = rundir_fresh_name(
		t->name, (unsigned long)(clock_wall_ns() / NS_PER_S), (unsigned long)seed);
	return path_join(spec->runs_dir ? spec->runs_dir : ".artifacts", name);
}

/* Blackbox: whatever lies beside the reference may be a part of it. */
static int seal_reference(const struct task *t, const char *copy, struct err *e)
{
	if (t->reference_is_source)
		return 0;
	AUTO_FREE char *path = path_join(copy, t->reference_run);
	AUTO_FREE char *dir = path_dir(path);
	AUTO_STRV struct strv names = { 0 };
	if (dir_list(dir, &names, e) < 0)
		return -1;
	bool is_root = !strchr(t->reference_run, '/');
	for (size_t i = 0; i < names.nr && !is_root; i++) {
		AUTO_FREE char *file = path_join(dir, names.items[i]);
		if (!file_is_dir(file) && seal_file(file, e) < 0)
			return -1;
	}
	return seal_file(path, e);
}

static int copy_reference(const struct task *t, const char *run_dir, struct err *e)
{
	if (task_is_generated(t))
		return 0;
	AUTO_FREE char *task = rundir_path(run_dir, RUNDIR_TASK);
	AUTO_FREE char *from = path_join(task, t->reference_run);
	AUTO_FREE char *to = rundir_path(run_dir, RUNDIR_REFERENCE_SOURCE);
	return file_copy(from, to, e);
}

/* What a new run is made from. */
struct newborn {
	const struct task *task;
	json_t *prompts; /* of engine/prompt_custody.h, or NULL */
	uint64_t seed;
	bool is_control;
};

/* The run's own in the body itself, where they always stood; those of roles and milestones, and of
 * kinds of tokens, in `limits`. */
static void put_limits(const struct task_limits *m, json_t *body)
{
	static const enum resource own[] = { RESOURCE_USD, RESOURCE_TOKENS, RESOURCE_REQUESTS,
					     RESOURCE_TOOL_CALLS };
	AUTO_JSON json_t *run = limits_to_json(&m->of[LIMITS_RUN]);
	json_t *more = json_object();
	json_object_del(run, resource_name(RESOURCE_TIME));
	for (size_t i = 0; i < ARRAY_LEN(own); i++) {
		const char *name = resource_name(own[i]);
		json_t *most = json_object_get(run, name);
		if (most)
			json_object_set(body, name, most);
		json_object_del(run, name);
	}
	if (json_object_size(run))
		json_object_set(more, limits_scope_name(LIMITS_RUN), run);
	for (int i = LIMITS_TEACHER; i < LIMITS_NR; i++)
		if (m->of[i].set)
			json_object_set_new(more, limits_scope_name((enum limits_scope)i),
					    limits_to_json(&m->of[i]));
	if (json_object_size(more))
		json_object_set(body, "limits", more);
	json_decref(more);
}

static json_t *describe(const struct newborn *n, const struct digest *task)
{
	const struct task *t = n->task;
	json_t *body = json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:I, s:I, s:I, s:s}", "task", t->name,
		"language", t->language, "forge", FORGE_VERSION, "teacher", t->teacher, "student",
		t->student, "started_from", start_is_granted(t) ? "reference" : "nothing",
		"reference_mode", start_mode(t), "hours", t->limits.hours, "max_meta",
		(json_int_t)t->limits.max_meta, "stall", (json_int_t)t->limits.stall, "seed",
		(json_int_t)n->seed, "task_digest", task->hex);
	if (body)
		put_limits(&t->limits, body);
	if (body && n->prompts)
		json_object_set(body, "prompts", n->prompts);
	if (body && n->is_control)
		json_object_set_new(body, "arm", json_string("control"));
	return body;
}

/* run.json is for people and scripts; whoever reads it as truth reads the log instead. */
static int write_run_json(const json_t *body, const char *run_dir, struct err *e)
{
	char wall[32];
	clock_format_wall(clock_wall_ns(), wall);
	AUTO_FREE char *path = rundir_path(run_dir, RUNDIR_RUN_JSON);
	AUTO_JSON json_t *doc = json_deep_copy(body);
	json_object_set_new(doc, "version", json_integer(1));
	json_object_set_new(doc, "created", json_string(wall));
	return json_write_file(path, doc, e);
}

static int write_first_event(json_t *body, const char *run_dir, struct err *e)
{
	AUTO_FREE char *events = rundir_path(run_dir, RUNDIR_EVENTS);
	AUTO_EVENTLOG struct eventlog *log = eventlog_open(events, NULL, NULL, e);
	if (!log) {
		json_decref(body);
		return -1;
	}
	return eventlog_add(log, EVENT_run_created, body, e);
}

static int fill(const void *ctx, const char *run_dir, struct err *e)
{
	const struct newborn *n = ctx;
	AUTO_FREE char *copy = rundir_path(run_dir, RUNDIR_TASK);
	struct digest digest;
	if (rundir_create(run_dir, e) < 0 || tree_copy(n->task->dir, copy, e) < 0 ||
	    seal_reference(n->task, copy, e) < 0 || copy_reference(n->task, run_dir, e) < 0 ||
	    digest_tree(copy, &digest, e) < 0)
		return -1;
	json_t *body = describe(n, &digest);
	if (write_run_json(body, run_dir, e) < 0) {
		json_decref(body);
		return -1;
	}
	return write_first_event(body, run_dir, e);
}

static int refuse_taken(const char *place, struct err *e)
{
	if (!file_exists(place))
		return 0;
	return err_set(e, ERR_CONFLICT, "%s: already there; choose another folder", place);
}

int engine_new_run(const struct engine_new *spec, struct str *made, struct err *e)
{
	AUTO_TASK struct task task = { 0 };
	uint64_t seed = spec->seed;
	if (task_refuse(spec->task_dir, e) < 0 || task_load(&task, spec->task_dir, e) < 0 ||
	    check_task(&task, e) < 0 || rng_draw_seed(&seed, e) < 0)
		return -1;
	AUTO_FREE char *place = choose_place(spec, &task, seed);
	AUTO_JSON json_t *prompts = NULL;
	if (prompt_custody_is_needed(&task) && !(prompts = prompt_custody_take(&task, e)))
		return -1;
	const struct newborn newborn = { &task, prompts, seed, spec->is_control };
	if (refuse_taken(place, e) < 0 || dir_make_whole(place, fill, &newborn, e) < 0)
		return err_wrap(e, "make a run of %s", spec->task_dir);
	str_add(made, place);
	return 0;
}
