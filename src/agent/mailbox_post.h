/*
 * A client's side of a mailbox for who can not wait in a call (mailbox.h has the one who can): put
 * a message in, look for what forge says to it, take it back.
 */
#ifndef FORGE_AGENT_MAILBOX_POST_H
#define FORGE_AGENT_MAILBOX_POST_H

#include <jansson.h>

#include "agent/mailbox.h"

/* Put a wire line in under a fresh id, which is told. */
int mailbox_post(const char *dir, const json_t *line, char id[MAILBOX_ID_LEN + 1], struct err *e);
/* 1: forge's reply, which is yours and gone from the mailbox; 0: none yet; -1: it can not be read.
 */
int mailbox_fetch(const char *dir, const char *id, json_t **reply, struct err *e);
/* Take back what nobody took yet; a reply that came in between goes, too. */
void mailbox_withdraw(const char *dir, const char *id);

#endif
