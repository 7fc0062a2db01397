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
	{ "reference_facts", { "profile", "times", "findings" } },
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

/* Lessons of the knowledge base that this turn has: all for a teacher, what the row cites for a
 * student. */
static const json_t *lessons_of(const json_t *data)
{
	return json_object_get(data, "knowledge");
}

/* A word of a title or topic says more than one of the text. */
enum { IN_TITLE = 8, IN_TOPICS = 4, IN_TEXT = 1 };

static bool has_topic(const json_t *lesson, const char *word)
{
	const json_t *topics = json_object_get(lesson, "topics");
	for (size_t i = 0; i < json_array_size(topics); i++) {
		const char *topic = json_string_value(json_array_get(topics, i));
		if (topic && strcasestr(topic, word))
			return true;
	}
	return false;
}

static int score_of(const json_t *lesson, const struct strv *words)
{
	int score = 0;
	for (size_t i = 0; i < words->nr; i++) {
		const char *word = words->items[i];
		if (strcasestr(json_text_or(lesson, "id", ""), word) ||
		    strcasestr(json_text_or(lesson, "title", ""), word))
			score += IN_TITLE;
		if (has_topic(lesson, word))
			score += IN_TOPICS;
		if (strcasestr(json_text_or(lesson, "text", ""), word))
			score += IN_TEXT;
	}
	return score;
}

static json_t *entry_of(const json_t *lesson)
{
	return json_pack("{s:s, s:s, s:O?, s:O?}", "id", json_text_or(lesson, "id", ""), "text",
			 json_text_or(lesson, "title", ""), "claims",
			 json_object_get(lesson, "claims"), "applies_when",
			 json_object_get(lesson, "applies_when"));
}

/* Every lesson that has one of the words, the highest score first; of equal ones the order of the
 * turn's data, which is recall's. */
static json_t *search(const json_t *data, const json_t *args)
{
	const json_t *lessons = lessons_of(data);
	AUTO_STRV struct strv words = { 0 };
	json_t *entries = json_array();
	int best = 0;
	strv_split(&words, json_text_or(args, "query", ""), " \t\n,.;:");
	for (size_t i = 0; i < json_array_size(lessons); i++) {
		int score = score_of(json_array_get(lessons, i), &words);
		best = score > best ? score : best;
	}
	for (int score = best; score > 0; score--)
		for (size_t i = 0; i < json_array_size(lessons); i++)
			if (score_of(json_array_get(lessons, i), &words) == score)
				json_array_append_new(entries,
						      entry_of(json_array_get(lessons, i)));
	json_t *said = outcome("done", json_array_size(entries) ? "" : "no entry fits");
	json_object_set_new(said, "entries", entries);
	return said;
}

static json_t *read_entry(const json_t *data, const json_t *args)
{
	const json_t *lessons = lessons_of(data);
	const char *wanted = json_text_or(args, "entry", "");
	for (size_t i = 0; i < json_array_size(lessons); i++) {
		const json_t *lesson = json_array_get(lessons, i);
		if (str_equal(json_text_or(lesson, "id", ""), wanted))
			return outcome("done", json_text_or(lesson, "text", ""));
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
