#include "worker/trial_in.h"

#include "base/err.h"
#include "base/json.h"
#include "worker/effects.h"
#include "worker/outcome.h"

/* Of a replicate. */
static json_int_t most_rounds(const struct result *r, size_t shape)
{
	json_int_t most = 0;
	for (size_t i = 0; i < r->nr_samples; i++)
		if (r->samples[i].shape == shape && r->samples[i].round >= most)
			most = (json_int_t)r->samples[i].round + 1;
	return most;
}

static json_t *plan_to_json(const struct trial *t, size_t i)
{
	const struct plan *p = &t->plans[i];
	const struct worker *w = t->bench.w;
	const struct effects effects = effects_of(&w->result, (unsigned)i);
	const unsigned warmups = p->nr_warmups + (p->warms_parts ? p->nr_parts - 1 : 0);
	json_t *obj =
		json_pack("{s:s,s:i,s:i,s:i,s:i,s:i,s:i,s:o}", "shape", p->s->shape->name, "calls",
			  (int)p->nr_calls, "rounds", (int)p->nr_rounds, "parts", (int)p->nr_parts,
			  "warmup_rounds", (int)warmups, "sets", (int)p->nr_sets, "contents",
			  (int)p->nr_contents, "effects", effects_to_json(&effects));
	json_object_set_new(obj, "most_rounds", json_integer(most_rounds(&w->result, i)));
	double floor = history_floor(&t->history, p->s->fp.tensor_bytes, w->task.threads);
	if (t->history.is_there)
		json_object_set_new(obj, "noise_floor", json_number(floor));
	return obj;
}

static json_t *all_alone(const struct trial *t)
{
	json_t *list = json_array();
	for (unsigned k = 0; k < t->bench.w->job.replicates; k++)
		if (t->alone[k].nr)
			json_array_append_new(list,
					      alone_to_json(&t->alone[k], k, &t->bench.w->result));
	return list;
}

void trial_record(const struct trial *t)
{
	struct worker *w = t->bench.w;
	json_t *shapes = json_array();
	for (size_t i = 0; i < t->nr_plans; i++)
		json_array_append_new(shapes, plan_to_json(t, i));
	json_t *nulls = json_array();
	for (unsigned k = 0; k < w->job.replicates; k++)
		json_array_append_new(nulls, json_integer((json_int_t)t->null_ns[k]));
	json_t *timing = json_object();
	json_object_set_new(timing, "shapes", shapes);
	json_object_set_new(timing, "null_ns", nulls);
	json_object_set_new(timing, "alone", all_alone(t));
	json_object_set_new(timing, "other_bits", json_integer((json_int_t)t->bench.nr_other_bits));
	json_object_set_new(timing, "cold", json_boolean(w->job.is_cold && cpu_can_flush()));
	json_object_set_new(timing, "wait", json_string(w->task.threads > 1 ? "futex" : "spin"));
	json_object_set_new(timing, "priority",
			    json_string(w->is_realtime ? "realtime" : "ordinary"));
	json_object_set_new(timing, "kernel_cpu", json_integer(worker_kernel_cpu(w)));
	contention_record(&t->contention, timing);
	worker_record(w, "timing", timing);
}

void trial_list_shapes(struct trial *t)
{
	struct result *r = &t->bench.w->result;
	r->shapes = arena_array(&r->arena, t->nr_plans, sizeof(*r->shapes));
	r->nr_shapes = t->nr_plans;
	for (size_t i = 0; i < t->nr_plans; i++) {
		const struct shape *s = t->plans[i].s->shape;
		const struct task *task = &t->bench.w->task;
		struct result_shape *out = &r->shapes[i];
		struct err unused = { 0 };
		out->name = s->name;
		out->held_out = s->held_out;
		task_work(task->flops, &s->dims, &out->flops, &unused);
		task_work(task->bytes, &s->dims, &out->bytes, &unused);
	}
}
