/*
 * The layout of a run directory (docs/format/run-dir.md): the only place that knows its names.
 * Returned paths are yours.
 */
#ifndef FORGE_STORE_RUNDIR_H
#define FORGE_STORE_RUNDIR_H

#include <stdbool.h>

struct err;
struct str;

enum rundir_part {
#define RUNDIR(id, path, text) RUNDIR_##id,
#include "store/rundir.def"
#undef RUNDIR
	RUNDIR_NR
};

/* "RUN/task", "RUN/events.jsonl", ... */
char *rundir_path(const char *run_dir, enum rundir_part part);
/* Its name below the run directory, borrowed for ever. */
const char *rundir_name(enum rundir_part part);
/* "rounds/0007" and a file in it, below the run directory; `file` may be NULL. */
char *rundir_round(const char *run_dir, unsigned round, const char *file);
/* "turn/student": the mailbox of a role that is played by hand (docs/format/mailbox.md). */
char *rundir_mailbox(const char *run_dir, const char *role);
/* "curriculum/v2.toml". */
char *rundir_curriculum(const char *run_dir, long version);
/* Is this folder a run (it has an events.jsonl)? */
bool rundir_is_run(const char *path);
/* A fresh name "NAME_YYYYMMDD-xxxx" for a run of a task, from wall time and a random seed. */
char *rundir_fresh_name(const char *task_name, unsigned long wall_s, unsigned long seed);
/* Make the folder with the parts that are folders. An existing non-empty folder is ERR_CONFLICT. */
int rundir_create(const char *run_dir, struct err *e);

#endif
