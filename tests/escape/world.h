/*
 * What lies outside the sandboxes: secrets to be read, a process to be harmed, sockets to be
 * reached; and how it looks afterwards. Everything is made here and world-readable or -writable, so
 * that it is the sandbox that protects it and not its mode bits.
 */
#ifndef FORGE_TEST_ESCAPE_WORLD_H
#define FORGE_TEST_ESCAPE_WORLD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/digest.h"
#include "base/str.h"
#include "tests/escape/scene.h"

enum { NR_EARS = 6 };

struct world {
	char dir[64];
	char *workspace;
	char *attacker; /* programs that anybody may run */
	char *runner;
	char *object;
	struct scene scene;
	int ears[NR_EARS]; /* listening sockets */
	int victim_pipe;   /* a byte for each signal that the victim got */
	int victim_in; /* a byte here is answered by a 0 there, after all signals that came first */
	pid_t victim;
	int shm_id, msg_id, sem_id;
	struct digest canary; /* as made */
	struct digest run;
};

/* The process outside: `check-escape --victim SECRET`. Does not return. */
_Noreturn void victim_live(const char *secret);

/* `bin` holds the programs under test and the attacker. Exits with a message when it can not. */
void world_open(struct world *w, const char *self, const char *bin);
/* Is anything outside not as it was? What, is added to `what`; contacts and signals are taken up,
 * so that the next call tells of new ones only. */
bool world_is_touched(struct world *w, struct str *what);
/* Does a process of an attempt live on? */
bool world_has_survivor(const struct world *w);
void world_close(struct world *w);

#endif
