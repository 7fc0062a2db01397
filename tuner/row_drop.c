#include "tuner/kernel.h"

/* Leaves out a row that the source was written with. That changes a plan (plan_change), so in a
 * kernel there is never anything to do. */

#include "base/err.h"
#include "tuner/row.h"

int row_drop(struct kernel *k, const struct row *row, struct err *e)
{
	(void)k;
	return err_set(e, ERR_INPUT, "the source holds no such row: %s", row_get(row, "row"));
}
