#include "cmd/price_table.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/share.h"
#include "model/prices.h"

/* A file that was named must be there, another need not. */
int price_table_load(struct prices *p, struct err *e)
{
	AUTO_FREE char *shipped = share_path("prices.tsv", e);
	AUTO_FREE char *own = share_own_path("FORGE_PRICES", "prices.tsv");
	if (!shipped || prices_load(p, shipped, false, e) < 0)
		return -1;
	if (own && prices_load(p, own, true, e) < 0)
		return err_wrap(e, "own prices");
	return 0;
}
