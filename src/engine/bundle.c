#include "engine/bundle.h"

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "model/job.h"

/* Copy `from` (may be NULL) to DIR/sub/name. */
static int put(const char *dir, const char *sub, const char *name, const char *from, struct err *e)
{
	AUTO_FREE char *folder = path_join(dir, sub);
	AUTO_FREE char *to = path_join(folder, name);
	if (!from)
		return 0;
	if (dir_make(folder, e) < 0)
		return -1;
	return file_copy(from, to, e);
}

int bundle_make(const struct bundle_spec *spec, struct err *e)
{
	AUTO_FREE char *task = path_join(spec->dir, "task");
	if (tree_remove(spec->dir, e) < 0 || dir_make(spec->dir, e) < 0 ||
	    tree_copy(spec->task_dir, task, e) < 0 ||
	    put(spec->dir, "reference", "kernel.c", spec->reference, e) < 0 ||
	    put(spec->dir, "candidate", "kernel.c", spec->candidate, e) < 0 ||
	    put(spec->dir, "check", "judge.c", spec->judge, e) < 0 ||
	    put(spec->dir, "check", "tolerances.json", spec->tolerances, e) < 0)
		return -1;
	return job_save(spec->job, spec->dir, e);
}
