#include "report/view.h"

/* A result that is gone or torn is no reason to have no report: the log alone carries all numbers,
 * the result adds flops, bytes, ceilings and build facts. */

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"

static void find_head(struct view *v)
{
	const struct state_best *best = run_state_best(&v->state);
	const struct state_confirm *confirm = &v->state.confirm;
	if (confirm->estimate.call) {
		v->head = &confirm->estimate;
		v->head_round = run_state_round(&v->state, confirm->round);
	} else if (best) {
		v->head = &best->estimate;
		v->head_round = run_state_round(&v->state, best->round);
	}
}

static void load_result(struct view *v)
{
	const char *id = v->head ? v->head->job : v->state.reference.self.job;
	const struct state_job *job = id ? run_state_job(&v->state, id) : NULL;
	struct err ignored = { 0 };
	if (!job || !job->dir)
		return;
	AUTO_FREE char *dir = path_join(v->run_dir, job->dir);
	v->has_result = result_load(&v->result, dir, &ignored) == 0;
	if (!v->has_result)
		result_release(&v->result);
}

void view_release(struct view *v)
{
	run_state_release(&v->state);
	if (v->has_result)
		result_release(&v->result);
	v->has_result = false;
}

static const struct result_shape *shape_of(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->nr_shapes; i++)
		if (str_equal(r->shapes[i].name, name))
			return &r->shapes[i];
	return NULL;
}

const struct result_shape *view_shape(const struct view *v, const char *name)
{
	return v->has_result ? shape_of(&v->result, name) : NULL;
}

struct rates {
	double bytes_per_s;
	double flops_per_s; /* 0: unknown */
};

/* Which of a GPU's units counts depends on the task; the profile has said so
 * (docs/format/profile.md): both ceilings meet at its ridge, which is of the rate that the job
 * itself copied at. */
static struct rates gpu_rates(const struct result *r, const json_t *gpu)
{
	double ridge = 0;
	const json_t *stored = json_object_get(r->doc, "ceilings");
	const double copied = json_real_or(gpu, "copy_bytes_per_s", 0);
	const double bytes_per_s = json_real_or(stored, "copy_bytes_per_s", copied);
	result_metric(r, "candidate", "ridge_flops_per_byte", &ridge);
	return (struct rates){ bytes_per_s, ridge * (copied > 0 ? copied : bytes_per_s) };
}

/* Of the GPU that measured, else of one thread of the processor. */
static struct rates rates_of(const struct result *r)
{
	const json_t *gpu = json_object_get(r->doc, "gpu");
	const json_t *machine = json_object_get(r->doc, "machine");
	if (json_is_object(gpu))
		return gpu_rates(r, gpu);
	return (struct rates){ json_real_or(machine, "read_bytes_per_s", 0),
			       json_real_or(machine, "f32_flops_per_s", 0) };
}

static void read_ceilings(struct view *v)
{
	const struct rates c = rates_of(&v->result);
	v->bytes_per_s = c.bytes_per_s;
	v->flops_per_s = c.flops_per_s;
}

int view_load(struct view *v, const char *run_dir, struct err *e)
{
	*v = (struct view){ .run_dir = run_dir, .named = run_dir };
	if (run_state_load(&v->state, run_dir, e) < 0)
		return -1;
	find_head(v);
	load_result(v);
	if (v->has_result)
		read_ceilings(v);
	return 0;
}

double roofline_share(const struct result *r, const char *name, double ns)
{
	const struct result_shape *shape = shape_of(r, name);
	const struct rates c = rates_of(r);
	if (!shape || shape->bytes <= 0 || c.bytes_per_s <= 0 || ns <= 0)
		return 0;
	double floor_s = shape->bytes / c.bytes_per_s;
	double compute_s = c.flops_per_s > 0 ? shape->flops / c.flops_per_s : 0;
	return (floor_s > compute_s ? floor_s : compute_s) / (ns * 1e-9);
}

bool view_is_gpu(const struct view *v)
{
	return v->has_result && json_object_get(v->result.doc, "gpu");
}

double view_roofline_share(const struct view *v, const char *name, double ns)
{
	return v->has_result ? roofline_share(&v->result, name, ns) : 0;
}

static enum decision_fate fate_by_outcome(const struct state_round *r)
{
	if (r->is_best)
		return FATE_BEST;
	static const enum decision_fate fates[] = {
		[ROUND_OPEN] = FATE_PENDING,
		[ROUND_KEPT] = FATE_KEPT,
		[ROUND_ROLLED_BACK] = FATE_ROLLED_BACK,
		[ROUND_NO_CANDIDATE] = FATE_NO_CANDIDATE,
	};
	return fates[r->outcome];
}

static const struct state_decision *decided_in(const struct state_curriculum *c, unsigned round)
{
	for (size_t i = 0; i < c->nr_milestones; i++)
		for (size_t j = 0; j < c->milestones[i].nr_decisions; j++)
			if (c->milestones[i].decisions[j].round == round)
				return &c->milestones[i].decisions[j];
	return NULL;
}

enum decision_fate round_fate(const struct run_state *s, const struct state_round *r)
{
	for (size_t i = s->nr_curricula; i-- > 0;) {
		const struct state_decision *d = decided_in(&s->curricula[i], r->number);
		if (d)
			return d->fate;
	}
	return fate_by_outcome(r);
}
