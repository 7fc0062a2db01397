#include "engine/frozen.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "store/fold.h"
#include "store/rundir.h"

int frozen_read(const char *run_dir, struct frozen *f, struct err *e)
{
	AUTO_FREE char *task = rundir_path(run_dir, RUNDIR_TASK);
	AUTO_FREE char *check = rundir_path(run_dir, RUNDIR_CHECK);
	AUTO_FREE char *reference = rundir_path(run_dir, RUNDIR_REFERENCE_SOURCE);
	if (digest_tree(task, &f->task, e) < 0 || digest_tree(check, &f->check, e) < 0)
		return -1;
	return digest_file(reference, &f->reference, e);
}

static int compare(const char *run_dir, enum rundir_part part, const char *recorded,
		   const struct digest *now, struct err *e)
{
	if (str_equal(recorded, now->hex))
		return 0;
	AUTO_FREE char *path = rundir_path(run_dir, part);
	return err_set(e, ERR_CONFLICT,
		       "%s: changed after it was frozen (sha256 %.12s, was %.12s); put it back, or "
		       "make a new run with forge new",
		       path, now->hex, recorded);
}

static int compare_file(const char *run_dir, enum rundir_part part, const char *recorded,
			struct err *e)
{
	struct digest now;
	AUTO_FREE char *path = rundir_path(run_dir, part);
	if (!recorded || !*recorded)
		return 0;
	return digest_file(path, &now, e) < 0 ? -1 : compare(run_dir, part, recorded, &now, e);
}

/* Names the file where one is to blame; the folder's digest also knows files that were added. */
static int compare_check(const char *run_dir, const struct state_judge *judge,
			 const struct digest *now, struct err *e)
{
	if (str_equal(judge->check_digest, now->hex))
		return 0;
	if (compare_file(run_dir, RUNDIR_JUDGE, judge->source, e) < 0 ||
	    compare_file(run_dir, RUNDIR_TOLERANCES, judge->tolerances, e) < 0)
		return -1;
	return compare(run_dir, RUNDIR_CHECK, judge->check_digest, now, e);
}

int frozen_verify(const char *run_dir, const struct state_judge *judge, struct err *e)
{
	struct frozen f = { 0 };
	if (!judge->is_frozen)
		return 0;
	if (frozen_read(run_dir, &f, e) < 0 ||
	    compare(run_dir, RUNDIR_TASK, judge->task_digest, &f.task, e) < 0 ||
	    compare_check(run_dir, judge, &f.check, e) < 0)
		return -1;
	return compare(run_dir, RUNDIR_REFERENCE_SOURCE, judge->reference_digest, &f.reference, e);
}
