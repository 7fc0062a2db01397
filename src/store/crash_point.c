#include "store/crash_point.h"

/* The place is named by log and event and not by a count of calls: the same value means the same
 * instant in every run of a task whose agents and worker answer alike. */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

static const char variable[] = "FORGE_CRASH_AT";

static enum crash_when when_parse(const char *text)
{
	static const char *const names[] = { [CRASH_NEVER] = "",
					     [CRASH_BEFORE] = "before",
					     [CRASH_TORN] = "torn",
					     [CRASH_AFTER] = "after" };
	for (int i = CRASH_BEFORE; i <= CRASH_AFTER; i++)
		if (str_equal(names[i], text))
			return (enum crash_when)i;
	return CRASH_NEVER;
}

/* Cut "LOG:SEQ:WHEN" at its two last colons; false: it is none. */
static bool parse(char *text, struct crash_point *p)
{
	char *when = strrchr(text, ':');
	if (!when)
		return false;
	*when++ = 0;
	char *seq = strrchr(text, ':');
	if (!seq || seq == text)
		return false;
	*seq++ = 0;
	char *end = NULL;
	errno = 0;
	*p = (struct crash_point){ .when = when_parse(when), .seq = strtoull(seq, &end, 10) };
	return p->when != CRASH_NEVER && p->seq > 0 && errno == 0 && *end == 0 && *seq != '-';
}

static bool is_named(const char *log_path, const char *name)
{
	AUTO_FREE char *last = xasprintf("/%s", name);
	return str_equal(log_path, name) || str_ends(log_path, last);
}

int crash_point_read(struct crash_point *p, const char *log_path, struct err *e)
{
	const char *value = getenv(variable);
	*p = (struct crash_point){ 0 };
	if (!value || !*value)
		return 0;
	AUTO_FREE char *text = xstrdup(value);
	struct crash_point wanted;
	if (!parse(text, &wanted))
		return err_set(
			e, ERR_USAGE,
			"%s=%s: want LOG:SEQ:WHEN, as in events.jsonl:17:torn, where WHEN is "
			"before, torn or after; unset it outside of tests",
			variable, value);
	if (!is_named(log_path, text))
		return 0;
	*p = wanted;
	log_warn("%s=%s: forge will kill itself at event %llu of %s", variable, value,
		 (unsigned long long)p->seq, log_path);
	return 0;
}

bool crash_point_is(const struct crash_point *p, uint64_t seq, enum crash_when now)
{
	return p->when == now && p->seq == seq;
}

void crash_point_pass(const struct crash_point *p, uint64_t seq, enum crash_when now)
{
	if (crash_point_is(p, seq, now))
		crash_point_die();
}

void crash_point_die(void)
{
	raise(SIGKILL);
	_exit(128 + SIGKILL);
}
