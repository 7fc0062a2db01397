#include "agent/tool_table.h"

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "test.h"

enum { NR_KINDS = TURN_GENERATE + 1 };

static void each_tool(void (*look)(const struct tool_spec *t))
{
	for (int kind = 0; kind < NR_KINDS; kind++) {
		AUTO_JSON json_t *list = tools_to_json((enum turn_kind)kind, true);
		for (size_t i = 0; i < json_array_size(list); i++)
			look(tool_find(json_text_or(json_array_get(list, i), "name", "")));
	}
}

/* What clients of MCP demand of a tool, and nothing that the check would pass over in silence. */
static void check_schema(const json_t *schema, const char *tool)
{
	static const char *const known[] = { "type",    "properties", "required",
					     "enum",    "minimum",    "additionalProperties",
					     "maximum", "minLength",  "description" };
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)(uintptr_t)schema, key, value)
	{
		bool is_known = false;
		for (size_t i = 0; i < ARRAY_LEN(known); i++)
			is_known = is_known || str_equal(known[i], key);
		printf("# %s: %s\n", tool, key);
		CHECK(is_known);
	}
	json_object_foreach(json_object_get(schema, "properties"), key, value)
		check_schema(value, tool);
}

static void look_at_schema(const struct tool_spec *t)
{
	struct err e = { 0 };
	CHECK(t);
	AUTO_JSON json_t *schema = json_read_text(t->schema, strlen(t->schema), t->name, &e);
	CHECK(schema);
	CHECK_TEXT(json_text_or(schema, "type", ""), "object");
	CHECK(json_is_object(json_object_get(schema, "properties")));
	CHECK(json_is_false(json_object_get(schema, "additionalProperties")));
	CHECK(strlen(t->name) <= 64);
	CHECK(strlen(t->description) > 20);
	check_schema(schema, t->name);
}

TEST(every_schema_is_an_object_of_keywords_that_are_checked)
{
	each_tool(look_at_schema);
}

static void tools_of(enum turn_kind kind, struct str *out)
{
	const struct tool_spec *list[TOOL_MAX];
	size_t nr = tools_for(kind, list, TOOL_MAX);
	for (size_t i = 0; i < nr; i++)
		str_addf(out, "%s%s", i ? " " : "", list[i]->name);
}

static const struct {
	enum turn_kind kind;
	const char *tools;
} offers[] = {
	{ TURN_JUDGE, "task submit_judge give_up" },
	{ TURN_RECONNAISSANCE,
	  "knowledge_search knowledge_read task reference_facts run time "
	  "profile disassemble probe ablate propose_lesson report_findings give_up" },
	{ TURN_CURRICULUM, "knowledge_search knowledge_read task reference_facts run time profile "
			   "disassemble probe ablate propose_lesson publish_curriculum give_up" },
	{ TURN_REVISION,
	  "knowledge_search knowledge_read task reference_facts digest run time "
	  "profile disassemble probe ablate propose_lesson publish_curriculum give_up" },
	{ TURN_ROUND, "decision contract build submit wait knowledge_search knowledge_read "
		      "handback give_up" },
	{ TURN_ABLATION, "decision contract build submit wait knowledge_search knowledge_read "
			 "handback give_up" },
	{ TURN_GOAL, "decision contract build submit wait give_up" },
	{ TURN_GENERATE, "decision contract build submit wait give_up" },
};

TEST(each_kind_of_turn_has_its_tools)
{
	for (size_t i = 0; i < ARRAY_LEN(offers); i++) {
		AUTO_STR struct str got = STR_INIT;
		tools_of(offers[i].kind, &got);
		CHECK_TEXT(got.text, offers[i].tools);
	}
}

TEST(tools_for_files_are_only_offered_where_they_are_asked_for)
{
	AUTO_JSON json_t *with = tools_to_json(TURN_ROUND, true);
	AUTO_JSON json_t *without = tools_to_json(TURN_ROUND, false);
	CHECK_INT(json_array_size(with) - json_array_size(without), 4);
	CHECK(tool_fits(tool_find("edit"), TURN_ROUND, true));
	CHECK(!tool_fits(tool_find("edit"), TURN_ROUND, false));
	CHECK(!tool_find("shell"));
}

static const struct {
	const char *tool;
	const char *args;
	const char *text; /* part of the message; NULL: fine */
} calls[] = {
	{ "submit", "{\"source\":\"int x;\"}", NULL },
	{ "submit", "{\"path\":\"kernel.c\",\"note\":\"n\",\"predicted\":{\"vector_bits\":256}}",
	  NULL },
	{ "submit", "{}", "submit: \"source\" is missing; give the whole text, or \"path\"" },
	{ "submit", "{\"source\":\"x\",\"path\":\"y\"}", "give one of them" },
	{ "submit", "{\"source\":7}",
	  "submit: \"source\" is an integer, not of type string; it is the whole C file" },
	{ "submit", "{\"source\":\"\"}", "submit: \"source\" is empty" },
	{ "submit", "{\"sourc\":\"x\"}",
	  "there is no \"sourc\"; did you mean \"source\"? it takes" },
	{ "submit", "{\"source\":\"x\",\"predicted\":{\"a\":\"b\"}}",
	  "\"predicted\" has \"a\", which is a string and no number" },
	{ "submit", "{\"source\":\"x\",\"predicted\":[1]}",
	  "\"predicted\" is an array, not of type object" },
	{ "submit", "[]", "submit: its arguments are an array, not an object" },
	{ "handback", "{}", "handback: \"reason\" is missing; it is what is wrong" },
	{ "wait", "{\"max_s\":2.5}", NULL },
	{ "wait", "{\"max_s\":-1}", "\"max_s\" is below 0" },
	{ "wait", "{\"max_s\":\"1\"}", "\"max_s\" is a string, not of type number" },
	{ "decision", "{}", NULL },
	{ "decision", "{\"x\":1}", "decision: it takes nothing, and \"x\" was given" },
	{ "ablate", "{\"decision\":\"D1.1\",\"how\":\"drop\"}", NULL },
	{ "ablate", "{\"decision\":\"D1.1\",\"how\":\"away\"}",
	  "\"how\" is none of [\"revert\",\"drop\"]" },
	{ "ablate", "{\"decision\":\"D1.1\",\"how\":null}", "\"how\" is null, not of type string" },
	{ "probe", "{\"source\":\"x\",\"replicates\":8}", NULL },
	{ "probe", "{\"source\":\"x\",\"replicates\":3}", "\"replicates\" is none of [2,8]" },
	{ "probe", "{\"source\":\"x\",\"replicates\":2.0}",
	  "\"replicates\" is a number, not of type integer" },
	{ "disassemble", "{\"from\":-1}", "\"from\" is below 0" },
	{ "run", "{\"shape\":\"s\",\"inputs\":{\"x\":{\"kind\":\"constant\"}}}", NULL },
	{ "run", "{\"shape\":\"s\",\"inputs\":[1]}", "\"inputs\" is an array, not of type object" },
	{ "publish_curriculum", "{\"path\":\"v1.toml\"}", NULL },
	{ "publish_curriculum", "{}", "\"toml\" is missing" },
	{ "report_findings", "{\"path\":\"found.txt\"}", NULL },
	{ "report_findings", "{}", "\"findings\" is missing" },
	{ "report_findings", "{\"findings\":[\"a\"]}",
	  "\"findings\" is an array, not of type string; it is one finding a line" },
};

TEST(what_is_wrong_with_a_call_is_said_with_its_member)
{
	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		struct err e = { 0 };
		AUTO_JSON json_t *args =
			json_read_text(calls[i].args, strlen(calls[i].args), "args", &e);
		CHECK(args);
		int rc = tool_check(tool_find(calls[i].tool), args, &e);
		printf("# %s %s: %s\n", calls[i].tool, calls[i].args, e.text);
		CHECK_INT(rc, calls[i].text ? -1 : 0);
		CHECK(!calls[i].text || strstr(e.text, calls[i].text));
		CHECK(rc == 0 || e.kind == ERR_INPUT);
	}
}

static const struct {
	const char *tool;
	const char *args;
	const char *line;
} lines[] = {
	{ "submit", "{\"source\":\"x\",\"note\":\"n\"}",
	  "{\"note\":\"n\",\"source\":\"x\",\"type\":\"submit\"}" },
	{ "submit", "{\"path\":\"k.c\"}",
	  "{\"path\":\"k.c\",\"tool\":\"submit\",\"type\":\"tool\"}" },
	{ "publish_curriculum", "{\"toml\":\"t\"}", "{\"toml\":\"t\",\"type\":\"curriculum\"}" },
	{ "submit_judge", "{\"source\":\"s\"}", "{\"source\":\"s\",\"type\":\"judge\"}" },
	{ "report_findings", "{\"findings\":\"f\"}", "{\"findings\":\"f\",\"type\":\"findings\"}" },
	{ "give_up", "{\"reason\":\"r\"}", "{\"reason\":\"r\",\"type\":\"give_up\"}" },
	{ "build", "{\"source\":\"s\"}",
	  "{\"source\":\"s\",\"tool\":\"build\",\"type\":\"tool\"}" },
};

TEST(a_call_becomes_its_line_on_the_wire)
{
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct err e = { 0 };
		AUTO_JSON json_t *args =
			json_read_text(lines[i].args, strlen(lines[i].args), "args", &e);
		AUTO_JSON json_t *line = tool_to_line(tool_find(lines[i].tool), args);
		AUTO_FREE char *text = json_line(line);
		CHECK_TEXT(text, lines[i].line);
	}
}

TEST(every_answer_of_the_wire_but_an_error_has_its_tool)
{
	CHECK_TEXT(tool_of_answer("curriculum")->name, "publish_curriculum");
	CHECK_TEXT(tool_of_answer("judge")->name, "submit_judge");
	CHECK_TEXT(tool_of_answer("findings")->name, "report_findings");
	CHECK_TEXT(tool_of_answer("submit")->name, "submit");
	CHECK_TEXT(tool_of_answer("handback")->name, "handback");
	CHECK_TEXT(tool_of_answer("give_up")->name, "give_up");
	CHECK(!tool_of_answer("error"));
}

TEST(every_kind_of_turn_is_answered_by_one_text)
{
	static const struct {
		enum turn_kind kind;
		const char *tool;
		const char *member;
	} rows[] = {
		{ TURN_JUDGE, "submit_judge", "source" },
		{ TURN_RECONNAISSANCE, "report_findings", "findings" },
		{ TURN_CURRICULUM, "publish_curriculum", "toml" },
		{ TURN_REVISION, "publish_curriculum", "toml" },
		{ TURN_ROUND, "submit", "source" },
		{ TURN_ABLATION, "submit", "source" },
		{ TURN_GOAL, "submit", "source" },
		{ TURN_GENERATE, "submit", "source" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		enum turn_kind kind;
		CHECK_TEXT(tool_answering(rows[i].kind)->name, rows[i].tool);
		CHECK_TEXT(tool_text_member(tool_answering(rows[i].kind)), rows[i].member);
		CHECK(turn_kind_parse(turn_kind_name(rows[i].kind), &kind));
		CHECK_INT(kind, rows[i].kind);
	}
	enum turn_kind none;
	CHECK(!turn_kind_parse("rounds", &none));
}

TEST_MAIN()
