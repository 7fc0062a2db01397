#include "cmd/need_run.h"

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "store/chaindir.h"
#include "store/rundir.h"

bool is_task_dir(const char *dir)
{
	AUTO_FREE char *toml = path_join(dir, "task.toml");
	return file_exists(toml);
}

int need_run(const char *dir, struct err *e)
{
	if (rundir_is_run(dir))
		return 0;
	if (!file_exists(dir))
		return err_set(e, ERR_INPUT,
			       "%s: there is no such folder; forge new makes a run directory, "
			       "forge init a task",
			       dir);
	if (chaindir_is_chain(dir))
		return err_set(e, ERR_INPUT,
			       "%s is a chain of generations, not a run; 'forge evolve %s' goes "
			       "on with it, its runs are %s/runs/g0 ...",
			       dir, dir, dir);
	if (is_task_dir(dir))
		return err_set(e, ERR_INPUT, "%s is a task, not a run; 'forge run %s' makes a run",
			       dir, dir);
	return err_set(e, ERR_INPUT, "%s is not a run directory: it has no events.jsonl", dir);
}
