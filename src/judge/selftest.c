#include "judge/selftest.h"

/* Every wrong answer goes through judge_case_run, the same way a candidate's does, one output at a
 * time: with all outputs wrong at once a tolerance that is far too wide for one of them would hide
 * behind another. "One row wrong" zeroes the row of smallest magnitude: on the whole tensor it
 * can not be seen, which is why slices are judged. */

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "judge/compare.h"
#include "judge/judge.h"
#include "judge/poison.h"

enum { SALT = 0x5e1f };

/* One output of the case and room for a wrong answer. */
struct forgery {
	const struct selftest_case *c;
	const struct selftest_output *o;
	size_t nr;
	size_t slice_len;
	size_t bytes;         /* of all elements */
	unsigned char *exact; /* expected values in the output's dtype */
	unsigned char *got;
};

static const char *const cheat_names[] = {
#define CHEAT(id, name, text) [CHEAT_##id] = name,
#include "judge/cheats.def"
#undef CHEAT
};

const char *cheat_name(enum cheat c)
{
	return cheat_names[c];
}

/* Element `from` of expected values into element `to` of an output; integers without a detour
 * through double. */
static void put_expected(const struct selftest_output *o, const void *want, size_t from, void *out,
			 size_t to)
{
	if (dtype_is_float(o->dtype))
		dtype_store(o->dtype, out, to, ((const double *)want)[from]);
	else
		dtype_store_int(o->dtype, out, to, dtype_load_int(o->dtype, want, from));
}

static void forge_zeros(struct forgery *f)
{
	memset(f->got, 0, f->bytes);
}

static void forge_mean(struct forgery *f)
{
	double mean = 0;
	double nr = 0;
	for (size_t i = 0; i < f->nr; i++) {
		double value = dtype_load(f->o->dtype, f->exact, i);
		if (isfinite(value))
			mean += (value - mean) / ++nr;
	}
	for (size_t i = 0; i < f->nr; i++)
		dtype_store(f->o->dtype, f->got, i, mean);
}

static void forge_copy(struct forgery *f)
{
	for (size_t i = 0; i < f->nr; i++) {
		double value = dtype_load(f->c->input_dtype, f->c->input, i % f->c->nr_input);
		dtype_store(f->o->dtype, f->got, i, value);
	}
}

static void reverse_elements(struct forgery *f)
{
	size_t size = f->bytes / f->nr;
	for (size_t i = 0; i < f->nr; i++)
		memcpy(f->got + i * size, f->exact + (f->nr - 1 - i) * size, size);
}

static void forge_stale(struct forgery *f)
{
	if (!f->o->stale) {
		reverse_elements(f);
		return;
	}
	for (size_t i = 0; i < f->nr; i++)
		put_expected(f->o, f->o->stale, i % f->o->nr_stale, f->got, i);
}

/* Mean magnitude of what is stored in a slice; 0 for one that is not finite. */
static double slice_magnitude(const struct forgery *f, size_t from, size_t end)
{
	double sum = 0;
	for (size_t i = from; i < end; i++)
		sum += fabs(dtype_load(f->o->dtype, f->exact, i));
	return isfinite(sum) ? sum / (double)(end - from) : 0;
}

static size_t slice_end(const struct forgery *f, size_t from)
{
	return f->nr - from < f->slice_len ? f->nr : from + f->slice_len;
}

/* Start of the slice of smallest magnitude that is not zero; the first when all are. */
static size_t weakest_slice(const struct forgery *f, double *magnitude)
{
	size_t weakest = 0;
	*magnitude = 0;
	for (size_t at = 0; at < f->nr; at = slice_end(f, at)) {
		double now = slice_magnitude(f, at, slice_end(f, at));
		if (now > 0 && (*magnitude == 0 || now < *magnitude)) {
			*magnitude = now;
			weakest = at;
		}
	}
	return weakest;
}

static void forge_row(struct forgery *f)
{
	double magnitude;
	size_t from = weakest_slice(f, &magnitude);
	memcpy(f->got, f->exact, f->bytes);
	for (size_t i = from; i < slice_end(f, from); i++)
		dtype_store(f->o->dtype, f->got, i, magnitude > 0 ? 0 : 1);
}

static void forge_nan_filled(struct forgery *f)
{
	memset(f->got, 0xff, f->bytes);
	if (!dtype_is_float(f->o->dtype))
		return;
	for (size_t i = 0; i < f->nr; i++)
		dtype_store(f->o->dtype, f->got, i, NAN);
}

static void forge_half(struct forgery *f)
{
	poison_fill(f->got, f->bytes, SALT);
	memcpy(f->got, f->exact, f->nr / 2 * (f->bytes / f->nr));
}

/* Far off whatever the tolerance: what is tried is whether the last element is looked at. */
static double far_from(const struct forgery *f, double value)
{
	double largest = 0;
	for (size_t i = 0; i < f->nr; i++) {
		double magnitude = fabs(dtype_load(f->o->dtype, f->exact, i));
		if (isfinite(magnitude))
			largest = fmax(largest, magnitude);
	}
	return value + fabs(value) + (largest > 0 ? largest : 1);
}

static void forge_last(struct forgery *f)
{
	double value = dtype_load(f->o->dtype, f->exact, f->nr - 1);
	memcpy(f->got, f->exact, f->bytes);
	if (!isfinite(value))
		value = 0;
	else if (dtype_is_float(f->o->dtype))
		value = far_from(f, value);
	else
		value = value == 0;
	dtype_store(f->o->dtype, f->got, f->nr - 1, value);
}

static void (*const forge[CHEAT_NR])(struct forgery *f) = {
	[CHEAT_ZEROS] = forge_zeros, [CHEAT_MEAN] = forge_mean,
	[CHEAT_COPY] = forge_copy,   [CHEAT_STALE] = forge_stale,
	[CHEAT_ROW] = forge_row,     [CHEAT_NAN_FILLED] = forge_nan_filled,
	[CHEAT_HALF] = forge_half,   [CHEAT_LAST] = forge_last,
};

static bool passes(const struct forgery *f, const void *got)
{
	struct judge_output output = { .name = f->o->name,
				       .dtype = f->o->dtype,
				       .extent = f->o->extent,
				       .rank = f->o->rank,
				       .got = got,
				       .want = f->o->want,
				       .poison_salt = SALT,
				       .tol = f->o->tol };
	struct judge_case one = {
		.shape = f->c->shape, .group = f->c->group, .outputs = &output, .nr_outputs = 1
	};
	struct judgement answer;
	judge_case_run(&one, &answer);
	return answer.verdict.state == VERDICT_PASS;
}

static void forgery_init(struct forgery *f, const struct selftest_case *c,
			 const struct selftest_output *o)
{
	*f = (struct forgery){ .c = c, .o = o, .nr = compare_elements(o->extent, o->rank) };
	f->slice_len = compare_slice_len(o->extent, o->rank);
	f->bytes = size_mul(f->nr, dtype_bytes(o->dtype));
	f->exact = xmalloc(f->bytes);
	f->got = xmalloc(f->bytes);
	for (size_t i = 0; i < f->nr; i++)
		put_expected(o, o->want, i, f->exact, i);
}

static void forgery_release(struct forgery *f)
{
	free(f->exact);
	free(f->got);
}
#define AUTO_FORGERY __attribute__((cleanup(forgery_release)))

static bool is_possible(const struct selftest_case *c, enum cheat cheat)
{
	return cheat != CHEAT_COPY || c->input;
}

/* A cheat that leaves the exact answer is none here; `changed` collects those that do not. */
static void try_cheat(struct forgery *f, enum cheat cheat, struct selftest *out, unsigned *changed)
{
	forge[cheat](f);
	if (memcmp(f->got, f->exact, f->bytes) == 0)
		return;
	*changed |= 1U << cheat;
	out->nr_judged++;
	if (passes(f, f->got))
		out->passed |= 1U << cheat;
}

static void try_output(const struct selftest_case *c, size_t output, struct selftest *out,
		       unsigned *changed)
{
	AUTO_FORGERY struct forgery f;
	forgery_init(&f, c, &c->outputs[output]);
	out->refused += !passes(&f, f.exact);
	for (unsigned cheat = 0; cheat < CHEAT_NR; cheat++) {
		if (is_possible(c, (enum cheat)cheat))
			try_cheat(&f, (enum cheat)cheat, out, changed);
	}
}

/* A cheat that changed nothing anywhere is the right answer: the case can not expose it. */
static void add_unexposed(const struct selftest_case *c, unsigned changed, struct selftest *out)
{
	for (unsigned cheat = 0; cheat < CHEAT_NR; cheat++) {
		if (is_possible(c, (enum cheat)cheat) && !(changed & 1U << cheat))
			out->passed |= 1U << cheat;
	}
}

static int report(const struct selftest_case *c, const struct selftest *out, struct err *e)
{
	AUTO_STR struct str names = STR_INIT;
	for (unsigned cheat = 0; cheat < CHEAT_NR; cheat++) {
		if (out->passed & 1U << cheat)
			str_addf(&names, "%s%s", names.len ? ", " : "", cheat_names[cheat]);
	}
	if (out->refused)
		return err_set(e, ERR_INPUT, "case %s/%s: the judge refuses its own exact answer",
			       c->shape, c->group);
	if (out->passed)
		return err_set(e, ERR_INPUT, "case %s/%s: the judge lets wrong answers pass: %s",
			       c->shape, c->group, names.text);
	return 0;
}

int selftest_run(const struct selftest_case *c, struct selftest *out, struct err *e)
{
	unsigned changed = 0;
	*out = (struct selftest){ 0 };
	for (size_t i = 0; i < c->nr_outputs; i++)
		try_output(c, i, out, &changed);
	add_unexposed(c, changed, out);
	return report(c, out, e);
}
