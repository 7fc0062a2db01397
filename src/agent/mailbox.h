/*
 * A mailbox: a folder by which a turn is answered by somebody who is no child of forge's on the
 * wire - a person with a shell, a CLI agent in its box, an MCP client (docs/format/mailbox.md).
 * forge puts the turn and the state there and answers what clients write; clients come and go.
 * Whoever may write to the folder is a stranger: names, sizes and kinds of files are checked, no
 * link is followed, and what is swapped under way hits its own folder only.
 */
#ifndef FORGE_AGENT_MAILBOX_H
#define FORGE_AGENT_MAILBOX_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct err;

enum { MAILBOX_MAX_BYTES = 8 << 20, MAILBOX_ID_LEN = 16 };

/* forge's side. */
struct mailbox {
	int dir; /* -1: not open */
	int in;
	int out;
};

#define MAILBOX_INIT                                                                               \
	{                                                                                          \
		.dir = -1, .in = -1, .out = -1                                                     \
	}
#define AUTO_MAILBOX __attribute__((cleanup(mailbox_close)))

/* One message of a client. */
struct mail {
	char id[MAILBOX_ID_LEN + 1];
	json_t *line; /* an object; yours */
};

/* Make the folder or open what is there: messages that nobody answered yet are kept. */
int mailbox_open(struct mailbox *m, const char *path, struct err *e);
/* Replace turn.json; NULL: no turn is open. */
int mailbox_offer(struct mailbox *m, const json_t *turn, struct err *e);
/* Replace state.json. */
int mailbox_tell(struct mailbox *m, const json_t *state, struct err *e);
bool mailbox_has_state(const struct mailbox *m);
/* 1: a message; it stays until it is answered. 0: none came within wait_ns. -1: the folder can not
 * be read any more. What is no message is passed over, what is no JSON object is answered as
 * malformed. */
int mailbox_take(struct mailbox *m, struct mail *mail, uint64_t wait_ns, struct err *e);
/* Answer the message of this id and remove it. */
int mailbox_reply(struct mailbox *m, const char *id, const json_t *reply, struct err *e);
/* Answer all messages that are left as malformed, with this text. */
int mailbox_refuse_all(struct mailbox *m, const char *text, struct err *e);
void mailbox_close(struct mailbox *m);

/* A client's side: a new reference, or NULL with `e`. */
/* The open turn. ERR_CONFLICT: none is open now. */
int mailbox_turn(const char *dir, json_t **turn, struct err *e);
/* ERR_INPUT: the folder is no mailbox. */
int mailbox_state(const char *dir, json_t **state, struct err *e);
/* Write one wire line and wait for what forge says to it. The open turn's id is added to a line
 * that names none. ERR_TIMEOUT after timeout_s (0: never): a tool call is withdrawn, an answer
 * stays and is taken when forge works on the run again. */
int mailbox_call(const char *dir, const json_t *line, double timeout_s, json_t **reply,
		 struct err *e);

#endif
