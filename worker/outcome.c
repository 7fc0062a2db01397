#include "worker/outcome.h"

/*
 * The table that turns the end of a runner into a verdict. A deadline that the job as a whole ran
 * into is the job's failure and not the kernel's.
 */

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "sys/priority.h"
#include "sys/sandbox.h"

static const enum reason reasons[] = {
	[SIDE_ALIVE] = REASON_NONE,
	[SIDE_EXITED] = REASON_crashed,
	[SIDE_CRASHED] = REASON_crashed,
	[SIDE_FAULT_INPUT] = REASON_input_modified,
	[SIDE_FAULT_GUARD] = REASON_out_of_bounds,
	[SIDE_FORBIDDEN] = REASON_forbidden_syscall,
	[SIDE_TIMEOUT] = REASON_timeout,
	[SIDE_MEMORY] = REASON_out_of_memory,
	[SIDE_KILLED] = REASON_NONE,
	[SIDE_START_FAILED] = REASON_crashed,
};

struct verdict outcome_verdict(const struct side_state *st, const char *argument)
{
	enum reason reason = reasons[st->end];
	if (argument && st->end == SIDE_FAULT_INPUT)
		return verdict_make(reason, "argument %s is read-only; byte %llu was written",
				    argument, (unsigned long long)st->offset);
	if (argument && st->end == SIDE_FAULT_GUARD)
		return verdict_make(reason, "argument %s: touched %llu bytes %s", argument,
				    (unsigned long long)st->offset,
				    st->is_before ? "before its start" : "past its end");
	return verdict_make(reason, "%s", st->text);
}

/* What an ended side means for the job. */
static int end_outcome(const struct worker *w, const struct side_state *st, const char *argument,
		       struct verdict *v, struct err *e)
{
	if (st->end == SIDE_ALIVE)
		return OUTCOME_DONE;
	if (st->end == SIDE_KILLED)
		return OUTCOME_LOST;
	if (st->end == SIDE_TIMEOUT && worker_check_time(w, e) < 0)
		return -1;
	*v = outcome_verdict(st, argument);
	return OUTCOME_VERDICT;
}

int outcome_start(struct worker *w, const struct outcome_spec *spec, struct side **out,
		  struct verdict *v, struct err *e)
{
	AUTO_SPEND(w, start_ns);
	if (worker_check_time(w, e) < 0)
		return -1;
	const struct build *b = &w->builds[spec->party];
	struct side_spec side = {
		.runner_path = w->runner_path,
		.so_path = b->so_paths[spec->layout % b->nr_so],
		.threads = spec->party == PARTY_ORACLE ? w->task.judge_threads : w->task.threads,
		.cpu = worker_kernel_cpu(w),
		.cpus = &w->cpus,
		.regions = spec->regions,
		.nr_regions = spec->nr_regions,
		.accept_weak = w->job.accept_weak_sandbox,
	};
	struct side_state st = { 0 };
	if (side_start(out, &side, &st, e) < 0)
		return err_wrap(e, "start the %s", party_name(spec->party));
	if (*out)
		outcome_record_lacks(w, *out);
	return end_outcome(w, &st, NULL, v, e);
}

void outcome_raise(const struct worker *w)
{
	if (w->is_realtime && w->has_machine)
		priority_set_own(PRIORITY_WORKER);
}

void outcome_lower(const struct worker *w)
{
	if (w->is_realtime && w->has_machine)
		priority_set_own(PRIORITY_ORDINARY);
}

void outcome_raise_side(const struct worker *w, const struct side *side)
{
	if (w->is_realtime && w->has_machine)
		side_set_priority(side, PRIORITY_KERNEL);
}

/* At real-time priority the worker wakes at once wherever it is. */
enum side_wait outcome_wait(const struct worker *w)
{
	if (w->task.threads == 1)
		return SIDE_SPIN;
	return w->is_realtime && w->has_machine ? SIDE_SLEEP : SIDE_SLEEP_BESIDE;
}

/* Raised from the waking of the side to its answer and no longer: what lies between windows shares
 * the machine with everybody. */
static int ring(const struct worker *w, struct side *side, const struct side_call *call,
		struct side_time *t, struct side_state *st, struct err *e)
{
	outcome_raise(w);
	int rc = side_prepare(side, call, st, e);
	if (rc == 0 && st->end == SIDE_ALIVE)
		rc = side_fire(side, t, st, e);
	outcome_lower(w);
	return rc;
}

static struct verdict modes_changed(const char *who)
{
	return verdict_make(REASON_forbidden_instruction,
			    "%scame back with other rounding, precision or denormal modes", who);
}

/* What a call that came back has left behind. */
static bool tampered(const struct side_time *t, struct verdict *v)
{
	if (t->is_forged)
		*v = verdict_make(REASON_clock_disagrees,
				  "the return was reported by somebody else than the runner");
	else if (t->mxcsr_changed)
		*v = modes_changed("");
	return t->is_forged || t->mxcsr_changed;
}

int outcome_run(struct worker *w, const struct outcome_call *call, struct side_time *t,
		struct verdict *v, struct err *e)
{
	if (worker_check_time(w, e) < 0)
		return -1;
	uint64_t wanted = call->call_deadline_ns * call->nr_calls;
	uint64_t left = worker_left_ns(w);
	struct side_call one = {
		.args = call->args,
		.nr_args = call->nr_args,
		.nr_calls = call->nr_calls,
		.deadline_ns = wanted < left ? wanted : left,
		.wait = call->sleeps ? SIDE_SLEEP : outcome_wait(w),
		.copy = call->copy,
		.glimpse = call->glimpse,
	};
	struct side_state st = { 0 };
	if (ring(w, call->side, &one, t, &st, e) < 0)
		return -1;
	if (st.end != SIDE_ALIVE)
		return end_outcome(
			w, &st, call->name_of ? call->name_of(call->ctx, st.region) : NULL, v, e);
	spent_move(&w->spent, call->counter_ns, t->ns);
	return tampered(t, v) ? OUTCOME_VERDICT : OUTCOME_DONE;
}

int outcome_check_pool(const struct worker *w, struct side *side, struct verdict *v, struct err *e)
{
	struct side_state st = { 0 };
	bool is_changed = false;
	if (side_pool_modes(side, &is_changed, &st, e) < 0)
		return -1;
	if (st.end != SIDE_ALIVE)
		return end_outcome(w, &st, NULL, v, e);
	if (is_changed)
		*v = modes_changed("a thread ");
	return is_changed ? OUTCOME_VERDICT : OUTCOME_DONE;
}

void outcome_record_lacks(struct worker *w, const struct side *side)
{
	if (json_object_get(w->result.doc, "sandbox_lacks"))
		return;
	const struct sandbox_lacks *lacks = side_lacks(side);
	json_t *list = json_array();
	for (size_t i = 0; i < lacks->nr; i++) {
		enum sandbox_mechanism m = lacks->items[i].mechanism;
		json_array_append_new(list, json_pack("{s:s,s:s,s:i}", "mechanism",
						      sandbox_mechanism_name(m), "cost",
						      sandbox_mechanism_cost(m), "errno",
						      lacks->items[i].error));
	}
	worker_record(w, "sandbox_lacks", list);
}
