/*
 * The half of a driver that answers by a mailbox (mailbox.h): it offers the turn, hands calls and
 * answers of clients to the conversation as wire lines, and tells them what is said to them. A
 * driver of a CLI agent embeds it as the first member of its link, and has three things left to do:
 * start the process, translate its output into lines (`log`, `usage`, `done`), stop it.
 *
 *   start       mailbox_link_open(&d->box, spec, WORKSPACE/.forge), start the process with the
 * turn's prompt, mailbox_link_say(&d->box, ready line) write_line  mailbox_link_write(&d->box,
 * line): hello and tool_result are dealt with; 1: the line is one for the driver itself (repair),
 * 0: nothing is left to do read_line   own lines first, then mailbox_link_read(&d->box, line,
 * wait_ns) stop        stop the process, mailbox_link_close(&d->box)
 *
 * Everything clients send, answers too, goes to the conversation as tool calls, so it is checked,
 * counted and answered there. When an answer was accepted, mailbox_link_is_answered is true: a
 * driver whose process has ended says `done` then.
 */
#ifndef FORGE_AGENT_MAILBOX_LINK_H
#define FORGE_AGENT_MAILBOX_LINK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/agent_ops.h"
#include "agent/mailbox.h"
#include "base/str.h"

struct agent_spec;
struct err;

struct mailbox_link {
	struct agent_link link;
	struct mailbox box;
	struct strv said; /* lines that the driver says, not read yet */
	size_t nr_read;
	json_t *turn; /* as offered; NULL: none yet */
	const char *role;
	char *run_name;
	char pending[MAILBOX_ID_LEN + 1]; /* the message that waits for its result; "": none */
	bool is_pending_answer;
	bool is_one_turn; /* the mailbox goes with its turn: state.json says so */
	bool is_answered;
	int64_t nr_calls;
};

/* `m` is zeroed memory. Call mailbox_link_close also after an error. */
int mailbox_link_open(struct mailbox_link *m, const struct agent_spec *spec, const char *dir,
		      struct err *e);
/* Queue a wire line as the agent's. */
void mailbox_link_say(struct mailbox_link *m, const char *line);
/* Queue {"type":"ready"}. */
void mailbox_link_say_ready(struct mailbox_link *m, const char *name, const char *version);
/* See above. -1: the mailbox can not be written. */
int mailbox_link_write(struct mailbox_link *m, const char *line, struct err *e);
/* As agent_ops.read_line; never LINK_END. */
int mailbox_link_read(struct mailbox_link *m, struct str *line, uint64_t wait_ns, struct err *e);
static inline bool mailbox_link_is_answered(const struct mailbox_link *m)
{
	return m->is_answered;
}
void mailbox_link_close(struct mailbox_link *m);

/* state.json: {"run", "role", "turn", "round", "state", "last", "ends_with_turn"}; `turn` (or NULL)
 * as it was offered, `last` the feedback of the newest closed round, or NULL. Yours. */
struct mailbox_state {
	const char *run_name;
	const char *role;
	const json_t *turn;
	const char *state;
	const json_t *last;
	bool ends_with_turn;
};
json_t *mailbox_state_doc(const struct mailbox_state *s);

#endif
