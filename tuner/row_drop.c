#include "tuner/kernel.h"

/* Leaves out a row that the source was written with, or that an earlier decision has. Both are done
 * before rows are applied (plan_change, the student), so in a kernel there is never anything to do.
 */

#include "base/err.h"
#include "tuner/row.h"

int row_drop(struct kernel *k, const struct row *row, struct err *e)
{
	(void)k;
	return err_set(e, ERR_INPUT, "there is no such row: %s", row_get(row, "row"));
}
