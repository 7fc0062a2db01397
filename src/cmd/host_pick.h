/*
 * Where the jobs of a command run, as the user's settings say (host/settings.h).
 */
#ifndef FORGE_CMD_HOST_PICK_H
#define FORGE_CMD_HOST_PICK_H

struct engine_host;
struct err;

/* Sets `ops`; -1: FK_DELIVERY names no driver, or what it needs is missing. */
int host_pick(struct engine_host *host, struct err *e);

#endif
