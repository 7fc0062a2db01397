#include "turns.h"

static json_t *ask_student(json_t *data)
{
	struct err e = { 0 };
	return checked(student_round(data, &e), &e, data);
}

static const char unread_source[] =
	"#include <stdint.h>\n"
	"void kern(const float *a, const float *b, float *c, int64_t n, "
	"int64_t m, int64_t k)\n{\n#if 1\n	c[0] = 1;\n#endif\n}\n";

static const char *const sources[] = { KERNEL_ROWS,  KERNEL_NEST,     KERNEL_TURN,
				       KERNEL_CHAIN, KERNEL_TRIANGLE, KERNEL_PLACE,
				       KERNEL_ODD,   KERNEL_SWEEPS,   unread_source };

TEST(a_first_curriculum_passes_the_lint)
{
	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		for (int threads = 1; threads <= 2; threads++) {
			AUTO_JSON json_t *answer =
				ask(teacher_curriculum, task_data(sources[i], threads, i % 2));
			check_lint(text_of(answer, "toml"), sources[i]);
		}
	}
}

static json_t *apply(const char *source, json_t *rows, const struct decision *d)
{
	json_t *data = task_data(source, 2, false);
	json_object_set_new(data, "start", json_string(source));
	json_object_set(data, "rows", rows);
	json_object_set_new(
		data, "row",
		json_pack("{s:s, s:s, s:s?}", "id", d->id, "what", d->what, "value", d->value));
	return ask_student(data);
}

/* Every row, in order, on top of all before it; the last file is compared with the original. */
TEST(the_student_can_apply_every_row_the_teacher_writes)
{
	for (size_t i = 0; i + 1 < ARRAY_LEN(sources); i++) {
		AUTO_JSON json_t *answer = ask(teacher_curriculum, task_data(sources[i], 2, false));
		AUTO_CURRICULUM struct curriculum c = { 0 };
		AUTO_JSON json_t *rows = json_array();
		AUTO_FREE char *last = NULL;
		struct err e = { 0 };
		CHECK_OK(curriculum_parse(&c, text_of(answer, "toml"), "draft", &e));
		for (size_t m = 0; m < c.nr_milestones; m++) {
			for (size_t r = 0; r < c.milestones[m].nr_decisions; r++) {
				const struct decision *d = &c.milestones[m].decisions[r];
				if (d->is_not_applicable)
					continue;
				AUTO_JSON json_t *done = apply(sources[i], rows, d);
				free(last);
				last = xstrdup(text_of(done, "source"));
				json_array_append_new(rows, json_pack("{s:s, s:s, s:s}", "id",
								      d->id, "what", d->what,
								      "value", d->value));
			}
		}
		CHECK(json_array_size(rows) >= 4);
		CHECK(kernel_same(sources[i], last));
	}
}

TEST(what_can_not_be_read_gets_builds_and_says_so)
{
	AUTO_JSON json_t *answer = ask(teacher_curriculum, task_data(unread_source, 2, true));
	const char *toml = text_of(answer, "toml");
	CHECK(strstr(toml, "was not read") && strstr(toml, "a preprocessor line inside kern"));
	CHECK(strstr(toml, "build cc=gcc") && strstr(toml, "build cc=clang"));
	CHECK(!strstr(toml, "threads loop") && !strstr(toml, "simd loop"));
}

TEST(rows_follow_the_loops)
{
	AUTO_JSON json_t *rows = ask(teacher_curriculum, task_data(KERNEL_ROWS, 2, true));
	CHECK(strstr(text_of(rows, "toml"), "threads loop=L0 n=2 layout=block"));
	CHECK(strstr(text_of(rows, "toml"), "simd loop=L0.0"));
	CHECK(strstr(text_of(rows, "toml"), "cc=clang"));
	AUTO_JSON json_t *nest = ask(teacher_curriculum, task_data(KERNEL_NEST, 1, true));
	CHECK(strstr(text_of(nest, "toml"), "scalarise loop=L0.0.0"));
	CHECK(!strstr(text_of(nest, "toml"), "threads loop"));
	CHECK(strstr(text_of(nest, "toml"), "cc=clang"));
	AUTO_JSON json_t *triangle = ask(teacher_curriculum, task_data(KERNEL_TRIANGLE, 2, false));
	CHECK(strstr(text_of(triangle, "toml"), "threads loop=L0 n=2 layout=deal"));
	AUTO_JSON json_t *sweeps = ask(teacher_curriculum, task_data(KERNEL_SWEEPS, 2, false));
	CHECK(strstr(text_of(sweeps, "toml"), "threads loop=L1.0 n=2") &&
	      strstr(text_of(sweeps, "toml"), "threads loop=L1.1 n=2"));
}

TEST(a_call_too_short_for_a_team_gets_none)
{
	json_t *data = task_data(KERNEL_ROWS, 2, false);
	json_object_set_new(data, "times",
			    json_pack("[{s:s, s:f}]", "shape", "large", "ns", 9000.0));
	AUTO_JSON json_t *answer = ask(teacher_curriculum, data);
	CHECK(!strstr(text_of(answer, "toml"), "threads loop"));
	CHECK(strstr(text_of(answer, "toml"), "shorter than waking a team"));
}

TEST(the_same_turn_gets_the_same_answer)
{
	AUTO_JSON json_t *one = ask(teacher_curriculum, task_data(KERNEL_NEST, 2, true));
	AUTO_JSON json_t *two = ask(teacher_curriculum, task_data(KERNEL_NEST, 2, true));
	CHECK_TEXT(text_of(one, "toml"), text_of(two, "toml"));
}

TEST(without_a_reference_the_teacher_gives_up)
{
	AUTO_JSON json_t *answer = ask(teacher_curriculum, task_data(NULL, 2, true));
	CHECK_TEXT(json_text_or(answer, "type", ""), "give_up");
}

static json_t *revise(const char *source, const char *toml, json_t *decisions)
{
	json_t *data = task_data(source, 2, false);
	json_object_set_new(data, "curriculum", json_string(toml));
	json_object_set_new(data, "digest", json_pack("{s:o}", "decisions", decisions));
	return ask_revision(data, NULL);
}

TEST(a_revision_drops_what_was_refuted_and_tries_what_is_new)
{
	AUTO_JSON json_t *first = ask(teacher_curriculum, task_data(KERNEL_ROWS, 2, false));
	const char *v1 = text_of(first, "toml");
	json_t *list = json_array();
	json_array_append_new(list, seen("D0.1", "kept", 0, 1.5));
	json_array_append_new(list, seen("D0.2", "kept_slower", 1.5, 1.2));
	json_array_append_new(list, seen("D1.1", "kept_slower", 1.2, 1.1));
	json_array_append_new(list, seen("D1.2", "best", 1.1, 2.5));
	json_array_append_new(list, seen("D1.3", "rolled_back", 2.5, 0));
	json_array_append_new(list, seen("D2.1", "kept", 2.5, 2.3));
	AUTO_JSON json_t *second = revise(KERNEL_ROWS, v1, list);
	const char *v2 = text_of(second, "toml");
	check_lint(v2, KERNEL_ROWS);
	CHECK(strstr(v2, "version = 2\n") && strstr(v2, "structure_epoch = 2\n"));
	CHECK(has_line(v2, "specialise shapes=all"));
	CHECK(!has_line(v2, "threads loop=L0 n=2 layout=block"));
	CHECK(strstr(v2, "was tried and made it slower"));
	CHECK(has_line(v2, "build cc=gcc flags=-O3,-march=native"));
	CHECK(has_line(v2, "simd loop=L0.0"));
	CHECK(!has_line(v2, "build cc=gcc flags=-O3,-march=native,-ffast-math"));
	CHECK(!has_line(v2, "unroll loop=L0.1 n=4") && has_line(v2, "unroll loop=L0.1 n=8"));
}

TEST(revisions_end_when_everything_was_tried)
{
	AUTO_JSON json_t *answer = ask(teacher_curriculum, task_data(KERNEL_TURN, 1, false));
	unsigned nr = 0;
	while (nr < 20 && strcmp(json_text_or(answer, "type", ""), "curriculum") == 0) {
		AUTO_CURRICULUM struct curriculum c = { 0 };
		struct err e = { 0 };
		AUTO_FREE char *toml = xstrdup(text_of(answer, "toml"));
		json_t *list = json_array();
		check_lint(toml, KERNEL_TURN);
		CHECK_OK(curriculum_parse(&c, toml, "draft", &e));
		CHECK_INT(c.version, nr + 1);
		for (size_t m = 1; m < c.nr_milestones; m++)
			for (size_t i = 0; i < c.milestones[m].nr_decisions; i++)
				json_array_append_new(list, seen(c.milestones[m].decisions[i].id,
								 "rolled_back", 1, 0));
		json_array_append_new(list, seen("D0.1", "kept", 0, 1.1));
		json_decref(answer);
		answer = revise(KERNEL_TURN, toml, list);
		nr++;
	}
	CHECK(nr >= 2 && nr < 8);
	CHECK_TEXT(json_text_or(answer, "reason", ""), "no further row");
}

TEST(rows_that_were_not_tried_yet_survive_a_revision)
{
	AUTO_JSON json_t *first = ask(teacher_curriculum, task_data(KERNEL_ROWS, 2, false));
	json_t *list = json_array();
	json_array_append_new(list, seen("D0.1", "kept", 0, 1.0));
	json_array_append_new(list, seen("D0.2", "kept", 1.0, 1.0));
	AUTO_JSON json_t *second = revise(KERNEL_ROWS, text_of(first, "toml"), list);
	CHECK(has_line(text_of(second, "toml"), "simd loop=L0.0"));
	CHECK(has_line(text_of(second, "toml"), "unroll loop=L0.1 n=4"));
	check_lint(text_of(second, "toml"), KERNEL_ROWS);
}

/* A number of an early row is changed: what came after it is applied on top again. */
TEST(a_row_that_replaces_another_is_applied_in_its_place)
{
	AUTO_JSON json_t *rows = json_pack(
		"[{s:s, s:s, s:s}, {s:s, s:s, s:s}]", "id", "D0.1", "what", "x", "value",
		"specialise shapes=all | sink loop=L0.0 u=8 as=lanes", "id", "D0.2", "what", "y",
		"value", "threads loop=L0 n=2 layout=block | vectors bits=256");
	const struct decision d = { .id = "D1.1",
				    .what = "z",
				    .value = "sink loop=L0.0 u=16 as=lanes" };
	AUTO_JSON json_t *done = apply(KERNEL_NEST, rows, &d);
	const char *source = text_of(done, "source");
	CHECK(strstr(source, "D1.1 sink loop=L0.0 u=16 as=lanes"));
	CHECK(!strstr(source, "u=8"));
	CHECK(strstr(source, "sink loop=L0.0 u=16") < strstr(source, "threads loop=L0"));
	CHECK(kernel_same(KERNEL_NEST, source));
}

TEST_MAIN()
