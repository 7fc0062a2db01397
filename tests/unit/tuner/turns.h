/*
 * Turns of the embedded agent for its tests: data of a task with two sizes, over the kernels of
 * kernels.h, and what is answered to it.
 */
#ifndef FORGE_TEST_TUNER_TURNS_H
#define FORGE_TEST_TUNER_TURNS_H

#include "kernels.h"

#include "base/json.h"
#include "model/curriculum.h"
#include "model/task.h"
#include "tuner/student.h"
#include "tuner/teacher.h"

static inline json_t *task_data(const char *source, int threads, bool has_clang)
{
	json_t *args = json_pack(
		"[{s:s, s:s, s:s, s:[s]}, {s:s, s:s, s:s, s:[s]}, {s:s, s:s, s:s, s:[s]}]", "name",
		"a", "role", "in", "dtype", "f32", "shape", "n*m", "name", "b", "role", "in",
		"dtype", "f32", "shape", "n*m", "name", "c", "role", "out", "dtype", "f32", "shape",
		"n*m");
	static const char *const sizes[] = { "n", "m", "k" };
	for (size_t i = 0; i < 3; i++)
		json_array_append_new(args, json_pack("{s:s, s:s, s:s, s:n}", "name", sizes[i],
						      "role", "scalar", "dtype", "i64", "value"));
	json_t *task = json_pack(
		"{s:s, s:i, s:o, s:[{s:s, s:{s:i, s:i, s:i}}, {s:s, s:{s:i, s:i, s:i}}]}", "entry",
		"kern", "threads", threads, "args", args, "shapes", "name", "large", "dims", "n",
		512, "m", 512, "k", 64, "name", "odd", "dims", "n", 129, "m", 77, "k", 33);
	json_t *compilers =
		has_clang ? json_pack("[s, s]", "gcc 12", "clang 14") : json_pack("[s]", "gcc");
	return json_pack("{s:o, s:{s:o}, s:s?, s:[], s:n}", "task", task, "machine", "compilers",
			 compilers, "reference", source, "errors", "previous");
}

static inline json_t *checked(json_t *answer, const struct err *e, json_t *data)
{
	if (!answer)
		printf("# %s\n", e->text);
	CHECK(answer != NULL);
	json_decref(data);
	return answer;
}

static inline json_t *ask(json_t *(*turn)(const json_t *data, const struct say *say, struct err *e),
			  json_t *data)
{
	struct err e = { 0 };
	return checked(turn(data, NULL, &e), &e, data);
}

static inline json_t *ask_revision(json_t *data, struct tools *tools)
{
	struct err e = { 0 };
	return checked(teacher_revision(data, NULL, tools, &e), &e, data);
}

static inline const char *text_of(const json_t *answer, const char *key)
{
	const char *text = json_text_or(answer, key, NULL);
	if (!text)
		printf("# %s: %s\n", json_text_or(answer, "type", "?"),
		       json_text_or(answer, "reason", ""));
	CHECK(text != NULL);
	return text;
}

static inline void check_lint(const char *toml, const char *source)
{
	AUTO_CURRICULUM struct curriculum c = { 0 };
	AUTO_FINDINGS struct findings f = { 0 };
	struct err e = { 0 };
	CHECK_OK(curriculum_parse(&c, toml, "draft", &e));
	curriculum_lint(&c, source, &f);
	for (size_t i = 0; i < f.nr; i++)
		printf("# line %u: %s\n", f.items[i].line, f.items[i].text);
	if (f.nr)
		printf("%s\n", toml);
	CHECK_INT(f.nr, 0);
}

static inline json_t *seen(const char *id, const char *fate, double before, double after)
{
	json_t *row = json_pack("{s:s, s:s}", "id", id, "fate", fate);
	if (before > 0)
		json_object_set_new(row, "before", json_pack("{s:f}", "ratio", before));
	if (after > 0)
		json_object_set_new(row, "after", json_pack("{s:f}", "ratio", after));
	return row;
}

static inline bool has_line(const char *toml, const char *value)
{
	AUTO_FREE char *line = xasprintf("\nvalue = \"%s\"\n", value);
	return strstr(toml, line) != NULL;
}

#endif
