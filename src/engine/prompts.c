#include "engine/prompts.h"

/* Short on purpose: the rules of an answer are checked by code, and what is checked need not be
 * begged for. */

static const char *const texts[] = {
	[TURN_JUDGE] =
		"Write the judge of this task: one C file that defines the task's entry with the "
		"same argument order, every floating-point type replaced by double, integers kept. "
		"Compute the result from description.md alone, in the most accurate way you can; "
		"speed does not matter. If `errors` is not empty, `previous` was refused for these "
		"reasons: repair it.",
	[TURN_CURRICULUM] =
		"Write the curriculum of this task as TOML (docs/format/curriculum.md): milestone "
		"M0 "
		"settles the structure, M1 and later tune inside it. One decision a row, each with "
		"value or range, why, wrong_when, needs and a mechanism or why none shows it. "
		"Decisions and parameters "
		"only: no code, no statement, no identifier of the reference. If `errors` is not "
		"empty, `previous` was refused for these reasons: repair it.",
	[TURN_REVISION] =
		"The loop came back to you, `trigger` says why. `digest` holds what was measured, "
		"rearranged and not interpreted, `tools` what you may have measured before you "
		"answer; `curriculum` is the version in force. Publish the "
		"next version: change the earliest decision that the measurements refute, keep "
		"what "
		"they support, or give up when no change is worth its rounds.",
	[TURN_ROUND] =
		"Apply one decision, `row`, to the kernel in `base` (or `start` when there is no "
		"base) and submit the whole file. You may tune inside the row's range. Change "
		"nothing that the row does not ask for; if you think the structure is wrong, hand "
		"back with your reason. `feedback` is what your last candidate measured.",
	[TURN_ABLATION] =
		"Take one decision, `row`, out of the kernel in `base` and leave every other "
		"decision in `rows` as it is; submit the whole file. It is measured to learn what "
		"the decision is worth and becomes nobody's base. Hand back with your reason if "
		"the others can not stand without it.",
	[TURN_GOAL] =
		"Make this kernel faster: reach the speed-up over the reference that `goal` asks "
		"for, and then go beyond it. Submit one whole C file; it is judged and timed, and "
		"you are asked again until the budget is used up. `base` is your newest correct "
		"candidate, `feedback` what the last one measured. Give up when you have nothing "
		"left to try.",
	[TURN_GENERATE] =
		"There is no kernel yet. Write the first one: one C file that defines the task's "
		"entry and computes what description.md says, correct for every shape and every "
		"kind of input; it becomes what later ones are measured against. If `errors` is "
		"not empty, `previous` was refused for these reasons: repair it.",
};

const char *prompt_text(enum turn_kind kind)
{
	return texts[kind];
}
