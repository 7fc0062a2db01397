#include "worker/variation.h"

#include <math.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"
#include "model/shape.h"
#include "test.h"
#include "worker/footprint.h"

enum { NR = 4096 };

struct tensor {
	struct arg arg;
	struct operand operand;
	struct group group;
	json_t *inputs;
	float before[NR];
	float after[NR];
};

/* A tensor of `dtype` that its group draws by `generator`. */
static void tensor_init(struct tensor *t, enum dtype dtype, const char *generator)
{
	*t = (struct tensor){ .arg = { .name = "x", .role = ARG_IN, .dtype = dtype } };
	t->operand = (struct operand){ .arg = &t->arg,
				       .nr = NR,
				       .bytes = NR * dtype_bytes(dtype),
				       .is_tensor = true,
				       .is_input = true };
	AUTO_FREE char *text = xasprintf("{\"x\":%s}", generator);
	t->inputs = json_loads(text, 0, NULL);
	CHECK(t->inputs);
	t->group = (struct group){ .name = "g", .inputs = t->inputs };
}

static void fill(struct tensor *t)
{
	struct rng rng = { .seed = 3 };
	for (int i = 0; i < NR; i++)
		t->before[i] = i % 8 ? (float)(rng_unit(&rng) + 0.5) * (i % 2 ? 1 : -1) : 0;
	memcpy(t->after, t->before, sizeof(t->after));
}

static void vary(struct tensor *t, uint64_t seed)
{
	struct rng rng = { .seed = seed };
	variation_make(&t->operand, &t->group, (unsigned char *)t->after, &rng);
}

static int nr_changed(const struct tensor *t)
{
	int nr = 0;
	for (int i = 0; i < NR; i++)
		nr += memcmp(&t->before[i], &t->after[i], sizeof(float)) != 0;
	return nr;
}

/* Changed by so much that no rounding hides it. */
static int nr_far(const struct tensor *t)
{
	int nr = 0;
	for (int i = 0; i < NR; i++)
		nr += fabsf(t->before[i] - t->after[i]) > 1e-3F * fabsf(t->before[i]);
	return nr;
}

TEST(nearly_all_elements_differ_and_a_few_by_much)
{
	static struct tensor t;
	tensor_init(&t, DTYPE_F32, "{\"kind\":\"normal\"}");
	fill(&t);
	vary(&t, 1);
	const int nr = nr_changed(&t);
	printf("# %d changed, %d by much\n", nr, nr_far(&t));
	CHECK(nr > NR * 7 / 8 - 64);
	CHECK(nr_far(&t) >= 2 && nr_far(&t) <= 8);
	json_decref(t.inputs);
}

TEST(what_is_shaved_comes_nearer_to_zero_and_zero_stays)
{
	static struct tensor t;
	tensor_init(&t, DTYPE_F32, "{\"kind\":\"outlier_rows\"}");
	fill(&t);
	t.before[1] = t.after[1] = (float)NAN;
	t.before[3] = t.after[3] = (float)INFINITY;
	vary(&t, 1);
	CHECK(isnan(t.after[1]) && isinf(t.after[3]));
	for (int i = 4; i < NR; i++) {
		CHECK(fabsf(t.after[i]) <= fabsf(t.before[i]));
		CHECK(fabsf(t.after[i]) >= 0.999F * fabsf(t.before[i]));
		CHECK(t.before[i] != 0 || t.after[i] == 0);
	}
	CHECK_INT(nr_far(&t), 0);
	json_decref(t.inputs);
}

/* All magnitudes of a format of two bytes, with either sign; not a whole number of vectors. */
static void check_halves(enum dtype dtype, unsigned infinite, unsigned most)
{
	static struct tensor t;
	enum { HALVES = 2 * NR - 3 };
	uint16_t before[HALVES];
	uint16_t after[HALVES];
	int nr = 0;
	tensor_init(&t, dtype, "{\"kind\":\"outlier_rows\"}");
	t.operand.nr = HALVES;
	t.operand.bytes = sizeof(before);
	for (unsigned i = 0; i < HALVES; i++)
		before[i] = (uint16_t)(i * 9 + (i < 8 ? 0x7f78 : 0));
	memcpy(t.after, before, sizeof(before));
	vary(&t, 1);
	memcpy(after, t.after, sizeof(after));
	for (int i = 0; i < HALVES; i++) {
		const unsigned from = before[i] & 0x7fffU;
		const unsigned to = after[i] & 0x7fffU;
		CHECK_INT(before[i] & 0x8000, after[i] & 0x8000);
		CHECK(to <= from && from - to <= most);
		CHECK(to == from || (from < infinite && from > 0 && to > 0));
		nr += to != from;
	}
	printf("# %d of %d changed\n", nr, HALVES);
	CHECK(nr > HALVES * 3 / 8);
	json_decref(t.inputs);
}

TEST(numbers_of_two_bytes_are_shaved_in_vectors)
{
	check_halves(DTYPE_BF16, 0x7f80, 1);
	check_halves(DTYPE_F16, 0x7c00, 15);
}

TEST(where_equal_elements_are_the_point_only_a_few_change)
{
	static const char *const kinds[] = { "{\"kind\":\"constant_rows\"}",
					     "{\"kind\":\"identical_rows\"}",
					     "{\"kind\":\"ramp\"}" };
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		static struct tensor t;
		tensor_init(&t, DTYPE_F32, kinds[i]);
		fill(&t);
		vary(&t, 1);
		CHECK(nr_changed(&t) >= 1 && nr_changed(&t) <= 4);
		CHECK_INT(nr_far(&t), 0);
		json_decref(t.inputs);
	}
}

TEST(whole_numbers_change_places_only)
{
	static struct tensor t;
	tensor_init(&t, DTYPE_I32, "{\"kind\":\"integers\",\"low\":0,\"high\":9}");
	int32_t *at = (int32_t *)(void *)t.after;
	for (int i = 0; i < NR; i++)
		at[i] = i;
	CHECK(variation_is_possible(&t.operand, &t.group));
	vary(&t, 1);
	int64_t sum = 0;
	int nr = 0;
	for (int i = 0; i < NR; i++) {
		sum += at[i];
		nr += at[i] != i;
	}
	CHECK(nr >= 2 && nr <= 8);
	CHECK_INT(sum, (int64_t)NR * (NR - 1) / 2);
	json_decref(t.inputs);
}

TEST(two_variations_differ_from_each_other)
{
	static struct tensor a;
	static struct tensor b;
	tensor_init(&a, DTYPE_F32, "{\"kind\":\"uniform\"}");
	tensor_init(&b, DTYPE_F32, "{\"kind\":\"uniform\"}");
	fill(&a);
	fill(&b);
	vary(&a, 1);
	vary(&b, 2);
	memcpy(a.before, b.after, sizeof(a.before));
	CHECK(nr_changed(&a) > NR / 2);
	json_decref(a.inputs);
	json_decref(b.inputs);
}

TEST(offsets_and_what_no_group_draws_stay)
{
	struct tensor t;
	tensor_init(&t, DTYPE_I32, "{\"kind\":\"offsets\",\"total\":9}");
	CHECK(!variation_is_possible(&t.operand, &t.group));
	json_decref(t.inputs);
	tensor_init(&t, DTYPE_F32, "{\"kind\":\"normal\"}");
	t.operand.is_input = false;
	CHECK(!variation_is_possible(&t.operand, &t.group));
	json_decref(t.inputs);
}

TEST_MAIN()
