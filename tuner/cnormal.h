/*
 * What follows parsing: loops that count upwards by a constant become STMT_LOOP, counters that are
 * declared in front of their loops move into them, and every loop gets its label ("L0.1": second
 * loop inside the first loop of the function).
 */
#ifndef FORGE_TUNER_CNORMAL_H
#define FORGE_TUNER_CNORMAL_H

#include <stdbool.h>

struct arena;
struct err;
struct function;

/* ERR_INPUT when a name is declared again inside the scope of the first: names are what analysis
 * goes by. */
int function_normalise(struct function *f, struct arena *a, struct err *e);
/* Words of an integer type other than bool. */
bool type_is_integer(const char *type);

#endif
