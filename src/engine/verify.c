#include "engine/verify.h"

/* Two intervals of the same thing on the same machine have to meet. That is all that is asked: a
 * narrower rule would fail honest claims on noisy machines, a wider one could not fail. A claim
 * that is beaten by its own repetition is not reproduced either: the number was wrong. */

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/untrusted.h"
#include "engine/claim_check.h"
#include "engine/on_host.h"
#include "engine/pairing.h"
#include "engine/signature.h"
#include "model/result.h"
#include "store/rundir.h"

enum { MAX_REASON_BYTES = 240 };

struct verification {
	const struct verify_spec *spec;
	const struct engine_host *host;
	const struct engine_hooks *hooks;
	struct verify_answer *a;
	char *best;
	struct claim claim;
};

const char *verify_outcome_name(enum verify_outcome outcome)
{
	static const char *const names[] = {
		[VERIFY_CHAIN_HOLDS] = "chain holds",
		[VERIFY_REPRODUCED] = "reproduced",
		[VERIFY_NOT_REPRODUCED] = "not reproduced",
		[VERIFY_OTHER_MACHINE] = "different machine",
		[VERIFY_BROKEN] = "broken",
	};
	return names[outcome];
}

/* A run without a confirmed kernel may lie in kernels/, too. */
static void say_no_claim(const char *dir, const char *best, struct err *e)
{
	struct err ignored = { 0 };
	AUTO_STR struct str why = STR_INIT;
	AUTO_FREE char *path = path_join(dir, "outcome.json");
	AUTO_JSON json_t *outcome = file_exists(path) ? json_read_file(path, &ignored) : NULL;
	untrusted_line(&why, json_text_or(outcome, "reason", "?"), MAX_REASON_BYTES);
	if (!file_is_dir(dir))
		err_set(e, ERR_INPUT, "%s: there is no such folder", dir);
	else if (outcome)
		err_set(e, ERR_INPUT,
			"%s: a run without a confirmed kernel, so there is no claim: %s; its "
			"report.md tells more",
			dir, why.text);
	else
		err_set(e, ERR_INPUT,
			"%s: no claim (no chain.json): name a run directory that has found "
			"something, or its best/",
			best);
}

char *verify_find(const char *dir, struct err *e)
{
	AUTO_FREE char *below = path_join(dir, "best");
	AUTO_FREE char *best = xstrdup(rundir_is_run(dir) ? below : dir);
	AUTO_FREE char *chain = path_join(best, "chain.json");
	if (file_exists(chain))
		return take_ptr(&best);
	say_no_claim(dir, best, e);
	return NULL;
}

static int end_as(struct verification *v, enum verify_outcome outcome, const char *why)
{
	v->a->outcome = outcome;
	str_clear(&v->a->why);
	str_add(&v->a->why, why);
	return 0;
}

/* Files that do not hold are the answer; trouble of our own (memory, a system call) is an error. */
static int end_broken(struct verification *v, struct err *e)
{
	if (e->kind == ERR_SYSTEM)
		return -1;
	end_as(v, VERIFY_BROKEN, e->text);
	*e = (struct err){ 0 };
	return 0;
}

static void keep_claim(struct verification *v)
{
	struct verify_answer *a = v->a;
	const json_t *doc = v->claim.evidence;
	a->head = arena_strdup(&a->arena, chain_head(&v->claim.chain));
	a->task = arena_strdup(&a->arena, json_text_or(doc, "task", "?"));
	a->date = arena_strdup(&a->arena, json_text_or(doc, "date", "?"));
	a->is_confirmed = json_bool_or(doc, "confirmed", false);
	state_estimate_from_json(json_object_get(doc, "estimate"), &a->arena, &a->claimed);
}

/* 1: everything holds. 0: the answer is there. */
static int hold(struct verification *v, struct err *e)
{
	bool is_run = rundir_is_run(v->spec->dir);
	if (claim_load(&v->claim, v->best, e) < 0 ||
	    (is_run && claim_check_run(&v->claim, v->spec->dir, e) < 0))
		return end_broken(v, e);
	keep_claim(v);
	if (signature_check(v->best, v->a->head, v->spec->public_key, &v->a->signer, e) < 0)
		return end_broken(v, e);
	return 1;
}

static bool has_held_out(const struct state_estimate *est)
{
	for (size_t i = 0; i < est->nr_shapes; i++)
		if (est->shapes[i].held_out)
			return true;
	return false;
}

/* Where the management library is missing only the driver names it. */
static const char *gpu_here(const json_t *now)
{
	const json_t *facts = json_object_get(json_object_get(now, "gpu_facts"), "device");
	return json_text_or(json_object_get(now, "gpu"), "name",
			    json_text_or(facts, "name", "none"));
}

/* A GPU's time is the GPU's: which processor starts it says nothing. */
static bool is_other_gpu(const json_t *then, const json_t *now, struct str *why)
{
	const char *was = json_text_or(json_object_get(then, "gpu"), "name", "?");
	const char *is = gpu_here(now);
	if (str_equal(was, is))
		return false;
	str_addf(why, "the GPU was %s, here it is %s", was, is);
	return true;
}

/* What makes two machines different for a kernel's time; a member that one side lacks says
 * nothing. */
static bool is_other_machine(const json_t *then, const json_t *now, struct str *why)
{
	if (json_object_get(then, "gpu"))
		return is_other_gpu(then, now, why);
	static const char *const members[] = { "cpu", "isa", "cores" };
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		const json_t *a = json_object_get(then, members[i]);
		const json_t *b = json_object_get(now, members[i]);
		if (!a || !b || json_equal(a, b))
			continue;
		AUTO_FREE char *was = json_line(a);
		AUTO_FREE char *is = json_line(b);
		str_addf(why, "%s was %s, here it is %s", members[i], was, is);
		return true;
	}
	return false;
}

static void note_code(struct verification *v, const struct result *r)
{
	const json_t *build = json_object_get(json_object_get(r->doc, "build"), "candidate");
	const char *object = json_text_or(build, "object", "");
	if (!str_equal(object, v->claim.chain.digests[CHAIN_object]))
		strv_addf(&v->a->notes,
			  "the source compiles to other code here (%s); the claim was measured on "
			  "object %.12s",
			  json_text_or(build, "compiler", "unknown compiler"),
			  v->claim.chain.digests[CHAIN_object]);
	if (v->a->measured.is_contended)
		strv_add(&v->a->notes, "the machine was busy while this was measured");
}

/* What nobody chained must at least be what was measured: a slower reference would make any claim
 * come true. */
static bool is_foreign_reference(const struct verification *v, const struct result *r)
{
	AUTO_FREE char *path = NULL;
	const json_t *build = json_object_get(json_object_get(r->doc, "build"), "reference");
	return claim_reference_find(v->best, &path) == CLAIM_REFERENCE_OPENED &&
	       !claim_is_reference(&v->claim, build);
}

static bool do_meet(const struct state_estimate *a, const struct state_estimate *b)
{
	return a->low <= b->high && b->low <= a->high;
}

static void compare(struct verification *v)
{
	const struct verify_answer *a = v->a;
	char line[512];
	if (a->verdict.state != VERDICT_PASS) {
		verdict_print(&a->verdict, line, sizeof(line));
		AUTO_FREE char *why = xasprintf("the kernel is judged %s", line);
		end_as(v, VERIFY_NOT_REPRODUCED, why);
	} else if (!do_meet(&a->claimed, &a->measured)) {
		end_as(v, VERIFY_NOT_REPRODUCED, "the intervals do not meet");
	} else if (!str_equal(a->claimed.call, a->measured.call)) {
		AUTO_FREE char *why =
			xasprintf("claimed %s, measured %s", a->claimed.call, a->measured.call);
		end_as(v, VERIFY_NOT_REPRODUCED, why);
	} else {
		end_as(v, VERIFY_REPRODUCED, "judged correct, and the intervals meet");
	}
}

static int measure(struct verification *v, struct engine_answer *answer, struct err *e)
{
	AUTO_FREE char *kernel = path_join(v->best, chain_link_path(CHAIN_exported));
	unsigned k = v->spec->replicates;
	const struct engine_hand hand = {
		.task_dir = v->best,
		.is_claim = true,
		.candidate = kernel,
		.kind = JOB_TIME,
		.replicates = k ? k : v->a->claimed.replicates,
		.held_out = has_held_out(&v->a->claimed),
	};
	return engine_by_hand(&hand, v->host, v->hooks, answer, e);
}

static void keep_measured(struct verification *v, const struct engine_answer *answer)
{
	AUTO_JSON json_t *json = state_estimate_to_json(&answer->estimate);
	v->a->verdict = answer->result.verdict;
	if (answer->estimate.call)
		state_estimate_from_json(json, &v->a->arena, &v->a->measured);
}

/* A library's number is that of its version. */
static void note_libraries(struct verification *v, const json_t *now)
{
	const char *name;
	json_t *version;
	const json_t *here = json_object_get(json_object_get(now, "gpu_facts"), "python");
	json_object_foreach(json_object_get(v->claim.evidence, "python"), name, version)
	{
		const char *is = json_text_or(here, name, "not there");
		if (here && json_is_string(version) && !str_equal(json_string_value(version), is))
			strv_addf(&v->a->notes, "%s was %s, here it is %s", name,
				  json_string_value(version), is);
	}
}

static int check_machine(struct verification *v, struct err *e)
{
	struct on_host h = { .host = v->host, .hooks = v->hooks };
	AUTO_JSON json_t *now = on_host_probe(&h, e);
	AUTO_STR struct str why = STR_INIT;
	if (!now)
		return -1;
	note_libraries(v, now);
	if (is_other_machine(json_object_get(v->claim.evidence, "machine"), now, &why))
		end_as(v, VERIFY_OTHER_MACHINE, why.text);
	return 0;
}

static int repeat(struct verification *v, struct err *e)
{
	AUTO_ENGINE_ANSWER struct engine_answer answer = { 0 };
	if (measure(v, &answer, e) < 0)
		return err_wrap(e, "measure the claim again");
	if (is_foreign_reference(v, &answer.result))
		return end_as(v, VERIFY_BROKEN,
			      CLAIM_OPENED " is not the reference that was measured, or compiles "
					   "to other code here");
	keep_measured(v, &answer);
	note_code(v, &answer.result);
	compare(v);
	return check_machine(v, e);
}

static int work(struct verification *v, struct err *e)
{
	v->best = verify_find(v->spec->dir, e);
	if (!v->best)
		return -1;
	int holds = hold(v, e);
	if (holds <= 0)
		return holds;
	if (v->spec->is_chain_only)
		return end_as(v, VERIFY_CHAIN_HOLDS, "nothing was measured");
	return repeat(v, e);
}

int verify_claim(const struct verify_spec *spec, const struct engine_host *host,
		 const struct engine_hooks *hooks, struct verify_answer *a, struct err *e)
{
	struct verification v = { .spec = spec, .host = host, .hooks = hooks, .a = a };
	*a = (struct verify_answer){ .why = STR_INIT, .signer = STR_INIT };
	int rc = work(&v, e);
	claim_release(&v.claim);
	free(v.best);
	return rc;
}

int verify_sign(const char *dir, const char *key_path, struct err *e)
{
	AUTO_CLAIM struct claim claim = { 0 };
	AUTO_FREE char *best = verify_find(dir, e);
	if (!best || claim_load(&claim, best, e) < 0)
		return -1;
	return signature_write(best, chain_head(&claim.chain), key_path, e);
}

void verify_answer_release(struct verify_answer *a)
{
	str_release(&a->why);
	str_release(&a->signer);
	strv_release(&a->notes);
	arena_release(&a->arena);
}
