#include "engine/bundle.h"

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/language.h"
#include "model/task.h"
#include "model/job.h"
#include "store/seal.h"

enum { MAX_PART_BYTES = 64 << 20 };

/* Copy `from` (may be NULL) to DIR/sub/name. A sealed reference is opened here and nowhere else:
 * the worker has to compile it. */
static int put(const char *dir, const char *sub, const char *name, const char *from, struct err *e)
{
	AUTO_FREE char *folder = path_join(dir, sub);
	AUTO_FREE char *to = path_join(folder, name);
	if (!from)
		return 0;
	if (dir_make(folder, e) < 0)
		return -1;
	return seal_copy(from, to, e);
}

static int put_ask(const char *dir, const json_t *ask, struct err *e)
{
	AUTO_FREE char *path = path_join(dir, "ask.json");
	return ask ? json_write_file(path, ask, e) : 0;
}

static char *kernel_name(const char *task_dir, bool is_reference)
{
	AUTO_TASK struct task task = { 0 };
	struct err ignored = { 0 };
	const struct language *l = NULL;
	if (task_load(&task, task_dir, &ignored) == 0)
		l = language_find(is_reference ? task.reference_language : task.language);
	return xasprintf("kernel%s", l ? l->suffix : ".c");
}

char *bundle_kernel_name(const char *task_dir)
{
	return kernel_name(task_dir, false);
}

int bundle_make(const struct bundle_spec *spec, struct err *e)
{
	AUTO_FREE char *task = path_join(spec->dir, "task");
	AUTO_FREE char *reference = kernel_name(spec->task_dir, true);
	AUTO_FREE char *candidate = kernel_name(spec->task_dir, false);
	if (tree_remove(spec->dir, e) < 0 || dir_make(spec->dir, e) < 0 ||
	    tree_copy(spec->task_dir, task, e) < 0 ||
	    put(spec->dir, "reference", reference, spec->reference, e) < 0 ||
	    put(spec->dir, "candidate", candidate, spec->candidate, e) < 0 ||
	    put(spec->dir, "check", "judge.c", spec->judge, e) < 0 ||
	    put(spec->dir, "check", "tolerances.json", spec->tolerances, e) < 0 ||
	    put_ask(spec->dir, spec->ask, e) < 0)
		return -1;
	return job_save(spec->job, spec->dir, e);
}

static int reseal(const char *dir, const char *sub, const char *from, struct err *e)
{
	AUTO_FREE char *task = path_join(dir, "task");
	AUTO_FREE char *kernel = kernel_name(task, str_equal(sub, "reference"));
	AUTO_FREE char *path = xasprintf("%s/%s/%s", dir, sub, kernel);
	AUTO_STR struct str text = STR_INIT;
	if (!from || !file_exists(path))
		return 0;
	if (file_read(from, MAX_PART_BYTES, &text, e) < 0)
		return -1;
	if (!seal_is_sealed(text.text, text.len))
		return 0;
	return file_write(path, text.text, text.len, e);
}

int bundle_close(const char *dir, const char *reference, const char *candidate, struct err *e)
{
	AUTO_FREE char *scratch = path_join(dir, "work");
	if (reseal(dir, "reference", reference, e) < 0 ||
	    reseal(dir, "candidate", candidate, e) < 0)
		return -1;
	return tree_remove(scratch, e);
}
