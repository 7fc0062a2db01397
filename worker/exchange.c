#include "worker/exchange.h"

#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"

/* Pairs that change places in an input. Of many more a fingerprint of few elements would see one.
 */
enum { PAIRS = 4, MAX_ELEMENT_BYTES = 8 };

/* Generators whose elements are drawn one by one: any order of them is as good as another. */
static bool is_drawn_one_by_one(const struct group *group, const char *arg)
{
	static const char *const kinds[] = { "normal", "uniform",    "spikes", "extremes",
					     "sparse", "integers",   "index",  "choice",
					     "mask",   "permutation" };
	const json_t *generator = json_object_get(group->inputs, arg);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (str_equal(json_text_or(generator, "kind", ""), kinds[i]))
			return true;
	return false;
}

bool exchange_can(const struct operand *o, const struct group *group)
{
	return o->is_tensor && o->is_input && o->nr > 1 && is_drawn_one_by_one(group, o->arg->name);
}

bool exchange_is_possible(const struct footprint *fp, const struct group *group)
{
	for (size_t i = 0; i < fp->nr; i++)
		if (exchange_can(&fp->items[i], group))
			return true;
	return false;
}

static void swap_elements(unsigned char *a, unsigned char *b, size_t len)
{
	unsigned char kept[MAX_ELEMENT_BYTES];
	memcpy(kept, a, len);
	memcpy(a, b, len);
	memcpy(b, kept, len);
}

void exchange_elements(const struct operand *o, unsigned char *in, uint64_t seed)
{
	const size_t len = dtype_bytes(o->arg->dtype);
	for (unsigned k = 0; k < PAIRS; k++) {
		struct rng rng = { .seed = rng_hash(seed, k) };
		size_t a = rng_below(&rng, o->nr);
		size_t b = rng_below(&rng, o->nr);
		if (a != b)
			swap_elements(in + a * len, in + b * len, len);
	}
}

void exchange_make(struct content *c, uint64_t seed)
{
	for (size_t i = 0; i < c->fp->nr; i++)
		if (exchange_can(&c->fp->items[i], c->group))
			exchange_elements(&c->fp->items[i], c->in[i], rng_hash(seed, i));
}
