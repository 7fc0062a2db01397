#include "model/curriculum.h"

/* Loading, and every lint rule against the worked example with one thing broken. */

#include "model/task.h"
#include "page.h"

static char *example(void)
{
	return page_block("docs/format/curriculum.md", "toml", 0);
}

static char *replaced(const char *from, const char *to)
{
	AUTO_FREE char *text = example();
	char *at = strstr(text, from);
	if (!at)
		printf("# the example does not hold: %s\n", from);
	CHECK(at != NULL);
	return xasprintf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

TEST(the_worked_example_of_the_page_loads)
{
	struct err e = { 0 };
	AUTO_FREE char *text = example();
	AUTO_CURRICULUM struct curriculum c;
	CHECK_OK(curriculum_parse(&c, text, "v1.toml", &e));
	CHECK_INT(c.version, 1);
	CHECK_INT(c.structure_epoch, 1);
	CHECK_INT(c.nr_milestones, 2);
	CHECK_INT(c.milestones[0].nr_decisions, 7);
	CHECK_TEXT(c.milestones[1].gate, "correctness+performance+mechanism");
	const struct decision *d = curriculum_find(&c, "D1.1");
	CHECK_TEXT(d->value, "256");
	CHECK_TEXT(d->needs[0], "D0.2");
	CHECK_TEXT(d->mechanism.metric, "vector_bits");
	CHECK_TEXT(d->mechanism.direction, "up");
	CHECK(d->mechanism.at_least == 2);
	CHECK_TEXT(curriculum_find(&c, "D0.2")->range, "8, 16, 32");
	CHECK(curriculum_find(&c, "D0.5")->is_not_applicable);
	CHECK_TEXT(curriculum_find(&c, "D1.3")->mechanism.none_reason,
		   "the profile does not count split accesses");
	CHECK_TEXT(curriculum_find(&c, "D1.3")->lessons[0], "split-lines");
	CHECK_TEXT(curriculum_find(&c, "D1.3")->atomic, "operands");
	CHECK(curriculum_find(&c, "D9.9") == NULL);
}

TEST(a_file_loads_like_its_text)
{
	struct err e = { 0 };
	char dir[] = "/tmp/forge-curriculum-XXXXXX";
	CHECK(mkdtemp(dir) != NULL);
	AUTO_FREE char *path = path_join(dir, "v1.toml");
	AUTO_FREE char *text = example();
	struct curriculum c;
	CHECK_OK(file_write_text(path, text, &e));
	CHECK_OK(curriculum_load(&c, path, &e));
	CHECK_TEXT(c.path, path);
	curriculum_release(&c);
	CHECK_OK(file_write(path, "a\0b", 3, &e));
	CHECK(curriculum_load(&c, path, &e) < 0);
	CHECK(str_ends(e.text, "v1.toml:1:1: the file has a NUL byte"));
	CHECK_OK(tree_remove(dir, &e));
	CHECK(curriculum_load(&c, path, &e) < 0);
}

struct form_row {
	const char *from;
	const char *to;
	const char *message;
};

static const struct form_row form_rows[] = {
	{ "version = 1\n", "", "v.toml:1:1: a curriculum has no version; add it" },
	{ "version = 1\n", "version = '1'\n",
	  "v.toml:1:11: version must be an integer, not a string" },
	{ "title = ", "titel = ",
	  "v.toml:6:1: unknown key titel in [[milestone]]; the keys are id title gate decision" },
	{ "id = \"M0\"\n", "", "v.toml:4:3: [[milestone]] has no id; add it" },
	{ "id = \"D0.1\"\n", "", "v.toml:9:13: [[milestone.decision]] has no id; add it" },
	{ "what = \"how", "what = 3 #\"how", "v.toml:12:8: what must be a string, not an integer" },
	{ "needs = [\"D0.1\"]", "needs = \"D0.1\"",
	  "v.toml:25:9: needs must be an array of strings, not a string" },
	{ "metric = \"vector_bits\", ", "", "v.toml:83:13: mechanism has no metric; add it" },
	{ "at_least = 2", "by = 2",
	  "v.toml:83:57: unknown key by in mechanism; the keys are metric direction at_least "
	  "by_pct to" },
	{ "mechanism = { metric = \"vector_bits\", direction = \"up\", at_least = 2 }",
	  "mechanism = \"vector_bits\"", "v.toml:83:13: mechanism must be a table" },
};

TEST(wrong_form_is_refused_with_its_place)
{
	for (size_t i = 0; i < ARRAY_LEN(form_rows); i++) {
		struct err e = { 0 };
		struct curriculum c;
		AUTO_FREE char *text = replaced(form_rows[i].from, form_rows[i].to);
		CHECK(curriculum_parse(&c, text, "v.toml", &e) < 0);
		CHECK_TEXT(e.text, form_rows[i].message);
		CHECK(c.arena.head == NULL);
	}
}

TEST(milestones_must_be_tables)
{
	struct err e = { 0 };
	struct curriculum c;
	CHECK(curriculum_parse(&c, "version = 1\nmilestone = 3\n", "v.toml", &e) < 0);
	CHECK_TEXT(e.text, "v.toml:2:13: milestone must be an array of tables");
	CHECK(curriculum_parse(&c, "version = 1\nmilestone = [3]\n", "v.toml", &e) < 0);
	CHECK_TEXT(e.text, "v.toml:2:14: [[milestone]] must be a table");
}

TEST(a_text_that_is_too_long_is_refused)
{
	struct err e = { 0 };
	struct curriculum c;
	AUTO_FREE char *text = xcalloc(256 * 1024 + 2, 1);
	memset(text, '#', 256 * 1024 + 1);
	CHECK(curriculum_parse(&c, text, "v.toml", &e) < 0);
	CHECK_TEXT(e.text, "v.toml:1:1: longer than 256 KiB");
	text[256 * 1024] = 0;
	CHECK(curriculum_parse(&c, text, "v.toml", &e) < 0);
	CHECK_TEXT(e.text, "v.toml:1:1: a curriculum has no version; add it");
}

static void lint_text(const char *text, const char *reference, struct findings *found)
{
	struct err e = { 0 };
	AUTO_CURRICULUM struct curriculum c;
	CHECK_OK(curriculum_parse(&c, text, "v.toml", &e));
	curriculum_lint(&c, reference, found);
}

static void show(const struct findings *found)
{
	for (size_t i = 0; i < found->nr; i++)
		printf("# %s:%u: %s\n", found->items[i].file, found->items[i].line,
		       found->items[i].text);
}

static bool has_finding(const struct findings *found, unsigned line, const char *text)
{
	for (size_t i = 0; i < found->nr; i++)
		if (found->items[i].line == line && found->items[i].is_error &&
		    strcmp(found->items[i].text, text) == 0)
			return true;
	return false;
}

TEST(the_worked_example_has_no_finding)
{
	AUTO_FREE char *text = example();
	AUTO_FINDINGS struct findings found = { 0 };
	lint_text(text, NULL, &found);
	show(&found);
	CHECK_INT(found.nr, 0);
}

struct rule_row {
	const char *from;
	const char *to;
	unsigned line;
	const char *text;
};

static void check_rule(const struct rule_row *row)
{
	AUTO_FREE char *text = replaced(row->from, row->to);
	AUTO_FINDINGS struct findings found = { 0 };
	lint_text(text, NULL, &found);
	if (!has_finding(&found, row->line, row->text)) {
		printf("# wanted %u: %s\n", row->line, row->text);
		show(&found);
	}
	CHECK(has_finding(&found, row->line, row->text));
}

TEST(milestones_follow_the_rules)
{
	static const struct rule_row rows[] = {
		{ "version = 1", "version = 0", 1, "version must be 1 or more" },
		{ "structure_epoch = 1", "structure_epoch = 0", 1,
		  "structure_epoch must be 1 or more" },
		{ "id = \"M1\"", "id = \"M2\"", 71,
		  "milestone M2 stands where M1 belongs; number them in order" },
		{ "title = \"Tuning\"", "title = \" \"", 71, "milestone M1 has no title; add one" },
		{ "gate = \"correctness\"", "gate = \"performance\"", 4,
		  "the gate of M0 must be \"correctness\"" },
		{ "gate = \"correctness+performance+mechanism\"", "gate = \"correctness\"", 71,
		  "the gate of M1 must be \"correctness+performance+mechanism\"" },
		{ "lessons = [\"split-lines\"]\n",
		  "\n[[milestone]]\nid = \"M2\"\ntitle = \"x\"\ngate = "
		  "\"correctness+performance+mechanism\"\n",
		  105, "milestone M2 has no decision; add rows or remove it" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_rule(&rows[i]);
}

TEST(an_empty_curriculum_is_a_finding)
{
	AUTO_FINDINGS struct findings found = { 0 };
	lint_text("version = 1\n", NULL, &found);
	CHECK(has_finding(&found, 1,
			  "there is no milestone; write [[milestone]] with id = \"M0\""));
}

TEST(a_course_has_at_most_256_rows)
{
	AUTO_STR struct str text = STR_INIT;
	AUTO_FINDINGS struct findings found = { 0 };
	str_add(&text, "version = 1\n[[milestone]]\nid = \"M0\"\n");
	for (int i = 1; i <= 257; i++)
		str_addf(&text, "[[milestone.decision]]\nid = \"D0.%d\"\n", i);
	lint_text(text.text, NULL, &found);
	CHECK_INT(found.nr, 1);
	CHECK(has_finding(&found, 1, "257 rows; a course has at most 256"));
}

TEST(rows_say_what_why_and_when_they_are_wrong)
{
	static const struct rule_row rows[] = {
		{ "id = \"D1.1\"", "id = \"D2.1\"", 76,
		  "the id D2.1 does not fit; rows of M1 are D1.1, D1.2 and so on" },
		{ "id = \"D1.1\"", "id = \"D1.01\"", 76,
		  "the id D1.01 does not fit; rows of M1 are D1.1, D1.2 and so on" },
		{ "id = \"D1.2\"", "id = \"D1.1\"", 85,
		  "a second row D1.1; give it a number of its own" },
		{ "what = \"width of the vectors\"\n", "", 76,
		  "D1.1 has no what; say what is decided" },
		{ "why = \"the machine's full width halves the instructions\"", "why = \"\\t\"", 76,
		  "D1.1 has no why; give the reason" },
		{ "wrong_when = \"two cores are not faster than one at the largest shape\"\n", "",
		  9, "D0.1 has no wrong_when; name the measurement that would refute it" },
		{ "value = 256\n", "", 76, "D1.1 has neither value nor range; give one" },
		{ "value = 256\n", "value = 256\nrange = \"128, 256\"\n", 76,
		  "D1.1 has a value and a range; keep one" },
		{ "lessons = [\"split-lines\"]", "lessons = [\"\"]", 95,
		  "D1.3 cites a lesson without a name; name it or drop it" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_rule(&rows[i]);
}

TEST(rows_predict_a_mechanism_or_say_why_not)
{
	static const char *const mechanism =
		"mechanism = { metric = \"vector_bits\", direction = \"up\", at_least = 2 }\n";
	const struct rule_row rows[] = {
		{ "mechanism_none = \"object code does not tell which core runs it\"\n", "", 9,
		  "D0.1 has no mechanism; give metric and direction, or the reason in "
		  "mechanism_none" },
		{ "mechanism = { metric = \"loop_spill_loads\", direction = \"same\" }\n", "", 18,
		  "D0.2 has no mechanism; give metric and direction, or the reason in "
		  "mechanism_none" },
		{ mechanism, "", 76,
		  "D1.1 has no mechanism; give metric and direction, or the reason in "
		  "mechanism_none" },
		{ mechanism, "mechanism_none = \" \"\n", 76,
		  "D1.1 has no mechanism; give metric and direction, or the reason in "
		  "mechanism_none" },
		{ "direction = \"up\"", "direction = \"more\"", 76,
		  "D1.1: direction must be \"up\", \"down\" or \"same\"" },
		{ "at_least = 2", "at_least = -1", 76,
		  "D1.1: at_least must be a factor, 0 or more" },
		{ "at_least = 2", "at_least = nan", 76,
		  "D1.1: at_least must be a factor, 0 or more" },
		{ "at_least = 2", "by_pct = -1", 76,
		  "D1.1: by_pct must be 0 or more, and at most 100 downwards" },
		{ "up\", at_least = 2", "down\", by_pct = 120", 76,
		  "D1.1: by_pct must be 0 or more, and at most 100 downwards" },
		{ "at_least = 2", "to = nan", 76, "D1.1: to must be a value of the metric" },
		{ "at_least = 2", "at_least = 2, to = 256", 76,
		  "D1.1: at_least, by_pct and to tell the same thing; keep one" },
		{ "up\", at_least = 2", "same\", to = 256", 76,
		  "D1.1: what stays the same has no size; drop it" },
		{ "metric = \"vector_bits\"", "metric = \"Vector bits\"", 76,
		  "D1.1: \"Vector bits\" is no metric; metrics are names in lower case" },
		{ "needs = [\"D0.2\"]\n", "needs = [\"D0.2\"]\nmechanism_none = \"none\"\n", 76,
		  "D1.1 has a mechanism and a reason for none; keep one" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_rule(&rows[i]);
}

TEST(the_structure_settles_every_topic)
{
	static const struct rule_row rows[] = {
		{ "covers = \"order\"", "covers = \"residency\"", 4,
		  "no row of M0 covers order; add one, or one that is not_applicable and says "
		  "why" },
		{ "covers = \"order\"", "covers = \"sorting\"", 53,
		  "D0.6 covers an unknown topic \"sorting\"; the topics are work_split "
		  "tile_shapes thread_roles register_budget residency order overlap" },
		{ "covers = \"residency\"\n", "", 46,
		  "D0.5 does not apply and covers nothing; remove it" },
		{ "value = 256\n", "value = 256\ncovers = \"order\"\n", 76,
		  "D1.1 covers order; topics belong to M0" },
		{ "[[milestone.decision]]\nid = \"D0.7\"\ncovers = \"overlap\"\nwhat = \"what "
		  "hides "
		  "behind what\"\nvalue = \"arithmetic behind memory\"\nwhy = \"the work is bound "
		  "by "
		  "memory\"\nwrong_when = \"time follows the clock frequency\"\n"
		  "mechanism_none = \"what overlaps shows in the time alone\"\n",
		  "", 4, "M0 has 6 rows; the structure needs at least 7" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_rule(&rows[i]);
}

TEST(needs_form_a_graph_without_loose_ends)
{
	static const struct rule_row rows[] = {
		{ "needs = [\"D0.1\"]", "needs = [\"D0.8\"]", 18,
		  "D0.2 needs D0.8, which does not exist; name a row of this file" },
		{ "needs = [\"D0.1\"]", "needs = [\"D0.2\"]", 18,
		  "D0.2 needs itself; drop that need" },
		{ "needs = [\"D0.1\"]", "needs = [\"D1.1\"]", 18,
		  "D0.2 needs D1.1 of a later milestone; move one of them" },
		{ "needs = [\"D0.1\"]", "needs = [\"D0.5\"]", 18,
		  "D0.2 needs D0.5, which does not apply; drop that need" },
		{ "needs = [\"D0.2\"]", "needs = [\"D0.2\", \"D1.3\"]", 95,
		  "a cycle: D1.3 needs D1.2 needs D1.1 needs D1.3; drop one of these needs" },
		{ "needs = [\"D1.2\"]\n", "", 95,
		  "D1.3 is an orphan: it needs nothing and nothing needs it; name in "
		  "needs what it builds on" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_rule(&rows[i]);
}

TEST(a_row_that_is_needed_is_no_orphan)
{
	AUTO_FREE char *text = replaced("needs = [\"D0.2\"]\n", "");
	AUTO_FINDINGS struct findings found = { 0 };
	lint_text(text, NULL, &found);
	show(&found);
	CHECK_INT(found.nr, 0);
}

TEST(atomic_groups_stay_whole)
{
	static const struct rule_row rows[] = {
		{ "value = 256\n", "value = 256\natomic = \"\"\n", 76,
		  "D1.1: the atomic group has no name; name it or drop the key" },
		{ "value = \"all alike\"\n", "value = \"all alike\"\natomic = \"operands\"\n", 86,
		  "the atomic group operands spans two milestones; move its rows together" },
		{ "value = \"ascending\"\n", "value = \"ascending\"\natomic = \"operands\"\n", 86,
		  "the atomic group operands spans two milestones; move its rows together" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_rule(&rows[i]);
	AUTO_FREE char *once = replaced("range = \"8, 16, 32\"", "atomic = \"s\"\nrange = \"8\"");
	char *at = strstr(once, "value = \"ascending\"");
	AUTO_FREE char *twice = xasprintf("%.*satomic = \"s\"\n%s", (int)(at - once), once, at);
	AUTO_FINDINGS struct findings found = { 0 };
	lint_text(twice, NULL, &found);
	CHECK(has_finding(
		&found, 54,
		"the atomic group s is not in one piece; write its rows one behind the other"));
}

TEST(code_leaks_are_found)
{
	static const struct rule_row rows[] = {
		{ "\"contiguous halves, one for each core\"", "\"\"\"halves\n```c\nx\n```\"\"\"", 9,
		  "D0.1 value holds code (\"```\"); say the decision in words" },
		{ "what = \"width of the vectors\"", "what = \"set width = 8;\"", 76,
		  "D1.1 what holds code (\";\"); say the decision in words" },
		{ "\"the work is bound by memory\"", "\"as for (i = 0\"", 62,
		  "D0.7 why holds code (\"for (\"); say the decision in words" },
		{ "\"the work is bound by memory\"", "\"since y[i] = x[i]\"", 62,
		  "D0.7 why holds code (\"=\"); say the decision in words" },
		{ "\"the work is bound by memory\"", "\"needs #include <immintrin.h>\"", 62,
		  "D0.7 why holds code (\"#include\"); say the decision in words" },
		{ "title = \"Structure\"", "title = \"for (;;)\"", 4,
		  "a title holds code (\"for (\"); say the decision in words" },
		{ "\"the profile does not count split accesses\"", "\"i++ hides it\"", 95,
		  "D1.3 mechanism_none holds code (\"++\"); say the decision in words" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_rule(&rows[i]);
}

TEST(comparisons_with_an_index_range_are_no_code)
{
	AUTO_FREE char *text =
		replaced("wrong_when = \"time follows the clock frequency\"",
			 "wrong_when = \"time >= 1.1 of the old, interval [a, b]; or "
			 "width == 128\"");
	AUTO_FINDINGS struct findings found = { 0 };
	lint_text(text, NULL, &found);
	show(&found);
	CHECK_INT(found.nr, 0);
}

static const char *const reference =
	"#include <stdint.h>\n#define CHUNK_LEN 64\nstatic float weightedPair(float left, float "
	"rightTerm)\n{\n\treturn left * rightTerm;\n}\n\nvoid entry_name(const float *xs, float "
	"*ys, "
	"int64_t count_of)\n{\n\tfloat scale = 1;\n\tfloat partsum = 0;\n\tfor (int64_t i = 0; i < "
	"count_of; i++)\n\t\tpartsum += weightedPair(xs[i], ys[i]) * scale;\n\tys[0] = "
	"partsum;\n}\n";

static void check_leak(const char *why, const char *text)
{
	AUTO_FREE char *to = xasprintf("why = \"%s\"", why);
	AUTO_FREE char *changed = replaced("why = \"the work is bound by memory\"", to);
	AUTO_FINDINGS struct findings found = { 0 };
	lint_text(changed, reference, &found);
	bool is_right = text ? has_finding(&found, 62, text) : found.nr == 0;
	if (!is_right)
		show(&found);
	CHECK(is_right);
}

TEST(names_of_the_reference_leak)
{
	check_leak("as weightedPair does",
		   "D0.7 why names \"weightedPair\", which is a name in the reference's source");
	check_leak("CHUNK_LEN elements",
		   "D0.7 why names \"CHUNK_LEN\", which is a name in the reference's source");
	check_leak("the partsum grows",
		   "D0.7 why names \"partsum\", which is a name in the reference's source");
}

TEST(interface_names_and_plain_english_do_not_leak)
{
	check_leak("entry_name reads xs, ys and count_of", NULL);
	check_leak("the scale of the left term; float and int64_t are types", NULL);
	check_leak("f(xs, ys, count_of) lists the arguments: xs, ys, count_of, 3", NULL);
}

TEST(runs_of_the_reference_leak)
{
	check_leak("it returns left * rightTerm ; } then",
		   "D0.7 why repeats the reference's source: \"left * rightTerm ; }\"");
	check_leak("( xs [ i ]", "D0.7 why repeats the reference's source: \"( xs [ i ]\"");
	check_leak("xs [ i ] then", NULL);
}

TEST(without_a_source_names_are_free)
{
	AUTO_FREE char *changed =
		replaced("why = \"the work is bound by memory\"", "why = \"partsum grows\"");
	AUTO_FINDINGS struct findings found = { 0 };
	lint_text(changed, NULL, &found);
	CHECK_INT(found.nr, 0);
}

TEST(a_lesson_that_is_not_in_the_base_is_found)
{
	struct err e = { 0 };
	AUTO_FREE char *text = example();
	AUTO_CURRICULUM struct curriculum c = { 0 };
	CHECK_OK(curriculum_parse(&c, text, "v1.toml", &e));
	AUTO_STRV struct strv ids = { 0 };
	AUTO_FINDINGS struct findings none = { 0 };
	AUTO_FINDINGS struct findings near = { 0 };
	AUTO_FINDINGS struct findings fine = { 0 };
	curriculum_lint_lessons(&c, &ids, &none);
	CHECK_INT(none.nr, 1);
	CHECK(strstr(none.items[0].text,
		     "D1.3 cites the lesson \"split-lines\", which is not in the "
		     "knowledge base; there are no lessons: drop it"));
	CHECK_INT(none.items[0].line, curriculum_find(&c, "D1.3")->line);
	strv_add(&ids, "split-line");
	curriculum_lint_lessons(&c, &ids, &near);
	CHECK(strstr(near.items[0].text, "did you mean split-line; cite by id, or drop it"));
	strv_add(&ids, "split-lines");
	curriculum_lint_lessons(&c, &ids, &fine);
	CHECK_INT(fine.nr, 0);
}

TEST_MAIN()
