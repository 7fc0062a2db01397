#include "cmd/cmd.h"

/* The student's answer by hand: one candidate. */

#include <stdlib.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "cmd/hand_turn.h"

/* "vector_bits=256,spills=0". */
static int add_predicted(json_t *args, const char *text, struct err *e)
{
	AUTO_STRV struct strv items = { 0 };
	json_t *predicted = json_object();
	json_object_set_new(args, "predicted", predicted);
	strv_split(&items, text, ",");
	for (size_t i = 0; i < items.nr; i++) {
		char *equals = strchr(items.items[i], '=');
		char *end = NULL;
		double value = equals ? strtod(equals + 1, &end) : 0;
		if (!equals || equals == items.items[i] || end == equals + 1 || *end)
			return err_set(e, ERR_USAGE, "--predicted %s: it is METRIC=NUMBER,...",
				       text);
		*equals = 0;
		json_object_set_new(predicted, items.items[i], json_number(value));
	}
	return 0;
}

static void add_text(json_t *args, const char *key, const char *text)
{
	if (text)
		json_object_set_new(args, key, json_string(text));
}

int cmd_submit(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	const char *note = NULL;
	const char *value = NULL;
	const char *predicted = NULL;
	struct hand_turn h = { .tool = "submit",
			       .role = "student",
			       .timeout_s = HAND_TURN_TIMEOUT_S };
	const struct opt rows[] = {
		{ 0, "note", OPT_TEXT, "TEXT", "one line: what you did", &note },
		{ 0, "value", OPT_TEXT, "TEXT", "the value chosen in the row's range", &value },
		{ 0, "predicted", OPT_TEXT, "METRIC=N,...", "what you expect to be measured",
		  &predicted },
		{ 0, "timeout", OPT_REAL, "S", HAND_TURN_TIMEOUT_HELP, &h.timeout_s },
		{ 0, "json", OPT_FLAG, NULL, "what forge says to it, one JSON object", &h.is_json },
	};
	AUTO_STRV struct strv rest = { 0 };
	AUTO_JSON json_t *args = json_object();
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	h.run = rest.nr > 1 ? rest.items[0] : NULL;
	h.args = args;
	json_t *source = hand_turn_text(rest.items[rest.nr - 1], e);
	if (!source)
		return -1;
	json_object_set_new(args, "source", source);
	add_text(args, "note", note);
	add_text(args, "value", value);
	if (predicted && add_predicted(args, predicted, e) < 0)
		return -1;
	return hand_turn_answer(&h, e);
}
