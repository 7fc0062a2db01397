#include "agent/agent_ops.h"

/* The embedded agent: forge-tuner, which stands beside forge, as a child that speaks lines from its
 * box (agent_box.h). It may compile and run there. */

#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/agent_box.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "sys/proc.h"

#define WRITE_DEADLINE_NS (30 * NS_PER_S)
#define STOP_GRACE_NS (2 * NS_PER_S)

enum { SHOWN_STDERR_LEN = 300 };

struct tuner {
	struct agent_link link;
	struct agent_box box;
};

static char *find_program(const struct agent_spec *spec)
{
	if (spec->program)
		return xstrdup(spec->program);
	AUTO_FREE char *dir = path_of_program();
	return path_join(dir, "forge-tuner");
}

static void tuner_stop(struct agent_link **link)
{
	struct tuner *t = (struct tuner *)*link;
	if (t->box.child) {
		child_stop(t->box.child, STOP_GRACE_NS, NULL);
		child_free(&t->box.child);
	}
	free(t);
	*link = NULL;
}

static int tuner_start(struct agent_link **out, const struct agent_spec *spec,
		       const struct agent_turn *turn, struct err *e)
{
	(void)turn;
	AUTO_FREE char *program = find_program(spec);
	if (!file_exists(program))
		return err_set(e, ERR_INPUT, "%s: not there; is forge installed whole?", program);
	struct tuner *t = xcalloc(1, sizeof(*t));
	*out = &t->link;
	const struct agent_start how = { .program = program };
	int status = agent_box_start(&t->box, spec, &how, e);
	t->link.workspace = t->box.workspace;
	if (status == 0)
		return 0;
	tuner_stop(out);
	return -1;
}

static int tuner_write_line(struct agent_link *link, const char *line, struct err *e)
{
	return child_write_line(((struct tuner *)link)->box.child, line, WRITE_DEADLINE_NS, e);
}

static int tuner_read_line(struct agent_link *link, struct str *line, uint64_t wait_ns,
			   struct err *e)
{
	int got = child_read_line(((struct tuner *)link)->box.child, line, wait_ns, e);
	if (got > 0)
		return LINK_LINE;
	if (got == 0)
		return LINK_END;
	return e->kind == ERR_TIMEOUT ? LINK_LATE : -1;
}

static void tuner_describe_end(struct agent_link *link, struct str *out)
{
	const char *text = child_stderr(((struct tuner *)link)->box.child);
	size_t len = strlen(text);
	if (len)
		str_addf(out, "; it said: %s",
			 len > SHOWN_STDERR_LEN ? text + len - SHOWN_STDERR_LEN : text);
}

const struct agent_ops agent_tuner = {
	.name = "tuner",
	.is_granted_reference = true,
	.takes_rows_only = true,
	.is_free = true,
	.runs_in_box = true,
	.start = tuner_start,
	.write_line = tuner_write_line,
	.read_line = tuner_read_line,
	.describe_end = tuner_describe_end,
	.stop = tuner_stop,
};
