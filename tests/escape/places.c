#include "tests/escape/places.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/agent_ops.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "sys/cpu.h"
#include "sys/sandbox.h"
#include "sys/side.h"

#define ROW_NS (15 * NS_PER_S)
#define MIB (UINT64_C(1) << 20)

/* Limits of the sandboxes that are made here. */
enum { JAIL_TASKS = 16, AGENT_TASKS = 64, AGENT_DEADLINE_HERE_S = 120 };
#define JAIL_MEMORY (64 * MIB)
#define AGENT_MEMORY (256 * MIB)
#define AGENT_WORKSPACE (64 * MIB)
/* Allowance of the runner's own, beside what it is given (runner/forge_runner.c). */
#define RUNNER_OWN_MEMORY (64 * MIB)

void means_probe(struct means *m)
{
	struct sandbox_lacks lacks = { 0 };
	sandbox_probe(&lacks);
	*m = (struct means){
		.has_memory_cgroup = !sandbox_lacks_has(&lacks, SANDBOX_memory_cgroup),
		.has_pids_cgroup = !sandbox_lacks_has(&lacks, SANDBOX_pids_cgroup),
		.has_namespaces = !sandbox_lacks_has(&lacks, SANDBOX_mount_ns),
		.has_agent_sandbox = agent_sandbox_works(),
	};
}

static struct scene scene_for(const struct world *w, int row, enum place place)
{
	struct scene s = w->scene;
	s.row = row;
	s.place = (int32_t)place;
	return s;
}

static void write_scene(const char *path, const struct scene *s)
{
	struct err e = { 0 };
	if (file_write(path, s, sizeof(*s), &e) < 0) {
		printf("check-escape: %s\n", e.text);
		exit(1);
	}
}

/* One report within the deadline; false: the other side is gone without. */
static bool await_report(int fd, struct report *r)
{
	uint64_t until_ns = clock_mono_ns() + ROW_NS;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	while (clock_mono_ns() < until_ns)
		if (poll(&p, 1, 100) > 0)
			return read(fd, r, sizeof(*r)) == (ssize_t)sizeof(*r);
	return false;
}

/* A plain fork and exec, careless about descriptors and environment. */
enum outcome try_outside(struct world *w, int row, struct str *text)
{
	struct scene s = scene_for(w, row, PLACE_OUTSIDE);
	struct report r = { .outcome = HELD };
	AUTO_FREE char *path = xasprintf("%s/scene", w->dir);
	int ends[2];
	write_scene(path, &s);
	if (pipe(ends) < 0)
		return HELD;
	pid_t pid = fork();
	if (pid == 0) {
		close(ends[0]);
		dup2(ends[1], 3);
		if (chdir(w->workspace) == 0)
			execl(w->attacker, "attacker", path, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	bool said = await_report(ends[0], &r);
	close(ends[0]);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	str_add(text, said ? r.note : "no report");
	return said ? (enum outcome)r.outcome : HELD;
}

enum outcome try_in_jail(struct world *w, const struct means *m, int row, struct str *text)
{
	struct err e = { 0 };
	struct sandbox box = { .pidfd = -1 };
	struct report r = { .outcome = HELD };
	struct scene s = scene_for(w, row, PLACE_JAIL);
	AUTO_FREE char *path = xasprintf("%s/scene", w->dir);
	int ends[2];
	s.has_memory_group = m->has_memory_cgroup;
	s.memory_bytes = m->has_memory_cgroup ? JAIL_MEMORY : 0;
	s.nr_tasks = m->has_pids_cgroup ? JAIL_TASKS : 0;
	write_scene(path, &s);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return CANNOT;
	const struct sandbox_spec spec = { .program_path = w->attacker,
					   .object_path = path,
					   .fds = &ends[1],
					   .nr_fds = 1,
					   .memory_bytes = JAIL_MEMORY,
					   .max_tasks = JAIL_TASKS };
	int status = sandbox_start(&box, &spec, &e);
	close(ends[1]);
	if (status < 0) {
		close(ends[0]);
		str_add(text, e.text);
		return CANNOT;
	}
	bool said = write(ends[0], "g", 1) == 1 && await_report(ends[0], &r);
	close(ends[0]);
	sandbox_stop(&box, NULL);
	str_add(text, said ? r.note : "it died");
	return said ? (enum outcome)r.outcome : HELD;
}

/* The runner: one region that the kernel reads, one that it writes. */

struct stage {
	struct region regions[2];
	struct cpu_list cpus;
	struct cpu_list mine; /* of which the kernel may use these */
};

static int stage_open(struct stage *g, const struct scene *s, struct err *e)
{
	*g = (struct stage){ 0 };
	if (cpu_usable(&g->cpus, e) < 0 || region_make(&g->regions[0], 4096, false, e) < 0 ||
	    region_make(&g->regions[1], 4096, true, e) < 0)
		return -1;
	g->mine = g->cpus;
	g->mine.nr = 1;
	memcpy(g->regions[0].addr, s, sizeof(*s));
	return 0;
}

static void stage_close(struct stage *g)
{
	region_release(&g->regions[0]);
	region_release(&g->regions[1]);
}

static int call_kernel(struct side *side, struct side_state *st, struct err *e)
{
	const struct side_arg args[] = { { .region = 0 }, { .region = 1 } };
	const struct side_call call = { .args = args,
					.nr_args = ARRAY_LEN(args),
					.nr_calls = 1,
					.deadline_ns = ROW_NS,
					.wait = SIDE_SLEEP };
	struct side_time time;
	if (side_prepare(side, &call, st, e) < 0)
		return -1;
	return st->end == SIDE_ALIVE ? side_fire(side, &time, st, e) : 0;
}

static enum outcome kernel_end(const struct stage *g, const struct side_state *st, struct str *text)
{
	struct report r;
	memcpy(&r, g->regions[1].addr, sizeof(r));
	if (st->end != SIDE_ALIVE) {
		str_addf(text, "%s: %s", side_end_name(st->end), st->text);
		return HELD;
	}
	r.note[NOTE_LEN - 1] = 0;
	str_add(text, r.note);
	return (enum outcome)r.outcome;
}

enum outcome try_in_kernel(struct world *w, const struct means *m, int row, struct str *text)
{
	struct err e = { 0 };
	struct stage g;
	struct side_state st = { 0 };
	AUTO_SIDE struct side *side = NULL;
	struct scene s = scene_for(w, row, PLACE_KERNEL);
	(void)m; /* the runner's own limits hold without cgroups */
	s.memory_bytes = JAIL_MEMORY + RUNNER_OWN_MEMORY;
	struct cpu_list usable = { 0 };
	if (cpu_usable(&usable, &e) == 0 && usable.nr > 1) {
		s.nr_cpus = 1;
		s.cpus[0] = usable.ids[0];
	}
	if (stage_open(&g, &s, &e) < 0) {
		str_add(text, e.text);
		return CANNOT;
	}
	const struct side_spec spec = { .runner_path = w->runner,
					.so_path = w->object,
					.threads = 1,
					.cpu = -1,
					.cpus = &g.mine,
					.regions = g.regions,
					.nr_regions = 2,
					.memory_bytes = JAIL_MEMORY };
	enum outcome o = CANNOT;
	if (side_start(&side, &spec, &st, &e) < 0 || (side && call_kernel(side, &st, &e) < 0))
		str_add(text, e.text);
	else
		o = kernel_end(&g, &st, text);
	stage_close(&g);
	return o;
}

/* Agents. */

struct listener {
	see_row_fn see;
	void *ctx;
};

/* "NAME OUTCOME NOTE" */
static void hear(void *ctx, const char *text)
{
	const struct listener *l = ctx;
	for (size_t i = 0; i < nr_attempts; i++) {
		size_t len = strlen(attempts[i].name);
		if (strncmp(text, attempts[i].name, len) != 0 || text[len] != ' ')
			continue;
		char *rest = NULL;
		long outcome = strtol(text + len, &rest, 10);
		l->see(l->ctx, (int)i, (enum outcome)outcome, *rest ? rest + 1 : rest);
	}
}

void try_as_agent(struct world *w, const struct means *m, int row, see_row_fn see, void *ctx,
		  struct str *text)
{
	struct err e = { 0 };
	struct listener l = { .see = see, .ctx = ctx };
	struct scene s = scene_for(w, row, PLACE_AGENT);
	AUTO_FREE char *path = path_join(w->workspace, "scene");
	s.has_memory_group = m->has_memory_cgroup;
	s.memory_bytes = AGENT_MEMORY; /* of one process: by RLIMIT_DATA */
	s.nr_tasks = m->has_pids_cgroup || geteuid() != 0 ? AGENT_TASKS : 0;
	s.tmp_bytes = AGENT_TMP_BYTES + AGENT_SHM_BYTES;
	s.disk_bytes = AGENT_WORKSPACE;
	if (tree_remove(w->workspace, &e) < 0 || dir_make(w->workspace, &e) < 0) {
		str_add(text, e.text);
		return;
	}
	write_scene(path, &s);
	const struct agent_spec spec = { .ops = agent_driver("tuner"),
					 .role = AGENT_STUDENT,
					 .workspace = w->workspace,
					 .program = w->attacker,
					 .deadline_s = AGENT_DEADLINE_HERE_S,
					 .memory_bytes = AGENT_MEMORY,
					 .max_tasks = AGENT_TASKS,
					 .workspace_bytes = AGENT_WORKSPACE,
					 .see_log = hear,
					 .ctx = &l };
	const struct agent_turn turn = { .id = 1, .kind = TURN_ROUND };
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	if (agent_ask(&spec, &turn, &a, &e) < 0)
		str_add(text, e.text);
	else if (a.kind != ANSWER_GIVE_UP)
		str_addf(text, "%s", a.text);
}
