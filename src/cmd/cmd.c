#include "cmd/cmd.h"

/* The table of commands and the common start of each: parse by table, answer --help, count
 * operands. */

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "cmd/term.h"

static const struct cmd all_commands[] = {
#define COMMAND_AS(symbol, name, min, max, synopsis, summary)                                      \
	{ name, min, max, synopsis, summary, cmd_##symbol },
#define COMMAND(name, min, max, synopsis, summary)                                                 \
	COMMAND_AS(name, #name, min, max, synopsis, summary)
#include "cmd/commands.def"
#undef COMMAND
#undef COMMAND_AS
};

const struct cmd *cmd_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(all_commands); i++)
		if (str_equal(all_commands[i].name, name))
			return &all_commands[i];
	return NULL;
}

int cmd_unknown(const char *name, struct err *e)
{
	const char *names[ARRAY_LEN(all_commands)];
	for (size_t i = 0; i < ARRAY_LEN(all_commands); i++)
		names[i] = all_commands[i].name;
	const char *near = opt_nearest(name, names, ARRAY_LEN(names));
	if (near)
		return err_set(e, ERR_USAGE, "'%s' is not a forge command; did you mean '%s'?",
			       name, near);
	return err_set(e, ERR_USAGE, "'%s' is not a forge command; 'forge help' lists them", name);
}

void cmd_usage(const struct cmd *cmd, struct str *out)
{
	str_addf(out, "usage: forge %s %s", cmd->name, cmd->synopsis);
}

void cmd_list(struct str *out)
{
	for (size_t i = 0; i < ARRAY_LEN(all_commands); i++)
		str_addf(out, "  %-12s%s\n", all_commands[i].name, all_commands[i].summary);
}

static void print_help(const struct cmd *cmd, const struct opt_table *options)
{
	AUTO_STR struct str out = STR_INIT;
	cmd_usage(cmd, &out);
	str_addf(&out, "\n\nforge %s: %s\n\noptions:\n", cmd->name, cmd->summary);
	opt_print(options, &out);
	str_addf(&out, "\nMore: man forge-%s\n", cmd->name);
	term_put(out.text);
}

static int count_operands(const struct cmd *cmd, const struct strv *rest, struct err *e)
{
	int nr = (int)rest->nr;
	if (nr < cmd->min_operands)
		return err_set(e, ERR_USAGE, "%s: %s", cmd->name,
			       nr ? "an operand is missing" : "what shall it work on?");
	if (cmd->max_operands >= 0 && nr > cmd->max_operands)
		return err_set(e, ERR_USAGE, "%s: one operand too many: '%s'", cmd->name,
			       rest->items[cmd->max_operands]);
	return 0;
}

static int parse(const struct cmd_call *call, const struct opt_table *all, bool *is_help,
		 struct strv *rest, struct err *e)
{
	if (opt_parse(all, call->argv, false, rest, e) < 0)
		return err_wrap(e, "%s", call->cmd->name);
	return *is_help ? 0 : count_operands(call->cmd, rest, e);
}

bool cmd_parse(const struct cmd_call *call, const struct opt_table *options, struct strv *rest,
	       int *code, struct err *e)
{
	bool is_help = false;
	AUTO_FREE struct opt *rows = xcalloc(options->nr + 1, sizeof(*rows));
	for (size_t i = 0; i < options->nr; i++)
		rows[i] = options->items[i];
	rows[options->nr] = (struct opt){ 'h', "help", OPT_FLAG, NULL, "show this text", &is_help };
	const struct opt_table all = { rows, options->nr + 1 };
	*code = parse(call, &all, &is_help, rest, e);
	if (*code == 0 && is_help)
		print_help(call->cmd, &all);
	return *code == 0 && !is_help;
}
