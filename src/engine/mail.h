/*
 * What the mailboxes of roles that are played by hand say between turns (docs/format/mailbox.md):
 * so that whoever waits learns a round's verdict as soon as it is there, and the end of the run.
 */
#ifndef FORGE_ENGINE_MAIL_H
#define FORGE_ENGINE_MAIL_H

struct engine;

/* Call when a round was closed and when the run has ended. Best effort: a mailbox that can not be
 * written is a log line. */
void mail_tell(const struct engine *g);

#endif
