#include "cmd/cmd.h"

/* `forge help` is `forge --help`; `forge help CMD` runs the command with --help, so there is one
 * text only. */

#include <stdio.h>

#include "base/mem.h"
#include "cmd/term.h"

static void print_all(void)
{
	AUTO_STR struct str out = STR_INIT;
	str_add(&out, "forge makes one compute operator faster and proves it.\n\ncommands:\n");
	cmd_list(&out);
	str_add(&out, "\nMore: forge --help, forge COMMAND --help, man forge\n");
	term_put(out.text);
}

static int help_on(const char *name, struct err *e)
{
	const struct cmd *cmd = cmd_find(name);
	if (!cmd)
		return cmd_unknown(name, e);
	const char *const argv[] = { name, "--help", NULL };
	return cmd->run(&(const struct cmd_call){ cmd, argv }, e);
}

int cmd_help(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	AUTO_STRV struct strv rest = { 0 };
	const struct opt_table none = { 0 };
	if (!cmd_parse(call, &none, &rest, &code, e))
		return code;
	if (rest.nr)
		return help_on(rest.items[0], e);
	print_all();
	return 0;
}
