#include "agent/agent_ops.h"

/* A person, or whatever a person runs, plays the role: forge writes the turn into a mailbox of the
 * run directory and waits, for days if need be; forge turn, submit, publish, yield, wait and mcp
 * answer it. There is no process and nothing to keep: stopped and started again, forge offers the
 * same turn, and an answer that was written meanwhile is taken. */

#include <stdlib.h>

#include "agent/agent.h"
#include "agent/mailbox_link.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"

struct manual {
	struct mailbox_link box;
	bool is_done; /* said */
};

static void manual_stop(struct agent_link **link)
{
	struct manual *d = (struct manual *)*link;
	mailbox_link_close(&d->box);
	free(d);
	*link = NULL;
}

static void say_waiting(struct manual *d, const struct agent_turn *turn)
{
	AUTO_FREE char *text =
		xasprintf("a turn of kind %s waits for an answer by hand: forge turn shows it",
			  turn_kind_name(turn->kind));
	AUTO_JSON json_t *log = json_pack("{s:s, s:s}", "type", "log", "text", text);
	AUTO_FREE char *line = json_line(log);
	mailbox_link_say(&d->box, line);
}

static int manual_start(struct agent_link **out, const struct agent_spec *spec,
			const struct agent_turn *turn, struct err *e)
{
	if (!spec->mailbox)
		return err_set(e, ERR_INPUT, "there is no folder for its mailbox");
	struct manual *d = xcalloc(1, sizeof(*d));
	*out = &d->box.link;
	if (mailbox_link_open(&d->box, spec, spec->mailbox, e) < 0) {
		manual_stop(out);
		return -1;
	}
	mailbox_link_say_ready(&d->box, "manual", "1");
	say_waiting(d, turn);
	return 0;
}

static int manual_write_line(struct agent_link *link, const char *line, struct err *e)
{
	return mailbox_link_write(&((struct manual *)link)->box, line, e) < 0 ? -1 : 0;
}

/* What a person's work cost is not known here; `done` does not say. */
static int manual_read_line(struct agent_link *link, struct str *line, uint64_t wait_ns,
			    struct err *e)
{
	struct manual *d = (struct manual *)link;
	if (d->is_done) {
		clock_sleep_ns(wait_ns);
		return LINK_LATE;
	}
	if (!mailbox_link_is_answered(&d->box))
		return mailbox_link_read(&d->box, line, wait_ns, e);
	d->is_done = true;
	str_add(line, "{\"type\":\"done\"}");
	return LINK_LINE;
}

const struct agent_ops agent_manual = {
	.name = "manual",
	.is_free = true,
	.is_patient = true,
	.start = manual_start,
	.write_line = manual_write_line,
	.read_line = manual_read_line,
	.stop = manual_stop,
};
