/*
 * What every subcommand is and shares: one row of commands.def, one function in cmd_NAME.c. Only
 * this folder prints to stdout. A command returns the program's exit code, or -1 with `e` filled
 * (then forge.c prints it and maps its kind to a code).
 */
#ifndef FORGE_CMD_CMD_H
#define FORGE_CMD_CMD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/opt.h"

struct err;

/* Exit codes beyond err_exit_code: DESIGN.md 4. */
enum { EXIT_GOAL_MET = 0, EXIT_ENDED_OTHERWISE = 2, EXIT_USAGE = 64 };

struct cmd_call {
	const struct cmd *cmd;
	const char *const *argv; /* argv[0] is the command's name */
};

typedef int (*cmd_fn)(const struct cmd_call *call, struct err *e);

struct cmd {
	const char *name;
	int min_operands;
	int max_operands; /* -1: any number */
	const char *synopsis;
	const char *summary;
	cmd_fn run;
};

#define COMMAND_AS(symbol, name, min, max, synopsis, summary)                                      \
	int cmd_##symbol(const struct cmd_call *call, struct err *e);
#define COMMAND(name, min, max, synopsis, summary)                                                 \
	COMMAND_AS(name, #name, min, max, synopsis, summary)
#include "cmd/commands.def"
#undef COMMAND
#undef COMMAND_AS

/* NULL for a name that is no command; then cmd_unknown fills the error. */
const struct cmd *cmd_find(const char *name);
int cmd_unknown(const char *name, struct err *e);
/* "usage: forge check [--no-run] TASK...", without newline. */
void cmd_usage(const struct cmd *cmd, struct str *out);
/* The list of all commands. */
void cmd_list(struct str *out);

/* The start of every command. True: options are stored, `rest` has the operands. False: the command
 * is over with *code (help was shown, or -1 and `e`). */
bool cmd_parse(const struct cmd_call *call, const struct opt_table *options, struct strv *rest,
	       int *code, struct err *e);
#define OPT_TABLE(rows) (&(const struct opt_table){ rows, ARRAY_LEN(rows) })

#endif
