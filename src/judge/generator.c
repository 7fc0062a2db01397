#include "judge/generator.h"

/* A value depends on its index alone, never on the piece it is made in. Values are spread over two
 * streams: `key` for magnitudes, `pick` for which elements, rows or blocks are special, so that a
 * change of a rate moves no other value. */

#include <math.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "judge/draw.h"

static double bell(const struct filling *f, size_t i, double std)
{
	return (double)draw_bell(f->key, i) * (std * DRAW_BELL_SCALE);
}

static bool is_picked(const struct filling *f, size_t i, double rate)
{
	return draw_unit(f->pick, i) < rate;
}

static double signed_by(uint64_t bits, double magnitude)
{
	return bits & 1 ? -magnitude : magnitude;
}

static void make_normal(const struct filling *f, size_t from, size_t nr, double *out)
{
	double mean = f->param[0];
	double scale = f->param[1] * DRAW_BELL_SCALE;
	for (size_t i = 0; i < nr; i++)
		out[i] = (double)draw_bell(f->key, from + i) * scale + mean;
}

static double stored(enum dtype dtype, double value)
{
	unsigned char bytes[8];
	dtype_store(dtype, bytes, 0, value);
	return dtype_load(dtype, bytes, 0);
}

/* The largest value of the dtype below `high`, looked for at doubling distances: the first that
 * does not round back to `high` is its neighbour. */
static double value_below(enum dtype dtype, double high, double size)
{
	double away = size * 0x1p-60;
	while (stored(dtype, high - away) >= high)
		away *= 2;
	return stored(dtype, high - away);
}

static int prepare_range(struct filling *f, struct err *e)
{
	if (f->param[0] > f->param[1])
		return err_set(e, ERR_INPUT, "low is above high");
	return 0;
}

/* Rounding to the dtype must not reach `high`; param[2] is the last value that may be drawn. */
static int prepare_uniform(struct filling *f, struct err *e)
{
	double low = f->param[0];
	double high = f->param[1];
	if (prepare_range(f, e) < 0)
		return -1;
	f->param[2] = high;
	bool fits = isfinite(stored(f->dtype, low)) && isfinite(stored(f->dtype, high));
	if (low < high && fits && dtype_is_float(f->dtype))
		f->param[2] = fmax(low, value_below(f->dtype, high, fmax(fabs(low), fabs(high))));
	return 0;
}

static double uniform(const struct filling *f, uint64_t i)
{
	double value = f->param[0] + (f->param[1] - f->param[0]) * draw_unit(f->key, i);
	if (!dtype_is_float(f->dtype))
		return floor(value);
	return value < f->param[2] ? value : f->param[2];
}

static void make_uniform(const struct filling *f, size_t from, size_t nr, double *out)
{
	for (size_t i = 0; i < nr; i++)
		out[i] = uniform(f, from + i);
}

static void make_constant(const struct filling *f, size_t from, size_t nr, double *out)
{
	(void)from;
	for (size_t i = 0; i < nr; i++)
		out[i] = f->param[0];
}

static void make_constant_rows(const struct filling *f, size_t from, size_t nr, double *out)
{
	for (size_t i = 0; i < nr; i++)
		out[i] = uniform(f, (from + i) / f->row_len);
}

static void make_identical_rows(const struct filling *f, size_t from, size_t nr, double *out)
{
	for (size_t i = 0; i < nr; i++)
		out[i] = bell(f, (from + i) % f->row_len, f->param[1]) + f->param[0];
}

static void make_spikes(const struct filling *f, size_t from, size_t nr, double *out)
{
	for (size_t i = 0; i < nr; i++) {
		bool is_spike = is_picked(f, from + i, f->param[1]);
		out[i] = is_spike ? signed_by(draw_bits(f->key, 2 * (from + i)), f->param[2])
				  : bell(f, from + i, f->param[0]);
	}
}

static int prepare_extremes(struct filling *f, struct err *e)
{
	if (fmax(fabs(f->param[0]), fabs(f->param[1])) > 1100)
		return err_set(e, ERR_INPUT, "exponents beyond 1100");
	return prepare_range(f, e);
}

/* Whole exponents and 23 bits after the point: exact, where a power of a fraction would be libm's
 * business, and still below 2^high_exp when rounded to f32. */
static void make_extremes(const struct filling *f, size_t from, size_t nr, double *out)
{
	int low = (int)f->param[0];
	uint64_t span = (uint64_t)(f->param[1] - f->param[0]);
	for (size_t i = 0; i < nr; i++) {
		uint64_t bits = draw_bits(f->key, from + i);
		int exponent = low + (int)((bits >> 32) * span >> 32);
		double fraction = span ? (double)(bits >> 1 & 0x7fffff) * 0x1p-23 : 0;
		out[i] = signed_by(bits, ldexp(1 + fraction, exponent));
	}
}

static void make_zero_blocks(const struct filling *f, size_t from, size_t nr, double *out)
{
	size_t block = (size_t)f->param[1];
	for (size_t i = 0; i < nr; i++) {
		bool is_zero = is_picked(f, (from + i) / block, f->param[2]);
		out[i] = is_zero ? 0 : bell(f, from + i, f->param[0]);
	}
}

static void make_sparse(const struct filling *f, size_t from, size_t nr, double *out)
{
	for (size_t i = 0; i < nr; i++)
		out[i] = is_picked(f, from + i, f->param[1]) ? bell(f, from + i, f->param[0]) : 0;
}

/* Pairs within a row, of magnitude/2 to magnitude; the odd one at the end of a row gets what a pair
 * would have left over. */
static void make_alternating(const struct filling *f, size_t from, size_t nr, double *out)
{
	double epsilon = f->param[1];
	for (size_t i = 0; i < nr; i++) {
		size_t column = (from + i) % f->row_len;
		size_t first = from + i - (column & 1);
		double x = f->param[0] * (0.5 + 0.5 * draw_unit(f->key, first));
		bool is_alone = (column & 1) == 0 && column + 1 == f->row_len;
		double odd = -x * (1 + epsilon);
		out[i] = column & 1 ? odd : is_alone ? x * epsilon : x;
	}
}

static void make_ramp(const struct filling *f, size_t from, size_t nr, double *out)
{
	double last = f->nr > 1 ? (double)(f->nr - 1) : 1;
	for (size_t i = 0; i < nr; i++)
		out[i] = f->param[0] + (f->param[1] - f->param[0]) * ((double)(from + i) / last);
}

static void make_integers(const struct filling *f, size_t from, size_t nr, double *out)
{
	uint64_t span = (uint64_t)(f->param[1] - f->param[0]) + 1;
	for (size_t i = 0; i < nr; i++)
		out[i] = f->param[0] + (double)draw_below(f->key, from + i, span);
}

static int prepare_index(struct filling *f, struct err *e)
{
	if (f->param[0] >= f->param[1])
		return err_set(e, ERR_INPUT, "there is no index in [low, high)");
	return 0;
}

static void make_index(const struct filling *f, size_t from, size_t nr, double *out)
{
	uint64_t span = (uint64_t)(f->param[1] - f->param[0]);
	for (size_t i = 0; i < nr; i++)
		out[i] = f->param[0] + (double)draw_below(f->key, from + i, span);
}

/* Fisher and Yates; the only generator that is sequential by nature. */
static int prepare_permutation(struct filling *f, struct err *e)
{
	(void)e;
	struct rng rng = { .seed = f->seed };
	f->table = xcalloc(f->nr, sizeof(*f->table));
	for (size_t i = 0; i < f->nr; i++)
		f->table[i] = (int64_t)i;
	for (size_t i = f->nr; i > 1; i--) {
		size_t j = (size_t)rng_below(&rng, i);
		int64_t swap = f->table[i - 1];
		f->table[i - 1] = f->table[j];
		f->table[j] = swap;
	}
	return 0;
}

static void make_table(const struct filling *f, size_t from, size_t nr, double *out)
{
	for (size_t i = 0; i < nr; i++)
		out[i] = (double)f->table[from + i];
}

static uint64_t weight_even(uint64_t bits)
{
	(void)bits;
	return 1;
}

static uint64_t weight_random(uint64_t bits)
{
	return bits & 0xffff;
}

/* 2^k with probability 2^-(k+1): a Pareto tail of exponent 1, cut at 2^20. */
static uint64_t weight_power(uint64_t bits)
{
	return UINT64_C(1) << __builtin_ctzll(bits | UINT64_C(1) << 20);
}

struct skew {
	const char *name;
	uint64_t (*weight)(uint64_t bits);
};

static const struct skew skews[] = {
	{ "even", weight_even },
	{ "random", weight_random },
	{ "power", weight_power },
};

static const struct skew *skew_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(skews); i++) {
		if (!name || str_equal(skews[i].name, name))
			return &skews[i];
	}
	return NULL;
}

/* Segment i ends at total x (weight of the segments up to it) / (weight of all), rounded down. */
static void share_out(struct filling *f, const struct skew *skew)
{
	uint64_t all = 0;
	uint64_t sum = 0;
	uint64_t total = (uint64_t)f->param[0];
	for (size_t i = 1; i < f->nr; i++)
		all += skew->weight(draw_bits(f->key, i));
	for (size_t i = 1; i < f->nr; i++) {
		sum += skew->weight(draw_bits(f->key, i));
		f->table[i] = (int64_t)(__extension__(unsigned __int128) total * sum / all);
	}
}

static int prepare_offsets(struct filling *f, struct err *e)
{
	const struct skew *skew = skew_find(f->skew);
	if (!skew)
		return err_set(e, ERR_INPUT, "skew \"%s\" is not even, random or power", f->skew);
	if (f->param[0] < 0 || (f->nr == 1 && f->param[0] > 0))
		return err_set(e, ERR_INPUT, "%zu offsets can not reach a total of %.0f", f->nr,
			       f->param[0]);
	f->table = xcalloc(f->nr, sizeof(*f->table));
	share_out(f, skew);
	return 0;
}

static int prepare_choice(struct filling *f, struct err *e)
{
	if (f->nr_list == 0)
		return err_set(e, ERR_INPUT, "values is empty");
	return 0;
}

static double chosen(const struct filling *f, size_t i)
{
	return f->list[draw_below(f->key, i, f->nr_list)];
}

static void make_choice(const struct filling *f, size_t from, size_t nr, double *out)
{
	for (size_t i = 0; i < nr; i++)
		out[i] = chosen(f, from + i);
}

static void make_mask(const struct filling *f, size_t from, size_t nr, double *out)
{
	for (size_t i = 0; i < nr; i++)
		out[i] = is_picked(f, from + i, f->param[0]);
}

static void make_outlier_rows(const struct filling *f, size_t from, size_t nr, double *out)
{
	for (size_t i = 0; i < nr; i++) {
		size_t row = (from + i) / f->row_len;
		bool is_outlier = (from + i) % f->row_len == draw_below(f->pick, row, f->row_len);
		out[i] = is_outlier ? signed_by(draw_bits(f->key, 2 * (from + i)), f->param[1])
				    : bell(f, from + i, f->param[0]);
	}
}

static void make_specials(const struct filling *f, size_t from, size_t nr, double *out)
{
	for (size_t i = 0; i < nr; i++) {
		bool is_special = is_picked(f, from + i, f->param[1]);
		out[i] = is_special ? chosen(f, from + i) : bell(f, from + i, f->param[0]);
	}
}

/* clang-format off */
#define MEAN { "mean", DOMAIN_ANY, 0 }
#define STD { "std", DOMAIN_POSITIVE, 1 }
#define RATE(otherwise) { "rate", DOMAIN_RATE, otherwise }
#define MAGNITUDE { "magnitude", DOMAIN_ANY, 1000 }

static const struct generator generators[GENERATOR_NR] = {
	[GENERATOR_normal] = { "normal", { MEAN, STD }, .make = make_normal },
	[GENERATOR_uniform] = { "uniform",
		{ { "low", DOMAIN_ANY, 0 }, { "high", DOMAIN_ANY, 1 } },
		.prepare = prepare_uniform, .make = make_uniform },
	[GENERATOR_constant] = { "constant", { { "value", DOMAIN_ANY, NAN } }, .make = make_constant },
	[GENERATOR_constant_rows] = { "constant_rows",
		{ { "low", DOMAIN_ANY, -1 }, { "high", DOMAIN_ANY, 1 } },
		.prepare = prepare_uniform, .make = make_constant_rows },
	[GENERATOR_identical_rows] = { "identical_rows", { MEAN, STD }, .make = make_identical_rows },
	[GENERATOR_spikes] = { "spikes", { STD, RATE(0.001), MAGNITUDE }, .make = make_spikes },
	[GENERATOR_extremes] = { "extremes",
		{ { "low_exp", DOMAIN_WHOLE, -20 }, { "high_exp", DOMAIN_WHOLE, 20 } },
		.prepare = prepare_extremes, .make = make_extremes },
	[GENERATOR_zero_blocks] = { "zero_blocks",
		{ STD, { "block", DOMAIN_COUNT, 64 }, RATE(0.25) }, .make = make_zero_blocks },
	[GENERATOR_sparse] = { "sparse",
		{ STD, { "density", DOMAIN_RATE, 0.1 } }, .make = make_sparse },
	[GENERATOR_alternating] = { "alternating",
		{ MAGNITUDE, { "epsilon", DOMAIN_ANY, 1e-3 } }, .make = make_alternating },
	[GENERATOR_ramp] = { "ramp",
		{ { "low", DOMAIN_ANY, 0 }, { "high", DOMAIN_ANY, 1 } }, .make = make_ramp },
	[GENERATOR_integers] = { "integers",
		{ { "low", DOMAIN_WHOLE, NAN }, { "high", DOMAIN_WHOLE, NAN } },
		.prepare = prepare_range, .make = make_integers },
	[GENERATOR_index] = { "index",
		{ { "low", DOMAIN_WHOLE, 0 }, { "high", DOMAIN_WHOLE, NAN } },
		.prepare = prepare_index, .make = make_index },
	[GENERATOR_permutation] = { "permutation",
		.prepare = prepare_permutation, .make = make_table },
	[GENERATOR_offsets] = { "offsets", { { "total", DOMAIN_WHOLE, NAN } }, .word = "skew",
		.prepare = prepare_offsets, .make = make_table },
	[GENERATOR_choice] = { "choice", .list = "values",
		.prepare = prepare_choice, .make = make_choice },
	[GENERATOR_mask] = { "mask", { RATE(0.5) }, .make = make_mask },
	[GENERATOR_outlier_rows] = { "outlier_rows", { STD, MAGNITUDE }, .make = make_outlier_rows },
	[GENERATOR_specials] = { "specials", { STD, RATE(0.01) },
		.list = "values", .list_otherwise = { "nan", "inf", "-inf" },
		.prepare = prepare_choice, .make = make_specials },
};
/* clang-format on */

const struct generator *generator_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(generators); i++) {
		if (str_equal(generators[i].name, name))
			return &generators[i];
	}
	return NULL;
}
