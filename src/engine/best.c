#include "engine/best.h"

/* Evidence ties one number to what it was measured on: digests of task, judge, reference, source,
 * object code and raw samples, the comparator, the machine, the date, and the commands that
 * reproduce it (docs/format/evidence.md). */

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/version.h"
#include "engine/engine_in.h"
#include "engine/jobs.h"
#include "model/result.h"

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

static json_t *machine_part(const struct engine *g, const struct result *r)
{
	json_t *machine = json_deep_copy(json_object_get(r->doc, "machine"));
	if (machine)
		return machine;
	return json_pack("{s:s?}", "cpu", g->state.machine_name);
}

static json_t *commands_part(void)
{
	return json_pack("[s, s]", "forge judge RUN RUN/best/kernel.c",
			 "forge time RUN RUN/reference/kernel.c RUN/best/kernel.c");
}

static json_t *build_evidence(const struct engine *g, const struct standing *st,
			      const struct result *r)
{
	return json_pack("{s:i, s:s, s:s, s:i, s:s, s:b, s:b, s:o, s:o, s:o, s:s, s:s, s:s, s:s, "
			 "s:s, s:o}",
			 "version", 1, "forge", FORGE_VERSION, "task", g->state.task_name, "round",
			 (int)st->round, "decision", st->decision, "confirmed", st->is_confirmed,
			 "judge_independent", g->state.judge.is_independent, "estimate",
			 state_estimate_to_json(st->estimate), "digests", digests_part(g, st, r),
			 "machine", machine_part(g, r), "method",
			 "paired, alternating R C R' in random order, fresh processes and layouts "
			 "per replicate, cold operands",
			 "date", st->wall, "build", flags_of(r, "candidate"), "reference_build",
			 flags_of(r, "reference"), "job", st->job, "reproduce", commands_part());
}

/* The receipt: the bytes that are exported must be the bytes that were measured. */
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

static int write_kernel(const struct engine *g, const char *from, struct err *e)
{
	AUTO_FREE char *to = engine_path(g, RUNDIR_BEST_KERNEL);
	AUTO_STR struct str text = STR_INIT;
	if (file_read(from, 4 << 20, &text, e) < 0)
		return -1;
	return file_write(to, text.text, text.len, e);
}

int best_write(struct engine *g, struct err *e)
{
	struct standing st;
	AUTO_RESULT struct result result = { 0 };
	if (!find_standing(&g->state, &st))
		return 0;
	AUTO_FREE char *source = rundir_round(g->run_dir, st.round, "kernel.c");
	AUTO_FREE char *evidence = engine_path(g, RUNDIR_BEST_EVIDENCE);
	if (check_source(&st, source, e) < 0 || job_result(g, st.job, &result, e) < 0 ||
	    write_kernel(g, source, e) < 0)
		return -1;
	AUTO_JSON json_t *doc = build_evidence(g, &st, &result);
	if (!doc)
		BUG("evidence can not be built");
	return json_write_file(evidence, doc, e);
}
