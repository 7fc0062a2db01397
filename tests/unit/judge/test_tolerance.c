#include <math.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "judge/tolerance.h"
#include "model/leaderboard.h"
#include "model/task.h"
#include "model/page.h"
#include "test.h"

TEST(a_tolerance_is_twice_the_references_error)
{
	struct tolerance got =
		tolerance_of(DTYPE_F32, (struct tolerance){ .slice = 1e-3, .tensor = 1e-4 });
	CHECK(got.slice == 2e-3 && got.tensor == 2e-4);
}

TEST(a_tolerance_is_never_below_twice_the_floor_of_its_type)
{
	static const struct {
		enum dtype dtype;
		double floor;
	} rows[] = { { DTYPE_F64, 0x1p-52 },
		     { DTYPE_F32, 0x1p-23 },
		     { DTYPE_F16, 0x1p-10 },
		     { DTYPE_BF16, 0x1p-7 } };
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct tolerance got = tolerance_of(rows[i].dtype, (struct tolerance){ 0 });
		CHECK(got.slice == 2 * rows[i].floor && got.tensor == 2 * rows[i].floor);
	}
}

TEST(integers_have_no_tolerance)
{
	struct tolerance got =
		tolerance_of(DTYPE_I32, (struct tolerance){ .slice = 1, .tensor = 1 });
	CHECK(got.slice == 0 && got.tensor == 0);
}

static void add(struct tolerances *t, const char *group, const char *output, double err)
{
	struct tolerance_row *row = tolerances_row(t, group, output);
	row->dtype = DTYPE_F32;
	row->reference = (struct tolerance){ .slice = err, .tensor = err / 3 };
	row->tol = tolerance_of(row->dtype, row->reference);
}

TEST(a_row_is_found_by_group_and_output)
{
	AUTO_TOLERANCES struct tolerances t = { 0 };
	add(&t, "normal", "y", 1e-4);
	add(&t, "normal", "z", 1e-5);
	add(&t, "tiny", "y", 1e-6);
	CHECK_INT(t.nr, 3);
	CHECK(tolerances_find(&t, "normal", "z")->slice == 2e-5);
	CHECK(!tolerances_find(&t, "tiny", "z"));
	CHECK(!tolerances_find(&t, "huge", "y"));
	CHECK(tolerances_row(&t, "tiny", "y") == &t.rows[2]);
}

TEST(json_gives_back_the_same_bits)
{
	struct err e = { 0 };
	AUTO_TOLERANCES struct tolerances t = { 0 };
	AUTO_TOLERANCES struct tolerances back = { 0 };
	for (int i = 0; i < 40; i++) {
		char name[16];
		snprintf(name, sizeof(name), "g%d", i);
		add(&t, name, "y", 1e-3 / (3 + i));
	}
	struct tolerance_row *row = tolerances_row(&t, "g0", "index");
	row->dtype = DTYPE_I64;
	AUTO_JSON json_t *json = tolerances_to_json(&t);
	AUTO_FREE char *text = json_line(json);
	AUTO_JSON json_t *read = json_read_text(text, strlen(text), "t", &e);
	CHECK_OK(tolerances_from_json(&back, read, "t", &e));
	CHECK_INT(back.nr, 41);
	for (size_t i = 0; i < t.nr; i++) {
		CHECK_TEXT(back.rows[i].group, t.rows[i].group);
		CHECK_TEXT(back.rows[i].output, t.rows[i].output);
		CHECK(back.rows[i].dtype == t.rows[i].dtype);
		CHECK(back.rows[i].tol.slice == t.rows[i].tol.slice);
		CHECK(back.rows[i].tol.tensor == t.rows[i].tol.tensor);
		CHECK(back.rows[i].tol.is_origin == t.rows[i].tol.is_origin);
		CHECK(back.rows[i].tol.relative == t.rows[i].tol.relative);
		CHECK(back.rows[i].tol.absolute == t.rows[i].tol.absolute);
		CHECK(back.rows[i].reference.slice == t.rows[i].reference.slice);
		CHECK(back.rows[i].reference.tensor == t.rows[i].reference.tensor);
	}
}

#define ROW                                                                                        \
	"\"group\":\"g\",\"output\":\"y\",\"dtype\":\"f32\",\"tol_slice\":0.5,\"tol_tensor\":0.5," \
	"\"reference_slice\":0.25,\"reference_tensor\":0.25"

TEST(a_foreign_or_edited_file_is_refused)
{
	static const struct {
		const char *json;
		const char *why;
	} rows[] = {
		{ "{}", "no member \"version\"" },
		{ "{\"version\":2}", "version 2 is not known" },
		{ "{\"version\":1}", "no member \"outputs\"" },
		{ "{\"version\":1,\"outputs\":[{}]}", "no member \"group\"" },
		{ "{\"version\":1,\"outputs\":[{\"group\":\"g\"}]}", "no member \"output\"" },
		{ "{\"version\":1,\"outputs\":[{\"group\":\"g\",\"output\":\"y\"}]}",
		  "no member \"dtype\"" },
		{ "{\"version\":1,\"outputs\":[{\"group\":\"g\",\"output\":\"y\",\"dtype\":\"f31\"}"
		  "]}",
		  "no such dtype \"f31\"" },
		{ "{\"version\":1,\"outputs\":[{" ROW "},{" ROW "}]}", "stands twice" },
		{ "{\"version\":1,\"outputs\":[{\"group\":\"g\",\"output\":\"y\",\"dtype\":\"f32\","
		  "\"tol_slice\":-1}]}",
		  "\"tol_slice\" is not a tolerance" },
		{ "{\"version\":1,\"outputs\":[{\"group\":\"g\",\"output\":\"y\",\"dtype\":\"f32\","
		  "\"tol_slice\":1,\"tol_tensor\":\"inf\"}]}",
		  "\"tol_tensor\" is not a tolerance" },
		{ "{\"version\":1,\"outputs\":[{\"group\":\"g\",\"output\":\"y\",\"dtype\":\"f32\","
		  "\"tol_slice\":1,\"tol_tensor\":1,\"reference_slice\":\"nan\"}]}",
		  "\"reference_slice\" is not a tolerance" },
		{ "{\"version\":1,\"outputs\":[{\"group\":\"g\",\"output\":\"y\",\"dtype\":\"f32\","
		  "\"tol_slice\":1,\"tol_tensor\":1,\"reference_slice\":1}]}",
		  "no member \"reference_tensor\"" },
		{ "{\"version\":1,\"outputs\":[{\"group\":\"g\",\"output\":\"y\",\"dtype\":\"f32\","
		  "\"tol_slice\":0.9,\"tol_tensor\":0.5,\"reference_slice\":0.25,"
		  "\"reference_tensor\":0.25}]}",
		  "group g, output y: the tolerance is not 2 x" },
		{ "{\"version\":1,\"outputs\":[{\"group\":\"g\",\"output\":\"y\",\"dtype\":\"f32\","
		  "\"tol_slice\":0.5,\"tol_tensor\":0.9,\"reference_slice\":0.25,"
		  "\"reference_tensor\":0.25}]}",
		  "group g, output y: the tolerance is not 2 x" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = { 0 };
		struct tolerances t;
		AUTO_JSON json_t *json =
			json_read_text(rows[i].json, strlen(rows[i].json), "t", &e);
		CHECK(json);
		CHECK(tolerances_from_json(&t, json, "check/tolerances.json", &e) < 0);
		CHECK(t.nr == 0 && !t.rows);
		if (!strstr(e.text, rows[i].why))
			printf("# got: %s\n", e.text);
		CHECK(strstr(e.text, rows[i].why) && strstr(e.text, "check/tolerances.json"));
	}
}

TEST(the_example_of_the_page_is_read)
{
	struct err e = { 0 };
	AUTO_TOLERANCES struct tolerances t = { 0 };
	AUTO_FREE char *text = page_block("docs/format/tolerances.md", "json", 0);
	AUTO_JSON json_t *json = json_read_text(text, strlen(text), "page", &e);
	CHECK_OK(tolerances_from_json(&t, json, "page", &e));
	CHECK_INT(t.nr, 2);
	CHECK(tolerances_find(&t, "normal", "y")->slice == 0.5e-5);
	CHECK(tolerances_find(&t, "normal", "index")->slice == 0);
}

static struct leaderboard_tolerance stated[] = { { "y", 1e-3, 1e-6 } };
static const struct leaderboard board = { .tolerances = stated, .nr_tolerances = 1 };

static void add_origin(struct tolerances *t, const struct task *task, const char *output)
{
	struct tolerance_row *row = tolerances_row(t, "normal", output);
	row->dtype = DTYPE_F32;
	row->reference = (struct tolerance){ .slice = 1e-7, .tensor = 1e-8 };
	if (!tolerance_of_origin(task, output, &row->tol))
		row->tol = tolerance_of(row->dtype, row->reference);
}

TEST(an_origins_tolerance_is_taken_as_stated_and_read_back)
{
	struct err e = { 0 };
	const struct task task = { .leaderboard = &board };
	AUTO_TOLERANCES struct tolerances t = { 0 };
	AUTO_TOLERANCES struct tolerances again = { 0 };
	add_origin(&t, &task, "y");
	AUTO_JSON json_t *json = tolerances_to_json(&t);
	CHECK_OK(tolerances_from_json(&again, json, "x", &e));
	CHECK(again.rows[0].tol.is_origin);
	CHECK(again.rows[0].tol.relative == 1e-3 && again.rows[0].tol.absolute == 1e-6);
	CHECK(again.rows[0].reference.slice == 1e-7);
	CHECK_OK(tolerances_check_task(&again, &task, "x", &e));
}

TEST(tolerances_by_another_rule_than_the_tasks_are_refused)
{
	struct err e = { 0 };
	const struct task task = { .leaderboard = &board };
	const struct task ours = { 0 };
	AUTO_TOLERANCES struct tolerances by_origin = { 0 };
	AUTO_TOLERANCES struct tolerances measured = { 0 };
	add_origin(&by_origin, &task, "y");
	add_origin(&measured, &ours, "y");
	CHECK(tolerances_check_task(&by_origin, &ours, "x", &e) < 0);
	CHECK_TEXT(e.text, "x: group normal, output y: the tolerance is not by the task's rule "
			   "(measured on the reference)");
	e = (struct err){ 0 };
	CHECK(tolerances_check_task(&measured, &task, "x", &e) < 0);
	by_origin.rows[0].tol.absolute = 1;
	e = (struct err){ 0 };
	CHECK(tolerances_check_task(&by_origin, &task, "x", &e) < 0);
	CHECK_TEXT(e.text,
		   "x: group normal, output y: the tolerance is not by the task's rule (the "
		   "origin's rtol and atol)");
}

TEST_MAIN()
