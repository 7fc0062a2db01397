#include "worker/monitor.h"
struct err;
int monitor_run(struct worker *w, struct err *e)
{
	(void)w;
	(void)e;
	return 0;
}
