/*
 * What the commands that run one job by hand (check, judge, time, doctor) share: hooks that stop
 * on Ctrl-C, the table of cases, JSON answers.
 */
#ifndef FORGE_CMD_HAND_H
#define FORGE_CMD_HAND_H

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>

#include "base/str.h"
#include "engine/engine.h"

struct result;

/* Install handlers of SIGINT and SIGTERM that set a flag instead of ending the program. Stands in
 * forge.c, which alone may keep file-scope state. */
const volatile sig_atomic_t *stop_signal_install(void);
/* engine_by_hand where the user lets jobs run; stops on a signal, shows progress where stderr is a
 * terminal. */
int hand_run(const struct engine_hand *hand, struct engine_answer *answer, struct err *e);
/* The same on a host that the caller names. */
int hand_run_on(const struct engine_host *host, const struct engine_hand *hand,
		struct engine_answer *answer, struct err *e);
/* A fresh folder under $TMPDIR or /tmp; yours. NULL on error. AUTO_TEMP_DIR removes it with all
 * that is in it at the end of the scope. */
char *hand_temp_dir(const char *purpose, struct err *e);
void hand_temp_dir_remove(char **dir);
#define AUTO_TEMP_DIR __attribute__((cleanup(hand_temp_dir_remove)))
/* ERR_INPUT when the file can not be read. */
int hand_need_file(const char *path, struct err *e);
/* Cases as a table; `only_bad` leaves out those that passed. */
void hand_print_cases(const struct result *r, bool only_bad);
json_t *hand_cases_json(const struct result *r);
/* One line on stdout. */
void hand_print_json(const json_t *json);
/* "N of M cases" that passed. */
size_t hand_count_passed(const struct result *r);

#endif
