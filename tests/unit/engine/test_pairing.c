#include "engine/pairing.h"

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "model/result.h"
#include "store/state_estimate.h"
#include "test.h"

/* Samples by hand: what pairs, what is dropped, what is left out. */

enum { MAX_SAMPLES = 600 };

struct scene {
	struct result_shape shapes[3];
	struct sample samples[MAX_SAMPLES];
	struct result r;
	struct arena arena;
	struct state_estimate est;
};

static void add(struct scene *sc, struct sample s)
{
	CHECK(sc->r.nr_samples < MAX_SAMPLES);
	sc->samples[sc->r.nr_samples++] = s;
}

/* K replicates of five rounds of a shape: reference 1000 ns a call in windows of 10 calls. */
static void add_shape(struct scene *sc, unsigned shape, unsigned nr_replicates,
		      uint64_t candidate_ns)
{
	for (unsigned k = 0; k < nr_replicates; k++)
		for (unsigned j = 0; j < 5; j++)
			for (unsigned slot = 0; slot < SLOT_NR; slot++)
				add(sc, (struct sample){ .shape = shape,
							 .replicate = k,
							 .round = j,
							 .slot = (enum slot)slot,
							 .order = slot,
							 .calls = 10,
							 .ns = slot == SLOT_CANDIDATE
								       ? candidate_ns * 10
								       : 10000 });
}

static void scene_open(struct scene *sc)
{
	*sc = (struct scene){
		.shapes = { { .name = "a" }, { .name = "b" }, { .name = "c", .held_out = true } }
	};
	sc->r = (struct result){
		.job_id = "j", .shapes = sc->shapes, .nr_shapes = 3, .samples = sc->samples
	};
}

static int evaluate(struct scene *sc, struct err *e)
{
	const struct pairing_spec spec = { .result = &sc->r,
					   .purpose = "decide",
					   .comparator = "the reference" };
	return pairing_estimate(&spec, &sc->arena, &sc->est, e);
}

TEST(times_are_per_call_and_the_mean_is_geometric)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	add_shape(&sc, 0, 8, 500);
	add_shape(&sc, 2, 8, 125);
	CHECK_OK(evaluate(&sc, &e));
	CHECK_TEXT(sc.est.call, "faster");
	CHECK(sc.est.speedup > 3.999 && sc.est.speedup < 4.001);
	CHECK_INT(sc.est.nr_shapes, 2); /* b was not timed */
	CHECK_TEXT(sc.est.shapes[1].name, "c");
	CHECK(sc.est.shapes[1].held_out);
	CHECK(sc.est.shapes[0].reference_ns == 1000);
	/* The goal's time leaves held-out shapes out. */
	CHECK(pairing_reference_geomean(&sc.est) > 999 &&
	      pairing_reference_geomean(&sc.est) < 1001);
	arena_release(&sc.arena);
}

TEST(a_round_that_lacks_a_slot_does_not_count)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	add_shape(&sc, 0, 2, 500);
	add(&sc, (struct sample){ .shape = 0,
				  .replicate = 0,
				  .round = 9,
				  .slot = SLOT_CANDIDATE,
				  .calls = 1,
				  .ns = 1 });
	CHECK_OK(evaluate(&sc, &e));
	CHECK(sc.est.high < 2.001);
	arena_release(&sc.arena);
}

TEST(a_round_with_one_dropped_slot_is_dropped_whole)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	add_shape(&sc, 0, 2, 500);
	/* One round of five per replicate is disturbed, and says so in one slot. */
	for (size_t i = 0; i < sc.r.nr_samples; i++) {
		if (sc.samples[i].round == 0 && sc.samples[i].slot == SLOT_REFERENCE)
			sc.samples[i].ns = 900000;
		if (sc.samples[i].round == 0 && sc.samples[i].slot == SLOT_CANDIDATE)
			sc.samples[i].is_dropped = true;
	}
	CHECK_OK(evaluate(&sc, &e));
	CHECK(sc.est.shapes[0].reference_ns == 1000);
	arena_release(&sc.arena);
}

static void set_timing(struct scene *sc, const char *text)
{
	sc->r.doc = json_loads(text, 0, NULL);
	CHECK(sc->r.doc);
}

TEST(a_stored_floor_that_the_worker_recorded_is_used)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	add_shape(&sc, 0, 8, 980);
	CHECK_OK(evaluate(&sc, &e));
	CHECK_TEXT(sc.est.call, "faster");
	set_timing(&sc, "{\"timing\":{\"shapes\":[{\"shape\":\"b\",\"noise_floor\":0.5},"
			"{\"shape\":\"a\",\"noise_floor\":0.03}]}}");
	CHECK_OK(evaluate(&sc, &e));
	CHECK_TEXT(sc.est.call, "undecided");
	CHECK(sc.est.floor == 0.03);
	json_decref(sc.r.doc);
	arena_release(&sc.arena);
}

TEST(a_reference_that_was_slowed_is_marked_and_no_gain)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	add_shape(&sc, 0, 2, 900);
	set_timing(&sc, "{\"timing\":{\"alone\":[{\"slowdown\":0.2},{\"slowdown\":null},"
			"{\"slowdown\":0.2}]}}");
	CHECK_OK(evaluate(&sc, &e));
	CHECK(sc.est.is_reference_slowed);
	CHECK(sc.est.slowdown > 0.199 && sc.est.slowdown < 0.201);
	CHECK_TEXT(sc.est.call, "undecided");
	AUTO_JSON json_t *json = state_estimate_to_json(&sc.est);
	struct state_estimate again;
	state_estimate_from_json(json, &sc.arena, &again);
	CHECK(again.is_reference_slowed && again.slowdown == sc.est.slowdown);
	json_decref(sc.r.doc);
	arena_release(&sc.arena);
}

TEST(a_result_without_samples_is_no_estimate)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	CHECK(evaluate(&sc, &e) < 0);
	CHECK_TEXT(e.text, "job j has no samples");
}

TEST_MAIN()
