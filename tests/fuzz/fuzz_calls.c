#include "fuzz.h"

/* Any object as a tool call, in every kind of turn: it is answered by an outcome with words, and
 * what is accepted is an answer. */

#include "agent/agent.h"
#include "agent/agent_ops.h"
#include "agent/answer.h"
#include "agent/calls.h"
#include "agent/frame.h"
#include "base/json.h"

static bool is_outcome(const char *name)
{
	static const char *const known[] = { "done", "accepted", "failed", "refused", "malformed" };
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (str_equal(known[i], name))
			return true;
	return false;
}

static void take(const json_t *call, enum turn_kind kind)
{
	const struct agent_ops ops = { .name = "fuzz", .needs_file_tools = kind % 2 };
	const struct agent_spec spec = { .ops = &ops };
	AUTO_JSON json_t *data = json_pack("{s:{s:[s]}}", "row", "lessons", "one");
	const struct agent_turn turn = { .id = 1, .kind = kind, .data = data };
	AUTO_AGENT_ANSWER struct agent_answer answer = { 0 };
	struct call_end end = call_take(&spec, &turn, &answer, false, call);
	AUTO_JSON json_t *said = end.said;
	AUTO_JSON json_t *shown = frame_data(said);
	FUZZ_CHECK(json_is_object(shown));
	FUZZ_CHECK(is_outcome(json_text_or(shown, "outcome", "")));
	FUZZ_CHECK(json_text_or(shown, "text", NULL) != NULL);
	FUZZ_CHECK(end.is_accepted == (answer.kind != ANSWER_NONE));
	FUZZ_CHECK(!end.is_accepted || !end.is_bad);
	FUZZ_CHECK(!end.is_bad || json_text_or(shown, "text", "")[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct err e = { 0 };
	AUTO_FREE char *text = xstrndup((const char *)data, len);
	AUTO_JSON json_t *call = json_read_text(text, len, "call", &e);
	if (!json_is_object(call))
		return 0;
	for (int kind = TURN_JUDGE; kind <= TURN_GENERATE; kind++)
		take(call, (enum turn_kind)kind);
	return 0;
}

#ifndef FUZZ_NO_MAIN
static const char *const calls_words[] = { "\"tool\":",
					   "\"type\":\"tool\",",
					   "\"submit\"",
					   "\"build\"",
					   "\"source\":",
					   "\"path\":",
					   "\"note\":",
					   "\"value\":",
					   "\"give_up\"",
					   "\"predicted\":{",
					   "\"reason\":",
					   "\"ablate\"",
					   "\"decision\"",
					   "\"how\":",
					   "\"drop\"",
					   "\"probe\"",
					   "\"replicates\":",
					   "\"run\"",
					   "\"shape\":",
					   "\"inputs\":{",
					   "\"read\"",
					   "\"write\"",
					   "\"edit\"",
					   "\"list\"",
					   "\"content\":",
					   "\"old\":",
					   "\"new\":",
					   "\"query\":",
					   "\"toml\":",
					   "\"max_s\":",
					   "\"from\":",
					   "\"lines\":",
					   "\"entry\":",
					   "-1",
					   "1e999",
					   "2",
					   "8",
					   "null",
					   "{",
					   "}",
					   "[",
					   "]",
					   ",",
					   "\"\"",
					   "\"\\u202e\"",
					   NULL };
#endif
FUZZ_MAIN(calls_words)
