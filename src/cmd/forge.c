#include "cmd/cmd.h"

/* main: global options, then one command. An error ends here and nowhere else: one line, the usage
 * line when the user typed nonsense, and an exit code by kind. */

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/version.h"
#include "cmd/hand.h"
#include "cmd/term.h"

struct globals {
	bool is_help;
	bool is_version;
	bool is_verbose;
	bool is_quiet;
	const char *dir;
};

static volatile sig_atomic_t stop_flag;

static void ask_to_stop(int signal_nr)
{
	stop_flag = signal_nr;
}

/* SA_RESETHAND: a second Ctrl-C ends the program at once; the log stands that, by design. */
const volatile sig_atomic_t *stop_signal_install(void)
{
	struct sigaction action = { .sa_handler = ask_to_stop, .sa_flags = (int)SA_RESETHAND };
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	return &stop_flag;
}

static const char synopsis[] =
	"usage: forge [--version] [--help] [-C DIR] [-v | -q] COMMAND [ARG...]";

static void print_help(const struct opt_table *options)
{
	AUTO_STR struct str out = STR_INIT;
	str_addf(&out,
		 "%s\n\nforge makes one compute operator faster and proves it.\n\ncommands:\n",
		 synopsis);
	cmd_list(&out);
	str_add(&out, "\noptions:\n");
	opt_print(options, &out);
	str_add(&out, "\nexit: 0 goal met, 2 the run ended otherwise, 1 error, 64 wrong usage\n"
		      "More: forge COMMAND --help, man forge\n");
	term_put(out.text);
}

static int enter(const struct globals *g, struct err *e)
{
	if (g->is_verbose)
		log_set_level(LOG_DEBUG);
	if (g->is_quiet)
		log_set_level(LOG_WARN);
	if (g->dir && chdir(g->dir) < 0)
		return err_errno(e, ERR_INPUT, "go to %s", g->dir);
	return 0;
}

static int run_command(const struct strv *rest, const struct cmd **cmd, struct err *e)
{
	if (!rest->nr)
		return err_set(e, ERR_USAGE, "what shall it do? 'forge help' lists the commands");
	*cmd = cmd_find(rest->items[0]);
	if (!*cmd)
		return cmd_unknown(rest->items[0], e);
	const struct cmd_call call = { *cmd, (const char *const *)rest->items };
	return (*cmd)->run(&call, e);
}

static int run_globals(const char *const *argv, const struct cmd **cmd, struct err *e)
{
	struct globals g = { 0 };
	const struct opt rows[] = {
		{ 0, "version", OPT_FLAG, NULL, "print the version", &g.is_version },
		{ 'h', "help", OPT_FLAG, NULL, "show this text", &g.is_help },
		{ 'C', NULL, OPT_TEXT, "DIR", "go to DIR first", &g.dir },
		{ 'v', "verbose", OPT_FLAG, NULL, "say more on stderr", &g.is_verbose },
		{ 'q', "quiet", OPT_FLAG, NULL, "only warnings and errors on stderr", &g.is_quiet },
	};
	AUTO_STRV struct strv rest = { 0 };
	if (opt_parse(OPT_TABLE(rows), argv, true, &rest, e) < 0)
		return -1;
	if (g.is_help)
		print_help(OPT_TABLE(rows));
	else if (g.is_version)
		term_print("forge %s\n", FORGE_VERSION);
	else if (enter(&g, e) < 0)
		return -1;
	else
		return run_command(&rest, cmd, e);
	return 0;
}

static void complain(const struct cmd *cmd, const struct err *e)
{
	log_error("%s", e->text);
	if (e->kind != ERR_USAGE)
		return;
	AUTO_STR struct str usage = STR_INIT;
	if (cmd)
		cmd_usage(cmd, &usage);
	fprintf(stderr, "%s\n", cmd ? usage.text : synopsis);
}

/* An answer that did not reach its reader is no answer. */
static int flush_answer(struct err *e)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	return err_errno(e, ERR_SYSTEM, "write to standard output");
}

int main(int argc, char **argv)
{
	(void)argc;
	/* A file that may not grow is an error that a write returns; children begin anew. */
	signal(SIGXFSZ, SIG_IGN);
	struct err e = { 0 };
	const struct cmd *cmd = NULL;
	int code = run_globals((const char *const *)argv, &cmd, &e);
	if (flush_answer(&e) < 0)
		code = -1;
	if (code >= 0)
		return code;
	complain(cmd, &e);
	return err_exit_code(e.kind);
}
