#include "kernels.h"

/* Files of the tuner as the source of a further search. */

#include "base/json.h"
#include "model/curriculum.h"
#include "model/task.h"
#include "tuner/campaign.h"
#include "tuner/compose.h"
#include "tuner/draft.h"
#include "tuner/moves.h"
#include "tuner/say.h"
#include "tuner/student.h"
#include "tuner/study.h"
#include "tuner/teacher.h"

#define FAST "build cc=gcc flags=-O3,-march=native,-ffast-math"
#define ALL "specialise shapes=all"

static char *changed(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	CHECK(at);
	return xasprintf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

TEST(a_file_tells_its_rows_and_what_they_were_applied_to)
{
	AUTO_ARENA struct arena a = { 0 };
	struct origin o;
	AUTO_FREE char *text =
		WITH(KERNEL_ROWS, FAST, ALL, "threads loop=L0 n=2 layout=block", "simd loop=L0.0");
	origin_find(&o, text, &kernel_task, &a);
	CHECK(!o.doubt);
	CHECK_INT(o.plan.nr, 4);
	CHECK_TEXT(o.plan.rows[2], "threads loop=L0 n=2 layout=block");
	CHECK(strstr(o.source, "void kern(const float *a") && !strstr(o.source, "_plain"));
	CHECK(!strstr(o.source, "GOMP_parallel"));
	AUTO_STR struct str again = STR_INIT;
	struct err e = { 0 };
	CHECK_OK(plan_render(&o.plan, o.source, &kernel_task, &again, &e));
	CHECK_TEXT(again.text, text);
}

TEST(the_text_around_the_entry_survives_generations)
{
	static const char source[] =
		"/* forge-build: gcc -O1 */\n#include <stdint.h>\n#define TWO 2\n"
		"/* An entry. */\nvoid kern /* named so */ (const float *a, const "
		"float *b, float *c, int64_t n, int64_t m, int64_t k)\n{\n"
		"	for (int64_t i = 0; i < n * m; i++)\n		c[i] = a[i] "
		"* TWO; /* kern */\n	(void)b, (void)k;\n}\n/* The end. */\n";
	AUTO_ARENA struct arena a = { 0 };
	AUTO_FREE char *first = WITH(source, FAST, ALL);
	struct origin one;
	struct origin two;
	origin_find(&one, first, &kernel_task, &a);
	CHECK(strstr(one.source, "#define TWO 2") && strstr(one.source, "/* The end. */"));
	AUTO_FREE char *second = WITH(one.source, FAST, ALL, "threads loop=L0 n=2 layout=block");
	origin_find(&two, second, &kernel_task, &a);
	CHECK_TEXT(two.source, one.source);
	CHECK(kernel_same(source, second));
}

TEST(a_source_that_lists_no_rows_is_itself)
{
	AUTO_ARENA struct arena a = { 0 };
	struct origin o;
	origin_find(&o, KERNEL_ROWS, &kernel_task, &a);
	CHECK(!o.doubt && !o.plan.nr);
	CHECK_TEXT(o.source, KERNEL_ROWS);
}

TEST(a_file_that_its_rows_do_not_make_is_any_other_source)
{
	static const char *const edits[][3] = {
		{ "chunk < 2", "chunk < 1", "make another file" },
		{ "gcc -O3", "gcc -O2", "built otherwise" },
		{ "forge-rows: 1", "forge-rows: 2", "another version" },
		{ ALL, "specialise shapes=some", "do not apply" },
		{ "loop=L0 n=2", "loop=L9 n=2", "no loop L9" },
		{ ALL, "conjure shapes=all", "not understood" },
		{ "/* What the rows made of it. */", "", "mark" },
		{ "1e-5f);\n		for", "1e-6f);\n		for", "make another file" },
		{ "simd loop=L0.0", "simd loop=L0.1", "make another file" },
	};
	AUTO_FREE char *text =
		WITH(KERNEL_ROWS, FAST, ALL, "threads loop=L0 n=2 layout=block", "simd loop=L0.0");
	for (size_t i = 0; i < ARRAY_LEN(edits); i++) {
		AUTO_ARENA struct arena a = { 0 };
		AUTO_FREE char *edited = changed(text, edits[i][0], edits[i][1]);
		struct origin o;
		origin_find(&o, edited, &kernel_task, &a);
		if (!o.doubt || !strstr(o.doubt, edits[i][2]))
			printf("# edit %zu: %s\n", i, o.doubt ? o.doubt : "no doubt");
		CHECK(o.doubt && strstr(o.doubt, edits[i][2]));
		CHECK(!o.plan.nr && o.source == edited);
	}
}

TEST(comments_and_layout_are_free)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_FREE char *text = WITH(KERNEL_ROWS, FAST, ALL);
	AUTO_FREE char *edited = changed(text, "\n	else\n", " /* any */\n\n	else\n");
	struct origin o;
	origin_find(&o, edited, &kernel_task, &a);
	CHECK(!o.doubt && o.plan.nr == 2);
}

static struct plan make(struct arena *a, const char *const *rows)
{
	struct plan p = { .nr = 0 };
	for (; *rows; rows++)
		p = plan_with(&p, *rows, a);
	return p;
}
#define PLAN(a, ...) make(a, (const char *const[]){ __VA_ARGS__, NULL })

TEST(the_difference_of_two_plans_leads_from_one_to_the_other)
{
	AUTO_ARENA struct arena a = { 0 };
	const struct plan from = PLAN(&a, FAST, ALL, "sink loop=L0.0 u=8 as=lanes",
				      "threads loop=L0 n=2 layout=block", "unroll loop=L0.1 n=4");
	const struct plan to =
		PLAN(&a, "build cc=clang flags=-O3", ALL, "sink loop=L0.0 u=16 as=lanes",
		     "sink loop=L0 u=4 as=registers", "unroll loop=L0.1 n=4");
	struct plan changes;
	struct plan now = from;
	plan_difference(&from, &to, &changes, &a);
	CHECK_INT(changes.nr, 4);
	CHECK_TEXT(changes.rows[0], "build cc=clang flags=-O3");
	CHECK_TEXT(changes.rows[1], "sink loop=L0.0 u=16 as=lanes");
	CHECK_TEXT(changes.rows[3], "drop row=threads loop=L0");
	for (size_t i = 0; i < changes.nr; i++) {
		struct err e = { 0 };
		CHECK_OK(plan_change(&now, changes.rows[i], &a, &e));
	}
	CHECK(plan_equal(&now, &to));
	struct err e = { 0 };
	CHECK(plan_change(&now, "drop row=threads loop=L0", &a, &e) < 0);
	CHECK(strstr(e.text, "holds no such row"));
}

TEST(a_plain_source_holds_no_row_to_drop)
{
	AUTO_FREE char *why = REFUSAL(KERNEL_ROWS, "drop row=threads loop=L0");
	CHECK(strstr(why, "there is no such row: threads"));
}

/* Data of a turn; with inputs and seconds something can be measured. */
static json_t *turn_data(const char *reference, double seconds)
{
	static const char text[] =
		"{\"task\": {\"name\": \"t\", \"entry\": \"kern\", \"threads\": 2, \"args\": ["
		"{\"name\": \"a\", \"role\": \"in\", \"dtype\": \"f32\", \"shape\": [\"n*m\"]},"
		"{\"name\": \"b\", \"role\": \"in\", \"dtype\": \"f32\", \"shape\": [\"n*m\"]},"
		"{\"name\": \"c\", \"role\": \"out\", \"dtype\": \"f32\", \"shape\": [\"n*m\"]},"
		"{\"name\": \"n\", \"role\": \"scalar\", \"dtype\": \"i64\", \"value\": null},"
		"{\"name\": \"m\", \"role\": \"scalar\", \"dtype\": \"i64\", \"value\": null},"
		"{\"name\": \"k\", \"role\": \"scalar\", \"dtype\": \"i64\", \"value\": \"n\"}],"
		"\"shapes\": [{\"name\": \"large\", \"dims\": {\"n\": 256, \"m\": 256},"
		"\"inputs\": {\"a\": {\"kind\": \"normal\", \"mean\": 0, \"std\": 1},"
		"\"b\": {\"kind\": \"normal\", \"mean\": 0, \"std\": 1}}}]},"
		"\"machine\": {\"compilers\": [\"gcc\"]}, \"errors\": [], \"previous\": null}";
	struct err e = { 0 };
	json_t *data = json_read_text(text, strlen(text), "data", &e);
	CHECK(data);
	json_object_set_new(data, "reference", json_string(reference));
	json_object_set_new(data, "lab_seconds", json_real(seconds));
	return data;
}

/* The kernel after these rows of a course, NULL-terminated; every second text is a value. */
static json_t *round_of(const char *start, const char *const *values)
{
	AUTO_JSON json_t *data = turn_data(start, 0);
	struct err e = { 0 };
	json_t *rows = json_array();
	for (; values[1]; values++)
		json_array_append_new(rows, json_pack("{s:s, s:s, s:s}", "id", "D0.1", "what", "x",
						      "value", values[0]));
	json_object_set_new(data, "start", json_string(start));
	json_object_set_new(data, "rows", rows);
	json_object_set_new(
		data, "row",
		json_pack("{s:s, s:s, s:s}", "id", "D1.1", "what", "y", "value", values[0]));
	json_t *answer = student_round(data, &e);
	CHECK(answer);
	return answer;
}
#define ROUND(start, ...) round_of(start, (const char *const[]){ __VA_ARGS__, NULL })

/* A kernel for the sizes of turn_data. */
static char *kernel_of(const char *source, const char *values)
{
	AUTO_JSON json_t *answer = ROUND(source, values);
	const char *text = json_text_or(answer, "source", NULL);
	if (!text)
		printf("# %s\n", json_text_or(answer, "reason", "?"));
	CHECK(text);
	return xstrdup(text);
}

TEST(the_student_changes_the_rows_that_its_start_was_made_by)
{
	AUTO_FREE char *start = kernel_of(KERNEL_ROWS, FAST " | " ALL " | unroll loop=L0.1 n=4 | "
							    "simd loop=L0.0");
	AUTO_JSON json_t *done =
		ROUND(start, "unroll loop=L0.1 n=8",
		      "threads loop=L0 n=2 layout=block | drop row=simd loop=L0.0");
	const char *text = json_text_or(done, "source", "");
	CHECK(strstr(text, " *   start " ALL "\n"));
	CHECK(strstr(text, " *   D1.1 threads loop=L0 n=2 layout=block\n *   D0.1 unroll loop=L0.1 "
			   "n=8\n"));
	CHECK(!strstr(text, "simd loop") && !strstr(text, "#pragma omp simd"));
	AUTO_FREE char *direct = kernel_of(KERNEL_ROWS, FAST
					   " | " ALL " | threads loop=L0 n=2 layout=block | unroll "
					   "loop=L0.1 n=8");
	CHECK_TEXT(strstr(text, " */\n"), strstr(direct, " */\n"));
	CHECK(kernel_same(KERNEL_ROWS, text));
}

TEST(a_change_that_does_not_fit_is_handed_back)
{
	AUTO_FREE char *start = kernel_of(KERNEL_ROWS, FAST " | " ALL);
	AUTO_JSON json_t *drop = ROUND(start, "drop row=threads loop=L0");
	CHECK_TEXT(json_text_or(drop, "type", ""), "handback");
	AUTO_JSON json_t *row = ROUND(start, "threads loop=L7 n=2");
	CHECK(strstr(json_text_or(row, "reason", ""),
		     "D1.1: threads loop=L7 n=2: there is no loop"));
}

static void check_lint(const char *toml, const char *reference)
{
	AUTO_CURRICULUM struct curriculum c = { 0 };
	AUTO_FINDINGS struct findings f = { 0 };
	struct err e = { 0 };
	CHECK_OK(curriculum_parse(&c, toml, "draft", &e));
	curriculum_lint(&c, reference, &f);
	for (size_t i = 0; i < f.nr; i++)
		printf("# line %u: %s\n", f.items[i].line, f.items[i].text);
	if (f.nr)
		printf("%s\n", toml);
	CHECK_INT(f.nr, 0);
}

/* Says nothing; notes what was said. */
static void hear(void *ctx, const char *text)
{
	str_addf(ctx, "%s\n", text);
}

static json_t *teach(const char *reference, double seconds, struct str *heard)
{
	char dir[] = "/tmp/forge-test-XXXXXX";
	AUTO_JSON json_t *data = turn_data(reference, seconds);
	const struct say say = { hear, heard };
	struct err e = { 0 };
	CHECK(mkdtemp(dir));
	CHECK(chdir(dir) == 0);
	json_t *answer = teacher_curriculum(data, &say, &e);
	CHECK(chdir("/") == 0);
	CHECK_OK(tree_remove(dir, &e));
	CHECK(answer);
	return answer;
}

TEST(without_measurement_only_rows_are_proposed_that_the_source_does_not_hold)
{
	AUTO_STR struct str heard = STR_INIT;
	AUTO_FREE char *start =
		kernel_of(KERNEL_ROWS, FAST " | " ALL " | threads loop=L0 n=2 layout=dynamic");
	AUTO_JSON json_t *answer = teach(start, 0, &heard);
	const char *toml = json_text_or(answer, "toml", "");
	CHECK(strstr(heard.text, "goes on from the 3 rows"));
	CHECK(strstr(toml, "kept as the source has it, by " FAST " | " ALL));
	CHECK(strstr(toml, "kept as the source has it, by threads loop=L0 n=2 layout=dynamic"));
	CHECK(!strstr(toml, "value = \"" ALL) && !strstr(toml, "value = \"threads"));
	CHECK(!strstr(toml, "value = \"" FAST "\""));
	CHECK(strstr(toml, "value = \"simd loop=L0.0\""));
	check_lint(toml, start);
}

/* What the rows write into a file becomes names of a reference, which a course must not tell. */
TEST(courses_do_not_speak_of_what_rows_wrote)
{
	static const char *const cases[][2] = {
		{ KERNEL_ROWS, FAST " | " ALL " | threads loop=L0 n=2 layout=dynamic" },
		{ KERNEL_TURN,
		  FAST " | " ALL " | threads loop=L0 n=2 layout=grid inner=L0.0 grid=1x2" },
		{ KERNEL_TURN, FAST " | " ALL " | tile loop=L0 inner=L0.0 u=8 v=8" },
		{ KERNEL_NEST,
		  FAST " | " ALL " | scalarise loop=L0.0.0 | sink loop=L0.0 u=16 as=lanes | "
		       "pack array=b loop=entry | sink loop=L0 u=4 as=registers | threads "
		       "loop=L0 n=2 layout=block | vectors bits=256" },
		{ KERNEL_REDUCED, FAST " | " ALL " | threads loop=L0 n=2 reduce=all" },
		{ KERNEL_CHAIN, FAST " | " ALL " | unroll loop=L0 n=4" },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STR struct str heard = STR_INIT;
		AUTO_FREE char *start = kernel_of(cases[i][0], cases[i][1]);
		AUTO_JSON json_t *answer = teach(start, 0, &heard);
		CHECK(strstr(heard.text, "goes on from the"));
		if (strcmp(json_text_or(answer, "type", ""), "give_up") != 0)
			check_lint(json_text_or(answer, "toml", ""), start);
	}
}

TEST(an_edited_file_is_said_to_be_one)
{
	AUTO_STR struct str heard = STR_INIT;
	AUTO_FREE char *start = kernel_of(KERNEL_ROWS, FAST " | " ALL);
	AUTO_FREE char *edited = changed(start, "gcc -O3", "gcc -O2");
	AUTO_JSON json_t *answer = teach(edited, 0, &heard);
	CHECK(strstr(heard.text, "taken as any other source: it is built otherwise"));
	check_lint(json_text_or(answer, "toml", ""), edited);
}

/* What a function finds on its stack is no scene of its own. */
static __attribute__((noinline)) void soil_stack(void)
{
	volatile unsigned char junk[256 << 10];
	for (size_t i = 0; i < sizeof(junk); i++)
		junk[i] = 0xa5;
}

TEST(moves_that_do_not_apply_release_nothing)
{
	AUTO_ARENA struct arena a = { 0 };
	struct tuner_task task = kernel_task;
	task.threads = 1;
	const struct ground g = { KERNEL_ROWS, &task, &a, NULL };
	const struct plan p = PLAN(&a, FAST, ALL);
	struct moves out = { .nr = 0 };
	soil_stack();
	moves_packs(&g, &p, &out);
	soil_stack();
	moves_threads(&g, &p, &out);
	CHECK_INT(out.nr, 0);
}

/* No optimisation at all is so much slower that any machine sees the difference. */
TEST(a_search_goes_on_where_an_earlier_one_ended)
{
	AUTO_STR struct str heard = STR_INIT;
	AUTO_FREE char *start = kernel_of(KERNEL_ROWS, "build cc=gcc flags=-O0 | " ALL);
	AUTO_JSON json_t *answer = teach(start, 12, &heard);
	const char *toml = json_text_or(answer, "toml", NULL);
	if (!toml)
		printf("# %s\n%s", json_text_or(answer, "reason", "?"), heard.text);
	CHECK(toml);
	check_lint(toml, start);
	CHECK(strstr(toml, "build cc=gcc flags=-O3") || strstr(toml, "build cc=clang flags=-O3"));
	CHECK(!strstr(toml, ALL " |") && !strstr(toml, "| " ALL));
}

static void check_draft(struct draft *d)
{
	AUTO_STR struct str toml = STR_INIT;
	draft_connect(d);
	d->parts[0].title = d->parts[1].title = "a title";
	draft_print(d, &toml);
	check_lint(toml.text, NULL);
}

TEST(a_course_lists_what_changes_and_what_is_kept)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_DRAFT struct draft d = { .a = &a, .version = 1, .structure_epoch = 1 };
	const struct study s = {
		.a = &a,
		.task = kernel_task,
		.start = PLAN(&a, FAST, ALL, "sink loop=L0.0 u=8 as=lanes", "vectors bits=256"),
	};
	struct discovery f = { .evaluations = 9 };
	f.best.plan = PLAN(&a, FAST, ALL, "sink loop=L0.0 u=16 as=lanes",
			   "threads loop=L0 n=2 layout=block", "vectors bits=256");
	f.changes = PLAN(&a, "sink loop=L0.0 u=16 as=lanes", "threads loop=L0 n=2 layout=block");
	f.steps[0] = 1.3;
	f.steps[1] = 2;
	f.is_whole[0] = f.is_whole[1] = true;
	f.near[0].plan = s.start;
	f.near[0].ratio = 1.99;
	f.nr_near = 1;
	compose_course(&d, &s, &f);
	CHECK_TEXT(d.parts[0].items[0].value, "sink loop=L0.0 u=16 as=lanes");
	CHECK(d.parts[0].items[0].predicts == 1.3);
	CHECK_TEXT(d.parts[0].items[1].value, "threads loop=L0 n=2 layout=block");
	CHECK(str_starts(d.parts[0].items[2].why, "kept as the source has it, by " FAST " | " ALL));
	CHECK_INT(d.parts[1].nr, 0);
	check_draft(&d);
}

TEST(changes_that_only_make_a_kernel_together_are_one_decision)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_DRAFT struct draft d = { .a = &a, .version = 1, .structure_epoch = 1 };
	const struct study s = { .a = &a, .task = kernel_task, .start = PLAN(&a, FAST, ALL) };
	struct discovery f = { .evaluations = 9 };
	f.best.plan = PLAN(&a, FAST, ALL, "sink loop=L0.0 u=16 as=lanes", "vectors bits=256");
	f.changes = PLAN(&a, "sink loop=L0.0 u=16 as=lanes", "vectors bits=256");
	f.steps[1] = 2;
	f.is_whole[1] = true;
	compose_course(&d, &s, &f);
	CHECK_TEXT(d.parts[0].items[0].value, "sink loop=L0.0 u=16 as=lanes | vectors bits=256");
	check_draft(&d);
}

TEST_MAIN()
