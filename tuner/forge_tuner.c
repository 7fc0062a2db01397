/* The embedded agent: teacher and student in one program, without model, key or network. It reads
 * its turns on stdin and answers on stdout; what it proposes rests on the source it is granted and
 * on what was measured, never on knowing the operator. */

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "base/opt.h"
#include "base/version.h"
#include "tuner/wire.h"

struct settings {
	const char *role;
	bool is_verbose;
	bool is_help;
	bool is_version;
};

static void print_help(const struct opt_table *table)
{
	AUTO_STR struct str text = STR_INIT;
	str_add(&text,
		"usage: forge-tuner [--role teacher|student]\n\n"
		"The embedded agent of forge: speaks the agent wire on stdin and stdout.\n\n");
	opt_print(table, &text);
	fputs(text.text, stdout);
}

static int parse_settings(struct settings *s, char **argv, struct err *e)
{
	AUTO_STRV struct strv rest = { 0 };
	const struct opt rows[] = {
		{ 0, "role", OPT_TEXT, "ROLE", "teacher or student; without it hello decides",
		  &s->role },
		{ 'v', "verbose", OPT_FLAG, NULL, "tell on stderr what becomes of every plan",
		  &s->is_verbose },
		{ 'h', "help", OPT_FLAG, NULL, "show this help", &s->is_help },
		{ 0, "version", OPT_FLAG, NULL, "show the version", &s->is_version },
	};
	const struct opt_table table = { rows, sizeof(rows) / sizeof(rows[0]) };
	if (opt_parse(&table, (const char *const *)argv, false, &rest, e) < 0)
		return -1;
	if (rest.nr)
		return err_set(e, ERR_USAGE, "forge-tuner takes no operands");
	if (s->role && strcmp(s->role, "teacher") != 0 && strcmp(s->role, "student") != 0)
		return err_set(e, ERR_USAGE, "the role is teacher or student");
	if (s->is_verbose)
		log_set_level(LOG_DEBUG);
	if (s->is_help)
		print_help(&table);
	if (s->is_version)
		printf("forge-tuner %s\n", FORGE_VERSION);
	return 0;
}

int main(int argc, char **argv)
{
	struct settings s = { 0 };
	struct err e = { 0 };
	(void)argc;
	log_set_program("forge-tuner");
	int rc = parse_settings(&s, argv, &e);
	if (rc == 0 && !s.is_help && !s.is_version)
		rc = wire_serve(stdin, stdout, s.role, &e);
	if (rc == 0)
		return 0;
	log_error("%s", e.text);
	return err_exit_code(e.kind);
}
