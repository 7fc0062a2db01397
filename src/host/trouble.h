/*
 * What can go wrong between a job and the place that runs it: the closed set of troubles.def.
 * Drivers only say which; whether it is tried again and what it means for the run stands in the
 * table.
 */
#ifndef FORGE_HOST_TROUBLE_H
#define FORGE_HOST_TROUBLE_H

#include <stdbool.h>

#include "base/err.h"

enum trouble {
	TROUBLE_NONE,
#define TROUBLE(name, kind, again, of_place, text) TROUBLE_##name,
#include "host/troubles.def"
#undef TROUBLE
	TROUBLE_NR
};

const char *trouble_name(enum trouble t);
const char *trouble_text(enum trouble t);
enum err_kind trouble_kind(enum trouble t);
bool trouble_may_pass(enum trouble t);
bool trouble_is_of_place(enum trouble t);
/* By the name that a worker wrote; TROUBLE_NONE for "" and for what is no trouble. */
enum trouble trouble_find(const char *name);
/* What ssh means that ended with 255 and said this. */
enum trouble trouble_of_ssh(const char *said);
/* What a command means that ended with this code (not of ssh's own) and said this. */
enum trouble trouble_of_command(int exit_code, const char *said, enum trouble otherwise);

#endif
