#include "worker/correct.h"

/*
 * Per shape: draw inputs, let the candidate answer everything, only then ask the oracle, judge. A
 * wrong value is judged and the other cases go on, because where a kernel is right helps its
 * author; a crash, a timeout or a late write ends the stage, because each more would cost the same
 * again.
 */

#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "judge/judge.h"
#include "worker/gpu_bench.h"
#include "worker/oracle.h"
#include "worker/outcome.h"
#include "worker/own_error.h"
#include "worker/probe.h"
#include "worker/progress.h"
#include "worker/show.h"

/* A kernel far slower than its reference is of no use; short ones get room for page faults. */
enum { DEADLINE_FACTOR = 20 };
#define MIN_CALL_DEADLINE_NS (2 * NS_PER_S)

static uint64_t call_deadline_ns(const struct worker *w, const struct shape_cases *s)
{
	if (w->job.call_deadline_s > 0)
		return (uint64_t)(w->job.call_deadline_s * (double)NS_PER_S);
	uint64_t wanted = s->call_ns[PARTY_REFERENCE] * DEADLINE_FACTOR;
	return wanted > MIN_CALL_DEADLINE_NS ? wanted : MIN_CALL_DEADLINE_NS;
}

uint64_t correct_fingerprint_key(const struct worker *w)
{
	return rng_derive(w->job.seed, "fingerprint");
}

static struct case_result *new_case(struct worker *w, const struct shape_cases *s, size_t at)
{
	struct case_result *c = &w->result.cases[w->result.nr_cases++];
	c->shape = s->shape->name;
	c->group = s->contents[at].group->name;
	c->held_out = s->shape->held_out;
	return c;
}

/* What was recorded of a content's case, or NULL. */
static struct case_result *find_case(const struct worker *w, const struct shape_cases *s, size_t at)
{
	for (size_t i = 0; i < w->result.nr_cases; i++) {
		struct case_result *c = &w->result.cases[i];
		if (str_equal(c->shape, s->shape->name) &&
		    str_equal(c->group, s->contents[at].group->name))
			return c;
	}
	return NULL;
}

static void name_case(struct verdict *v, const struct case_result *c)
{
	snprintf(v->shape, sizeof(v->shape), "%s", c->shape);
	snprintf(v->group, sizeof(v->group), "%s", c->group);
}

static void merge_strays(struct answer answers[SHOW_CALLS])
{
	if (!answers[0].stray_write)
		answers[0].stray_write = answers[1].stray_write;
}

/* The order of a reduction may change where more than one thread takes part in it. */
static bool may_reorder(const struct worker *w)
{
	return w->task.threads > 1 || gpu_is_used(w);
}

/* The second answer is judged only where it differs: what is wrong with it says more than that it
 * differs. One thread must give the same bits; with more it is enough that both answers are right.
 */
static int judge_answers(struct worker *w, const struct content *c, struct shown *shown,
			 struct judgement *out, struct err *e)
{
	struct answer *a = shown->answers;
	merge_strays(a);
	if (content_judge(c, &w->tolerances, &a[0], out, e) < 0)
		return -1;
	if (shown->has_same_bits || out->verdict.state != VERDICT_PASS)
		return 0;
	if (content_judge(c, &w->tolerances, &a[1], out, e) < 0)
		return -1;
	if (out->verdict.state != VERDICT_PASS)
		return 0;
	worker_note(w, "shape %s, group %s: output %s has other bits in a second call",
		    c->fp->shape->name, c->group->name, shown->differing_output);
	if (may_reorder(w))
		return 0;
	a[0].not_repeatable = shown->differing_output;
	return content_judge(c, &w->tolerances, &a[0], out, e);
}

static bool is_numeric(const struct verdict *v)
{
	return v->reason == REASON_wrong_value || v->reason == REASON_wrong_slice;
}

/* Beyond the frozen tolerance, but perhaps not beyond what the reference itself does to these
 * inputs. */
static int judge_again(struct worker *w, struct shape_cases *s, size_t at, struct shown *shown,
		       struct judgement *out, struct err *e)
{
	struct content *c = &s->contents[at];
	if (!is_numeric(&out->verdict) || !own_error_is_granted(w))
		return 0;
	if (!s->has_own_errors && own_error_learn(w, s, call_deadline_ns(w, s), e) < 0)
		return -1;
	s->has_own_errors = true;
	if (judge_answers(w, c, shown, out, e) < 0)
		return -1;
	if (out->verdict.state == VERDICT_PASS)
		worker_note(w,
			    "shape %s, group %s: within twice the reference's own error on these "
			    "inputs, which is more than the frozen tolerance",
			    s->shape->name, c->group->name);
	return 0;
}

static void remember_bits(const struct worker *w, struct content *c, const struct answer *a)
{
	for (size_t i = 0; i < c->fp->nr; i++)
		if (c->fp->items[i].is_output)
			fingerprint_take(&c->seen[PARTY_CANDIDATE][i], a->got[i],
					 c->fp->items[i].bytes, correct_fingerprint_key(w));
}

/* A near twin is the same case once more: it spoils it or changes nothing. */
static void record_case(struct worker *w, const struct shape_cases *s, size_t at,
			struct judgement *j)
{
	struct case_result *c = find_case(w, s, at);
	if (c && (c->verdict.state != VERDICT_PASS || j->verdict.state == VERDICT_PASS))
		return;
	if (c)
		worker_note(w, "shape %s, group %s: right, but not on a near twin of its inputs",
			    c->shape, c->group);
	else
		c = new_case(w, s, at);
	name_case(&j->verdict, c);
	c->verdict = j->verdict;
	c->max_err = j->max_err;
	c->tolerance = j->tolerance;
}

static int judge_case_of(struct worker *w, struct shape_cases *s, size_t at, struct shown *shown,
			 struct err *e)
{
	struct judgement j = { .verdict = shown->ended };
	if (shown->ended.state == VERDICT_NONE &&
	    (judge_answers(w, &s->contents[at], shown, &j, e) < 0 ||
	     judge_again(w, s, at, shown, &j, e) < 0))
		return -1;
	if (j.verdict.state == VERDICT_PASS)
		remember_bits(w, &s->contents[at], &shown->answers[0]);
	record_case(w, s, at, &j);
	return 0;
}

/* Does anything remain to be asked once this shape was shown? */
static bool has_ended(const struct shown *shown, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (shown[i].ended.state != VERDICT_NONE)
			return true;
	return false;
}

/* What is not timed is mixed into what is (worker/twin.h). */
static void drop_unneeded(const struct worker *w, struct shape_cases *s)
{
	for (size_t i = 0; i < s->nr && w->job.kind != JOB_TIME; i++)
		content_release(&s->contents[i]);
}

static int judge_shape(struct worker *w, struct shape_cases *s, struct shown *shown, bool *ended,
		       struct err *e)
{
	AUTO_SPEND(w, judge_ns);
	if (cases_fill(s, w, w->job.seed, e) < 0)
		return -1;
	if (w->builds[PARTY_REFERENCE].nr_so && show_time(w, s, e) < 0)
		return -1;
	if (show_shape(w, s, PARTY_CANDIDATE, call_deadline_ns(w, s), shown, e) < 0)
		return -1;
	*ended = has_ended(shown, s->nr);
	if (!*ended && oracle_run(w, &s->fp, s->contents, s->nr, e) < 0)
		return -1;
	for (size_t i = 0; i < s->nr; i++) {
		bool has_verdict = !*ended || shown[i].ended.state != VERDICT_NONE;
		if (shown[i].was_called && has_verdict && judge_case_of(w, s, i, &shown[i], e) < 0)
			return -1;
	}
	return 0;
}

static bool has_passed(const struct worker *w, size_t from)
{
	for (size_t i = from; i < w->result.nr_cases; i++)
		if (w->result.cases[i].verdict.state != VERDICT_PASS)
			return false;
	return w->result.nr_cases > from;
}

/* One that fails becomes a case of its own. */
static int probe_shape(struct worker *w, struct shape_cases *s, struct err *e)
{
	AUTO_SPEND(w, judge_ns);
	struct judgement j = { 0 };
	if (probe_candidate(w, s, call_deadline_ns(w, s), &j, e) < 0)
		return -1;
	if (j.verdict.state == VERDICT_NONE)
		return 0;
	struct case_result *c = new_case(w, s, 0);
	c->group = arena_strdup(&w->result.arena, j.verdict.group);
	c->verdict = j.verdict;
	c->max_err = j.max_err;
	c->tolerance = j.tolerance;
	return 0;
}

static int correct_shape(struct worker *w, struct shape_cases *s, bool *ended, struct err *e)
{
	AUTO_FREE struct shown *shown = xcalloc(s->nr, sizeof(*shown));
	const size_t from = w->result.nr_cases;
	int rc = judge_shape(w, s, shown, ended, e);
	if (rc == 0 && !*ended && s->is_probed && has_passed(w, from))
		rc = probe_shape(w, s, e);
	for (size_t i = 0; i < s->nr; i++)
		shown_release(&shown[i], &s->fp);
	drop_unneeded(w, s);
	return rc;
}

static void decide(struct worker *w)
{
	struct result *r = &w->result;
	AUTO_FREE struct verdict *verdicts = xcalloc(r->nr_cases, sizeof(*verdicts));
	for (size_t i = 0; i < r->nr_cases; i++)
		verdicts[i] = r->cases[i].verdict;
	r->verdict = judge_candidate(verdicts, r->nr_cases);
}

/* All shapes, or where the clock is the matter one that the seed chooses: the probes of a shape
 * cost more than its cases. The origin of a leaderboard has inputs and a judge of its own, and they
 * are its whole problem. */
static void choose_probed(const struct worker *w, struct cases *cases)
{
	const size_t one = rng_derive(w->job.seed, "probed") % cases->nr;
	for (size_t i = 0; i < cases->nr; i++)
		cases->shapes[i].is_probed =
			!w->task.leaderboard && (!worker_is_sampling(w) || i == one);
}

int correct_run(struct worker *w, struct cases *cases, struct err *e)
{
	const size_t room = cases->nr_cases + cases->nr;
	w->result.cases = arena_array(&w->result.arena, room, sizeof(*w->result.cases));
	choose_probed(w, cases);
	bool ended = false;
	size_t done = 0;
	for (size_t i = 0; !ended && i < cases->nr; i++) {
		progress_print("judge", done, cases->nr_cases);
		if (correct_shape(w, &cases->shapes[i], &ended, e) < 0)
			return -1;
		done += cases->shapes[i].nr;
	}
	progress_print("judge", w->result.nr_cases, cases->nr_cases);
	decide(w);
	return 0;
}
