#include "build/toolbox.h"
/*
 * Only the needed system folders are mounted: /usr and the links to it, the alternatives' links
 * and the loader's cache. There is no /proc, no home, no /etc beside that, so #include and .incbin
 * have nothing to find. `bwrap true` is tried first, in the same jail, because bwrap's own failure
 * could not be told from the compiler's afterwards.
 */

#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "sys/proc.h"

enum {
	TOOLBOX_CPU_S = 20,
	TOOLBOX_WALL_S = 60,
	TOOLBOX_FILE_BYTES = 64 << 20,
	/* A CUDA compiler is six programs, and templates take their time. */
	TOOLBOX_TOOLKIT_CPU_S = 120,
	TOOLBOX_TOOLKIT_WALL_S = 180,
	TOOLBOX_PROBE_WALL_S = 10,
	TOOLBOX_PROBE_OUTPUT = 4096,
	TOOLBOX_BUILT_OUTPUT = 64 << 10,
};
#define TOOLBOX_MEMORY_BYTES (UINT64_C(4) << 30)

static const char *const toolbox_env[] = {
	"PATH=/usr/local/bin:/usr/bin:/bin",
	"LC_ALL=C",
	"TMPDIR=/tmp",
	"HOME=/tmp",
	"TZ=UTC0",
	"SOURCE_DATE_EPOCH=0", /* __DATE__ and __TIME__ are constants: builds repeat. The source's
				  own date is 0 for __TIMESTAMP__. */
	NULL,
};

static void mount_ro(struct strv *argv, const char *from, const char *to)
{
	strv_add(argv, "--ro-bind");
	strv_add(argv, from);
	strv_add(argv, to);
}

/* /lib and its kin are links into /usr on merged systems, folders on others. */
static void mount_system(struct strv *argv)
{
	static const char *const folders[] = { "/bin", "/lib", "/lib64", "/lib32", "/libx32" };
	mount_ro(argv, "/usr", "/usr");
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		char target[PATH_MAX];
		ssize_t len = readlink(folders[i], target, sizeof(target) - 1);
		if (len > 0) {
			target[len] = 0;
			strv_add(argv, "--symlink");
			strv_add(argv, target);
			strv_add(argv, folders[i]);
		} else if (file_is_dir(folders[i])) {
			mount_ro(argv, folders[i], folders[i]);
		}
	}
	static const char *const more[] = { "/etc/alternatives", "/etc/ld.so.cache" };
	for (size_t i = 0; i < ARRAY_LEN(more); i++) {
		if (file_exists(more[i]))
			mount_ro(argv, more[i], more[i]);
	}
}

static void set_env(struct strv *argv, const char *const *env)
{
	for (size_t i = 0; env && env[i]; i++) {
		const char *equals = strchr(env[i], '=');
		AUTO_FREE char *name = xstrndup(env[i], (size_t)(equals - env[i]));
		strv_add(argv, "--setenv");
		strv_add(argv, name);
		strv_add(argv, equals + 1);
	}
}

static void toolbox_argv_start(struct strv *argv)
{
	static const char *const start[] = { "bwrap",         "--unshare-all", "--die-with-parent",
					     "--new-session", "--clearenv",    "--dev",
					     "/dev",          "--tmpfs",       "/tmp" };
	for (size_t i = 0; i < ARRAY_LEN(start); i++)
		strv_add(argv, start[i]);
	mount_system(argv);
	set_env(argv, toolbox_env);
}

static void toolbox_argv_folders(const struct toolbox *t, struct strv *argv)
{
	mount_ro(argv, t->src_dir, t->src);
	mount_ro(argv, t->kit_dir, t->kit);
	if (t->toolkit && !str_starts(t->toolkit, "/usr/"))
		mount_ro(argv, t->toolkit, t->toolkit);
	strv_add(argv, "--bind");
	strv_add(argv, t->out_dir);
	strv_add(argv, t->out);
	strv_add(argv, "--chdir");
	strv_add(argv, t->src);
}

bool toolbox_is_possible(char **why)
{
	AUTO_STRV struct strv argv = { 0 };
	toolbox_argv_start(&argv);
	strv_add(&argv, "true");
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct proc_spec spec = { .argv = (const char *const *)argv.items,
				  .deadline_ns = TOOLBOX_PROBE_WALL_S * NS_PER_S,
				  .is_kept = true,
				  .max_output = TOOLBOX_PROBE_OUTPUT };
	struct err e = { 0 };
	bool is_started = proc_run(&r, &spec, &e) == 0;
	bool is_possible = is_started && proc_result_is_ok(&r);
	if (why && !is_possible) {
		const char *text = is_started ? r.err.text : e.text;
		*why = xstrndup(text, strcspn(text, "\n"));
	}
	return is_possible;
}

static const char *absolute(struct arena *a, const char *path, struct err *e)
{
	char full[PATH_MAX];
	if (realpath(path, full))
		return arena_strdup(a, full);
	err_errno(e, ERR_SYSTEM, "folder %s", path);
	return NULL;
}

int toolbox_init(struct toolbox *t, const struct toolbox_spec *spec, struct err *e)
{
	*t = (struct toolbox){ .lack = "" };
	t->src_dir = absolute(&t->arena, spec->src_dir, e);
	t->out_dir = t->src_dir ? absolute(&t->arena, spec->out_dir, e) : NULL;
	t->kit_dir = t->out_dir ? absolute(&t->arena, spec->kit_dir, e) : NULL;
	if (!t->kit_dir)
		return -1;
	t->toolkit = spec->toolkit ? arena_strdup(&t->arena, spec->toolkit) : NULL;
	AUTO_FREE char *why = NULL;
	t->is_jailed = toolbox_is_possible(&why);
	if (!t->is_jailed && !spec->accept_weak)
		return err_set(e, ERR_SYSTEM, "no jail for the compiler on this machine (%s)", why);
	if (!t->is_jailed)
		t->lack = arena_strdup(&t->arena, why);
	t->src = t->is_jailed ? "/src" : t->src_dir;
	t->out = t->is_jailed ? "/out" : t->out_dir;
	t->kit = t->is_jailed ? "/kit" : t->kit_dir;
	return 0;
}

void toolbox_release(struct toolbox *t)
{
	arena_release(&t->arena);
}

int toolbox_put(const struct toolbox *t, const char *name, const void *bytes, size_t len,
		struct err *e)
{
	AUTO_FREE char *path = path_join(t->src_dir, name);
	const struct timespec epoch[2] = { { 0 }, { 0 } };
	AUTO_FCLOSE FILE *file = fopen(path, "wxe");
	if (!file || fwrite(bytes, 1, len, file) != len || fflush(file) != 0 ||
	    futimens(fileno(file), epoch) < 0)
		return err_errno(e, ERR_SYSTEM, "write %s", path);
	return 0;
}

int toolbox_run(const struct toolbox *t, const struct strv *argv, size_t max_output,
		struct proc_result *r, struct err *e)
{
	const struct proc_limit limits[] = { { RLIMIT_CPU,
					       t->toolkit ? TOOLBOX_TOOLKIT_CPU_S : TOOLBOX_CPU_S },
					     { RLIMIT_AS, TOOLBOX_MEMORY_BYTES },
					     { RLIMIT_FSIZE, TOOLBOX_FILE_BYTES },
					     { RLIMIT_CORE, 0 } };
	const unsigned wall_s = t->toolkit ? TOOLBOX_TOOLKIT_WALL_S : TOOLBOX_WALL_S;
	AUTO_STRV struct strv full = { 0 };
	if (t->is_jailed) {
		toolbox_argv_start(&full);
		toolbox_argv_folders(t, &full);
	}
	strv_add_all(&full, argv);
	struct proc_spec spec = { .argv = (const char *const *)full.items,
				  .env = toolbox_env,
				  .cwd = t->is_jailed ? NULL : t->src_dir,
				  .deadline_ns = wall_s * NS_PER_S,
				  .is_kept = true,
				  .max_output = max_output,
				  .limits = limits,
				  .nr_limits = ARRAY_LEN(limits) };
	return proc_run(r, &spec, e);
}

static void argv_shown(struct strv *argv, const struct toolbox_limits *how)
{
	for (size_t i = 0; how->shown[i]; i++)
		if (file_is_dir(how->shown[i]))
			mount_ro(argv, how->shown[i], how->shown[i]);
	for (size_t i = 0; how->nodes && how->nodes[i]; i++) {
		strv_add(argv, "--dev-bind");
		strv_add(argv, how->nodes[i]);
		strv_add(argv, how->nodes[i]);
	}
	if (how->has_proc) {
		strv_add(argv, "--proc");
		strv_add(argv, "/proc");
	}
	set_env(argv, how->env);
}

int toolbox_run_built(const struct toolbox *t, const struct strv *argv,
		      const struct toolbox_limits *how, struct proc_result *r, struct err *e)
{
	static const struct proc_limit limits[] = { { RLIMIT_FSIZE, TOOLBOX_FILE_BYTES },
						    { RLIMIT_CORE, 0 } };
	AUTO_STRV struct strv full = { 0 };
	AUTO_STRV struct strv env = { 0 };
	if (t->is_jailed) {
		toolbox_argv_start(&full);
		toolbox_argv_folders(t, &full);
		argv_shown(&full, how);
	}
	strv_add_all(&full, argv);
	for (size_t i = 0; toolbox_env[i]; i++)
		strv_add(&env, toolbox_env[i]);
	for (size_t i = 0; how->env && how->env[i]; i++)
		strv_add(&env, how->env[i]);
	struct proc_spec spec = { .argv = (const char *const *)full.items,
				  .env = (const char *const *)env.items,
				  .cwd = t->is_jailed ? NULL : t->src_dir,
				  .deadline_ns = how->wall_ns,
				  .max_output = TOOLBOX_BUILT_OUTPUT,
				  .limits = limits,
				  .nr_limits = ARRAY_LEN(limits),
				  .memory_bytes = how->memory_bytes,
				  .max_tasks = how->max_tasks };
	return proc_run(r, &spec, e);
}
