/*
 * Attempts of a Python candidate: forge-gpu.py in its box, with a fake PyTorch, loads a module that
 * makes them from C, as no screen has seen it. One process serves many rows; each is made by a
 * child of it.
 */
#ifndef FORGE_TEST_ESCAPE_DEVICE_H
#define FORGE_TEST_ESCAPE_DEVICE_H

#include "tests/escape/places.h"

enum outcome try_in_device(struct world *w, const struct means *m, int row, struct str *text);
/* Ends the process. */
void device_close(void);

#endif
