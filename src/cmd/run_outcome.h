/*
 * How a run or a chain ended, in words and as an exit code (DESIGN.md 4).
 */
#ifndef FORGE_CMD_RUN_OUTCOME_H
#define FORGE_CMD_RUN_OUTCOME_H

#include "engine/engine.h"

const char *outcome_name(enum engine_outcome outcome);
int outcome_code(enum engine_outcome outcome);

#endif
