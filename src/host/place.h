/*
 * Where commands of a remote driver run: on a machine behind ssh, or here (a queue whose head node
 * this is). Folders travel as a tar stream on the command's standard input and output. Nothing here
 * asks twice: an outcome is a trouble or none.
 */
#ifndef FORGE_HOST_PLACE_H
#define FORGE_HOST_PLACE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "host/trouble.h"

struct err;
struct proc_result;
struct settings;

struct place {
	struct strv prefix; /* the command that takes a script as its last argument */
	bool is_remote;
	char *workdir; /* for a shell, quoted */
	const volatile sig_atomic_t *stop;
};

/* Without `is_remote` it is this machine. -1: a setting is missing or wrong. */
int place_open(struct place *p, const struct settings *s, bool is_remote, struct err *e);
void place_release(struct place *p);

/* Text for a POSIX shell. */
void place_quote(struct str *out, const char *text);
/* The whole command for a script, for who starts it himself. */
void place_argv(const struct place *p, const char *script, struct strv *argv);

struct place_call {
	const char *script;
	const struct str *input; /* or NULL */
	uint64_t deadline_ns;
	enum trouble otherwise; /* what a failure of the script means that says nothing else */
};
/* TROUBLE_NONE: the script ended with 0; `said` is what it wrote. Otherwise `why` says it in words.
 * A stop is TROUBLE_lost; look at the flag first. */
enum trouble place_run(const struct place *p, const struct place_call *call, struct str *said,
		       struct str *why);

/* Make WORKDIR/NAME there of a folder here, in the place of what has that name. */
enum trouble place_put(const struct place *p, const char *name, const char *dir, struct str *why);
/* Bring what a worker made in WORKDIR/NAME into the new folder `dir`, and remove it there. */
enum trouble place_get(const struct place *p, const char *name, const char *dir, struct str *why);
enum trouble place_remove(const struct place *p, const char *name, struct str *why);

#endif
