/*
 * Command-line options by table. A program or subcommand writes its options down once as a const
 * array of rows; parsing, "--help" and the option list of the man page's test all come from it.
 * Long options take "--name value" or "--name=value", never an abbreviation (an abbreviated option
 * slips past whoever filters a command line); "--" ends the options.
 */
#ifndef FORGE_BASE_OPT_H
#define FORGE_BASE_OPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct err;

enum opt_type {
	OPT_FLAG,  /* bool: set to true */
	OPT_TEXT,  /* const char *: borrowed from argv */
	OPT_COUNT, /* int64_t: a whole number >= 0 */
	OPT_REAL,  /* double > 0 */
};

struct opt {
	char letter;      /* 'k', or 0: long form only */
	const char *name; /* "json", without dashes; NULL: short form only */
	enum opt_type type;
	const char *value_name; /* "FILE"; NULL for flags */
	const char *text;       /* one line of help */
	void *slot;             /* where the value goes, by type */
};

struct opt_table {
	const struct opt *items;
	size_t nr;
};

/* Parse argv[1..] into the slots; what is no option is added to `rest`. With `stop_at_operand` the
 * first operand ends parsing (the rest belongs to a subcommand). Trouble is ERR_USAGE. */
int opt_parse(const struct opt_table *t, const char *const *argv, bool stop_at_operand,
	      struct strv *rest, struct err *e);
/* The aligned list of options for a help text. */
void opt_print(const struct opt_table *t, struct str *out);

/* Whole-string number parsers, also for operands: junk, sign and overflow are ERR_USAGE. */
int opt_count(const char *text, const char *what, int64_t *out, struct err *e);
int opt_real(const char *text, const char *what, double *out, struct err *e);

/* The candidate nearest to `word`, or NULL when none is near enough to be meant. */
const char *opt_nearest(const char *word, const char *const *candidates, size_t nr);

#endif
