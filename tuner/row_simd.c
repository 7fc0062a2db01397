#include "tuner/kernel.h"

/* Vector lanes for an innermost loop. gcc does this by itself where no value goes from one
 * iteration to the next; the row matters for reductions, whose order it may not change unasked. */

#include "base/err.h"
#include "tuner/ir.h"
#include "tuner/lanes.h"
#include "tuner/row.h"

int row_simd(struct kernel *k, const struct row *row, struct err *e)
{
	const char *why = "no body has it";
	bool is_applied = false;
	if (kernel_need_loop(k, row, e) < 0)
		return -1;
	for (size_t i = 0; i < k->nr_variants; i++) {
		struct stmt *loop = kernel_loop(&k->variants[i], row_get(row, "loop"));
		struct lanes lanes;
		const char *trouble =
			loop ? lanes_check(&k->variants[i].view, loop, &lanes, k->a) : why;
		if (trouble) {
			why = trouble;
			continue;
		}
		loop->loop->is_simd = true;
		loop->loop->reduction = *lanes.reductions ? lanes.reductions : NULL;
		is_applied = true;
	}
	return is_applied ? 0
			  : err_set(e, ERR_INPUT, "loop %s can not run in lanes: %s",
				    row_get(row, "loop"), why);
}
