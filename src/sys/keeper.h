/*
 * A process between us and a child that starts processes of its own: it adopts what they leave
 * behind, ends all of it when the child ends, when it is told to, and when we die, even by kill -9.
 * For programs such as bwrap, which bind what they start to themselves only some steps after its
 * fork: killed in between, they leave a process that waits for them for ever. Internal to src/sys.
 */
#ifndef FORGE_SYS_KEEPER_H
#define FORGE_SYS_KEEPER_H

#include <signal.h>
#include <sys/types.h>

/* Ends all that is below the keeper. */
enum { KEEPER_END = SIGUSR1 };

/* In a process that was just forked, with all signals blocked. 0 in the one that goes on to exec,
 * the keeper's child; -1: errno. The keeper itself never returns; it ends as its child did.
 * `parent` is the process to die with. */
int keeper_put(pid_t parent);

#endif
