#include "base/opt.h"

#include "base/err.h"
#include "base/mem.h"
#include "test.h"

struct parsed {
	bool is_json;
	bool is_loud;
	const char *dir;
	int64_t k;
	double hours;
};

static int parse(struct parsed *p, const char *const *argv, bool stop, struct strv *rest,
		 struct err *e)
{
	const struct opt items[] = {
		{ 0, "json", OPT_FLAG, NULL, "machine-readable", &p->is_json },
		{ 'v', "verbose", OPT_FLAG, NULL, "say more", &p->is_loud },
		{ 'C', NULL, OPT_TEXT, "DIR", "work in DIR", &p->dir },
		{ 'k', "replicates", OPT_COUNT, "K", "replicates", &p->k },
		{ 0, "hours", OPT_REAL, "H", "hours", &p->hours },
	};
	const struct opt_table t = { items, ARRAY_LEN(items) };
	return opt_parse(&t, argv, stop, rest, e);
}

#define ARGV(...) ((const char *const[]){ "prog", __VA_ARGS__, NULL })

TEST(every_spelling_of_an_option_is_read)
{
	static const char *const spellings[][6] = {
		{ "prog", "-k", "8", NULL },        { "prog", "-k8", NULL },
		{ "prog", "-vk8", NULL },           { "prog", "--replicates", "8", NULL },
		{ "prog", "--replicates=8", NULL },
	};
	for (size_t i = 0; i < ARRAY_LEN(spellings); i++) {
		struct parsed p = { 0 };
		struct err e = { 0 };
		const char *argv[6];
		memcpy(argv, spellings[i], sizeof(argv));
		AUTO_STRV struct strv rest = { 0 };
		CHECK_OK(parse(&p, argv, false, &rest, &e));
		CHECK_INT(p.k, 8);
		CHECK_INT(rest.nr, 0);
	}
}

TEST(options_and_operands_mix_until_two_dashes)
{
	struct parsed p = { 0 };
	struct err e = { 0 };
	AUTO_STRV struct strv rest = { 0 };
	CHECK_OK(parse(&p, ARGV("a", "--json", "-", "--", "-v", "--hours"), false, &rest, &e));
	CHECK(p.is_json && !p.is_loud);
	AUTO_FREE char *joined = strv_join(&rest, " ");
	CHECK_TEXT(joined, "a - -v --hours");
}

TEST(the_first_operand_can_end_the_options)
{
	struct parsed p = { 0 };
	struct err e = { 0 };
	AUTO_STRV struct strv rest = { 0 };
	CHECK_OK(parse(&p, ARGV("-C", "d", "run", "-v", "--", "x"), true, &rest, &e));
	CHECK_TEXT(p.dir, "d");
	AUTO_FREE char *joined = strv_join(&rest, " ");
	CHECK_TEXT(joined, "run -v -- x");
}

TEST(bad_options_are_usage_errors_that_say_what_is_wrong)
{
	static const struct {
		const char *argv[4];
		const char *text;
	} rows[] = {
		{ { "prog", "--jsno", NULL }, "unknown option --jsno; did you mean --json?" },
		{ { "prog", "--zzzzzzzz=1", NULL }, "unknown option --zzzzzzzz" },
		{ { "prog", "--js", NULL }, "unknown option --js; did you mean --json?" },
		{ { "prog", "-x", NULL }, "unknown option -x" },
		{ { "prog", "--json=1", NULL }, "--json takes no value" },
		{ { "prog", "--replicates", NULL }, "--replicates wants a value (K)" },
		{ { "prog", "-k", NULL }, "-k wants a value (K)" },
		{ { "prog", "-k", "8x", NULL }, "-k wants a whole number, not '8x'" },
		{ { "prog", "-k", "-8", NULL }, "-k wants a whole number, not '-8'" },
		{ { "prog", "-k", "", NULL }, "-k wants a whole number, not ''" },
		{ { "prog", "-k99999999999999999999", NULL },
		  "-k wants a whole number, not '99999999999999999999'" },
		{ { "prog", "--hours=nan", NULL }, "--hours wants a number above 0, not 'nan'" },
		{ { "prog", "--hours=0", NULL }, "--hours wants a number above 0, not '0'" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct parsed p = { 0 };
		struct err e = { 0 };
		const char *argv[4];
		memcpy(argv, rows[i].argv, sizeof(argv));
		AUTO_STRV struct strv rest = { 0 };
		CHECK_INT(parse(&p, argv, false, &rest, &e), -1);
		CHECK_INT(e.kind, ERR_USAGE);
		CHECK_TEXT(e.text, rows[i].text);
	}
}

TEST(help_lists_every_option_aligned)
{
	bool is_json = false;
	int64_t k = 0;
	const struct opt items[] = {
		{ 0, "json", OPT_FLAG, NULL, "one JSON object", &is_json },
		{ 'k', "replicates", OPT_COUNT, "K", "2, 8 or 16", &k },
	};
	AUTO_STR struct str out = STR_INIT;
	opt_print(&(struct opt_table){ items, ARRAY_LEN(items) }, &out);
	CHECK_TEXT(out.text, "  --json                    one JSON object\n"
			     "  -k, --replicates K        2, 8 or 16\n");
}

TEST(the_nearest_word_is_the_one_that_was_meant)
{
	static const char *const words[] = { "run", "status", "report", "judge", "check" };
	CHECK_TEXT(opt_nearest("stauts", words, ARRAY_LEN(words)), "status");
	CHECK_TEXT(opt_nearest("rnu", words, ARRAY_LEN(words)), "run");
	CHECK_TEXT(opt_nearest("chekc", words, ARRAY_LEN(words)), "check");
	CHECK(opt_nearest("frobnicate", words, ARRAY_LEN(words)) == NULL);
	CHECK(opt_nearest("", words, ARRAY_LEN(words)) == NULL);
}

TEST_MAIN()
