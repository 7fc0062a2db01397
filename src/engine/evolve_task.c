#include "engine/evolve_in.h"

/* The next generation's task is generation 0's with another reference: shapes, generators, judge
 * and measured tolerances are copied from there and from nowhere else, so that no step of the chain
 * can move them. It is a task like any other and can be run without the chain. */

#include <unistd.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/toml.h"
#include "base/toml_print.h"
#include "engine/bundle.h"
#include "model/language.h"
#include "model/task.h"
#include "store/rundir.h"

struct next_task {
	struct evolve *c;
	unsigned number;
	char *first; /* run directory of generation 0 */
	char *last;  /* run directory of the generation before */
	char *dir;   /* being filled */
	struct arena arena;
};

static void next_release(struct next_task *n)
{
	free(n->first);
	free(n->last);
	free(n->dir);
	arena_release(&n->arena);
}

/* A candidate without a directive is built as its language says. */
static void set_reference(struct toml *root, const struct task *first, struct arena *a)
{
	struct toml *reference = toml_subtable(root, "reference", a);
	const struct language *l = language_find(first->language);
	const char *run = arena_printf(a, "reference/kernel%s", l->suffix);
	toml_set(reference, "run", toml_new_text(run, a), a);
	toml_set(reference, "language", NULL, a);
	toml_set(reference, "source", toml_new_bool(true, a), a);
	toml_set(reference, "blackbox", NULL, a);
	toml_set(reference, "symbol", NULL, a);
	toml_set(reference, "build", *l->default_build ? toml_new_text(l->default_build, a) : NULL,
		 a);
}

/* What the chain has left is all that this generation may take. */
static void set_budget(const struct next_task *n, double task_hours, struct toml *root,
		       struct arena *a)
{
	const struct chain_state *s = &n->c->state;
	double left = s->hours - chain_state_seconds(s) / 3600;
	if (s->hours > 0 && left < task_hours)
		toml_set(toml_subtable(root, "budget", a), "hours", toml_new_real(left, a), a);
}

static int write_toml(struct next_task *n, const char *task_dir, struct err *e)
{
	AUTO_TASK struct task first = { 0 };
	AUTO_FREE char *from = path_join(task_dir, "task.toml");
	AUTO_FREE char *to = path_join(n->dir, "task.toml");
	AUTO_FREE char *name = xasprintf("%s-g%u", n->c->state.task_name, n->number);
	AUTO_STR struct str text = STR_INIT;
	struct arena *a = &n->arena;
	struct toml *root = toml_read_file(from, a, e);
	if (!root || task_load(&first, task_dir, e) < 0)
		return -1;
	toml_set(toml_subtable(root, "task", a), "name", toml_new_text(name, a), a);
	set_reference(root, &first, a);
	toml_set(toml_subtable(root, "target", a), "ratio", toml_new_real(n->c->state.step, a), a);
	set_budget(n, first.limits.hours, root, a);
	str_addf(&text, "# Generation %u of a chain of forge evolve, made from generation 0.\n",
		 n->number);
	toml_print(root, &text);
	return file_write_text(to, text.text, e);
}

/* Copy one file, making its folder. */
static int put(struct next_task *n, char *from, const char *folder, const char *name, struct err *e)
{
	AUTO_FREE char *source = from;
	AUTO_FREE char *dir = path_join(n->dir, folder);
	AUTO_FREE char *to = path_join(dir, name);
	return dir_make(dir, e) < 0 ? -1 : file_copy(source, to, e);
}

static int drop(const struct next_task *n, const char *folder, struct err *e)
{
	AUTO_FREE char *path = path_join(n->dir, folder);
	return tree_remove(path, e);
}

/* Recorded agents answer by turn, and turns begin again in every run: replay-g2/ of the task is the
 * record of generation 2. */
static int put_record(struct next_task *n, struct err *e)
{
	AUTO_FREE char *name = xasprintf("replay-g%u", n->number);
	AUTO_FREE char *from = path_join(n->dir, name);
	AUTO_FREE char *to = path_join(n->dir, "replay");
	if (!file_is_dir(from))
		return 0;
	return tree_remove(to, e) < 0 ? -1 : tree_copy(from, to, e);
}

/* The confirmed best as the log knows it: a kernel that was changed since is nobody's reference. */
static int check_kernel(const struct next_task *n, const char *path, struct err *e)
{
	const struct chain_generation *g = &n->c->state.generations[n->number - 1];
	struct digest now;
	if (digest_file(path, &now, e) < 0)
		return -1;
	if (str_equal(now.hex, g->kernel))
		return 0;
	return err_set(e, ERR_CONFLICT,
		       "%s: changed after it was confirmed; it can not become a reference", path);
}

static int fill(struct next_task *n, struct err *e)
{
	AUTO_FREE char *task = rundir_path(n->first, RUNDIR_TASK);
	AUTO_FREE char *kernel = rundir_path(n->last, RUNDIR_BEST_KERNEL);
	AUTO_FREE char *name = bundle_kernel_name(task);
	if (check_kernel(n, kernel, e) < 0 || tree_copy(task, n->dir, e) < 0 ||
	    drop(n, "reference", e) < 0 || drop(n, "judge", e) < 0 || put_record(n, e) < 0)
		return -1;
	if (put(n, rundir_path(n->last, RUNDIR_BEST_KERNEL), "reference", name, e) < 0 ||
	    put(n, rundir_path(n->first, RUNDIR_JUDGE), "judge", "judge.c", e) < 0 ||
	    put(n, rundir_path(n->first, RUNDIR_TOLERANCES), "judge", "tolerances.json", e) < 0)
		return -1;
	return write_toml(n, task, e);
}

static int write_whole(struct next_task *n, const char *place, struct err *e)
{
	if (tree_remove(n->dir, e) < 0 || fill(n, e) < 0 || tree_remove(place, e) < 0)
		return -1;
	if (rename(n->dir, place) < 0)
		return err_errno(e, ERR_SYSTEM, "rename %s to %s", n->dir, place);
	return dir_sync(n->c->dir, e);
}

int evolve_task_write(struct evolve *c, unsigned number, struct str *name, struct err *e)
{
	AUTO_FREE char *relative = xasprintf("%s-g%u", c->state.task_name, number);
	AUTO_FREE char *place = path_join(c->dir, relative);
	struct next_task n = {
		.c = c,
		.number = number,
		.first = path_join(c->dir, c->state.generations[0].run),
		.last = path_join(c->dir, c->state.generations[number - 1].run),
		.dir = xasprintf("%s.new", place),
	};
	int rc = write_whole(&n, place, e);
	next_release(&n);
	if (rc == 0)
		str_add(name, relative);
	return rc;
}
