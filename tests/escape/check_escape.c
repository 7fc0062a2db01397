/*
 * check-escape BIN: tries every row of attempts.def from every place it names, as who runs it and,
 * for root, once more as an ordinary user. An attempt is an escape when it says so or when anything
 * outside is not as it was. Those that do no harm without a sandbox are first made there: one that
 * does not work even so can not be tried on this machine, and its rows are skipped.
 * BIN holds attacker, attempts.so, forge-runner and, for the device process, forge-gpu.py,
 * escape.py, a fake PyTorch (torch.py) and a fake of the device's library (libgpu.so).
 */
#include <dirent.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "tests/escape/device.h"

enum { ORDINARY = 1000, MAX_ROWS = 128 };

struct counts {
	unsigned passed, failed, skipped;
};

struct check {
	struct world w;
	struct means means;
	struct counts n;
	const char *user;
	char *cannot[MAX_ROWS]; /* why a row can not be tried by this user here; or NULL */
	bool is_told[MAX_ROWS];
	const char *place;
};

static void tell(struct check *c, int row, enum outcome o, const char *text)
{
	static const char *const words[] = { "ok     ", "not ok ", "skipped" };
	unsigned *const counters[] = { &c->n.passed, &c->n.failed, &c->n.skipped };
	++*counters[o];
	printf("%s %-6s %-6s %-21s %s", words[o], c->user, c->place, attempts[row].name, text);
	if (o == ESCAPED)
		printf("  (tried: %s; an escape when: %s)", attempts[row].tries,
		       attempts[row].escape);
	printf("\n");
	fflush(stdout);
}

/* What an attempt says, and what is seen from outside. */
static void conclude(struct check *c, int row, enum outcome o, const char *text)
{
	AUTO_STR struct str all = STR_INIT;
	if (world_is_touched(&c->w, &all))
		o = ESCAPED;
	str_add(&all, text);
	tell(c, row, o, all.text);
}

static void skip(struct check *c, int row, const char *why)
{
	tell(c, row, CANNOT, why);
}

static void make_controls(struct check *c)
{
	for (int i = 0; i < (int)nr_attempts; i++) {
		AUTO_STR struct str text = STR_INIT;
		AUTO_STR struct str seen = STR_INIT;
		if (!(attempts[i].flags & ROW_CONTROL))
			continue;
		enum outcome o = try_outside(&c->w, i, &text);
		if (!world_is_touched(&c->w, &seen) && o != ESCAPED)
			c->cannot[i] = xasprintf("does not work here even without a sandbox (%s)",
						 text.text);
	}
}

static void check_survivors(struct check *c, int row)
{
	if (world_has_survivor(&c->w))
		tell(c, row, ESCAPED, "a process lives on");
}

typedef enum outcome (*try_fn)(struct world *, const struct means *, int, struct str *);

static void check_place(struct check *c, unsigned place, const char *name, try_fn try)
{
	c->place = name;
	for (int i = 0; i < (int)nr_attempts; i++) {
		AUTO_STR struct str text = STR_INIT;
		if (!(attempts[i].places & place))
			continue;
		if (c->cannot[i]) {
			skip(c, i, c->cannot[i]);
			continue;
		}
		enum outcome o = try(&c->w, &c->means, i, &text);
		conclude(c, i, o, text.text);
		check_survivors(c, i);
	}
}

static void see_row(void *ctx, int row, enum outcome o, const char *text)
{
	struct check *c = ctx;
	c->is_told[row] = true;
	if (c->cannot[row])
		skip(c, row, c->cannot[row]);
	else
		conclude(c, row, o, text);
}

/* A row that brought its sandbox down has said nothing: the end of the turn is its answer. */
static void check_alone(struct check *c, int row)
{
	AUTO_STR struct str text = STR_INIT;
	try_as_agent(&c->w, &c->means, row, see_row, c, &text);
	if (!c->is_told[row])
		conclude(c, row, HELD, text.text);
	check_survivors(c, row);
}

static void check_agent(struct check *c)
{
	AUTO_STR struct str text = STR_INIT;
	int last = 0;
	c->place = "agent";
	try_as_agent(&c->w, &c->means, ALL_ROWS, see_row, c, &text);
	for (int i = 0; i < (int)nr_attempts; i++) {
		bool is_mine = (attempts[i].places & PLACE_AGENT) != 0;
		if (is_mine && (attempts[i].flags & ROW_ALONE))
			check_alone(c, i);
		else if (is_mine && !c->is_told[i])
			tell(c, i, ESCAPED, text.len ? text.text : "was not tried");
		last = is_mine ? i : last;
	}
	check_survivors(c, last);
}

/* The engine empties a workspace before it is used again: whatever an agent leaves there, nothing
 * else may go. */
static void check_cleaning(struct check *c)
{
	struct err e = { 0 };
	AUTO_STR struct str seen = STR_INIT;
	AUTO_FREE char *link = path_join(c->w.workspace, "folder");
	AUTO_FREE char *locked = path_join(c->w.workspace, "locked");
	AUTO_FREE char *pipe = path_join(c->w.workspace, "pipe");
	AUTO_FREE char *inner = path_join(locked, "inner");
	unlink(link);
	bool is_set = symlink(c->w.scene.canary, link) == 0 && mkfifo(pipe, 0600) == 0 &&
		      dir_make(inner, &e) == 0 && chmod(locked, 0) == 0;
	int status = tree_remove(c->w.workspace, &e);
	bool touched = world_is_touched(&c->w, &seen);
	bool ok = is_set && status == 0 && !touched && !file_exists(c->w.workspace);
	printf("%s %-6s forge  %-21s %s%s\n", ok ? "ok     " : "not ok ", c->user,
	       "empty_workspace", seen.text,
	       status < 0 ? e.text : "links, a pipe and a locked folder are gone, no more");
	c->n.passed += ok;
	c->n.failed += !ok;
	chmod(locked, 0700);
}

/* Where the time went, for who wonders. */
static void say_time(const struct check *c, const char *what, uint64_t *since_ns)
{
	uint64_t now = clock_mono_ns();
	printf("# %s %s: %.1f s\n", c->user, what, (double)(now - *since_ns) / 1e9);
	*since_ns = now;
}

static struct counts check_all(const char *self, const char *bin)
{
	struct check c = { .user = geteuid() == 0 ? "root" : "user" };
	world_open(&c.w, self, bin);
	means_probe(&c.means);
	uint64_t since_ns = clock_mono_ns();
	make_controls(&c);
	say_time(&c, "without a sandbox", &since_ns);
	check_place(&c, PLACE_KERNEL, "kernel", try_in_kernel);
	say_time(&c, "kernel", &since_ns);
	check_place(&c, PLACE_JAIL, "jail", try_in_jail);
	say_time(&c, "jail", &since_ns);
	check_place(&c, PLACE_DEVICE, "device", try_in_device);
	device_close();
	say_time(&c, "device", &since_ns);
	if (c.means.has_agent_sandbox)
		check_agent(&c);
	else
		printf("# skipped: %s: bwrap makes no agent sandbox here\n", c.user);
	say_time(&c, "agent", &since_ns);
	check_cleaning(&c);
	world_close(&c.w);
	for (size_t i = 0; i < nr_attempts; i++)
		free(c.cannot[i]);
	return c.n;
}

/* For root: the same as an ordinary user, in a child that can not go back. */
static struct counts check_as_ordinary(const char *self, const char *bin)
{
	struct counts n = { .failed = 1 };
	int ends[2];
	fflush(stdout);
	if (pipe(ends) < 0)
		return n;
	pid_t pid = fork();
	if (pid == 0) {
		if (setgroups(0, NULL) < 0 || setresgid(ORDINARY, ORDINARY, ORDINARY) < 0 ||
		    setresuid(ORDINARY, ORDINARY, ORDINARY) < 0)
			_exit(1);
		/* Changing the user made us undumpable, and /proc ours no more. */
		prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
		n = check_all(self, bin);
		fflush(stdout);
		_exit(write(ends[1], &n, sizeof(n)) != (ssize_t)sizeof(n));
	}
	close(ends[1]);
	if (read(ends[0], &n, sizeof(n)) != (ssize_t)sizeof(n))
		n = (struct counts){ .failed = 1 };
	close(ends[0]);
	waitpid(pid, NULL, 0);
	return n;
}

/* The programs, where every user can reach them. */
static char *copy_programs(const char *from)
{
	static const char *const names[] = { "attacker",     "attempts.so",  "forge-runner",
					     "check-escape", "forge-gpu.py", "libgpu.so",
					     "torch.py",     "escape.py" };
	struct err e = { 0 };
	char *to = xstrdup("/tmp/forge-escape-bin-XXXXXX");
	bool ok = mkdtemp(to) && chmod(to, 0755) == 0;
	for (size_t i = 0; i < ARRAY_LEN(names) && ok; i++) {
		AUTO_FREE char *source = path_join(from, names[i]);
		AUTO_FREE char *target = path_join(to, names[i]);
		ok = file_copy(source, target, &e) == 0 && chmod(target, 0755) == 0;
	}
	if (ok)
		return to;
	printf("check-escape: copy the programs: %s\n", e.text);
	exit(1);
}

int main(int argc, char **argv)
{
	if (argc == 3 && str_equal(argv[1], "--victim"))
		victim_live(argv[2]);
	if (argc != 2) {
		printf("usage: check-escape BIN\n");
		return 64;
	}
	struct err e = { 0 };
	signal(SIGPIPE, SIG_IGN);
	AUTO_FREE char *bin = copy_programs(argv[1]);
	AUTO_FREE char *self = path_join(bin, "check-escape");
	struct counts n = check_all(self, bin);
	if (geteuid() == 0) {
		struct counts more = check_as_ordinary(self, bin);
		n.passed += more.passed;
		n.failed += more.failed;
		n.skipped += more.skipped;
	}
	if (tree_remove(bin, &e) < 0)
		printf("# %s\n", e.text);
	printf("%u passed, %u failed, %u skipped\n", n.passed, n.failed, n.skipped);
	return n.failed != 0;
}
