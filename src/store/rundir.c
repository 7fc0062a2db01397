#include "store/rundir.h"

/* Names are rows of rundir.def. A run directory is born under another name and renamed by the
 * engine, so whoever finds one finds it whole. */

#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

static const char *const names[RUNDIR_NR] = {
#define RUNDIR(id, path, text) [RUNDIR_##id] = path,
#include "store/rundir.def"
#undef RUNDIR
};

const char *rundir_name(enum rundir_part part)
{
	return names[part];
}

char *rundir_path(const char *run_dir, enum rundir_part part)
{
	char *path = path_join(run_dir, names[part]);
	size_t len = strlen(path);
	if (path[len - 1] == '/')
		path[len - 1] = 0;
	return path;
}

char *rundir_round(const char *run_dir, unsigned round, const char *file)
{
	AUTO_FREE char *name = file ? xasprintf("%s%04u/%s", names[RUNDIR_ROUNDS], round, file)
				    : xasprintf("%s%04u", names[RUNDIR_ROUNDS], round);
	return path_join(run_dir, name);
}

char *rundir_mailbox(const char *run_dir, const char *role)
{
	AUTO_FREE char *turn = path_join(run_dir, names[RUNDIR_TURN]);
	return path_join(turn, role);
}

char *rundir_curriculum(const char *run_dir, long version)
{
	AUTO_FREE char *name = xasprintf("%sv%ld.toml", names[RUNDIR_CURRICULUM], version);
	return path_join(run_dir, name);
}

bool rundir_is_run(const char *path)
{
	AUTO_FREE char *events = rundir_path(path, RUNDIR_EVENTS);
	return file_exists(events);
}

char *rundir_fresh_name(const char *task_name, unsigned long wall_s, unsigned long seed)
{
	time_t when = (time_t)wall_s;
	struct tm day = { 0 };
	char date[16] = "";
	gmtime_r(&when, &day);
	strftime(date, sizeof(date), "%Y%m%d", &day);
	return xasprintf("%s_%s-%04lx", task_name, date, seed & 0xffff);
}

static int refuse_filled(const char *run_dir, struct err *e)
{
	AUTO_STRV struct strv found = { 0 };
	if (!file_exists(run_dir))
		return 0;
	if (dir_list(run_dir, &found, e) < 0)
		return -1;
	if (found.nr)
		return err_set(e, ERR_CONFLICT, "%s: already there and not empty", run_dir);
	return 0;
}

int rundir_create(const char *run_dir, struct err *e)
{
	if (refuse_filled(run_dir, e) < 0 || dir_make(run_dir, e) < 0)
		return -1;
	for (int i = 0; i < RUNDIR_NR; i++) {
		AUTO_FREE char *path = rundir_path(run_dir, (enum rundir_part)i);
		if (str_ends(names[i], "/") && dir_make(path, e) < 0)
			return -1;
	}
	return 0;
}
