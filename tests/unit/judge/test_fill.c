#include <math.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/mem.h"
#include "base/rng.h"
#include "judge/draw.h"
#include "judge/generator.h"
#include "judge/inputs.h"

enum { ROWS = 8, COLS = 101, NR = ROWS * COLS };

static void fill_floats(const char *generator, float *out)
{
	struct err e = { 0 };
	AUTO_INPUTS struct inputs in;
	inputs_init(&in, DTYPE_F32, generator);
	CHECK_OK(inputs_fill(&in, out, &e));
}

static void fill_ints(const char *generator, int32_t *out)
{
	struct err e = { 0 };
	AUTO_INPUTS struct inputs in;
	inputs_init(&in, DTYPE_I32, generator);
	CHECK_OK(inputs_fill(&in, out, &e));
}

static void refuse(enum dtype dtype, const char *generator, const char *why)
{
	struct err e = { 0 };
	AUTO_FREE unsigned char *out = xcalloc(NR, 8);
	AUTO_INPUTS struct inputs in;
	inputs_init(&in, dtype, generator);
	CHECK(inputs_fill(&in, out, &e) < 0);
	CHECK_INT(e.kind, ERR_INPUT);
	if (!strstr(e.text, why))
		printf("# got: %s\n", e.text);
	CHECK(strstr(e.text, "group plain, argument x: "));
	CHECK(strstr(e.text, why));
}

TEST(draws_are_those_of_the_base_library)
{
	for (uint64_t i = 0; i < 1000; i++)
		CHECK(draw_bits(draw_key(i * 77), i) == rng_hash(i * 77, i));
}

TEST(the_bell_is_the_sum_of_eight_pieces_of_two_draws)
{
	for (uint64_t i = 0; i < 1000; i++) {
		int64_t sum = 0;
		for (unsigned piece = 0; piece < 8; piece++)
			sum += (int64_t)(rng_hash(5, 2 * i + piece / 4) >> (piece % 4 * 16) &
					 0xffff);
		CHECK_INT(draw_bell(draw_key(5), i), sum - 262140);
	}
}

TEST(a_draw_below_a_bound_is_even)
{
	unsigned counts[7] = { 0 };
	for (uint64_t i = 0; i < 70000; i++)
		counts[draw_below(draw_key(3), i, 7)]++;
	for (size_t i = 0; i < 7; i++)
		CHECK(counts[i] > 9600 && counts[i] < 10400);
}

/* One generator of each kind, with parameters. */
static const struct {
	const char *kind;
	const char *json;
	const char *digest;
} kinds[] = {
	{ "normal", "{\"kind\":\"normal\",\"mean\":1,\"std\":2}", "b5451417054b652d" },
	{ "uniform", "{\"kind\":\"uniform\",\"low\":-1,\"high\":3}", "f2853f3313ce55ee" },
	{ "constant", "{\"kind\":\"constant\",\"value\":1.5}", "27624dc916ff5c2b" },
	{ "constant_rows", "{\"kind\":\"constant_rows\"}", "b63f551fb6d144a0" },
	{ "identical_rows", "{\"kind\":\"identical_rows\"}", "bee37403a2c07de9" },
	{ "spikes", "{\"kind\":\"spikes\",\"rate\":0.1}", "94dccd8e3bccd37e" },
	{ "extremes", "{\"kind\":\"extremes\"}", "f65952eadd45d3e1" },
	{ "zero_blocks", "{\"kind\":\"zero_blocks\"}", "a26c1ab82b61a4e7" },
	{ "sparse", "{\"kind\":\"sparse\"}", "44c0a3a22f05fb34" },
	{ "alternating", "{\"kind\":\"alternating\"}", "3a814c478548931e" },
	{ "ramp", "{\"kind\":\"ramp\"}", "7c8d3c0cab14b196" },
	{ "integers", "{\"kind\":\"integers\",\"low\":-5,\"high\":5}", "d641c59d9c5eb32b" },
	{ "index", "{\"kind\":\"index\",\"high\":\"cols\"}", "dce2007e538472b3" },
	{ "permutation", "{\"kind\":\"permutation\"}", "50f1f15d44fe48d2" },
	{ "offsets", "{\"kind\":\"offsets\",\"total\":\"total\",\"skew\":\"power\"}",
	  "ff5a1fafa7dd770b" },
	{ "choice", "{\"kind\":\"choice\",\"values\":[1,2.5,\"rows\"]}", "77c979e97b79f7cf" },
	{ "mask", "{\"kind\":\"mask\"}", "cd86a25cff9d5263" },
	{ "outlier_rows", "{\"kind\":\"outlier_rows\"}", "d51a77f85784037a" },
	{ "specials", "{\"kind\":\"specials\",\"rate\":0.1}", "2ed078bae2fd5963" },
};

TEST(every_row_of_the_table_has_a_meaning_and_a_case_here)
{
	static const char *const names[] = {
#define GENERATOR(name, params, text) #name,
#include "model/generators.def"
#undef GENERATOR
	};
	CHECK_INT(ARRAY_LEN(names), ARRAY_LEN(kinds));
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		CHECK(generator_find(names[i]) && generator_find(names[i])->make);
		CHECK_TEXT(kinds[i].kind, names[i]);
	}
}

TEST(parameters_are_those_of_the_table)
{
	static const char *const params[] = {
#define GENERATOR(name, params, text) params,
#include "model/generators.def"
#undef GENERATOR
	};
	for (size_t i = 0; i < ARRAY_LEN(params); i++) {
		const struct generator *g = generator_find(kinds[i].kind);
		AUTO_STR struct str want = STR_INIT;
		for (size_t j = 0; j < GENERATOR_PARAMS && g->params[j].name; j++)
			str_addf(&want, "%s%s%s", want.len ? " " : "", g->params[j].name,
				 isnan(g->params[j].otherwise) ? "" : "?");
		if (g->word)
			str_addf(&want, " %s?", g->word);
		if (g->list)
			str_addf(&want, "%s%s%s", want.len ? " " : "", g->list,
				 g->list_otherwise[0] ? "?" : "");
		CHECK_TEXT(want.text, params[i]);
	}
}

TEST(bits_depend_on_seed_shape_group_and_argument_only)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		float once[NR];
		float again[NR];
		fill_floats(kinds[i].json, once);
		fill_floats(kinds[i].json, again);
		CHECK(memcmp(once, again, sizeof(once)) == 0);
	}
	CHECK(fill_seed(1, "a", "b", "c") != fill_seed(2, "a", "b", "c"));
	CHECK(fill_seed(1, "a", "b", "c") != fill_seed(1, "x", "b", "c"));
	CHECK(fill_seed(1, "a", "b", "c") != fill_seed(1, "a", "x", "c"));
	CHECK(fill_seed(1, "a", "b", "c") != fill_seed(1, "a", "b", "x"));
	CHECK(fill_seed(9, "a", "b", "c") == UINT64_C(0x41103c924de5c679));
}

/* The way back through the generator of base/rng.c, which is a permutation. */
static uint64_t unshift(uint64_t z, unsigned by)
{
	uint64_t x = z;
	for (unsigned i = 0; i < 64; i += by)
		x = z ^ (x >> by);
	return x;
}

static uint64_t inverse(uint64_t odd)
{
	uint64_t x = odd;
	for (int i = 0; i < 6; i++)
		x *= 2 - odd * x;
	return x;
}

static uint64_t unmix(uint64_t z)
{
	z = unshift(z, 31) * inverse(UINT64_C(0x94d049bb133111eb));
	z = unshift(z, 27) * inverse(UINT64_C(0xbf58476d1ce4e5b9));
	return unshift(z, 30);
}

static uint64_t unhash(uint64_t hash, uint64_t counter)
{
	const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
	return unmix(unmix(hash) - (counter + 1) * step) - step;
}

static uint64_t underive(uint64_t seed, const char *purpose)
{
	for (size_t i = strlen(purpose); i > 0; i--)
		seed = unhash(seed, (unsigned char)purpose[i - 1]);
	return seed;
}

TEST(inputs_do_not_tell_the_seed_of_their_job)
{
	CHECK(underive(rng_derive(42, "odd/plain/x"), "odd/plain/x") == 42);
	CHECK(unhash(rng_hash(42, 7), 7) == 42);
	CHECK(underive(fill_seed(42, "odd", "plain", "x"), "odd/plain/x") != 42);
}

/* A piece of the values is the same whatever piece it is made in: what a device backend does. */
TEST(an_element_does_not_depend_on_the_piece_it_is_made_in)
{
	struct err e = { 0 };
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		const struct generator *g = generator_find(kinds[i].kind);
		double list[] = { 1, 2, 3 };
		struct filling f = { .dtype = DTYPE_F32,
				     .nr = NR,
				     .row_len = COLS,
				     .key = 1,
				     .pick = 2,
				     .seed = 3,
				     .param = { 1, 2, 3 },
				     .list = list,
				     .nr_list = 3 };
		double whole[NR];
		double piece[13];
		if (g->prepare)
			CHECK_OK(g->prepare(&f, &e));
		g->make(&f, 0, NR, whole);
		for (size_t at = 0; at + 13 <= NR; at += 7) {
			g->make(&f, at, 13, piece);
			CHECK(memcmp(piece, whole + at, sizeof(piece)) == 0);
		}
		free(f.table);
	}
}

TEST(normal_has_its_mean_and_deviation)
{
	float x[NR];
	double sum = 0;
	double squares = 0;
	fill_floats("{\"kind\":\"normal\",\"mean\":10,\"std\":2}", x);
	for (size_t i = 0; i < NR; i++) {
		sum += x[i];
		squares += (x[i] - 10.0) * (x[i] - 10.0);
	}
	CHECK(fabs(sum / NR - 10) < 0.3);
	CHECK(fabs(sqrt(squares / NR) - 2) < 0.2);
}

TEST(normal_is_one_exact_scaling_of_an_integer)
{
	float x[NR];
	fill_floats("{\"kind\":\"normal\"}", x);
	uint64_t key = draw_key(fill_seed(42, "odd", "plain", "x"));
	for (size_t i = 0; i < NR; i++)
		CHECK(x[i] == (float)((double)draw_bell(key, i) * DRAW_BELL_SCALE));
	CHECK(fabs(1 / DRAW_BELL_SCALE - sqrt(8 * (0x1p32 - 1) / 12)) < 1e-9);
}

TEST(uniform_stays_below_high_after_rounding)
{
	static const enum dtype dtypes[] = { DTYPE_F64,    DTYPE_F32,    DTYPE_F16, DTYPE_BF16,
					     DTYPE_F8E4M3, DTYPE_F8E5M2, DTYPE_I32 };
	static const struct {
		const char *json;
		double low;
		double high;
	} rows[] = {
		{ "{\"kind\":\"uniform\"}", 0, 1 },
		{ "{\"kind\":\"uniform\",\"low\":-3,\"high\":-1}", -3, -1 },
		{ "{\"kind\":\"uniform\",\"low\":-1,\"high\":0}", -1, 0 },
		{ "{\"kind\":\"uniform\",\"low\":\"rows\",\"high\":\"cols-1\"}", 8, 100 },
	};
	for (size_t t = 0; t < ARRAY_LEN(dtypes); t++) {
		for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
			struct err e = { 0 };
			unsigned char out[NR * 8];
			AUTO_INPUTS struct inputs in;
			inputs_init(&in, dtypes[t], rows[r].json);
			CHECK_OK(inputs_fill(&in, out, &e));
			for (size_t i = 0; i < NR; i++) {
				double value = dtype_load(dtypes[t], out, i);
				CHECK(value >= rows[r].low && value < rows[r].high);
			}
		}
	}
}

TEST(uniform_covers_its_range)
{
	float x[NR];
	unsigned counts[4] = { 0 };
	fill_floats("{\"kind\":\"uniform\",\"low\":-2,\"high\":2}", x);
	for (size_t i = 0; i < NR; i++)
		counts[(size_t)(x[i] + 2)]++;
	for (size_t i = 0; i < 4; i++)
		CHECK(counts[i] > 150 && counts[i] < 260);
}

TEST(uniform_of_one_value_is_that_value)
{
	float x[NR];
	fill_floats("{\"kind\":\"uniform\",\"low\":2,\"high\":2}", x);
	CHECK(x[0] == 2 && x[NR - 1] == 2);
}

TEST(constant_rows_differ_from_row_to_row_only)
{
	float x[NR];
	fill_floats("{\"kind\":\"constant_rows\",\"low\":5,\"high\":6}", x);
	for (size_t i = 0; i < NR; i++)
		CHECK(x[i] == x[i - i % COLS] && x[i] >= 5 && x[i] < 6);
	CHECK(x[0] != x[COLS]);
}

TEST(identical_rows_differ_from_column_to_column_only)
{
	float x[NR];
	fill_floats("{\"kind\":\"identical_rows\"}", x);
	for (size_t i = COLS; i < NR; i++)
		CHECK(x[i] == x[i - COLS]);
	CHECK(x[0] != x[1]);
}

static size_t count_beyond(const float *x, double limit)
{
	size_t nr = 0;
	for (size_t i = 0; i < NR; i++)
		nr += fabsf(x[i]) > (float)limit;
	return nr;
}

TEST(spikes_are_rare_and_large)
{
	float x[NR];
	fill_floats("{\"kind\":\"spikes\",\"std\":0.1,\"rate\":0.05,\"magnitude\":100}", x);
	CHECK(count_beyond(x, 99) == count_beyond(x, 1));
	CHECK(count_beyond(x, 99) > 20 && count_beyond(x, 99) < 65);
	CHECK(count_beyond(x, 100) == 0);
}

TEST(extremes_span_their_exponents_and_both_signs)
{
	float x[NR];
	int lowest = 1000;
	int highest = -1000;
	size_t nr_negative = 0;
	fill_floats("{\"kind\":\"extremes\",\"low_exp\":-126,\"high_exp\":128}", x);
	for (size_t i = 0; i < NR; i++) {
		lowest = ilogbf(x[i]) < lowest ? ilogbf(x[i]) : lowest;
		highest = ilogbf(x[i]) > highest ? ilogbf(x[i]) : highest;
		nr_negative += x[i] < 0;
	}
	CHECK(lowest >= -126 && lowest < -115);
	CHECK(highest <= 127 && highest > 117);
	CHECK(nr_negative > 340 && nr_negative < 470);
}

TEST(extremes_of_one_exponent_are_powers_of_two)
{
	float x[NR];
	fill_floats("{\"kind\":\"extremes\",\"low_exp\":3,\"high_exp\":3}", x);
	for (size_t i = 0; i < NR; i++)
		CHECK(fabsf(x[i]) == 8);
}

TEST(zero_blocks_are_whole_blocks)
{
	float x[NR];
	size_t nr_zero = 0;
	fill_floats("{\"kind\":\"zero_blocks\",\"block\":16,\"rate\":0.5}", x);
	for (size_t i = 0; i < NR; i++) {
		CHECK((x[i] == 0) == (x[i / 16 * 16] == 0));
		nr_zero += x[i] == 0;
	}
	CHECK(nr_zero > NR / 4 && nr_zero < 3 * NR / 4);
}

TEST(sparse_has_its_density)
{
	float x[NR];
	fill_floats("{\"kind\":\"sparse\",\"density\":0.2}", x);
	CHECK(count_beyond(x, 0) > 110 && count_beyond(x, 0) < 215);
}

TEST(alternating_pairs_cancel_in_every_row)
{
	float x[NR];
	fill_floats("{\"kind\":\"alternating\",\"magnitude\":1000,\"epsilon\":0.001}", x);
	for (size_t i = 0; i < NR; i++) {
		size_t column = i % COLS;
		if (column & 1)
			CHECK(fabsf(x[i] + x[i - 1] * 1.001F) < 1e-3F);
		else if (column + 1 < COLS)
			CHECK(x[i] >= 500 && x[i] <= 1000);
		else
			CHECK(x[i] >= 0.5F && x[i] <= 1);
	}
}

TEST(ramp_goes_from_low_to_high)
{
	float x[NR];
	fill_floats("{\"kind\":\"ramp\",\"low\":-1,\"high\":1}", x);
	CHECK(x[0] == -1 && x[NR - 1] == 1);
	for (size_t i = 1; i < NR; i++)
		CHECK(x[i] > x[i - 1]);
}

TEST(integers_reach_both_ends)
{
	int32_t x[NR];
	bool seen[7] = { false };
	fill_ints("{\"kind\":\"integers\",\"low\":-3,\"high\":3}", x);
	for (size_t i = 0; i < NR; i++) {
		CHECK(x[i] >= -3 && x[i] <= 3);
		seen[x[i] + 3] = true;
	}
	for (size_t i = 0; i < 7; i++)
		CHECK(seen[i]);
}

TEST(integers_are_whole_in_any_dtype)
{
	float x[NR];
	fill_floats("{\"kind\":\"integers\",\"low\":-3,\"high\":3}", x);
	for (size_t i = 0; i < NR; i++)
		CHECK(x[i] == floorf(x[i]) && fabsf(x[i]) <= 3);
}

TEST(an_index_stays_below_high)
{
	int32_t x[NR];
	bool has_last = false;
	fill_ints("{\"kind\":\"index\",\"low\":\"cols-3\",\"high\":\"cols\"}", x);
	for (size_t i = 0; i < NR; i++) {
		CHECK(x[i] >= COLS - 3 && x[i] < COLS);
		has_last |= x[i] == COLS - 1;
	}
	CHECK(has_last);
}

TEST(a_permutation_has_every_index_once)
{
	int32_t x[NR];
	bool seen[NR] = { false };
	size_t nr_moved = 0;
	fill_ints("{\"kind\":\"permutation\"}", x);
	for (size_t i = 0; i < NR; i++) {
		CHECK(x[i] >= 0 && x[i] < NR && !seen[x[i]]);
		seen[x[i]] = true;
		nr_moved += x[i] != (int32_t)i;
	}
	CHECK(nr_moved > NR - 20);
}

static int32_t largest_step(const int32_t *x)
{
	int32_t largest = 0;
	for (size_t i = 1; i < NR; i++) {
		CHECK(x[i] >= x[i - 1]);
		largest = x[i] - x[i - 1] > largest ? x[i] - x[i - 1] : largest;
	}
	return largest;
}

TEST(offsets_are_monotone_from_zero_to_total_and_skewed_as_told)
{
	static const struct {
		const char *json;
		int32_t least;
		int32_t most;
	} rows[] = {
		{ "{\"kind\":\"offsets\",\"total\":\"total\"}", 6, 7 },
		{ "{\"kind\":\"offsets\",\"total\":\"total\",\"skew\":\"even\"}", 6, 7 },
		{ "{\"kind\":\"offsets\",\"total\":\"total\",\"skew\":\"random\"}", 10, 14 },
		{ "{\"kind\":\"offsets\",\"total\":\"total\",\"skew\":\"power\"}", 50, 5000 },
	};
	for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
		int32_t x[NR];
		fill_ints(rows[r].json, x);
		CHECK(x[0] == 0 && x[NR - 1] == 5000);
		int32_t step = largest_step(x);
		CHECK(step >= rows[r].least && step <= rows[r].most);
	}
}

TEST(a_choice_takes_all_its_values_and_no_other)
{
	float x[NR];
	size_t counts[3] = { 0 };
	fill_floats("{\"kind\":\"choice\",\"values\":[-1e4,0.25,\"rows+1\"]}", x);
	for (size_t i = 0; i < NR; i++) {
		CHECK(x[i] == -1e4F || x[i] == 0.25F || x[i] == 9);
		counts[x[i] < 0 ? 0 : x[i] < 1 ? 1 : 2]++;
	}
	for (size_t i = 0; i < 3; i++)
		CHECK(counts[i] > 200);
}

TEST(a_mask_has_its_rate_and_fits_a_bool)
{
	struct err e = { 0 };
	uint8_t x[NR];
	size_t nr = 0;
	AUTO_INPUTS struct inputs in;
	inputs_init(&in, DTYPE_BOOL, "{\"kind\":\"mask\",\"rate\":0.25}");
	CHECK_OK(inputs_fill(&in, x, &e));
	for (size_t i = 0; i < NR; i++) {
		CHECK(x[i] <= 1);
		nr += x[i];
	}
	CHECK(nr > 150 && nr < 255);
}

TEST(outlier_rows_have_one_outlier_each)
{
	float x[NR];
	fill_floats("{\"kind\":\"outlier_rows\",\"std\":1,\"magnitude\":1000}", x);
	for (size_t r = 0; r < ROWS; r++) {
		size_t nr = 0;
		for (size_t c = 0; c < COLS; c++)
			nr += fabsf(x[r * COLS + c]) == 1000;
		CHECK_INT(nr, 1);
	}
}

TEST(specials_hold_nan_and_both_infinities)
{
	float x[NR];
	size_t counts[4] = { 0 };
	fill_floats("{\"kind\":\"specials\",\"rate\":0.3}", x);
	for (size_t i = 0; i < NR; i++)
		counts[isnan(x[i]) ? 0 : x[i] == INFINITY ? 1 : x[i] == -INFINITY ? 2 : 3]++;
	for (size_t i = 0; i < 3; i++)
		CHECK(counts[i] > 40 && counts[i] < 130);
	CHECK(counts[3] > 450);
}

TEST(specials_hold_only_what_they_list)
{
	float x[NR];
	size_t nr = 0;
	fill_floats("{\"kind\":\"specials\",\"rate\":0.5,\"values\":[\"-inf\"]}", x);
	for (size_t i = 0; i < NR; i++) {
		CHECK(isfinite(x[i]) || x[i] == -INFINITY);
		nr += isfinite(x[i]) ? 0 : 1;
	}
	CHECK(nr > 300);
}

TEST(a_changed_rate_moves_no_other_value)
{
	float rare[NR];
	float often[NR];
	fill_floats("{\"kind\":\"specials\",\"rate\":0.01}", rare);
	fill_floats("{\"kind\":\"specials\",\"rate\":0.2}", often);
	for (size_t i = 0; i < NR; i++)
		CHECK(!isfinite(often[i]) || often[i] == rare[i]);
}

TEST(narrow_types_hold_what_the_wide_one_rounds_to)
{
	static const enum dtype dtypes[] = { DTYPE_F64,    DTYPE_F16, DTYPE_BF16, DTYPE_F8E4M3,
					     DTYPE_F8E5M2, DTYPE_I64, DTYPE_I8 };
	for (size_t t = 0; t < ARRAY_LEN(dtypes); t++) {
		struct err e = { 0 };
		unsigned char out[NR * 8];
		unsigned char want[8] = { 0 };
		AUTO_INPUTS struct inputs in;
		inputs_init(&in, dtypes[t], "{\"kind\":\"normal\",\"std\":3}");
		CHECK_OK(inputs_fill(&in, out, &e));
		uint64_t key = draw_key(fill_seed(42, "odd", "plain", "x"));
		for (size_t i = 0; i < NR; i++) {
			double exact = (double)draw_bell(key, i) * (3 * DRAW_BELL_SCALE);
			dtype_store(dtypes[t], want, 0, exact);
			CHECK(dtype_load(dtypes[t], out, i) == dtype_load(dtypes[t], want, 0));
		}
	}
}

TEST(a_value_that_the_dtype_can_not_hold_is_an_error)
{
	refuse(DTYPE_I32, "{\"kind\":\"constant\",\"value\":3e9}",
	       "value 3000000000 does not fit i32");
	refuse(DTYPE_U8, "{\"kind\":\"constant\",\"value\":-1}", "value -1 does not fit u8");
	refuse(DTYPE_I8, "{\"kind\":\"integers\",\"low\":0,\"high\":1000}", "does not fit i8");
	refuse(DTYPE_I64, "{\"kind\":\"constant\",\"value\":1e19}", "does not fit i64");
	refuse(DTYPE_BOOL, "{\"kind\":\"constant\",\"value\":2}", "does not fit bool");
	refuse(DTYPE_F32, "{\"kind\":\"constant\",\"value\":1e39}", "does not fit f32");
	refuse(DTYPE_F16, "{\"kind\":\"constant\",\"value\":70000}", "does not fit f16");
	refuse(DTYPE_F8E4M3, "{\"kind\":\"uniform\",\"high\":1000}", "does not fit f8e4m3");
	refuse(DTYPE_F8E4M3, "{\"kind\":\"specials\",\"rate\":1,\"values\":[\"inf\"]}",
	       "value inf does not fit f8e4m3");
	refuse(DTYPE_I32, "{\"kind\":\"specials\",\"rate\":1}", "does not fit i32");
}

TEST(a_parameter_that_makes_no_sense_is_an_error)
{
	static const struct {
		const char *json;
		const char *why;
	} rows[] = {
		{ "{\"kind\":\"nonsense\"}", "no generator \"nonsense\"" },
		{ "{\"kindd\":\"normal\"}", "no generator \"\"" },
		{ "{\"kind\":\"normal\",\"sd\":1}", "generator normal: unknown parameter \"sd\"" },
		{ "{\"kind\":\"normal\",\"std\":-1}", "parameter \"std\" is negative" },
		{ "{\"kind\":\"normal\",\"std\":[]}", "parameter \"std\": not a number" },
		{ "{\"kind\":\"normal\",\"std\":\"nodim\"}", "parameter \"std\": " },
		{ "{\"kind\":\"constant\"}", "no parameter \"value\"" },
		{ "{\"kind\":\"uniform\",\"low\":2,\"high\":1}", "low is above high" },
		{ "{\"kind\":\"constant_rows\",\"low\":2}", "low is above high" },
		{ "{\"kind\":\"integers\",\"low\":0.5,\"high\":2}",
		  "\"low\" is not a whole number" },
		{ "{\"kind\":\"integers\",\"low\":0,\"high\":1e17}",
		  "\"high\" is not a whole number" },
		{ "{\"kind\":\"integers\",\"low\":2,\"high\":1}", "low is above high" },
		{ "{\"kind\":\"extremes\",\"low_exp\":0,\"high_exp\":2000}",
		  "exponents beyond 1100" },
		{ "{\"kind\":\"extremes\",\"low_exp\":2,\"high_exp\":1}", "low is above high" },
		{ "{\"kind\":\"mask\",\"rate\":1.5}", "\"rate\" is not between 0 and 1" },
		{ "{\"kind\":\"mask\",\"rate\":-0.5}", "\"rate\" is not between 0 and 1" },
		{ "{\"kind\":\"zero_blocks\",\"block\":0}", "\"block\" is below 1" },
		{ "{\"kind\":\"zero_blocks\",\"block\":1.5}", "\"block\" is not a whole number" },
		{ "{\"kind\":\"index\",\"high\":0}", "there is no index in [low, high)" },
		{ "{\"kind\":\"offsets\",\"total\":-1}", "can not reach a total of -1" },
		{ "{\"kind\":\"offsets\",\"total\":9,\"skew\":\"odd\"}",
		  "skew \"odd\" is not even" },
		{ "{\"kind\":\"offsets\",\"total\":9,\"skew\":1}", "\"skew\" is not a word" },
		{ "{\"kind\":\"choice\"}", "values is empty" },
		{ "{\"kind\":\"choice\",\"values\":[]}", "values is empty" },
		{ "{\"kind\":\"choice\",\"values\":3}", "\"values\" is not a list" },
		{ "{\"kind\":\"choice\",\"values\":[1,null]}", "\"values\", item 1: not a number" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		refuse(DTYPE_F32, rows[i].json, rows[i].why);
}

TEST(a_vector_is_one_row)
{
	struct err e = { 0 };
	float x[COLS];
	AUTO_INPUTS struct inputs in;
	inputs_init(&in, DTYPE_F32, "{\"kind\":\"constant_rows\"}");
	in.extent[0] = "cols";
	in.arg.nr_shape = 1;
	CHECK_OK(inputs_fill(&in, x, &e));
	CHECK(x[0] == x[COLS - 1]);
}

TEST(one_element_is_enough_for_every_generator)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		struct err e = { 0 };
		double x = 0;
		AUTO_INPUTS struct inputs in;
		inputs_init(&in, DTYPE_F64, kinds[i].json);
		in.arg.nr_shape = 0;
		if (strcmp(kinds[i].kind, "offsets") == 0) {
			CHECK(inputs_fill(&in, &x, &e) < 0);
			CHECK(strstr(e.text, "1 offsets can not reach a total of 5000"));
			continue;
		}
		CHECK_OK(inputs_fill(&in, &x, &e));
	}
}

TEST(an_argument_without_a_size_is_an_error)
{
	struct err e = { 0 };
	float x[NR];
	AUTO_INPUTS struct inputs in;
	inputs_init(&in, DTYPE_F32, "{\"kind\":\"normal\"}");
	in.extent[1] = "nodim";
	CHECK(inputs_fill(&in, x, &e) < 0);
	CHECK(strstr(e.text, "group plain, argument x: "));
}

TEST(an_inout_argument_is_filled_like_an_input)
{
	struct err e = { 0 };
	float x[NR];
	float y[NR];
	AUTO_INPUTS struct inputs in;
	inputs_init(&in, DTYPE_F32, "{\"kind\":\"normal\"}");
	CHECK_OK(inputs_fill(&in, x, &e));
	in.arg.role = ARG_INOUT;
	CHECK_OK(inputs_fill(&in, y, &e));
	CHECK(memcmp(x, y, sizeof(x)) == 0);
}

/* Bits are part of the format: results name a seed, and another backend must draw the same. */
TEST(the_bits_of_every_generator_are_frozen)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		float x[NR];
		fill_floats(kinds[i].json, x);
		/* NaN payloads are the compiler's business. */
		for (size_t j = 0; j < NR; j++)
			x[j] = isnan(x[j]) ? 12345.0F : x[j];
		struct digest got = digest_bytes(x, sizeof(x));
		got.hex[16] = '\0';
		CHECK_TEXT(got.hex, kinds[i].digest);
	}
}

TEST_MAIN()
