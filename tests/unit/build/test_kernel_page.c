#include "base/json.h"
#include "fixture.h"

/* docs/format/kernel.md says what the program does. */

static void read_page(struct str *page)
{
	struct err e = { 0 };
	CHECK_OK(file_read("docs/format/kernel.md", 1 << 20, page, &e));
}

/* What a teacher is told of the metrics that its rows may name. */
static void read_prompt(struct str *page)
{
	struct err e = { 0 };
	CHECK_OK(file_read("share/prompts/format.md", 1 << 20, page, &e));
}

/* The page has `name` as a word in backquotes. */
static bool names(const struct str *page, const char *name)
{
	AUTO_FREE char *quoted = xasprintf("`%s`", name);
	return strstr(page->text, quoted) != NULL;
}

TEST(the_example_of_the_page_builds)
{
	AUTO_STR struct str page = STR_INIT;
	read_page(&page);
	const char *start = strstr(page.text, "```c\n");
	CHECK(start != NULL);
	start += strlen("```c\n");
	const char *end = strstr(start, "```");
	struct fixture f;
	fixture_init(&f, 1);
	struct err e = { 0 };
	CHECK_OK(file_write(f.source_path, start, (size_t)(end - start), &e));
	AUTO_BUILD struct build b;
	CHECK_OK(build_run(&b, &f.spec, &e));
	CHECK_TEXT(b.verdict.detail, "");
	CHECK_TEXT(b.flags, "gcc -O3 -march=native -ffp-contract=fast");
	CHECK_INT(b.nr_so, 1);
	fixture_release(&f);
}

TEST(every_screen_and_its_verdict_stand_on_the_page)
{
	AUTO_STR struct str page = STR_INIT;
	read_page(&page);
#define SCREEN(name, reason, text)                                                                 \
	CHECK(names(&page, #name));                                                                \
	CHECK(names(&page, #reason));
#include "build/screens.def"
#undef SCREEN
}

TEST(every_metric_stands_on_the_page)
{
	AUTO_STR struct str page = STR_INIT;
	AUTO_STR struct str prompt = STR_INIT;
	read_page(&page);
	read_prompt(&prompt);
	struct fixture f;
	fixture_init(&f, 1);
	AUTO_BUILD struct build b;
	fixture_build(&f, "gcc -O3 -mavx2 -mfma -ffast-math",
		      HEAD KERNEL "{ float a = 0; for (int64_t i = 0; i < n; i++) a += x[i] * x[i];"
				  "y[0] = a * s; }\n",
		      &b);
	const char *name = NULL;
	json_t *value = NULL;
	size_t nr = 0;
	json_object_foreach(b.facts, name, value)
	{
		if (!names(&page, name))
			printf("# %s is not on the page\n", name);
		CHECK(names(&page, name));
		/* Whether the jail held is no property of a kernel. */
		if (!str_equal(name, "jail") && !names(&prompt, name))
			printf("# %s is not in the prompt\n", name);
		CHECK(str_equal(name, "jail") || names(&prompt, name));
		CHECK(json_is_number(value));
		nr++;
	}
	CHECK(nr > 20);
	fixture_release(&f);
}

TEST_MAIN()
