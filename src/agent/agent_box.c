#include "agent/agent_box.h"

/* bwrap makes /, /dev and what else it mounts as memory file systems that belong to the user
 * inside: left as they are, an agent could fill the machine's memory by them, so / and /dev are
 * read-only in the end and /tmp and /dev/shm have a size. So is /proc: an agent that root started
 * owns the settings of the kernel in it, namespaces or not. A bound folder has no quota of its own;
 * forge looks at its size while it waits for the agent. */

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/agent_ops.h"
#include "agent/network_env.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "sys/agent_filter.h"
#include "sys/proc.h"

#define PROBE_DEADLINE_NS (10 * NS_PER_S)
#define MIB (UINT64_C(1) << 20)

enum {
	MAX_LINE_BYTES = 8 << 20,
	MAX_DEPTH = 64,
	BLOCK_BYTES = 512,  /* of st_blocks */
	ENTRY_BYTES = 1024, /* a name and its inode: empty files fill a disk too */
};
/* A compiler with its optimiser on a large kernel takes some hundred MiB; eight side by side. */
#define DEFAULT_MEMORY (UINT64_C(4) << 30)
#define DEFAULT_WORKSPACE (UINT64_C(2) << 30)
enum { DEFAULT_TASKS = 512 };

/* bwrap hands on what it is given. */
static const char *const bare_env[] = { "PATH=/usr/bin:/bin", "LC_ALL=C", NULL };
/* Where names and certificates are looked up; private keys lie elsewhere below /etc/ssl. */
static const char *const network_files[] = {
	"/etc/resolv.conf",   "/etc/hosts",        "/etc/nsswitch.conf", "/etc/host.conf",
	"/etc/gai.conf",      "/etc/services",     "/etc/ssl/certs",     "/etc/ssl/openssl.cnf",
	"/etc/pki/tls/certs", "/etc/ssl/cert.pem",
};
static const char workspace_inside[] = "/workspace";
static const char knowledge_inside[] = "/knowledge";
static const char program_inside[] = "/agent/bin/agent";
/* Sets limits where they count: inside, for a user's other processes are not the agent's. */
static const char limiter[] = "/usr/bin/prlimit";

static void add_words(struct strv *argv, const char *const *words)
{
	for (; *words; words++)
		strv_add(argv, *words);
}

static void add_memory_folder(struct strv *argv, const char *path, uint64_t bytes)
{
	strv_add(argv, "--size");
	strv_addf(argv, "%llu", (unsigned long long)bytes);
	strv_add(argv, "--tmpfs");
	strv_add(argv, path);
}

/* A root of its own: the system's programs and libraries to read, compilers among them (which may
 * be links by way of /etc/alternatives), nothing of the user's. */
static void add_start(struct strv *argv)
{
	static const char *const words[] = {
		"bwrap",
		"--unshare-all",
		"--die-with-parent",
		"--new-session",
		"--cap-drop",
		"ALL",
		"--ro-bind",
		"/usr",
		"/usr",
		"--ro-bind-try",
		"/lib",
		"/lib",
		"--ro-bind-try",
		"/lib64",
		"/lib64",
		"--ro-bind-try",
		"/bin",
		"/bin",
		"--ro-bind-try",
		"/etc/alternatives",
		"/etc/alternatives",
		"--proc",
		"/proc",
		"--dev",
		"/dev",
		NULL,
	};
	add_words(argv, words);
	add_memory_folder(argv, "/tmp", AGENT_TMP_BYTES);
	add_memory_folder(argv, "/dev/shm", AGENT_SHM_BYTES);
}

static void add_bind(struct strv *argv, const char *how, const char *from, const char *to)
{
	strv_add(argv, how);
	strv_add(argv, from);
	strv_add(argv, to);
}

/* After all mounts are made. */
static void add_end(struct strv *argv)
{
	static const char *const words[] = { "--remount-ro", "/proc", "--remount-ro", "/dev",
					     "--remount-ro", "/",     "--seccomp",    NULL };
	add_words(argv, words);
	strv_addf(argv, "%d", PROC_PASSED_FD);
}

bool agent_sandbox_works(void)
{
	AUTO_STRV struct strv argv = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct err why = { 0 };
	AUTO_CLOSE int filter = agent_filter_open(&why);
	add_start(&argv);
	add_end(&argv);
	strv_add(&argv, "/usr/bin/true");
	const struct proc_spec spec = { .argv = (const char *const *)argv.items,
					.env = bare_env,
					.pass_fd = filter,
					.is_kept = true,
					.deadline_ns = PROBE_DEADLINE_NS };
	return filter >= 0 && proc_run(&r, &spec, &why) == 0 && proc_result_is_ok(&r);
}

static unsigned tasks_of(const struct agent_spec *spec)
{
	return spec->max_tasks ? spec->max_tasks : DEFAULT_TASKS;
}

static void add_network(struct strv *argv)
{
	AUTO_STRV struct strv paths = { 0 };
	strv_add(argv, "--share-net");
	network_env_paths(&paths);
	for (size_t i = 0; i < ARRAY_LEN(network_files); i++)
		add_bind(argv, "--ro-bind-try", network_files[i], network_files[i]);
	for (size_t i = 0; i < paths.nr; i++)
		add_bind(argv, "--ro-bind-try", paths.items[i], paths.items[i]);
}

static void add_arguments(struct strv *argv, const struct agent_start *start)
{
	for (size_t i = 0; start->arguments && start->arguments[i]; i++)
		strv_add(argv, start->arguments[i]);
}

static void make_argv(struct strv *argv, const struct agent_spec *spec,
		      const struct agent_start *start)
{
	add_start(argv);
	if (spec->ops->needs_network)
		add_network(argv);
	if (!start->inside)
		add_bind(argv, "--ro-bind", start->program, program_inside);
	add_bind(argv, "--bind", spec->workspace, workspace_inside);
	if (spec->knowledge)
		add_bind(argv, "--ro-bind", spec->knowledge, knowledge_inside);
	for (size_t i = 0; i < start->nr_mounts; i++) {
		const struct agent_mount *m = &start->mounts[i];
		add_bind(argv, m->is_writable ? "--bind" : "--ro-bind", m->from, m->to);
	}
	add_end(argv);
	strv_add(argv, "--chdir");
	strv_add(argv, workspace_inside);
	if (file_exists(limiter)) {
		strv_add(argv, limiter);
		strv_addf(argv, "--nproc=%u", tasks_of(spec));
		strv_add(argv, "--");
	}
	strv_add(argv, start->inside ? start->inside : program_inside);
	add_arguments(argv, start);
}

static void make_bare_argv(struct strv *argv, const struct agent_start *start)
{
	strv_add(argv, start->program);
	add_arguments(argv, start);
}

static bool has_variable(const char *const *env, const char *like)
{
	size_t len = strcspn(like, "=") + 1;
	for (size_t i = 0; env && env[i]; i++)
		if (strncmp(env[i], like, len) == 0)
			return true;
	return false;
}

static void make_env(struct strv *env, const struct agent_spec *spec,
		     const struct agent_start *start)
{
	for (size_t i = 0; bare_env[i]; i++)
		if (!has_variable(start->env, bare_env[i]))
			strv_add(env, bare_env[i]);
	if (start->env)
		add_words(env, start->env);
	if (spec->ops->needs_network)
		network_env_add(env);
}

int agent_box_start(struct agent_box *b, const struct agent_spec *spec,
		    const struct agent_start *start, struct err *e)
{
	uint64_t memory = spec->memory_bytes ? spec->memory_bytes : DEFAULT_MEMORY;
	uint64_t workspace = spec->workspace_bytes ? spec->workspace_bytes : DEFAULT_WORKSPACE;
	const struct proc_limit limits[] = { { RLIMIT_CORE, 0 },
					     { RLIMIT_DATA, memory },
					     { RLIMIT_FSIZE, workspace } };
	AUTO_STRV struct strv argv = { 0 };
	AUTO_STRV struct strv env = { 0 };
	bool is_boxed = agent_sandbox_works();
	AUTO_CLOSE int filter = is_boxed ? agent_filter_open(e) : -1;
	if (is_boxed && filter < 0)
		return -1;
	if (is_boxed)
		make_argv(&argv, spec, start);
	else
		make_bare_argv(&argv, start);
	make_env(&env, spec, start);
	b->workspace = is_boxed ? workspace_inside : spec->workspace;
	const struct proc_spec how = { .argv = (const char *const *)argv.items,
				       .env = (const char *const *)env.items,
				       .cwd = is_boxed ? NULL : spec->workspace,
				       .max_output = MAX_LINE_BYTES,
				       .limits = limits,
				       .nr_limits = ARRAY_LEN(limits),
				       .memory_bytes = memory,
				       .max_tasks = tasks_of(spec) + 3, /* bwrap's own */
				       .pass_fd = is_boxed ? filter : 0,
				       .has_own_keyring = true,
				       .is_kept = true };
	return child_start(&b->child, &how, e);
}

/* By descriptors that follow no link: the agent is at work meanwhile, and what it swaps for a link
 * must not send us through the machine. */
static uint64_t size_below(int at, const char *name, int depth)
{
	struct stat st;
	uint64_t bytes = 0;
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	for (struct dirent *d = dir ? readdir(dir) : NULL; d; d = readdir(dir)) {
		if (str_equal(d->d_name, ".") || str_equal(d->d_name, "..") ||
		    fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		bytes += (uint64_t)st.st_blocks * BLOCK_BYTES + ENTRY_BYTES;
		if (S_ISDIR(st.st_mode) && depth < MAX_DEPTH)
			bytes += size_below(dirfd(dir), d->d_name, depth + 1);
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	return bytes;
}

bool agent_quota_is_broken(struct agent_quota *q, const char *workspace)
{
	uint64_t now = clock_mono_ns();
	if (!workspace || now - q->looked_ns < NS_PER_S)
		return false;
	q->looked_ns = now;
	uint64_t max = q->max_bytes ? q->max_bytes : DEFAULT_WORKSPACE;
	return size_below(AT_FDCWD, workspace, 0) > max;
}
