#include "judge/mixture.h"

/* The kinds of rows are tried in turn from a random one on; one that is not possible (no row above,
 * zero outside of the range) lets the next have its turn. */

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"

enum { PIECE = 256, LEAST_PIECES = 8, MAX_DOWN = 12, CHUNK = 256 };

struct mix {
	const struct mixture_spec *spec;
	unsigned char *out;
	struct rng rng;
	struct mixture_range range;
	size_t from; /* the row at hand */
	size_t end;
};

bool mixture_is_free(const json_t *generator)
{
	static const char *const kinds[] = { "normal",  "uniform",     "constant_rows",
					     "spikes",  "extremes",    "identical_rows",
					     "sparse",  "zero_blocks", "outlier_rows",
					     "specials" };
	const char *kind = json_text_or(generator, "kind", "");
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (str_equal(kinds[i], kind))
			return true;
	return false;
}

size_t mixture_row_len(size_t rank, size_t innermost, size_t nr)
{
	size_t piece = nr / LEAST_PIECES;
	if (rank >= 2)
		return innermost;
	if (piece > PIECE)
		return PIECE;
	return piece ? piece : 1;
}

static double get(const struct mix *m, size_t at)
{
	return dtype_load(m->spec->dtype, m->out, at);
}

static void put(const struct mix *m, size_t at, double value)
{
	dtype_store(m->spec->dtype, m->out, at, value);
}

static unsigned char *bytes_at(const struct mix *m, size_t at)
{
	return m->out + at * dtype_bytes(m->spec->dtype);
}

static size_t draw_place(struct mix *m)
{
	return m->from + (size_t)rng_below(&m->rng, m->end - m->from);
}

static bool has_zero(const struct mix *m)
{
	return m->range.low <= 0 && m->range.high >= 0;
}

static bool take_other_group(struct mix *m)
{
	const struct mixture_spec *s = m->spec;
	size_t size = dtype_bytes(s->dtype);
	if (s->nr_groups < 2)
		return false;
	size_t other = (s->base + 1 + (size_t)rng_below(&m->rng, s->nr_groups - 1)) % s->nr_groups;
	memcpy(bytes_at(m, m->from), (const unsigned char *)s->groups[other] + m->from * size,
	       (m->end - m->from) * size);
	return true;
}

/* All of the row, or a piece of it. */
static bool make_zeros(struct mix *m)
{
	size_t from = m->from;
	size_t end = m->end;
	if (!has_zero(m))
		return false;
	if (rng_below(&m->rng, 2)) {
		from = draw_place(m);
		end = from + 1 + (size_t)rng_below(&m->rng, end - from);
	}
	for (size_t i = from; i < end; i++)
		put(m, i, 0);
	return true;
}

static bool repeat_row_above(struct mix *m)
{
	size_t row_len = m->spec->row_len;
	if (m->from < row_len)
		return false;
	memcpy(bytes_at(m, m->from), bytes_at(m, m->from - row_len),
	       (m->end - m->from) * dtype_bytes(m->spec->dtype));
	return true;
}

/* The row above, but for one element that stays its own. */
static bool make_twin(struct mix *m)
{
	size_t at = draw_place(m);
	double own = get(m, at);
	if (!repeat_row_above(m))
		return false;
	put(m, at, own);
	return true;
}

static void scale(struct mix *m, int exponent)
{
	for (size_t i = m->from; i < m->end; i++)
		put(m, i, ldexp(get(m, i), exponent));
}

static bool scale_down(struct mix *m)
{
	if (!has_zero(m))
		return false;
	scale(m, -1 - (int)rng_below(&m->rng, MAX_DOWN));
	return true;
}

/* How often a value fits into the range. */
static double room_for(const struct mix *m, double value)
{
	if (value > 0)
		return m->range.high / value;
	return value < 0 ? m->range.low / value : INFINITY;
}

static bool scale_up(struct mix *m)
{
	double room = INFINITY;
	int exponent = 0;
	for (size_t i = m->from; i < m->end; i++)
		if (isfinite(get(m, i)))
			room = fmin(room, room_for(m, get(m, i)));
	if (!isfinite(room) || room < 2)
		return false;
	(void)frexp(room, &exponent);
	scale(m, exponent - 1);
	return true;
}

static bool make_spike(struct mix *m)
{
	put(m, draw_place(m), rng_below(&m->rng, 2) ? m->range.high : m->range.low);
	return true;
}

static bool (*const twists[])(struct mix *m) = {
	take_other_group, make_zeros, repeat_row_above, make_twin, scale_down, scale_up, make_spike,
};

static void widen(struct mixture_range *r, const double *values, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (!isfinite(values[i]))
			continue;
		r->low = values[i] < r->low ? values[i] : r->low;
		r->high = values[i] > r->high ? values[i] : r->high;
	}
}

static struct mixture_range measure_range(const struct mixture_spec *s)
{
	struct mixture_range r = { .low = INFINITY, .high = -INFINITY, .is_known = true };
	const size_t size = dtype_bytes(s->dtype);
	double values[CHUNK];
	for (size_t g = 0; g < s->nr_groups; g++)
		for (size_t at = 0; at < s->nr; at += CHUNK) {
			size_t nr = s->nr - at < CHUNK ? s->nr - at : CHUNK;
			dtype_load_many(s->dtype, (const unsigned char *)s->groups[g] + at * size,
					nr, values);
			widen(&r, values, nr);
		}
	if (r.low > r.high)
		r.low = r.high = 0;
	return r;
}

static void find_range(struct mix *m)
{
	struct mixture_range *known = m->spec->range;
	m->range = known && known->is_known ? *known : measure_range(m->spec);
	if (known)
		*known = m->range;
}

static void twist_row(struct mix *m, size_t row, size_t first)
{
	const struct mixture_spec *s = m->spec;
	m->from = row * s->row_len;
	m->end = s->nr - m->from < s->row_len ? s->nr : m->from + s->row_len;
	for (size_t k = 0; k < ARRAY_LEN(twists); k++)
		if (twists[(first + k) % ARRAY_LEN(twists)](m))
			return;
}

void mixture_fill(const struct mixture_spec *s, void *out)
{
	struct mix m = { .spec = s, .out = out, .rng = { .seed = s->seed } };
	memcpy(out, s->groups[s->base], s->nr * dtype_bytes(s->dtype));
	if (s->nr == 0)
		return;
	find_range(&m);
	size_t nr_rows = (s->nr - 1) / s->row_len + 1;
	size_t first = (size_t)rng_below(&m.rng, ARRAY_LEN(twists));
	for (size_t k = 0; k < s->nr_strange; k++)
		twist_row(&m, (size_t)rng_below(&m.rng, nr_rows), first + k);
}
