#include "cmd/run_outcome.h"

#include <stdlib.h>

#include "cmd/cmd.h"

const char *outcome_name(enum engine_outcome outcome)
{
	static const char *const names[] = {
		[ENGINE_GOAL_MET] = "goal met",
		[ENGINE_ENDED_OTHERWISE] = "ended without meeting the goal",
		[ENGINE_INTERRUPTED] = "interrupted",
	};
	return names[outcome];
}

int outcome_code(enum engine_outcome outcome)
{
	static const int codes[] = {
		[ENGINE_GOAL_MET] = EXIT_GOAL_MET,
		[ENGINE_ENDED_OTHERWISE] = EXIT_ENDED_OTHERWISE,
		[ENGINE_INTERRUPTED] = EXIT_FAILURE,
	};
	return codes[outcome];
}
