#include "report/receipt.h"

/* The numbers of a report come from the log, which nobody can change unseen; the kernel and the raw
 * data beside it are plain files. A reader takes the file, so the report has to look at it. */

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "report/page.h"
#include "report/view.h"
#include "store/rundir.h"

/* What best/ holds: the confirmed kernel once there is a confirmation. */
struct standing {
	const char *source;
	double speedup;
};

static struct standing standing(const struct run_state *s)
{
	const struct state_best *best = run_state_best(s);
	const struct state_round *confirmed = run_state_round(s, s->confirm.round);
	if (s->confirm.is_done && s->confirm.is_confirmed && confirmed)
		return (struct standing){ confirmed->source, s->confirm.estimate.speedup };
	if (!best)
		return (struct standing){ 0 };
	return (struct standing){ best->source, best->estimate.speedup };
}

static void warn(struct page *p, const char *name, const char *how)
{
	page_add(p, BLOCK_ALERT, "%s %s: it is not what the numbers below were measured on.", name,
		 how);
}

/* A file that is not there is one that a run has not written yet, or a matter of taste to keep. */
static void check_file(const struct view *v, const char *name, const char *recorded, struct page *p)
{
	struct err e = { 0 };
	struct digest now;
	AUTO_FREE char *path = path_join(v->run_dir, name);
	if (!recorded || !*recorded || !file_exists(path))
		return;
	if (digest_file(path, &now, &e) < 0)
		warn(p, name, "can not be read");
	else if (!str_equal(now.hex, recorded))
		warn(p, name, "was changed after it was recorded");
}

static void check_job(const struct view *v, struct page *p)
{
	const struct state_job *job = run_state_job(&v->state, v->head->job);
	if (!job || !job->dir)
		return;
	AUTO_FREE char *result = path_join(job->dir, "result.json");
	AUTO_FREE char *samples = path_join(job->dir, "samples.csv");
	check_file(v, result, job->result, p);
	check_file(v, samples, job->samples, p);
}

static bool is_claim_of(const json_t *evidence, const struct standing *st)
{
	const json_t *estimate = json_object_get(evidence, "estimate");
	const json_t *digests = json_object_get(evidence, "digests");
	return json_real_or(estimate, "speedup", 0) == st->speedup &&
	       str_equal(json_text_or(digests, "source", ""), st->source ? st->source : "");
}

static void check_evidence(const struct view *v, const struct standing *st, struct page *p)
{
	struct err ignored = { 0 };
	const char *name = rundir_name(RUNDIR_BEST_EVIDENCE);
	AUTO_FREE char *path = rundir_path(v->run_dir, RUNDIR_BEST_EVIDENCE);
	if (!file_exists(path))
		return;
	AUTO_JSON json_t *evidence = json_read_file(path, &ignored);
	if (!is_claim_of(evidence, st))
		page_add(p, BLOCK_ALERT, "%s says something else than the event log.", name);
}

void receipt_alerts(const struct view *v, struct page *p)
{
	const struct standing st = standing(&v->state);
	if (!v->head)
		return;
	check_file(v, rundir_name(RUNDIR_BEST_KERNEL), st.source, p);
	check_evidence(v, &st, p);
	check_job(v, p);
}
