#include "engine/scene.h"

/* The teacher's part: judges, curricula that the lint refuses, re-entry and replay. */

static void drop_judge(const struct scene *sc)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(sc->task, "judge");
	CHECK_OK(tree_remove(path, &e));
}

TEST(a_shipped_judge_that_disagrees_ends_the_run_and_names_the_case)
{
	struct scene sc;
	scene_open(&sc);
	scene_edit(&sc, "judge/judge.c", "/*", "/* FAKE misaligned ");
	scene_new(&sc);
	CHECK(scene_run(&sc) < 0);
	CHECK_INT(sc.e.kind, ERR_INPUT);
	CHECK(strstr(sc.e.text, "disagree at short/normal"));
	CHECK(strstr(sc.e.text, "judge/judge.c"));
	scene_close(&sc);
}

TEST(a_written_judge_goes_back_with_numbers_until_it_agrees)
{
	struct scene sc;
	scene_open(&sc);
	drop_judge(&sc);
	scene_write(&sc, "replay/teacher.jsonl",
		    "{\"type\":\"judge\",\"source\":\"FAKE misaligned one\"}\n"
		    "{\"type\":\"judge\",\"source\":\"good\"}\n"
		    "{\"type\":\"curriculum\",\"toml_file\":\"course.toml\"}\n");
	scene_student(&sc, scene_usual);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.judge.nr_misaligned, 1);
	CHECK_TEXT(s.judge.author, "teacher");
	/* replay was not shown the reference, so its judge is independent of it */
	CHECK(s.judge.is_independent);
	AUTO_FREE char *path = path_join(sc.run, "agents/0002-teacher-judge-2.jsonl");
	AUTO_STR struct str text = STR_INIT;
	struct err e = { 0 };
	CHECK_OK(file_read(path, 1 << 24, &text, &e));
	CHECK(strstr(text.text, "FAKE misaligned one"));
	CHECK(strstr(text.text, "shape short, group middle, output y at [3]"));
	CHECK(strstr(text.text, "0.5"));
	scene_close(&sc);
}

TEST(three_misaligned_judges_end_the_run)
{
	struct scene sc;
	scene_open(&sc);
	drop_judge(&sc);
	scene_write(&sc, "replay/teacher.jsonl",
		    "{\"type\":\"judge\",\"source\":\"FAKE misaligned 1\"}\n"
		    "{\"type\":\"judge\",\"source\":\"FAKE misaligned 2\"}\n"
		    "{\"type\":\"judge\",\"source\":\"FAKE misaligned 3\"}\n");
	scene_new(&sc);
	CHECK(scene_run(&sc) < 0);
	CHECK(strstr(sc.e.text, "three attempts failed"));
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.judge.nr_misaligned, 3);
	CHECK_INT(s.teacher_usage.turns, 3);
	scene_close(&sc);
}

TEST(a_refused_curriculum_goes_back_with_the_findings)
{
	struct scene sc;
	scene_open(&sc);
	scene_write(&sc, "replay/teacher.jsonl",
		    "{\"type\":\"curriculum\",\"toml\":\"version = \"}\n"
		    "{\"type\":\"curriculum\",\"toml\":\"version = 1\"}\n"
		    "{\"type\":\"curriculum\",\"toml_file\":\"course.toml\"}\n");
	scene_student(&sc, scene_usual);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.nr_curricula, 1);
	CHECK_INT(s.curricula[0].nr_refused, 2);
	CHECK_INT(s.teacher_usage.turns, 3);
	CHECK_INT(sc.outcome, ENGINE_GOAL_MET);
	scene_close(&sc);
}

TEST(a_teacher_without_a_curriculum_is_an_outcome)
{
	struct scene sc;
	scene_open(&sc);
	scene_write(&sc, "replay/teacher.jsonl",
		    "{\"type\":\"give_up\",\"reason\":\"too hard\"}\n");
	scene_new(&sc);
	scene_run_ok(&sc);
	CHECK_INT(sc.outcome, ENGINE_ENDED_OTHERWISE);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_TEXT(s.loop_end, "there is no curriculum");
	CHECK(strstr(s.warnings.items[0], "too hard"));
	CHECK(s.has_report);
	scene_close(&sc);
}

/* The course without its second tuning row, which measures slower. */
static void write_revision(const struct scene *sc)
{
	AUTO_STR struct str text = STR_INIT;
	scene_read(sc, "replay/course.toml", &text);
	char *from = strstr(text.text, "\n[[milestone.decision]]\nid = \"D1.2\"");
	char *to = strstr(text.text, "\n[[milestone.decision]]\nid = \"D1.3\"");
	CHECK(from && to);
	AUTO_FREE char *second = xasprintf("%.*s%s", (int)(from - text.text), text.text, to);
	scene_write(sc, "replay/second.toml", second);
}

static const char *const slow_then_good[] = { "FAKE speedup=1.5",        /* D0.1 */
					      "FAKE reason=wrong_value", /* D1.1 */
					      "FAKE speedup=0.5",        /* D1.2: slower, kept */
					      "FAKE speedup=0.6",        /* D1.3 on it */
					      "FAKE speedup=0.7",        /* D1.4 */
					      "FAKE speedup=2 one", /* D1.3 again, without D1.2 */
					      "FAKE speedup=5 FAKE metric=256", /* D1.4 again */
					      "handback",
					      "FAKE speedup=4.9",
					      NULL };

TEST(a_stall_brings_the_teacher_and_the_course_goes_on_from_the_earliest_change)
{
	struct scene sc;
	scene_open(&sc);
	write_revision(&sc);
	scene_edit(&sc, "task.toml", "stall = 50", "stall = 4");
	scene_write(&sc, "replay/teacher.jsonl",
		    "{\"type\":\"curriculum\",\"toml_file\":\"course.toml\"}\n"
		    "{\"type\":\"curriculum\",\"toml_file\":\"second.toml\"}\n");
	scene_student(&sc, slow_then_good);
	scene_new(&sc);
	scene_run_ok(&sc);
	CHECK_VERDICTS(&sc, "1 D0.1 base 0 ok kept best\n"
			    "2 D1.1 base 1 wrong_value rolled_back\n"
			    "3 D1.2 base 1 ok kept\n"
			    "4 D1.3 base 3 ok kept\n"
			    "5 D1.4 base 4 ok kept\n"
			    "6 D1.3 base 1 ok kept\n" /* shares the decision of round 7 */
			    "7 D1.4 base 6 ok kept best\n"
			    "8 D1.5 base 7 handback no_candidate\n"
			    "9 D1.6 base 7 ok kept\n");
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.nr_metas, 1);
	CHECK_TEXT(s.metas[0].trigger, "stall");
	CHECK_INT(s.metas[0].to_version, 2);
	CHECK_INT(s.metas[0].after_round, 5);
	CHECK(s.rounds[5].is_replay && !s.rounds[0].is_replay);
	CHECK_INT(s.rounds[5].curriculum, 2);
	scene_close(&sc);
}

/* Every scalar below `value`, as JSON text, into `leaves`; what stands under `paths` is skipped. */
static void collect(const json_t *value, struct strv *leaves)
{
	const char *key;
	json_t *item;
	size_t i;
	json_object_foreach((json_t *)(uintptr_t)value, key, item)
	{
		if (!str_equal(key, "paths"))
			collect(item, leaves);
	}
	json_array_foreach(value, i, item)
	{
		collect(item, leaves);
	}
	if (json_is_object(value) || json_is_array(value) || json_is_null(value))
		return;
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
	strv_add(leaves, text);
	free(text);
}

static void collect_events(const struct scene *sc, struct strv *leaves)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(sc->run, "events.jsonl");
	AUTO_STR struct str text = STR_INIT;
	AUTO_STRV struct strv lines = { 0 };
	CHECK_OK(file_read(path, 1 << 24, &text, &e));
	strv_split(&lines, text.text, "\n");
	for (size_t i = 0; i < lines.nr; i++) {
		AUTO_JSON json_t *line = json_loads(lines.items[i], 0, NULL);
		collect(json_object_get(line, "body"), leaves);
	}
}

/* What the record does not hold yet has a word of its own (docs/format/teacher-digest.md). */
static bool is_word_for_nothing(const char *leaf)
{
	static const char *const words[] = { "\"pending\"", "\"not_applicable\"", "\"open\"",
					     "\"none\"", "\"\"" };
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_equal(words[i], leaf))
			return true;
	return false;
}

static void check_digest(const struct scene *sc, const char *name)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(sc->run, name);
	AUTO_JSON json_t *doc = json_read_file(path, &e);
	AUTO_STRV struct strv said = { 0 };
	AUTO_STRV struct strv known = { 0 };
	CHECK(doc);
	collect_events(sc, &known);
	collect(doc, &said);
	CHECK(said.nr > 60);
	for (size_t i = 0; i < said.nr; i++) {
		bool is_known =
			strv_has(&known, said.items[i]) || is_word_for_nothing(said.items[i]);
		if (!is_known)
			printf("# not in the record: %s\n", said.items[i]);
		CHECK(is_known);
	}
}

TEST(the_teacher_is_shown_fields_of_the_record_and_nothing_else)
{
	struct scene sc;
	scene_open(&sc);
	write_revision(&sc);
	scene_edit(&sc, "task.toml", "stall = 50", "stall = 4");
	scene_student(&sc, slow_then_good);
	scene_new(&sc);
	scene_run_ok(&sc);
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(sc.run, "digest/m1.json");
	AUTO_JSON json_t *doc = json_read_file(path, &e);
	CHECK(doc);
	CHECK_INT(json_array_size(json_object_get(doc, "curve")), 5);
	CHECK_TEXT(json_string_value(json_array_get(json_object_get(doc, "regressions"), 0)),
		   "D1.2");
	CHECK(json_real_or(json_object_get(doc, "goal"), "reached", 0) > 1.4);
	check_digest(&sc, "digest/m1.json");
	scene_close(&sc);
}

TEST(what_a_teacher_had_measured_stands_in_the_next_digest_as_recorded)
{
	struct scene sc;
	scene_open(&sc);
	scene_asking_teacher(&sc);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.nr_tools, 3);
	CHECK_TEXT(json_text_or(s.tools[2].answer, "outcome", ""), "done");
	CHECK_TEXT(s.tools[2].job, "tool-0003");
	CHECK_INT(s.nr_metas, 2);
	check_digest(&sc, "digest/m2.json");
	AUTO_STR struct str jobs = STR_INIT;
	scene_jobs(&sc, &jobs);
	CHECK(strstr(jobs.text, "tool-0001\n") && strstr(jobs.text, "tool-0003\n"));
	scene_close(&sc);
}

TEST(an_exhausted_course_brings_the_teacher_once_more_and_then_ends)
{
	struct scene sc;
	static const char *const marks[] = { "FAKE speedup=1.5", NULL };
	scene_open(&sc);
	scene_student(&sc, marks);
	scene_new(&sc);
	scene_run_ok(&sc);
	CHECK_INT(sc.outcome, ENGINE_ENDED_OTHERWISE);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.nr_metas, 1);
	CHECK_TEXT(s.metas[0].trigger, "exhausted");
	CHECK_TEXT(s.metas[0].answer, "give_up");
	CHECK(s.confirm.is_confirmed && !s.confirm.is_goal_met);
	scene_close(&sc);
}

TEST(a_blocked_row_waits_for_what_it_needs)
{
	struct scene sc;
	static const char *const marks[] = { "FAKE reason=crashed", NULL };
	scene_open(&sc);
	scene_student(&sc, marks);
	scene_new(&sc);
	scene_run_ok(&sc);
	CHECK_VERDICTS(&sc, "1 D0.1 base 0 crashed rolled_back\n");
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.gates[0].result, GATE_FAIL);
	CHECK_INT(s.gates[1].correctness, GATE_UNDECIDED);
	scene_close(&sc);
}

/* The data of the first teacher's turn, as it went over the wire; yours. */
static json_t *told_to_teacher(const struct scene *sc)
{
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_STRV struct strv lines = { 0 };
	AUTO_FREE char *path = path_join(sc->run, "agents/0001-teacher-curriculum-1.jsonl");
	CHECK_OK(file_read(path, 1 << 24, &text, &e));
	CHECK(!strstr(text.text, "held"));
	strv_split(&lines, text.text, "\n");
	for (size_t i = 0; i < lines.nr; i++) {
		AUTO_JSON json_t *row = json_loads(lines.items[i], 0, NULL);
		AUTO_JSON json_t *line = json_loads(json_text_or(row, "line", ""), 0, NULL);
		json_t *data = json_object_get(line, "data");
		if (data)
			return json_incref(data);
	}
	return NULL;
}

TEST(a_teacher_is_told_how_timed_inputs_of_visible_shapes_are_drawn)
{
	static const char *const inputs =
		"{\"c\":{\"high\":1.5,\"kind\":\"uniform\",\"low\":0.5},"
		"\"x\":{\"high\":0.95,\"kind\":\"uniform\",\"low\":0.05}}";
	static const char *const more = "[{\"c\":{\"high\":5,\"kind\":\"uniform\",\"low\":0.2},"
					"\"x\":{\"high\":1,\"kind\":\"uniform\",\"low\":0.9}}]";
	struct scene sc;
	scene_open(&sc);
	scene_edit(&sc, "shapes.json", "\"name\": \"small\",",
		   "\"name\": \"small\", \"timed\": false,");
	scene_student(&sc, scene_usual);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_JSON json_t *data = told_to_teacher(&sc);
	CHECK(data);
	json_t *got = json_object_get(json_object_get(data, "task"), "shapes");
	AUTO_FREE char *text = xasprintf("[{\"dims\":{\"m\":24,\"n\":600},\"inputs\":%s,"
					 "\"more_inputs\":%s,\"name\":\"short\"},"
					 "{\"dims\":{\"m\":17,\"n\":1011},\"inputs\":%s,"
					 "\"more_inputs\":%s,\"name\":\"odd\"}]",
					 inputs, more, inputs, more);
	AUTO_JSON json_t *want = json_loads(text, 0, NULL);
	CHECK(json_equal(got, want));
	CHECK(json_real_or(data, "lab_seconds", -1) == 55);
	scene_close(&sc);
}

TEST(a_small_step_is_sought_longer)
{
	static const struct {
		const char *ratio;
		double want_s;
	} rows[] = { { "ratio = 1.5", 55 },
		     { "ratio = 1.1", 110 },
		     { "ratio = 1.05", 165 },
		     { "ratio = 1.01", 165 } };
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct scene sc;
		scene_open(&sc);
		scene_edit(&sc, "task.toml", "ratio = 3.0", rows[i].ratio);
		scene_student(&sc, scene_usual);
		scene_new(&sc);
		scene_run(&sc);
		AUTO_JSON json_t *data = told_to_teacher(&sc);
		CHECK(data);
		CHECK(json_real_or(data, "lab_seconds", -1) == rows[i].want_s);
		scene_close(&sc);
	}
}

TEST(a_tiny_budget_leaves_no_time_to_measure)
{
	struct scene sc;
	scene_open(&sc);
	scene_edit(&sc, "task.toml", "hours = 0.5", "hours = 0.01");
	scene_student(&sc, scene_usual);
	scene_new(&sc);
	scene_run(&sc);
	AUTO_JSON json_t *data = told_to_teacher(&sc);
	CHECK(data);
	CHECK(json_real_or(data, "lab_seconds", -1) == 0);
	scene_close(&sc);
}

TEST_MAIN()
