#include "engine/student_build.h"

/* The bundle stands beside the workspace, out of the agent's sight, and goes when it was answered.
 * A build that fails for the machine's sake is an answer, too: the student can submit without it.
 */

#include <stdio.h>
#include <string.h>

#include "agent/clip.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/str.h"
#include "engine/bundle.h"
#include "engine/engine_in.h"
#include "engine/on_host.h"
#include "model/job.h"
#include "model/result.h"

#define BUILD_DEADLINE_S 120.0
enum { MAX_LOG_BYTES = 1 << 20, MAX_SHOWN_BYTES = 8 << 10 };

static const char job_id[] = "student-build";

/* Folder and source of the build. */
struct place {
	char *dir;
	char *source;
};

static struct place place_of(const struct engine *g)
{
	AUTO_FREE char *agents = engine_path(g, RUNDIR_AGENTS);
	return (struct place){ .dir = path_join(agents, "build-work"),
			       .source = path_join(agents, "build-work.c") };
}

static void place_release(struct place *p)
{
	struct err ignored = { 0 };
	tree_remove(p->dir, &ignored);
	unlink(p->source);
	free(p->dir);
	free(p->source);
}

static int make(const struct engine *g, const struct place *p, const char *text, struct err *e)
{
	AUTO_FREE char *task = engine_path(g, RUNDIR_TASK);
	struct job job = { .kind = JOB_BUILD,
			   .seed = rng_derive(g->state.seed, job_id) >> 2,
			   .replicates = 1,
			   .rounds = 1,
			   .with_profile = true,
			   .accept_weak_sandbox = g->host.accept_weak_sandbox,
			   .deadline_s = BUILD_DEADLINE_S };
	snprintf(job.id, sizeof(job.id), "%s", job_id);
	const struct bundle_spec bundle = {
		.job = &job, .dir = p->dir, .task_dir = task, .candidate = p->source
	};
	return file_write_text(p->source, text, e) < 0 ? -1 : bundle_make(&bundle, e);
}

/* The user is told; places of this machine are none of the agent's business. */
static json_t *failed(struct engine *g, const char *why)
{
	engine_say(g, "%s: %s", job_id, why);
	return json_pack(
		"{s:s, s:s}", "outcome", "failed", "text",
		"the build could not be done, for no fault of the source; submit without it");
}

/* What the compiler said. */
static void read_log(const struct place *p, struct str *out)
{
	AUTO_FREE char *path = path_join(p->dir, "log/candidate.txt");
	AUTO_STR struct str text = STR_INIT;
	struct err ignored = { 0 };
	if (file_exists(path) && file_read(path, MAX_LOG_BYTES, &text, &ignored) == 0)
		clip_text(out, text.text, text.len, MAX_SHOWN_BYTES);
}

static json_t *read_result(struct engine *g, const struct place *p, struct err *e)
{
	AUTO_RESULT struct result result = { 0 };
	AUTO_STR struct str log = STR_INIT;
	if (result_load(&result, p->dir, e) < 0)
		return NULL;
	if (result.error)
		return failed(g, result.error);
	bool is_refused = result.verdict.state == VERDICT_FAIL ||
			  result.verdict.state == VERDICT_POLICY ||
			  result.verdict.state == VERDICT_TAMPER;
	json_t *profile = json_object_get(json_object_get(result.doc, "profile"), "candidate");
	read_log(p, &log);
	json_t *said = json_pack("{s:s, s:b, s:s, s:O*}", "outcome", "done", "builds", !is_refused,
				 "text", log.text, "profile", profile);
	if (is_refused)
		json_object_set_new(said, "verdict", verdict_to_json(&result.verdict));
	return said;
}

static json_t *build(struct engine *g, const struct place *p, const char *text, struct err *e)
{
	struct on_host h = {
		.host = &g->host, .hooks = &g->hooks, .state = &g->state, .job_id = job_id
	};
	if (make(g, p, text, e) < 0)
		return NULL;
	int rc = on_host_run(&h, p->dir, e);
	if (h.is_stopped)
		return engine_stop(g, e), NULL;
	return rc < 0 ? NULL : read_result(g, p, e);
}

json_t *student_build(struct engine *g, const json_t *call, unsigned *nr_built, struct err *e)
{
	if (*nr_built >= STUDENT_MAX_BUILDS)
		return json_pack("{s:s, s:s}", "outcome", "refused", "text",
				 "the builds of this turn are used up; submit what you have");
	struct place p = place_of(g);
	json_t *said = build(g, &p, json_text_or(call, "source", ""), e);
	place_release(&p);
	if (!said && !g->is_stopped && e->kind == ERR_CHILD) {
		said = failed(g, e->text);
		*e = (struct err){ 0 };
	}
	++*nr_built;
	if (said)
		json_object_set_new(said, "left", json_integer(STUDENT_MAX_BUILDS - *nr_built));
	return said;
}
