#include "cmd/host_pick.h"

#include "engine/engine.h"
#include "host/host.h"

int host_pick(struct engine_host *host, struct err *e)
{
	const struct host_ops *ops = NULL;
	if (host_choose(&ops, e) < 0)
		return -1;
	/* Without a driver the engine keeps builds of this machine with the run. */
	host->ops = ops == &host_local ? NULL : ops;
	return 0;
}
