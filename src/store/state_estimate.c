#include "store/state_estimate.h"

/* Written by the engine, read back by the fold: one pair of functions so that both agree. Numbers
 * pass through json_number, since an interval may be open. */

#include "base/json.h"
#include "base/mem.h"

static json_t *shape_to_json(const struct state_shape *s)
{
	return json_pack("{s:s, s:b, s:s, s:o, s:o, s:o, s:o, s:o}", "name", s->name, "held_out",
			 s->held_out, "call", s->call, "speedup", json_number(s->speedup), "low",
			 json_number(s->low), "high", json_number(s->high), "reference_ns",
			 json_number(s->reference_ns), "candidate_ns",
			 json_number(s->candidate_ns));
}

json_t *state_estimate_to_json(const struct state_estimate *est)
{
	json_t *shapes = json_array();
	for (size_t i = 0; i < est->nr_shapes; i++)
		json_array_append_new(shapes, shape_to_json(&est->shapes[i]));
	return json_pack("{s:s?, s:s?, s:s?, s:s?, s:i, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:o, "
			 "s:o, s:o, s:o}",
			 "call", est->call, "purpose", est->purpose, "comparator", est->comparator,
			 "job", est->job, "replicates", (int)est->replicates, "speedup",
			 json_number(est->speedup), "low", json_number(est->low), "high",
			 json_number(est->high), "floor", json_number(est->floor), "confidence",
			 json_number(est->confidence), "contended", est->is_contended,
			 "reference_slowed", est->is_reference_slowed, "slowdown",
			 json_number(est->slowdown), "drift", json_number(est->drift), "carry_over",
			 json_number(est->carry_over), "shapes", shapes);
}

static const char *text_in(const json_t *obj, const char *key, struct arena *a)
{
	const char *text = json_text_or(obj, key, NULL);
	return text ? arena_strdup(a, text) : NULL;
}

static struct state_shape shape_from_json(const json_t *obj, struct arena *a)
{
	const char *name = text_in(obj, "name", a);
	const char *call = text_in(obj, "call", a);
	return (struct state_shape){ .name = name ? name : "",
				     .held_out = json_bool_or(obj, "held_out", false),
				     .call = call ? call : "undecided",
				     .speedup = json_real_or(obj, "speedup", 0),
				     .low = json_real_or(obj, "low", 0),
				     .high = json_real_or(obj, "high", 0),
				     .reference_ns = json_real_or(obj, "reference_ns", 0),
				     .candidate_ns = json_real_or(obj, "candidate_ns", 0) };
}

void state_estimate_from_json(const json_t *obj, struct arena *a, struct state_estimate *est)
{
	const json_t *shapes = json_object_get(obj, "shapes");
	*est = (struct state_estimate){ .call = text_in(obj, "call", a),
					.purpose = text_in(obj, "purpose", a),
					.comparator = text_in(obj, "comparator", a),
					.job = text_in(obj, "job", a),
					.replicates = (unsigned)json_int_or(obj, "replicates", 0),
					.speedup = json_real_or(obj, "speedup", 0),
					.low = json_real_or(obj, "low", 0),
					.high = json_real_or(obj, "high", 0),
					.floor = json_real_or(obj, "floor", 0),
					.confidence = json_real_or(obj, "confidence", 0),
					.is_contended = json_bool_or(obj, "contended", false),
					.slowdown = json_real_or(obj, "slowdown", 0),
					.is_reference_slowed =
						json_bool_or(obj, "reference_slowed", false),
					.drift = json_real_or(obj, "drift", 0),
					.carry_over = json_real_or(obj, "carry_over", 0),
					.nr_shapes = json_array_size(shapes) };
	est->shapes = arena_array(a, est->nr_shapes, sizeof(*est->shapes));
	for (size_t i = 0; i < est->nr_shapes; i++)
		est->shapes[i] = shape_from_json(json_array_get(shapes, i), a);
}
