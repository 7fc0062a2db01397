/*
 * A place in a log where this process kills itself, for tests of resuming: FORGE_CRASH_AT=
 * LOG:SEQ:WHEN, as in events.jsonl:17:torn (docs/format/run-dir.md). What it does is what kill -9
 * does at that instant, so that it can change nothing that a log does not stand anyway; whoever
 * opens a log that it names is warned, and a value that can not be read is an error.
 */
#ifndef FORGE_STORE_CRASH_POINT_H
#define FORGE_STORE_CRASH_POINT_H

#include <stdbool.h>
#include <stdint.h>

struct err;

enum crash_when {
	CRASH_NEVER,
	CRASH_BEFORE, /* nothing of the event is written */
	CRASH_TORN,   /* half of its line is */
	CRASH_AFTER,  /* it is on the disk, and nobody has acted on it */
};

struct crash_point {
	enum crash_when when;
	uint64_t seq;
};

/* From the environment, for the log at this path; CRASH_NEVER where the variable is not set, empty
 * or about another log. LOG is the path or its last components. */
int crash_point_read(struct crash_point *p, const char *log_path, struct err *e);
bool crash_point_is(const struct crash_point *p, uint64_t seq, enum crash_when now);
/* Does not return when this is the place. */
void crash_point_pass(const struct crash_point *p, uint64_t seq, enum crash_when now);
_Noreturn void crash_point_die(void);

#endif
