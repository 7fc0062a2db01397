#include "cmd/cmd.h"

/* What came of the last answer, as soon as the next turn is open or the run is over. */

#include "agent/mailbox.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "cmd/hand_turn.h"
#include "cmd/hand.h"
#include "cmd/term.h"

/* A person does not notice it, and a folder on a server is not asked too often. */
#define LOOK_NS (200 * NS_PER_MS)

struct waiting {
	const char *run;
	const char *role;
	double max_s; /* 0: for ever */
	bool is_json;
};

/* An agent in its box, whose turn this was: it has nothing to wait for. */
static bool is_over(const json_t *state)
{
	return str_equal(json_text_or(state, "state", ""), "ended") ||
	       (str_equal(json_text_or(state, "state", ""), "between") &&
		json_bool_or(state, "ends_with_turn", false));
}

/* The state, once it is not "between" any more. The role may change meanwhile. */
static int wait_for(const struct waiting *w, json_t **state, struct err *e)
{
	uint64_t until_ns = clock_mono_ns() + (uint64_t)(w->max_s * 1e9);
	for (;;) {
		AUTO_STR struct str dir = STR_INIT;
		AUTO_JSON json_t *now = NULL;
		if (hand_turn_find(w->run, w->role, &dir, e) < 0 ||
		    mailbox_state(dir.text, &now, e) < 0)
			return -1;
		if (is_over(now) || !str_equal(json_text_or(now, "state", ""), "between")) {
			*state = json_incref(now);
			return 0;
		}
		if (w->max_s > 0 && clock_mono_ns() >= until_ns)
			return err_set(
				e, ERR_TIMEOUT,
				"after %g s forge still measures, or no forge works on the run",
				w->max_s);
		clock_sleep_ns(LOOK_NS);
	}
}

static void print_state(const struct waiting *w, const json_t *state)
{
	AUTO_STR struct str verdict = STR_INIT;
	hand_turn_verdict(json_object_get(state, "last"), &verdict);
	term_put(verdict.text);
	if (is_over(state)) {
		term_print("%s\n",
			   json_bool_or(state, "ends_with_turn", false)
				   ? "your answer was taken, and your turn is over: what comes "
				     "of it is told with the next turn"
				   : "the run has ended");
		return;
	}
	term_print("turn %lld of the %s is open\n", (long long)json_int_or(state, "turn", 0),
		   json_text_or(state, "role", "?"));
	term_print("  forge turn%s%s\n", w->run ? " " : "", w->run ? w->run : "");
}

int cmd_wait(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	struct waiting w = { .max_s = 0 };
	const struct opt rows[] = {
		{ 0, "role", OPT_TEXT, "ROLE", HAND_TURN_ROLE_HELP, &w.role },
		{ 0, "max-s", OPT_REAL, "S", "seconds at most; as long as it takes", &w.max_s },
		{ 0, "json", OPT_FLAG, NULL, "state.json, one JSON object", &w.is_json },
	};
	AUTO_STRV struct strv rest = { 0 };
	AUTO_JSON json_t *state = NULL;
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	w.run = rest.nr ? rest.items[0] : NULL;
	if (hand_turn_check_role(w.role, e) < 0 || wait_for(&w, &state, e) < 0)
		return -1;
	if (w.is_json)
		hand_print_json(state);
	else
		print_state(&w, state);
	return is_over(state) ? EXIT_ENDED_OTHERWISE : 0;
}
