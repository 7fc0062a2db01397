#include "tuner/kernel.h"

/* Only a request to the compiler: any loop may be unrolled. It can not stand beside the request for
 * lanes on one loop, so the later row wins. */

#include "base/err.h"
#include "tuner/ir.h"
#include "tuner/row.h"

enum { UNROLL_MAX = 64 };

int row_unroll(struct kernel *k, const struct row *row, struct err *e)
{
	long n;
	bool is_applied = false;
	if (kernel_need_loop(k, row, e) < 0 || row_get_number(row, "n", 1, UNROLL_MAX, &n, e) < 0)
		return -1;
	for (size_t i = 0; i < k->nr_variants; i++) {
		struct stmt *loop = kernel_loop(&k->variants[i], row_get(row, "loop"));
		if (!loop || loop->loop->is_simd)
			continue;
		loop->loop->unroll = (unsigned)n;
		is_applied = true;
	}
	return is_applied ? 0
			  : err_set(e, ERR_INPUT,
				    "loop %s runs in lanes, whose number the "
				    "compiler chooses",
				    row_get(row, "loop"));
}
