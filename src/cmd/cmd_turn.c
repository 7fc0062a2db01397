#include "cmd/cmd.h"

/* The turn that waits for an answer by hand: the prompt, which holds all that a model is told,
 * names of the data it was made from, the tools. */

#include <string.h>

#include "agent/mailbox.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/untrusted.h"
#include "cmd/hand_turn.h"
#include "cmd/hand.h"
#include "cmd/term.h"

/* What is there as data, too, one part of it a file: forge turn --member NAME. */
static void add_members(const json_t *data, struct str *out)
{
	const char *separator = "\nData, by --member: ";
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)(uintptr_t)data, key, value)
	{
		if (json_is_null(value))
			continue;
		str_add(out, separator);
		untrusted_line(out, key, 0);
		separator = ", ";
	}
	str_add(out, "\n");
}

static void add_tools(const json_t *tools, struct str *out)
{
	str_add(out, "\nTools\n");
	for (size_t i = 0; i < json_array_size(tools); i++) {
		const json_t *t = json_array_get(tools, i);
		str_addf(out, "  %-20s", json_text_or(t, "name", ""));
		untrusted_line(out, json_text_or(t, "description", ""), 0);
		str_add(out, "\n");
	}
}

static void print_turn(const json_t *turn)
{
	AUTO_STR struct str out = STR_INIT;
	str_addf(&out, "turn %lld of the ", (long long)json_int_or(turn, "id", 0));
	untrusted_line(&out, json_text_or(turn, "role", "?"), 0);
	str_add(&out, ": ");
	untrusted_line(&out, json_text_or(turn, "purpose", ""), 0);
	str_add(&out, "\n\n");
	untrusted_block(&out, json_text_or(turn, "prompt", ""), 0);
	str_add(&out, "\n");
	add_members(json_object_get(turn, "data"), &out);
	add_tools(json_object_get(turn, "tools"), &out);
	term_put(out.text);
}

/* One member of the data as it is, to be kept as a file. */
static int print_member(const json_t *turn, const char *name, struct err *e)
{
	const json_t *value = json_object_get(json_object_get(turn, "data"), name);
	AUTO_STR struct str text = STR_INIT;
	if (!value || json_is_null(value))
		return err_set(e, ERR_INPUT, "the data of this turn has no \"%s\"", name);
	if (!json_is_string(value)) {
		hand_print_json(value);
		return 0;
	}
	untrusted_block(&text, json_string_value(value), 0);
	term_put(text.text);
	return 0;
}

int cmd_turn(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	bool is_json = false;
	const char *role = NULL;
	const char *member = NULL;
	const struct opt rows[] = {
		{ 0, "role", OPT_TEXT, "ROLE", HAND_TURN_ROLE_HELP, &role },
		{ 0, "member", OPT_TEXT, "NAME", "one member of the data alone: base, row ...",
		  &member },
		{ 0, "json", OPT_FLAG, NULL, "turn.json, one JSON object", &is_json },
	};
	AUTO_STRV struct strv rest = { 0 };
	AUTO_STR struct str dir = STR_INIT;
	AUTO_JSON json_t *turn = NULL;
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	const char *run = rest.nr ? rest.items[0] : NULL;
	if (hand_turn_check_role(role, e) < 0 || hand_turn_find(run, role, &dir, e) < 0 ||
	    mailbox_turn(dir.text, &turn, e) < 0)
		return -1;
	if (member)
		return print_member(turn, member, e);
	if (is_json)
		hand_print_json(turn);
	else
		print_turn(turn);
	return 0;
}
