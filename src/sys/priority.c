#include "sys/priority.h"

/* SCHED_FIFO 1 and 2. The worker has to go before the kernels: when one of them does not return on
 * a machine where it uses every core, the worker must get one to end it. */

#include <sched.h>
#include <stdlib.h>
#include <sys/utsname.h>

bool priority_set_thread(pid_t tid, enum priority p)
{
	struct sched_param param = { .sched_priority = (int)p };
	return sched_setscheduler(tid, p == PRIORITY_ORDINARY ? SCHED_OTHER : SCHED_FIFO, &param) ==
	       0;
}

bool priority_set_own(enum priority p)
{
	return priority_set_thread(0, p);
}

bool priority_is_raised(void)
{
	int policy = sched_getscheduler(0);
	return policy == SCHED_FIFO || policy == SCHED_RR;
}

bool priority_release_is_throttled(const char *kernel_release)
{
	char *rest = NULL;
	unsigned long major = strtoul(kernel_release, &rest, 10);
	unsigned long minor = *rest == '.' ? strtoul(rest + 1, NULL, 10) : 0;
	return major < 6 || (major == 6 && minor < 12);
}

bool priority_is_throttled(void)
{
	struct utsname name;
	return uname(&name) < 0 || priority_release_is_throttled(name.release);
}
