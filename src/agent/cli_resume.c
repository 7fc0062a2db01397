#include "agent/cli_resume.h"

/* A session has cost something before it was left. What was recorded of that is what its totals are
 * held against, so that nothing of it is paid a second time. */

#include <stdlib.h>
#include <string.h>

#include "agent/cli_agent.h"
#include "agent/memory.h"
#include "base/json.h"
#include "base/mem.h"

enum { MAX_ID_LEN = 200 };

/* An id that stands for nothing else in an argument. */
static bool is_session_id(const char *id)
{
	static const char known[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-";
	return id[0] && id[0] != '-' && strlen(id) <= MAX_ID_LEN && !id[strspn(id, known)];
}

static struct cli_tokens tokens_of(const json_t *usage)
{
	return (struct cli_tokens){ .input = cli_count(usage, "input"),
				    .cache_read = cli_count(usage, "cache_read"),
				    .cache_write = cli_count(usage, "cache_write_5m") +
						   cli_count(usage, "cache_write_1h"),
				    .output = cli_count(usage, "output"),
				    .reasoning = cli_count(usage, "reasoning"),
				    .usd = json_real_or(usage, "usd", 0) };
}

bool cli_resume_take(struct cli *c, const json_t *turn)
{
	const char *id = memory_text(json_object_get(turn, "memory"), "session");
	bool can = c->ops->loads_session || c->launch.nr_more_arguments;
	if (!id || !can || !is_session_id(id))
		return false;
	free(c->session);
	c->session = xstrdup(id);
	c->spent = tokens_of(json_object_get(turn, "spent"));
	return c->is_resuming = true;
}
