#include "engine/claim_check.h"

/* Every byte of the folder is either a file whose digest a link holds, or evidence.json or
 * chain.json, which have one spelling only. */

#include <math.h>
#include <stdlib.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/frozen.h"
#include "engine/pairing.h"
#include "model/result.h"
#include "store/fold.h"
#include "store/rundir.h"
#include "store/seal.h"

enum { MAX_PAGE_BYTES = 16 << 20 };

/* Another libm may round the last digit of a logarithm otherwise. */
#define SAME_NUMBER 1e-9

/* A JSON file of forge's own spelling. */
static json_t *read_page(const char *path, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	AUTO_JSON json_t *json = json_read_file(path, e);
	if (!json || file_read(path, MAX_PAGE_BYTES, &text, e) < 0)
		return NULL;
	AUTO_FREE char *page = json_page(json);
	if (str_equal(page, text.text))
		return json_incref(json);
	err_set(e, ERR_CONFLICT, "%s: not as forge wrote it", path);
	return NULL;
}

static int load_chain(struct claim *c, const char *dir, struct err *e)
{
	AUTO_FREE char *path = path_join(dir, "chain.json");
	AUTO_JSON json_t *json = read_page(path, e);
	if (!json || chain_from_json(&c->chain, json, path, e) < 0)
		return -1;
	AUTO_JSON json_t *again = chain_to_json(&c->chain);
	if (json_equal(json, again))
		return 0;
	return err_set(e, ERR_CONFLICT, "%s: it holds more than the chain", path);
}

static int digest_part(const char *path, bool is_folder, struct digest *out, struct err *e)
{
	return is_folder ? digest_tree(path, out, e) : digest_file(path, out, e);
}

static int check_part(const struct claim *c, const char *dir, enum link_kind kind, struct err *e)
{
	const char *name = chain_link_path(kind);
	const char *recorded = c->chain.digests[kind];
	struct digest now;
	if (!name || !*recorded)
		return 0;
	AUTO_FREE char *path = path_join(dir, name);
	if (digest_part(path, str_ends(name, "/"), &now, e) < 0)
		return err_wrap(e, "link \"%s\" (%s)", chain_link_name(kind),
				chain_link_text(kind));
	if (str_equal(now.hex, recorded))
		return 0;
	return err_set(e, ERR_CONFLICT,
		       "%s: not what the chain holds at \"%s\" (%s): sha256 %.12s, was %.12s", path,
		       chain_link_name(kind), chain_link_text(kind), now.hex, recorded);
}

static int check_parts(const struct claim *c, const char *dir, struct err *e)
{
	for (int i = 0; i < CHAIN_NR; i++)
		if (check_part(c, dir, (enum link_kind)i, e) < 0)
			return -1;
	return chain_check(&c->chain, e);
}

static int load_evidence(struct claim *c, const char *dir, struct err *e)
{
	AUTO_FREE char *path = path_join(dir, "evidence.json");
	c->evidence = read_page(path, e);
	if (!c->evidence)
		return -1;
	AUTO_JSON json_t *bare = json_copy(c->evidence);
	json_object_del(bare, "chain");
	AUTO_FREE char *line = json_line(bare);
	struct digest now = digest_text(line);
	if (!str_equal(now.hex, c->chain.digests[CHAIN_claim]))
		return err_set(e, ERR_CONFLICT,
			       "%s: not what the chain holds at \"claim\": it was changed", path);
	if (!str_equal(json_text_or(c->evidence, "chain", ""), chain_head(&c->chain)))
		return err_set(e, ERR_CONFLICT, "%s: it names another chain", path);
	state_estimate_from_json(json_object_get(c->evidence, "estimate"), &c->arena, &c->estimate);
	return 0;
}

static bool is_same_number(double a, double b)
{
	return fabs(a - b) <= SAME_NUMBER * fabs(b);
}

/* The samples are the measurement; the interval is only what follows from them. */
static int check_samples(const struct claim *c, const char *dir, struct err *e)
{
	AUTO_RESULT struct result result = { 0 };
	AUTO_ARENA struct arena scratch = { 0 };
	struct state_estimate again;
	const struct state_estimate *est = &c->estimate;
	const struct pairing_spec spec = { .result = &result,
					   .purpose = "confirm",
					   .comparator = "the reference" };
	if (result_load(&result, dir, e) < 0 || pairing_estimate(&spec, &scratch, &again, e) < 0)
		return -1;
	if (is_same_number(again.speedup, est->speedup) && is_same_number(again.low, est->low) &&
	    is_same_number(again.high, est->high) && str_equal(again.call, est->call) &&
	    again.replicates == est->replicates)
		return 0;
	return err_set(e, ERR_CONFLICT,
		       "%s/samples.csv gives %.4fx [%.4f, %.4f] and not the claimed %.4fx [%.4f, "
		       "%.4f]",
		       dir, again.speedup, again.low, again.high, est->speedup, est->low,
		       est->high);
}

int claim_load(struct claim *c, const char *best_dir, struct err *e)
{
	*c = (struct claim){ 0 };
	if (load_chain(c, best_dir, e) < 0 || check_parts(c, best_dir, e) < 0 ||
	    load_evidence(c, best_dir, e) < 0)
		return -1;
	return check_samples(c, best_dir, e);
}

/* What the log says about the claim's round and job. */
static int compare_log(const struct claim *c, const struct run_state *s, struct err *e)
{
	unsigned number = (unsigned)json_int_or(c->evidence, "round", 0);
	const char *job_id = json_text_or(c->evidence, "job", "");
	const struct state_round *r = run_state_round(s, number);
	const struct state_job *job = run_state_job(s, job_id);
	const char *const *links = c->chain.digests;
	if (!r || !job || !r->source)
		return err_set(e, ERR_CONFLICT,
			       "the event log has no round %u with a job %s: best/ is of another "
			       "run",
			       number, job_id);
	const struct {
		enum link_kind kind;
		const char *recorded;
	} pairs[] = {
		{ CHAIN_task, s->judge.task_digest },
		{ CHAIN_judge, s->judge.check_digest },
		{ CHAIN_reference, s->judge.reference_digest },
		{ CHAIN_source, r->source },
		{ CHAIN_result, job->result },
		{ CHAIN_samples, job->samples },
	};
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
		if (!str_equal(links[pairs[i].kind], pairs[i].recorded))
			return err_set(
				e, ERR_CONFLICT, "the event log has another digest at \"%s\" (%s)",
				chain_link_name(pairs[i].kind), chain_link_text(pairs[i].kind));
	return 0;
}

static int compare_number(const struct claim *c, const struct run_state *s, struct err *e)
{
	const struct state_estimate *est = &c->estimate;
	const struct state_best *best = run_state_best(s);
	bool is_confirmed = s->confirm.is_done && s->confirm.is_confirmed;
	const struct state_estimate *log = is_confirmed ? &s->confirm.estimate
					   : best       ? &best->estimate
							: NULL;
	if (log && is_same_number(log->speedup, est->speedup) &&
	    is_same_number(log->low, est->low) && is_same_number(log->high, est->high))
		return 0;
	return err_set(e, ERR_CONFLICT, "the event log has another number than best/evidence.json");
}

int claim_check_run(const struct claim *c, const char *run_dir, struct err *e)
{
	AUTO_RUN_STATE struct run_state s = { 0 };
	if (run_state_load(&s, run_dir, e) < 0 || frozen_verify(run_dir, &s.judge, e) < 0 ||
	    compare_log(c, &s, e) < 0)
		return -1;
	return compare_number(c, &s, e);
}

static bool is_sealed_file(const char *path)
{
	AUTO_STR struct str text = STR_INIT;
	struct err ignored = { 0 };
	return file_read(path, MAX_PAGE_BYTES, &text, &ignored) == 0 &&
	       seal_is_sealed(text.text, text.len);
}

enum claim_reference claim_reference_find(const char *best_dir, char **path)
{
	AUTO_FREE char *opened = path_join(best_dir, CLAIM_OPENED);
	*path = path_join(best_dir, chain_link_path(CHAIN_reference));
	if (!is_sealed_file(*path))
		return CLAIM_REFERENCE_CLEAR;
	if (!file_exists(opened))
		return CLAIM_REFERENCE_SEALED;
	free(*path);
	*path = take_ptr(&opened);
	return CLAIM_REFERENCE_OPENED;
}

bool claim_is_reference(const struct claim *c, const json_t *build)
{
	const json_t *digests = json_object_get(c->evidence, "digests");
	const char *was = json_text_or(digests, "reference_object", "");
	return *was && str_equal(was, json_text_or(build, "object", ""));
}

void claim_release(struct claim *c)
{
	json_decref(c->evidence);
	chain_release(&c->chain);
	arena_release(&c->arena);
	*c = (struct claim){ 0 };
}
