#include "agent/data_tools.h"

#include <string.h>

#include "agent/tool_table.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"

/* Which members of a turn's data answer which tool; those that are not there are left out. */
static const struct {
	const char *tool;
	const char *members[12];
} shown[] = {
	{ "decision",
	  { "row", "rows", "goal", "base", "start", "feedback", "previous", "errors" } },
	{ "contract", { "task", "machine", "description" } },
	{ "task",
	  { "task", "machine", "description", "reference", "previous", "errors", "lab_seconds" } },
	{ "reference_facts", { "profile", "times" } },
	{ "digest", { "digest", "curriculum", "trigger" } },
};

static json_t *outcome(const char *name, const char *text)
{
	return json_pack("{s:s, s:s}", "outcome", name, "text", text);
}

static json_t *show_members(size_t row, const json_t *data)
{
	json_t *said = outcome("done", "");
	for (const char *const *key = shown[row].members; *key; key++) {
		json_t *value = json_object_get(data, *key);
		if (value)
			json_object_set(said, *key, value);
	}
	return said;
}

/* One turn is one candidate (docs/decision/0012). */
static json_t *say_wait(const json_t *data)
{
	json_t *feedback = json_object_get(data, "feedback");
	json_t *said = outcome("done", "this turn waits for your answer; the verdict of what you "
				       "submit comes as the feedback of the next turn");
	json_object_set_new(said, "state", json_string("open"));
	json_object_set(said, "feedback", feedback ? feedback : json_null());
	return said;
}

static const json_t *lessons_of(const json_t *data)
{
	return json_object_get(json_object_get(data, "row"), "lessons");
}

static bool has_word(const char *text, const char *query)
{
	AUTO_STRV struct strv words = { 0 };
	strv_split(&words, query, " \t\n,.;:");
	for (size_t i = 0; i < words.nr; i++)
		if (strcasestr(text, words.items[i]))
			return true;
	return false;
}

/* What the row cites is what a student may read of the knowledge base. */
static json_t *search(const json_t *data, const json_t *args)
{
	const json_t *lessons = lessons_of(data);
	json_t *entries = json_array();
	for (size_t i = 0; i < json_array_size(lessons); i++) {
		const char *text = json_string_value(json_array_get(lessons, i));
		AUTO_FREE char *id = xasprintf("lesson-%zu", i + 1);
		if (text && has_word(text, json_text_or(args, "query", "")))
			json_array_append_new(entries,
					      json_pack("{s:s, s:s}", "id", id, "text", text));
	}
	json_t *said = outcome("done", json_array_size(entries) ? "" : "no entry fits");
	json_object_set_new(said, "entries", entries);
	return said;
}

static json_t *read_entry(const json_t *data, const json_t *args)
{
	const json_t *lessons = lessons_of(data);
	const char *wanted = json_text_or(args, "entry", "");
	for (size_t i = 0; i < json_array_size(lessons); i++) {
		AUTO_FREE char *id = xasprintf("lesson-%zu", i + 1);
		const char *text = json_string_value(json_array_get(lessons, i));
		if (text && str_equal(id, wanted))
			return outcome("done", text);
	}
	return outcome("failed", "there is no entry of this id; knowledge_search tells ids");
}

json_t *data_tool(const struct tool_spec *t, const json_t *data, const json_t *args)
{
	for (size_t i = 0; i < ARRAY_LEN(shown); i++)
		if (str_equal(shown[i].tool, t->name))
			return show_members(i, data);
	if (str_equal(t->name, "knowledge_search"))
		return search(data, args);
	if (str_equal(t->name, "knowledge_read"))
		return read_entry(data, args);
	return say_wait(data);
}
