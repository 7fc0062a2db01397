/* What an agent is told in prose, by kind of turn. Operator-blind: the operator is in the data. */
#ifndef FORGE_ENGINE_PROMPTS_H
#define FORGE_ENGINE_PROMPTS_H

#include "agent/agent.h"

const char *prompt_text(enum turn_kind kind);

#endif
