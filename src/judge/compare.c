#include "judge/compare.h"

/* Two passes over memory: the means first, then the errors. The second one is written for speed,
 * since it sees every output of every candidate: a block of elements is only asked whether any of
 * them is farther off than the worst so far (or beyond a tolerance), without a division and without
 * a branch, and looked at one by one when the answer is yes. The test is formed so that NaN says
 * yes. What makes the quick test unsafe (expected values that are not finite, that the dtype can
 * not hold, or whose sums overflow) is found in the first pass and goes the slow way. */

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "judge/poison.h"

enum { BLOCK = 64, CHUNK = 256 };

/* Beyond this, sums and products of doubles may overflow. */
#define HUGE_MAGNITUDE 0x1p900

/* Two doubles in one register, where the machine has such. */
typedef double lanes __attribute__((vector_size(16)));
typedef int64_t lane_bits __attribute__((vector_size(16)));

struct limits {
	double max;  /* largest finite value */
	double step; /* smallest difference of two values */
};

static const struct limits limits_of[DTYPE_NR] = {
	[DTYPE_F64] = { DBL_MAX, 0x1p-1074 }, [DTYPE_F32] = { FLT_MAX, 0x1p-149 },
	[DTYPE_F16] = { 65504, 0x1p-24 },     [DTYPE_BF16] = { 0x1.fep127, 0x1p-133 },
	[DTYPE_F8E4M3] = { 448, 0x1p-9 },     [DTYPE_F8E5M2] = { 57344, 0x1p-16 },
};

struct slice {
	double mean; /* of |want|, over what is finite */
	bool is_odd; /* no quick test here */
};

struct pass {
	const struct compare_spec *spec;
	struct compare *out;
	struct limits limits;
	size_t slice_len;
	double tensor_mean;
	bool tensor_is_odd;
	unsigned char pattern[POISON_PERIOD];
};

size_t compare_elements(const int64_t *extent, size_t rank)
{
	size_t nr = 1;
	for (size_t i = 0; i < rank; i++)
		nr = size_mul(nr, (size_t)extent[i]);
	return nr;
}

size_t compare_slice_len(const int64_t *extent, size_t rank)
{
	return rank >= 2 ? (size_t)extent[rank - 1] : COMPARE_TILE;
}

void compare_index_print(const int64_t *extent, size_t rank, size_t at, char *out, size_t len)
{
	size_t stride = compare_elements(extent, rank);
	int used = snprintf(out, len, "[");
	for (size_t i = 0; i < rank && stride > 0; i++) {
		stride /= (size_t)extent[i];
		size_t room = (size_t)used < len ? len - (size_t)used : 0;
		used += snprintf(out + (len - room), room, "%s%zu", i ? "," : "", at / stride);
		at %= stride;
	}
	size_t room = (size_t)used < len ? len - (size_t)used : 0;
	snprintf(out + (len - room), room, "]");
}

/* What the dtype would hold of an expected value: infinities or NaN where it overflows. */
static double as_stored(const struct pass *p, double want)
{
	if (!(fabs(want) > p->limits.max))
		return want;
	unsigned char bytes[8];
	dtype_store(p->spec->dtype, bytes, 0, want);
	double stored = dtype_load(p->spec->dtype, bytes, 0);
	return isfinite(stored) ? want : stored;
}

/* --- first pass: means --- */

static inline lanes lanes_load(const double *from)
{
	lanes out;
	memcpy(&out, from, sizeof(out));
	return out;
}

static inline lanes lanes_abs(lanes x)
{
	return (lanes)((lane_bits)x & INT64_MAX);
}

/* Sum of |want|; *is_odd when some value is not finite or too large for the dtype. Several partial
 * sums break the chain of additions. */
static double sum_magnitudes(const double *want, size_t nr, double max, bool *is_odd)
{
	lanes sum[4] = { { 0 } };
	lane_bits signs = { 0 };
	size_t i = 0;
	for (; i + 8 <= nr; i += 8) {
		for (size_t j = 0; j < 4; j++) {
			lanes magnitude = lanes_abs(lanes_load(want + i + 2 * j));
			sum[j] += magnitude;
			signs |= (lane_bits)(max - magnitude);
		}
	}
	lanes both = (sum[0] + sum[1]) + (sum[2] + sum[3]);
	double all = both[0] + both[1];
	bool is_over = (signs[0] | signs[1]) < 0;
	for (; i < nr; i++) {
		all += fabs(want[i]);
		is_over |= fabs(want[i]) > max;
	}
	/* A NaN has no sign that says so, but it makes the sum one. */
	*is_odd = is_over || !(all < HUGE_MAGNITUDE);
	return all;
}

static size_t count_finite(const struct pass *p, const double *want, size_t nr)
{
	size_t nr_finite = 0;
	for (size_t i = 0; i < nr; i++)
		nr_finite += isfinite(as_stored(p, want[i])) != 0;
	return nr_finite;
}

/* Each value is divided before it is added: the sum can not overflow. */
static double careful_mean(const struct pass *p, const double *want, size_t nr)
{
	double share = 1 / (double)count_finite(p, want, nr);
	double mean = 0;
	for (size_t i = 0; i < nr; i++) {
		double value = as_stored(p, want[i]);
		if (isfinite(value))
			mean += fabs(value) * share;
	}
	return mean;
}

static void measure_slice(struct pass *p, struct slice *s, const double *want, size_t nr)
{
	double sum = sum_magnitudes(want, nr, p->limits.max, &s->is_odd);
	s->mean = s->is_odd ? careful_mean(p, want, nr) : sum / (double)nr;
}

static size_t slice_end(const struct pass *p, size_t from)
{
	size_t left = p->out->nr - from;
	return from + (left < p->slice_len ? left : p->slice_len);
}

/* The tensor's mean is that of the slices' means: what is not finite is left out of both. */
static void measure_slices(struct pass *p, struct slice *slices)
{
	const double *want = p->spec->want;
	double nr_finite = 0;
	for (size_t s = 0, at = 0; at < p->out->nr; s++) {
		size_t end = slice_end(p, at);
		measure_slice(p, &slices[s], want + at, end - at);
		p->tensor_is_odd |= slices[s].mean > HUGE_MAGNITUDE;
		size_t nr = end - at;
		if (slices[s].is_odd)
			nr = count_finite(p, want + at, nr);
		nr_finite += (double)nr;
		if (nr)
			p->tensor_mean +=
				(slices[s].mean - p->tensor_mean) * ((double)nr / nr_finite);
		at = end;
	}
}

/* --- second pass: errors; a check of an element is true when it is wrong --- */

static double error_of(const struct pass *p, double got, double want, double mean)
{
	if (got == want)
		return 0;
	bool is_huge = fmax(fmax(fabs(got), fabs(want)), mean) > HUGE_MAGNITUDE;
	double scale = is_huge ? 0x1p-128 : 1;
	double away = fabs(got * scale - want * scale);
	double base = fabs(want) * scale + mean * scale;
	if (!is_huge && away < p->limits.step)
		return 0;
	return base > 0 ? away / base : INFINITY;
}

static bool holds_poison(const struct pass *p, size_t at)
{
	size_t bytes = dtype_bytes(p->spec->dtype);
	const unsigned char *got = (const unsigned char *)p->spec->got + at * bytes;
	return memcmp(got, p->pattern + at * bytes % POISON_PERIOD, bytes) == 0;
}

static void note_poison(struct compare *out, size_t at)
{
	if (out->nr_poison++ == 0)
		out->first_poison_at = at;
}

static void note_errors(struct compare *out, size_t at, double slice_err, double tensor_err)
{
	if (slice_err > out->max_slice_err) {
		out->max_slice_err = slice_err;
		out->worst_slice_at = at;
	}
	if (tensor_err > out->max_tensor_err) {
		out->max_tensor_err = tensor_err;
		out->worst_tensor_at = at;
	}
}

static bool check_nonfinite(struct pass *p, size_t at, double got, double want)
{
	bool is_same = isnan(got) ? isnan(want) : got == want;
	if (is_same)
		return false;
	if (p->out->nr_nonfinite_mismatch++ == 0)
		p->out->first_nonfinite_at = at;
	note_errors(p->out, at, INFINITY, INFINITY);
	return true;
}

/* In types of one byte poison may look like a value, so it counts only where the value is wrong;
 * elsewhere it is a NaN that no kernel makes by itself, and always counts. */
static bool is_unwritten(const struct pass *p, size_t at, double got, bool differs)
{
	bool is_suspect = dtype_bytes(p->spec->dtype) == 1 ? differs : isnan(got);
	return is_suspect && holds_poison(p, at);
}

static bool check_element(struct pass *p, const struct slice *s, size_t at, double got)
{
	double want = as_stored(p, ((const double *)p->spec->want)[at]);
	bool differs = got != want && !(isnan(got) && isnan(want));
	if (is_unwritten(p, at, got, differs))
		note_poison(p->out, at);
	if (!isfinite(got) || !isfinite(want))
		return check_nonfinite(p, at, got, want);
	double slice_err = error_of(p, got, want, s->mean);
	double tensor_err = error_of(p, got, want, p->tensor_mean);
	note_errors(p->out, at, slice_err, tensor_err);
	return slice_err > p->spec->tol_slice || tensor_err > p->spec->tol_tensor;
}

/* Bounds of the quick test, as (factor, mean) of slice and tensor. */
struct quick {
	double slice_factor;
	double slice_mean;
	double tensor_factor;
	double tensor_mean;
};

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

static struct quick quick_of(const struct pass *p, const struct slice *s)
{
	return (struct quick){
		.slice_factor = smaller(p->out->max_slice_err, p->spec->tol_slice),
		.slice_mean = s->mean,
		.tensor_factor = smaller(p->out->max_tensor_err, p->spec->tol_tensor),
		.tensor_mean = p->tensor_mean,
	};
}

/* Is any element farther off than the bounds, or not finite? Both show as bits: the sign of (bound
 * - distance), and whatever of (distance - distance) is not zero. */
static bool any_is_far(const double *got, const double *want, size_t nr, const struct quick *q)
{
	lane_bits signs = { 0 };
	lane_bits traps = { 0 };
	size_t i = 0;
	for (; i + 2 <= nr; i += 2) {
		lanes value = lanes_load(want + i);
		lanes magnitude = lanes_abs(value);
		lanes away = lanes_abs(lanes_load(got + i) - value);
		signs |= (lane_bits)(q->slice_factor * (magnitude + q->slice_mean) - away);
		signs |= (lane_bits)(q->tensor_factor * (magnitude + q->tensor_mean) - away);
		traps |= (lane_bits)(away - away);
	}
	bool is_far = (signs[0] | signs[1]) < 0 || (traps[0] | traps[1]) != 0;
	for (; i < nr; i++) {
		double magnitude = fabs(want[i]);
		double away = fabs(got[i] - want[i]);
		is_far |= !(away <= q->slice_factor * (magnitude + q->slice_mean));
		is_far |= !(away <= q->tensor_factor * (magnitude + q->tensor_mean));
	}
	return is_far;
}

/* check_element for values that are finite and of ordinary size; divides only for a new maximum. */
static bool check_plain(struct pass *p, const struct slice *s, size_t at, double got)
{
	double want = ((const double *)p->spec->want)[at];
	double away = fabs(got - want);
	double slice_base = fabs(want) + s->mean;
	double tensor_base = fabs(want) + p->tensor_mean;
	if (away > p->out->max_slice_err * slice_base ||
	    away > p->out->max_tensor_err * tensor_base)
		return check_element(p, s, at, got);
	return away >= p->limits.step &&
	       (away > p->spec->tol_slice * slice_base || away > p->spec->tol_tensor * tensor_base);
}

/* Number of wrong elements of a block. */
static size_t check_block(struct pass *p, const struct slice *s, size_t at, const double *got,
			  size_t nr)
{
	const double *want = (const double *)p->spec->want + at;
	struct quick q = quick_of(p, s);
	bool is_odd = s->is_odd || p->tensor_is_odd;
	if (!is_odd && !any_is_far(got, want, nr, &q))
		return 0;
	is_odd |= dtype_bytes(p->spec->dtype) == 1;
	size_t nr_wrong = 0;
	for (size_t i = 0; i < nr; i++)
		nr_wrong += is_odd || !isfinite(got[i]) ? check_element(p, s, at + i, got[i])
							: check_plain(p, s, at + i, got[i]);
	return nr_wrong;
}

/* `got` as doubles. */
static void load_chunk(const struct compare_spec *spec, size_t at, size_t nr, double *out)
{
	const unsigned char *from =
		(const unsigned char *)spec->got + at * dtype_bytes(spec->dtype);
	dtype_load_many(spec->dtype, from, nr, out);
}

static size_t check_chunk(struct pass *p, const struct slice *s, size_t at, size_t nr)
{
	double got[CHUNK];
	load_chunk(p->spec, at, nr, got);
	size_t nr_wrong = 0;
	for (size_t i = 0; i < nr; i += BLOCK)
		nr_wrong += check_block(p, s, at + i, got + i, nr - i < BLOCK ? nr - i : BLOCK);
	return nr_wrong;
}

static void note_wrong(struct compare *out, size_t nr_wrong)
{
	out->nr_wrong += nr_wrong;
	out->nr_wrong_slices += nr_wrong > 0;
}

static void check_slices(struct pass *p, const struct slice *slices)
{
	for (size_t s = 0, at = 0; at < p->out->nr; s++) {
		size_t end = slice_end(p, at);
		size_t nr_wrong = 0;
		for (; at < end; at += CHUNK)
			nr_wrong +=
				check_chunk(p, &slices[s], at, end - at < CHUNK ? end - at : CHUNK);
		note_wrong(p->out, nr_wrong);
		at = end;
	}
}

/* --- a leaderboard's rule --- */

static bool check_by_origin(struct pass *p, size_t at)
{
	double got = dtype_load(p->spec->dtype, p->spec->got, at);
	double want = as_stored(p, ((const double *)p->spec->want)[at]);
	if (is_unwritten(p, at, got, got != want && !(isnan(got) && isnan(want))))
		note_poison(p->out, at);
	if (!isfinite(got) || !isfinite(want))
		return check_nonfinite(p, at, got, want);
	double away = fabs(got - want);
	double allowed = p->spec->absolute + p->spec->relative * fabs(want);
	double share = away == 0 ? 0 : allowed > 0 ? away / allowed : INFINITY;
	note_errors(p->out, at, share, share);
	return !(away <= allowed) || isinf(away);
}

static size_t check_all_by_origin(struct pass *p, size_t from, size_t end)
{
	size_t nr_wrong = 0;
	for (size_t i = from; i < end; i++)
		nr_wrong += check_by_origin(p, i);
	return nr_wrong;
}

/* --- integers --- */

/* Number of wrong elements. */
static size_t check_integers(struct pass *p, size_t from, size_t end)
{
	const struct compare_spec *spec = p->spec;
	size_t nr_wrong = 0;
	for (size_t i = from; i < end; i++) {
		int64_t got = dtype_load_int(spec->dtype, spec->got, i);
		int64_t want = dtype_load_int(spec->dtype, spec->want, i);
		if (got == want)
			continue;
		nr_wrong++;
		note_errors(p->out, i, INFINITY, INFINITY);
		if (holds_poison(p, i))
			note_poison(p->out, i);
	}
	return nr_wrong;
}

/* `check` says how many elements of a slice are wrong. */
static void check_each_slice(struct pass *p, size_t (*check)(struct pass *, size_t, size_t))
{
	for (size_t at = 0; at < p->out->nr;) {
		size_t end = slice_end(p, at);
		note_wrong(p->out, check(p, at, end));
		at = end;
	}
}

/* Only what is wrong is classified, so only then zeros are counted. */
static void count_float_zeros(const struct compare_spec *spec, struct compare *out)
{
	double got[CHUNK];
	for (size_t at = 0; at < out->nr; at += CHUNK) {
		size_t nr = out->nr - at < CHUNK ? out->nr - at : CHUNK;
		load_chunk(spec, at, nr, got);
		for (size_t i = 0; i < nr; i++)
			out->nr_zero += got[i] == 0;
	}
}

static void count_integer_zeros(const struct compare_spec *spec, struct compare *out)
{
	for (size_t i = 0; i < out->nr; i++)
		out->nr_zero += dtype_load_int(spec->dtype, spec->got, i) == 0;
}

static void compare_floats(struct pass *p)
{
	AUTO_FREE struct slice *slices = xcalloc(p->out->nr_slices, sizeof(*slices));
	if (p->spec->by_origin) {
		check_each_slice(p, check_all_by_origin);
	} else {
		measure_slices(p, slices);
		check_slices(p, slices);
	}
	if (p->out->nr_wrong)
		count_float_zeros(p->spec, p->out);
}

static void compare_integers(struct pass *p)
{
	check_each_slice(p, check_integers);
	if (p->out->nr_wrong)
		count_integer_zeros(p->spec, p->out);
}

void compare_run(const struct compare_spec *spec, struct compare *out)
{
	*out = (struct compare){ .nr = compare_elements(spec->extent, spec->rank) };
	struct pass p = { .spec = spec, .out = out, .limits = limits_of[spec->dtype] };
	if (out->nr == 0)
		return;
	p.slice_len = compare_slice_len(spec->extent, spec->rank);
	out->nr_slices = (out->nr - 1) / p.slice_len + 1;
	poison_pattern(spec->poison_salt, p.pattern);
	if (dtype_is_float(spec->dtype))
		compare_floats(&p);
	else
		compare_integers(&p);
}
