/*
 * Which mailbox a client's command speaks to: the one that is given, that of a role of a run, or,
 * in an agent's box, that of the turn at hand.
 */
#ifndef FORGE_CMD_MAILBOX_PLACE_H
#define FORGE_CMD_MAILBOX_PLACE_H

#include <stdbool.h>

#include "agent/agent.h"

struct err;

struct mailbox_place {
	const char *given;     /* --mailbox, or NULL */
	const char *run_dir;   /* --run, or NULL */
	const char *role_name; /* --role, or NULL */
	/* What mailbox_place_find fills in. */
	char *dir; /* owned */
	enum agent_role role;
	bool is_one_turn; /* of an agent's box */
};

/* ERR_USAGE or ERR_INPUT says how to name one. The folder need not be there yet. */
int mailbox_place_find(struct mailbox_place *p, struct err *e);
void mailbox_place_release(struct mailbox_place *p);
#define AUTO_MAILBOX_PLACE __attribute__((cleanup(mailbox_place_release)))

#endif
