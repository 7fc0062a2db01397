#include "sys/sandbox.h"

/* The closed list of mechanisms, and the probe of `forge doctor`: it starts a harmless program by
 * the real launcher, so it can not be more optimistic than a run is. */

#include <errno.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "sys/cpu.h"
#include "sys/proc.h"

struct mechanism_row {
	const char *name;
	const char *what;
	const char *cost;
	bool is_essential;
};
static const struct mechanism_row mechanism_rows[] = {
#define MECHANISM(name, essential, what, cost) { #name, what, cost, essential },
#include "sys/mechanisms.def"
#undef MECHANISM
};

const char *sandbox_mechanism_name(enum sandbox_mechanism m)
{
	return mechanism_rows[m].name;
}

const char *sandbox_mechanism_what(enum sandbox_mechanism m)
{
	return mechanism_rows[m].what;
}

const char *sandbox_mechanism_cost(enum sandbox_mechanism m)
{
	return mechanism_rows[m].cost;
}

bool sandbox_mechanism_is_essential(enum sandbox_mechanism m)
{
	return mechanism_rows[m].is_essential;
}

void sandbox_lack_add(struct sandbox_lacks *l, enum sandbox_mechanism m, int error)
{
	if (sandbox_lacks_has(l, m))
		return;
	l->items[l->nr++] = (struct sandbox_lack){ .mechanism = m, .error = error };
}

bool sandbox_lacks_has(const struct sandbox_lacks *l, enum sandbox_mechanism m)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->items[i].mechanism == m)
			return true;
	return false;
}

bool sandbox_lack_is_grave(const struct sandbox_lacks *l, enum sandbox_mechanism m)
{
	if (!sandbox_lacks_has(l, m))
		return false;
	/* Where a kernel has no root of its own, Landlock is what keeps it from files. */
	if (m == SANDBOX_landlock)
		return sandbox_lacks_has(l, SANDBOX_mount_ns);
	return sandbox_mechanism_is_essential(m);
}

char *sandbox_lack_name(const char *mechanism)
{
	char *name = xasprintf("no-%s", mechanism);
	for (char *c = name; *c; c++)
		if (*c == '_' || *c == ' ')
			*c = '-';
	return name;
}

/* Does the kernel know the filter action that the runner's reports rely on? */
static bool has_seccomp(void)
{
	uint32_t action = SECCOMP_RET_TRAP;
	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0UL, &action) == 0;
}

enum { PROBE_MEMORY_BYTES = 64 << 20, PROBE_TASKS = 8 };

static void lack_everything(struct sandbox_lacks *l)
{
	for (unsigned m = 0; m < SANDBOX_NR_MECHANISMS; m++)
		sandbox_lack_add(l, (enum sandbox_mechanism)m, 0);
}

void sandbox_probe(struct sandbox_lacks *out)
{
	struct err e = { 0 };
	struct sandbox s = { .pidfd = -1 };
	struct cpu_list cpus = { 0 };
	AUTO_FREE char *found = proc_find("true");
	const char *program = found ? found : "/bin/true";
	struct sandbox_spec spec = {
		.program_path = program,
		.object_path = program,
		.memory_bytes = PROBE_MEMORY_BYTES,
		.max_tasks = PROBE_TASKS,
		.cpus = cpu_usable(&cpus, &e) == 0 ? &cpus : NULL,
		.accept_weak = true,
	};
	if (sandbox_start(&s, &spec, &e) < 0)
		lack_everything(&s.lacks);
	*out = s.lacks;
	sandbox_stop(&s, NULL);
	if (!has_seccomp())
		sandbox_lack_add(out, SANDBOX_seccomp, errno);
}
