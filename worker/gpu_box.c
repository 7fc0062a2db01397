#include "worker/gpu_box.h"

/*
 * Where Python keeps its packages is asked of Python, since they may lie below a home: folders one
 * by one, never the home itself, and never one that holds the job.
 */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "sys/proc.h"
#include "sys/sandbox.h"
#include "worker/gpu_python.h"

#define ASK_PYTHON_NS (30 * NS_PER_S)

/* Lines: the base of a user's packages, the program, then what may be read. */
static const char ask_python[] =
	"import os, site, sys\n"
	"print(site.getuserbase())\n"
	"print(sys.executable)\n"
	"print(os.path.realpath(sys.executable))\n"
	"for base in (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix):\n"
	"    for part in ('bin', 'lib', 'lib64', 'include', 'share', 'pyvenv.cfg'):\n"
	"        print(os.path.join(base, part))\n"
	"for path in sys.path[1:]:\n"
	"    print(path)\n";

/* Names of variables that are handed on. */
static const char *const passed[] = { "PATH",         "CUDA_VISIBLE_DEVICES", "CUDA_HOME",
				      "CUDA_PATH",    "PYTHONPATH",           "LD_LIBRARY_PATH",
				      "ASAN_OPTIONS", "UBSAN_OPTIONS" };

static bool is_above(const char *dir, const char *path)
{
	const size_t len = strlen(dir);
	return path && strncmp(dir, path, len) == 0 && (path[len] == '/' || path[len] == 0);
}

/* A folder that holds a home or the job is too much. */
static void add_read(struct gpu_box *b, const char *path)
{
	char whole[PATH_MAX];
	const bool is_there = path && *path && realpath(path, whole);
	if (!is_there || str_equal(whole, "/") || is_above(whole, getenv("HOME")) ||
	    is_above(whole, b->walls.scratch))
		return;
	strv_add(&b->walls.read, whole);
}

static void add_env(struct gpu_box *b)
{
	const char *scratch = b->walls.scratch;
	for (size_t i = 0; i < ARRAY_LEN(passed); i++)
		if (getenv(passed[i]))
			strv_addf(&b->env, "%s=%s", passed[i], getenv(passed[i]));
	strv_addf(&b->env, "HOME=%s", scratch);
	strv_addf(&b->env, "TMPDIR=%s", scratch);
	strv_addf(&b->env, "TRITON_CACHE_DIR=%s/triton", scratch);
	strv_add(&b->env, "USER=forge");
	strv_add(&b->env, "LC_ALL=C.UTF-8");
}

static int ask(const char *python, struct proc_result *r, struct err *e)
{
	const char *const argv[] = { python, "-c", ask_python, NULL };
	const struct proc_spec spec = { .argv = argv, .deadline_ns = ASK_PYTHON_NS };
	AUTO_STR struct str how = STR_INIT;
	if (proc_run(r, &spec, e) < 0)
		return -1;
	proc_result_describe(r, &how);
	if (proc_result_is_ok(r))
		return 0;
	return err_set(e, ERR_CHILD, "%s does not say where its packages lie: %s: %.200s", python,
		       how.text, r->err.text);
}

static int add_python(struct gpu_box *b, struct err *e)
{
	AUTO_FREE char *python = proc_find("python3");
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	AUTO_STRV struct strv lines = { 0 };
	if (!python)
		return 0; /* who starts it says so */
	if (ask(python, &r, e) < 0)
		return -1;
	strv_split(&lines, r.out.text, "\n");
	if (lines.nr < 2)
		return err_set(e, ERR_CHILD, "%s does not say where it lies", python);
	strv_addf(&b->env, "PYTHONUSERBASE=%s", lines.items[0]);
	b->python = xstrdup(lines.items[1]);
	for (size_t i = 1; i < lines.nr; i++)
		add_read(b, lines.items[i]);
	return 0;
}

static void add_code(struct gpu_box *b, const struct worker *w, enum party p)
{
	/* The image is written there when the party is loaded. */
	AUTO_FREE char *built = xasprintf("%s/work/%s", w->bundle, party_name(p));
	add_read(b, built);
	if (gpu_python_is(w, p))
		add_read(b, w->builds[p].so_paths[0]);
}

/* Host code of a candidate is in the process of its own module only. */
static int check_walls(struct gpu_box *b, struct worker *w, const struct gpu_box_wish *wish,
		       struct err *e)
{
	struct sandbox_lacks lacks;
	box_lacks(&lacks);
	b->walls.is_weak = true;
	if (sandbox_lacks_has(&lacks, SANDBOX_landlock))
		worker_note(w, "device processes ran without Landlock: files were open to them");
	const bool is_hostile = wish->has_modules && wish->party == PARTY_CANDIDATE;
	if (lacks.nr == 0 || !is_hostile || w->job.accept_weak_sandbox)
		return 0;
	const enum sandbox_mechanism m = lacks.items[0].mechanism;
	AUTO_FREE char *name = sandbox_lack_name(sandbox_mechanism_name(m));
	return err_set(e, ERR_SYSTEM,
		       "this machine has no %s: a candidate that is a module could leave its box; "
		       "who accepts that says --accept %s",
		       sandbox_mechanism_what(m), name);
}

static int make_scratch(struct gpu_box *b, const struct worker *w, struct err *e)
{
	char whole[PATH_MAX];
	AUTO_FREE char *work = path_join(w->bundle, "work");
	if (dir_make(work, e) < 0)
		return -1;
	if (!realpath(work, whole))
		return err_errno(e, ERR_SYSTEM, "find %s", work);
	b->walls.scratch = xasprintf("%s/box-XXXXXX", whole);
	if (mkdtemp(b->walls.scratch))
		return 0;
	int rc = err_errno(e, ERR_SYSTEM, "make a folder in %s", whole);
	free(take_ptr(&b->walls.scratch));
	return rc;
}

static void add_libraries(struct gpu_box *b)
{
	AUTO_STRV struct strv dirs = { 0 };
	const char *list = getenv("LD_LIBRARY_PATH");
	strv_split(&dirs, list ? list : "", ":");
	for (size_t i = 0; i < dirs.nr; i++)
		add_read(b, dirs.items[i]);
}

static void add_programs(struct gpu_box *b, const struct worker *w, const struct gpu_box_wish *wish)
{
	AUTO_FREE char *here = path_dir(w->runner_path);
	static const char *const names[] = { "forge-gpu", "forge-gpu.py", "libforge-gpu.so" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTO_FREE char *path = path_join(here, names[i]);
		add_read(b, path);
	}
	add_read(b, wish->kernels);
	add_read(b, getenv("FORGE_CUDA_DRIVER"));
	add_read(b, getenv("CUDA_HOME"));
	add_read(b, getenv("CUDA_PATH"));
	add_libraries(b);
}

int gpu_box_make(struct gpu_box *b, struct worker *w, const struct gpu_box_wish *wish,
		 struct err *e)
{
	*b = (struct gpu_box){ 0 };
	if (check_walls(b, w, wish, e) < 0 || make_scratch(b, w, e) < 0)
		return -1;
	box_add_system(&b->walls);
	box_add_nvidia(&b->walls);
	add_programs(b, w, wish);
	for (unsigned p = 0; p < PARTY_NR; p++)
		if (p != PARTY_ORACLE && (wish->party == p || wish->party == PARTY_NR))
			add_code(b, w, (enum party)p);
	add_env(b);
	return wish->has_modules ? add_python(b, e) : 0;
}

void gpu_box_release(struct gpu_box *b)
{
	struct err ignored = { 0 };
	if (b->walls.scratch)
		tree_remove(b->walls.scratch, &ignored);
	box_release(&b->walls);
	strv_release(&b->env);
	free(take_ptr(&b->python));
}
