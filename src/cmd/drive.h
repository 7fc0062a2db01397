/*
 * What the commands that work on a run share: make it, drive it to its end with a live view, print
 * how it ended.
 */
#ifndef FORGE_CMD_DRIVE_H
#define FORGE_CMD_DRIVE_H

#include <stdbool.h>

struct engine_new;
struct err;
struct str;

/* Make a run and say so; its path is added to `run_dir`. */
int drive_new(const struct engine_new *spec, bool is_json, struct str *run_dir, struct err *e);
/* Work on a run until it ends. The exit code of the program, or -1. `accepted` names grave lacks of
 * the machine that the user takes (cmd/accept.h); or NULL. */
int drive_run(const char *run_dir, bool is_json, const char *accepted, struct err *e);
/* After trouble with the system (a full disk, a folder that can not be written): how work that is
 * recorded in `dir` goes on. */
void drive_say_undone(const char *command, const char *dir, const struct err *e);

#endif
