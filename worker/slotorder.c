#include "worker/slotorder.h"

/* The six orders of R, C, R', shuffled anew for every block of six rounds. */

#include "base/mem.h"

#define R SLOT_REFERENCE
#define C SLOT_CANDIDATE
#define A SLOT_REFERENCE_AGAIN
static const struct slotorder all_orders[] = {
	{ { R, C, A } }, { { R, A, C } }, { { C, R, A } },
	{ { C, A, R } }, { { A, R, C } }, { { A, C, R } },
};
#undef R
#undef C
#undef A

void slotorder_draw(struct rng *rng, struct slotorder *orders, size_t nr_rounds)
{
	size_t pick[ARRAY_LEN(all_orders)];
	for (size_t i = 0; i < nr_rounds; i++) {
		size_t place = i % ARRAY_LEN(all_orders);
		if (place == 0)
			rng_permute(rng, pick, ARRAY_LEN(all_orders));
		orders[i] = all_orders[pick[place]];
	}
}
