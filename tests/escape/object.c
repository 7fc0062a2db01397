/* The attempts as an object for forge-runner: its first argument is the scene, its second a report.
 * Written to be caught: no screen has seen it, so the sandbox stands alone. */
#include "attempts.h"

void forge_entry(void *const *args);

void forge_entry(void *const *args)
{
	const struct scene *s = args[0];
	struct report *r = args[1];
	r->outcome = HELD;
	attempts[s->row].try(s, r);
}
