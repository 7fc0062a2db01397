#include "know/lesson.h"

#include <math.h>

#include "base/rng.h"
#include "know/prose.h"
#include "know/sample.h"

TEST(the_example_of_the_page_is_a_lesson)
{
	struct err e = { 0 };
	AUTO_FREE char *text = sample_lesson();
	AUTO_LESSON struct lesson l = { 0 };
	CHECK_OK(lesson_parse(&l, text, "independent-sums.md", &e));
	CHECK_TEXT(l.id, "independent-sums");
	CHECK_TEXT(l.family, "x86-64");
	CHECK_TEXT(l.probe, "independent-sums.probe.c");
	CHECK_INT(l.nr_topics, 3);
	CHECK(lesson_has_topic(&l, "reductions"));
	CHECK(lesson_has_language(&l, "c"));
	CHECK(!l.is_negative);
	CHECK_INT(l.nr_claims, 1);
	CHECK_TEXT(l.claims[0].value, "gain");
	CHECK(l.claims[0].low == 1.3 && isnan(l.claims[0].high));
	CHECK(str_starts(l.body, "An addition of floating-point numbers"));
	/* The line that an editor would jump to. */
	const char *at = text;
	for (unsigned i = 1; i < l.body_line; i++)
		at = strchr(at, '\n') + 1;
	CHECK(str_starts(at, "An addition"));
}

static const struct {
	const char *from;
	const char *to;
	const char *message;
} broken[] = {
	{ "+++\nversion", "version", "l.md:1: a lesson begins with a line +++" },
	{ "+++\nAn addition", "An addition",
	  "l.md:1: the table has no end; close it by a line +++" },
	{ "version = 1\n", "version = 2\n", "l.md:2:11: version must be 1" },
	{ "version = 1\n", "", "l.md:2: version is missing; write version = 1" },
	{ "title = ", "titel = ", "l.md:4:1: " },
	{ "family = \"x86-64\"\n", "", "the lesson has no family; add it" },
	{ "low = 1.3\n", "low = \"1.3\"\n", "l.md:17:7: " },
	{ "[scope]\n", "[scope]\nwhere = 1\n", "l.md:13:1: " },
};

TEST(what_the_table_may_not_hold_is_told_with_its_line)
{
	AUTO_FREE char *good = sample_lesson();
	for (size_t i = 0; i < ARRAY_LEN(broken); i++) {
		struct err e = { 0 };
		AUTO_FREE char *text = sample_edit(good, broken[i].from, broken[i].to);
		AUTO_LESSON struct lesson l = { 0 };
		CHECK(lesson_parse(&l, text, "l.md", &e) < 0);
		printf("# %s\n", e.text);
		CHECK(strstr(e.text, broken[i].message));
	}
}

static const struct {
	const char *scope;
	const char *family;
	const char *name;
	const char *features;
	bool is_about;
} scopes[] = {
	{ "devices = [\"*\"]", "x86-64", "anything", "", true },
	{ "devices = [\"*\"]", "aarch64", "anything", "", false },
	{ "devices = [\"Example*9*Hz\"]", "x86-64", "Example CPU 9000 @ 2.40GHz", "", true },
	{ "devices = [\"Example*8*Hz\"]", "x86-64", "Example CPU 9000 @ 2.40GHz", "", false },
	{ "devices = [\"Example\"]", "x86-64", "Example CPU", "", false },
	{ "devices = [\"A*\", \"Ex*U\"]", "x86-64", "Example CPU", "", true },
	{ "devices = [\"*\"]\nfeatures = [\"fma\"]", "x86-64", "x", "avx2 fma", true },
	{ "devices = [\"*\"]\nfeatures = [\"avx\", \"fma\"]", "x86-64", "x", "avx2 fma", false },
};

TEST(a_lesson_is_about_devices_of_its_scope_with_its_features)
{
	AUTO_FREE char *good = sample_lesson();
	for (size_t i = 0; i < ARRAY_LEN(scopes); i++) {
		struct err e = { 0 };
		AUTO_FREE char *text = sample_edit(good, "devices = [\"*\"]", scopes[i].scope);
		AUTO_LESSON struct lesson l = { 0 };
		const struct kb_device device = { .family = scopes[i].family,
						  .name = scopes[i].name,
						  .features = scopes[i].features };
		CHECK_OK(lesson_parse(&l, text, "l.md", &e));
		printf("# %s on %s\n", scopes[i].scope, scopes[i].name);
		CHECK(lesson_is_about(&l, &device) == scopes[i].is_about);
	}
}

TEST(a_claim_holds_between_its_bounds)
{
	const struct claim both = { .low = 1, .high = 2 };
	const struct claim low = { .low = 1, .high = NAN };
	CHECK(claim_holds(&both, 1) && claim_holds(&both, 2) && !claim_holds(&both, 2.001));
	CHECK(claim_holds(&low, 1e9) && !claim_holds(&low, 0.999));
	CHECK(!claim_holds(&low, INFINITY) && !claim_holds(&low, NAN));
}

TEST(every_topic_and_rule_and_state_is_on_the_page)
{
	struct err e = { 0 };
	AUTO_STR struct str page = STR_INIT;
	CHECK_OK(file_read(SAMPLE_PAGE, 1 << 20, &page, &e));
	static const char *const names[] = {
#define TOPIC(name, text) "`" #name "`",
#include "model/topics.def"
#undef TOPIC
#define LESSON_TOPIC(name, text) "`" #name "`",
#include "know/lesson_topics.def"
#undef LESSON_TOPIC
#define LESSON_RULE(name, text) "| `" #name "` |",
#include "know/lesson_rules.def"
#undef LESSON_RULE
#define LESSON_STATE(name, text) "| `" #name "` |",
#include "know/lesson_states.def"
#undef LESSON_STATE
#define FAMILY(name, arch) "`" name "`",
#include "know/families.def"
#undef FAMILY
#define MEASURED(unit) "`" unit "`",
#define COUNTED(word)
#include "know/units.def"
#undef MEASURED
#undef COUNTED
	};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!strstr(page.text, names[i]))
			printf("# %s lacks %s\n", SAMPLE_PAGE, names[i]);
		CHECK(strstr(page.text, names[i]));
	}
}

TEST(a_file_that_can_not_be_read_is_a_finding_and_the_others_are_there)
{
	struct err e = { 0 };
	struct sample s;
	sample_open(&s);
	sample_put(&s, "x86-64/bad.md", "no table\n");
	AUTO_FINDINGS struct findings f = { 0 };
	AUTO_KB struct kb kb = { 0 };
	CHECK_OK(kb_load(&kb, s.dir, &f, &e));
	CHECK_INT(kb.nr, 1);
	CHECK(kb_find(&kb, "independent-sums") && !kb_find(&kb, "bad"));
	CHECK_INT(f.nr, 1);
	CHECK(str_ends(f.items[0].file, "bad.md"));
	CHECK_INT(f.items[0].line, 1);
	CHECK(!kb_need(&kb, "independent-sum", &e));
	CHECK(strstr(e.text, "did you mean independent-sums"));
	sample_close(&s);
}

TEST(a_base_that_is_not_there_is_an_error_with_its_cure)
{
	struct err e = { 0 };
	AUTO_KB struct kb kb = { 0 };
	CHECK(kb_load(&kb, "/tmp/forge-there-is-none", NULL, &e) < 0);
	CHECK(strstr(e.text, "FAMILY/LESSON.md"));
}

/* One text in whatever state: read, cut, its numbers found. */
static void read_any(const char *text)
{
	struct err e = { 0 };
	AUTO_LESSON struct lesson l = { 0 };
	AUTO_PROSE struct prose p = { .nr = 0 };
	if (lesson_parse(&l, text, "l.md", &e) < 0)
		CHECK(str_starts(e.text, "l.md:"));
	prose_cut(&p, text, 1);
	for (size_t i = 0; i < p.nr; i++) {
		size_t at = 0;
		char *number;
		while (p.items[i].plain && (number = prose_bare_number(p.items[i].plain, "", &at)))
			free(number);
	}
}

TEST(any_text_is_read_or_refused_with_its_place)
{
	AUTO_FREE char *text = sample_lesson();
	struct rng rng = { .seed = 7 };
	size_t len = strlen(text);
	for (size_t cut = 0; cut < len; cut += 3) {
		AUTO_FREE char *some = xstrndup(text, cut);
		read_any(some);
	}
	for (int i = 0; i < 3000; i++) {
		size_t at = (size_t)rng_below(&rng, len);
		char saved = text[at];
		text[at] = (char)(1 + rng_below(&rng, 255));
		read_any(text);
		text[at] = saved;
	}
}

TEST_MAIN()
