/*
 * The agent wire (docs/format/agent-wire.md) from the child's side: lines of JSON in, lines out.
 * One conversation may hold many turns; each is answered from its own data alone.
 */
#ifndef FORGE_TUNER_WIRE_H
#define FORGE_TUNER_WIRE_H

#include <stdio.h>

struct err;

/* Until the end of `in`. ERR_INPUT when the other side breaks the protocol: what was answered so
 * far is out. `role` is "teacher", "student", or NULL: then hello says it. */
int wire_serve(FILE *in, FILE *out, const char *role, struct err *e);

#endif
