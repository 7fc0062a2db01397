#include "engine/best.h"

/* Evidence ties one number to what it was measured on: digests of task, judge, reference, source,
 * object code and raw samples, the comparator, the machine, the date, and the commands that
 * reproduce it (docs/format/evidence.md). The folder holds what `forge verify` needs to measure the
 * claim again without the run. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/version.h"
#include "engine/custody.h"
#include "engine/engine_in.h"
#include "engine/jobs.h"
#include "model/chain.h"
#include "model/result.h"

enum { MAX_PART_BYTES = 256 << 20 };

/* Which kernel stands in best/: the confirmed one once there is a confirmation. */
struct standing {
	unsigned round;
	const char *source;
	const char *decision;
	const char *job;
	const char *wall;
	const struct state_estimate *estimate;
	bool is_confirmed;
};

static bool find_standing(const struct run_state *s, struct standing *st)
{
	const struct state_best *best = run_state_best(s);
	const struct state_confirm *c = &s->confirm;
	if (!best)
		return false;
	*st = (struct standing){ .round = best->round,
				 .source = best->source,
				 .decision = best->decision,
				 .job = best->estimate.job,
				 .wall = best->wall,
				 .estimate = &best->estimate };
	if (!c->is_done || !c->is_confirmed)
		return true;
	const struct state_round *r = run_state_round(s, c->round);
	*st = (struct standing){ .round = c->round,
				 .source = r->source,
				 .decision = r->decision,
				 .job = c->job,
				 .wall = c->wall,
				 .estimate = &c->estimate,
				 .is_confirmed = true };
	return true;
}

static const char *object_digest(const struct result *r, const char *side)
{
	const json_t *build = json_object_get(r->doc, "build");
	return json_text_or(json_object_get(build, side), "object", "");
}

static const char *flags_of(const struct result *r, const char *side)
{
	const json_t *build = json_object_get(r->doc, "build");
	return json_text_or(json_object_get(build, side), "flags", "");
}

static json_t *digests_part(const struct engine *g, const struct standing *st,
			    const struct result *r)
{
	const struct state_judge *j = &g->state.judge;
	const struct state_job *job = run_state_job(&g->state, st->job);
	return json_pack("{s:s?, s:s?, s:s?, s:s, s:s, s:s, s:s?, s:s?}", "task", j->task_digest,
			 "check", j->check_digest, "reference", j->reference_digest, "source",
			 st->source, "object", object_digest(r, "candidate"), "reference_object",
			 object_digest(r, "reference"), "result", job->result, "samples",
			 job->samples);
}

/* The job's machine, the GPU that it ran on, and the cores of all of it: a worker that pinned
 * itself counts one. */
static json_t *machine_part(const struct engine *g, const struct result *r)
{
	json_t *machine = json_deep_copy(json_object_get(r->doc, "machine"));
	json_t *cores = json_object_get(g->state.machine_doc, "cores");
	json_t *gpu = json_object_get(r->doc, "gpu");
	if (!machine)
		machine = json_pack("{s:s?}", "cpu", g->state.machine_name);
	if (cores)
		json_object_set(machine, "cores", cores);
	if (gpu)
		json_object_set(machine, "gpu", gpu);
	return machine;
}

/* Of a job with a side in Python: what a library's name does not say. As the machine told when the
 * run began. */
static json_t *python_part(const struct engine *g)
{
	static const char *const names[] = { "python", "torch", "triton", "cutlass_dsl" };
	const json_t *facts = json_object_get(g->state.machine_doc, "gpu_facts");
	const json_t *told = json_object_get(facts, "python");
	json_t *out = json_object();
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (json_is_string(json_object_get(told, names[i])))
			json_object_set(out, names[i], json_object_get(told, names[i]));
	return out;
}

static bool has_python(const struct task *t)
{
	const char *of_reference = t->reference_language ? t->reference_language : "";
	return str_equal(t->language, "python") || str_equal(of_reference, "python");
}

/* What a replicate has anew. */
static const char *method_of(const struct result *r)
{
	if (json_object_get(r->doc, "gpu"))
		return "paired, alternating R C R' in random order between two events of the "
		       "device, code loaded anew and operands at new addresses per replicate, "
		       "cold operands";
	return "paired, alternating R C R' in random order, fresh processes and layouts per "
	       "replicate, cold operands";
}

static json_t *commands_part(void)
{
	return json_pack("[s, s, s]", "forge verify RUN/best", "forge judge RUN RUN/best/kernel.c",
			 "forge time RUN RUN/reference/kernel.c RUN/best/kernel.c");
}

static json_t *build_evidence(const struct engine *g, const struct standing *st,
			      const struct result *r)
{
	json_t *doc = json_pack(
		"{s:i, s:s, s:s, s:i, s:s, s:b, s:b, s:o, s:o, s:o, s:s, s:s, s:s, s:s, s:s, s:o}",
		"version", 1, "forge", FORGE_VERSION, "task", g->state.task_name, "round",
		(int)st->round, "decision", st->decision, "confirmed", st->is_confirmed,
		"judge_independent", g->state.judge.is_independent, "estimate",
		state_estimate_to_json(st->estimate), "digests", digests_part(g, st, r), "machine",
		machine_part(g, r), "method", method_of(r), "date", st->wall, "build",
		flags_of(r, "candidate"), "reference_build", flags_of(r, "reference"), "job",
		st->job, "reproduce", commands_part());
	if (doc && has_python(&g->task))
		json_object_set_new(doc, "python", python_part(g));
	if (doc && st->is_confirmed && g->state.confirm.origin)
		json_object_set(doc, "origin", g->state.confirm.origin);
	if (!doc)
		BUG("evidence can not be built");
	return doc;
}

/* The bytes that are exported must be the bytes that were measured. */
static int check_source(const struct standing *st, const char *path, struct err *e)
{
	struct digest now;
	if (digest_file(path, &now, e) < 0)
		return -1;
	if (str_equal(now.hex, st->source))
		return 0;
	return err_set(e, ERR_CONFLICT, "%s: changed after it was measured; it is not promoted",
		       path);
}

static bool is_same_file(const char *path, const struct digest *want)
{
	struct digest now;
	struct err ignored = { 0 };
	return file_exists(path) && digest_file(path, &now, &ignored) == 0 &&
	       str_equal(now.hex, want->hex);
}

/* best/ is written again after every round; most of it stays as it is. */
static int put_text(const struct engine *g, const char *name, const char *text, size_t len,
		    struct err *e)
{
	AUTO_FREE char *best = engine_path(g, RUNDIR_BEST);
	AUTO_FREE char *to = path_join(best, name);
	const struct digest want = digest_bytes(text, len);
	return is_same_file(to, &want) ? 0 : file_write(to, text, len, e);
}

static int put_file(const struct engine *g, const char *name, const char *from, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	if (file_read(from, MAX_PART_BYTES, &text, e) < 0)
		return -1;
	return put_text(g, name, text.text, text.len, e);
}

static int put_json(const struct engine *g, const char *name, const json_t *doc, struct err *e)
{
	AUTO_FREE char *text = json_page(doc);
	return put_text(g, name, text, strlen(text), e);
}

/* A frozen folder as a copy: made beside its place and moved there, so that it is whole. */
static int put_tree(const struct engine *g, const char *name, enum rundir_part part,
		    const char *recorded, struct err *e)
{
	AUTO_FREE char *best = engine_path(g, RUNDIR_BEST);
	AUTO_FREE char *from = engine_path(g, part);
	AUTO_FREE char *to = path_join(best, name);
	AUTO_FREE char *draft = xasprintf("%s.new", to);
	struct digest now;
	struct err ignored = { 0 };
	if (file_exists(to) && digest_tree(to, &now, &ignored) == 0 && str_equal(now.hex, recorded))
		return 0;
	if (tree_remove(draft, e) < 0 || tree_copy(from, draft, e) < 0 || tree_remove(to, e) < 0)
		return -1;
	if (rename(draft, to) < 0)
		return err_errno(e, ERR_SYSTEM, "rename %s to %s", draft, to);
	return dir_sync(best, e);
}

static int put_frozen(const struct engine *g, struct err *e)
{
	AUTO_FREE char *best = engine_path(g, RUNDIR_BEST);
	AUTO_FREE char *folder = path_join(best, "reference");
	AUTO_FREE char *reference = engine_path(g, RUNDIR_REFERENCE_SOURCE);
	if (put_tree(g, "task", RUNDIR_TASK, g->state.judge.task_digest, e) < 0 ||
	    put_tree(g, "check", RUNDIR_CHECK, g->state.judge.check_digest, e) < 0 ||
	    dir_make(folder, e) < 0)
		return -1;
	return put_file(g, chain_link_path(CHAIN_reference), reference, e);
}

static int put_raw(const struct engine *g, const struct standing *st, struct err *e)
{
	const struct state_job *job = run_state_job(&g->state, st->job);
	AUTO_FREE char *dir = path_join(g->run_dir, job->dir);
	AUTO_FREE char *result = path_join(dir, "result.json");
	AUTO_FREE char *samples = path_join(dir, "samples.csv");
	if (put_file(g, chain_link_path(CHAIN_result), result, e) < 0)
		return -1;
	return file_exists(samples) ? put_file(g, chain_link_path(CHAIN_samples), samples, e) : 0;
}

/* The chain closes over the evidence, and the evidence names the chain's head: the claim's digest
 * is that of the evidence without the head. The chain is written last. */
static int put_claim(const struct engine *g, const struct standing *st, struct chain *c,
		     struct err *e)
{
	AUTO_RESULT struct result result = { 0 };
	if (job_result(g, st->job, &result, e) < 0)
		return -1;
	AUTO_JSON json_t *doc = build_evidence(g, st, &result);
	AUTO_FREE char *claim = json_line(doc);
	chain_set(c, CHAIN_claim, digest_text(claim).hex);
	chain_close(c);
	json_object_set_new(doc, "chain", json_string(chain_head(c)));
	AUTO_JSON json_t *links = chain_to_json(c);
	if (put_json(g, "evidence.json", doc, e) < 0)
		return -1;
	return put_json(g, "chain.json", links, e);
}

int best_write(struct engine *g, struct err *e)
{
	struct standing st;
	AUTO_CHAIN struct chain c = { 0 };
	if (!find_standing(&g->state, &st))
		return 0;
	AUTO_FREE char *source = rundir_round(g->run_dir, st.round, "kernel.c");
	const struct custody_spec custody = { .round = st.round, .job = st.job };
	if (check_source(&st, source, e) < 0 || custody_fill(g, &custody, &c, e) < 0)
		return -1;
	if (chain_check(&c, e) < 0)
		return err_wrap(e, "export round %u", st.round);
	if (put_frozen(g, e) < 0 || put_raw(g, &st, e) < 0 ||
	    put_file(g, chain_link_path(CHAIN_exported), source, e) < 0)
		return -1;
	return put_claim(g, &st, &c, e);
}
