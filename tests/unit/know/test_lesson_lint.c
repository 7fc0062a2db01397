#include "know/lesson_lint.h"

#include "know/sample.h"

/* Each rule has lessons that it finds, made from the right one by one change; the right one, and
 * what only looks like a fault, it leaves alone. */

static const char reference[] =
	"void scale(const float *x, float *y, long n, float qscale)\n"
	"{\n\tfor (long i = 0; i < n; i++)\n\t\ty[i] = x[i] * qscale + unroll_base;\n}\n";

static void lint(const struct sample *s, struct findings *f)
{
	struct err e = { 0 };
	AUTO_KB struct kb kb = { 0 };
	AUTO_LESSON_LINT struct lesson_lint rules;
	CHECK_OK(kb_load(&kb, s->dir, f, &e));
	CHECK_OK(lesson_lint_init(&rules, reference, f, &e));
	lesson_lint_base(&rules, &kb);
}

static void show(const struct findings *f)
{
	for (size_t i = 0; i < f->nr; i++)
		printf("# %s:%u: %s\n", f->items[i].file, f->items[i].line, f->items[i].text);
}

TEST(the_lesson_of_the_page_is_clean)
{
	struct sample s;
	AUTO_FINDINGS struct findings f = { 0 };
	sample_open(&s);
	lint(&s, &f);
	show(&f);
	CHECK_INT(f.nr, 0);
	sample_close(&s);
}

#define WHEN "## When not\n\n"

static const struct {
	const char *from;
	const char *to;
	unsigned line; /* 0: any */
	const char *message;
	bool is_warning;
} faults[] = {
	{ "languages = [\"c\"]", "languages = [\"fortran\"]", 2,
	  "format: \"fortran\" is no language", false },
	{ "\"latency\", ", "\"speed\", ", 2, "format: there is no topic \"speed\"", false },
	{ "topics = [\"latency\", \"register_budget\", \"reductions\"]\n", "", 2,
	  "format: topics are missing", false },
	{ "family = \"x86-64\"", "family = \"hopper\"", 2,
	  "format: family hopper lies in the folder x86-64", false },
	{ "family = \"x86-64\"", "family = \"z80\"", 2, "there is no device family \"z80\"",
	  false },
	{ "id = \"independent-sums\"", "id = \"sums\"", 2, "belongs into a file sums.md", false },
	{ "several independent ones do not\"", "several independent ones do not.\"", 4,
	  "format: the title is one sentence", false },
	{ "probe = \"independent-sums.probe.c\"", "probe = \"../../x.probe.c\"", 2,
	  "format: the probe must be called", false },
	{ "unit = \"ratio\"", "unit = \"apples\"", 15, "format: \"apples\" is no unit", false },
	{ "low = 1.3\n", "", 15, "format: the claim gain has no bound", false },
	{ "low = 1.3\n", "low = 1.3\nhigh = 1.2\n", 15, "low above high", false },
	{ WHEN, WHEN "As in a softmax.\n", 0, "operator_name: \"softmax\" names an operator",
	  false },
	{ WHEN, WHEN "As in a Layer_Norm.\n", 0, "operator_name: \"Layer_Norm\"", false },
	{ "part0 += v[i];", "unroll_base += v[i];", 31,
	  "reference_identifier: \"unroll_base\" is a name in a task's reference", false },
	{ WHEN, WHEN "The bound is unroll_base.\n", 0, "reference_identifier: \"unroll_base\"",
	  false },
	{ WHEN, WHEN "for (i = 0; i < n; i++)\n", 0, "code_outside_fence: prose holds code",
	  false },
	{ WHEN, WHEN "a value that is stored;\n", 0, "code_outside_fence: prose holds code (\";\")",
	  false },
	{ "```c\n", "```\n", 29, "code_outside_fence: a fence of \"\"", false },
	{ "}\n```\n", "}\n", 0, "code_outside_fence: nothing closes this fence", false },
	{ WHEN, WHEN "It is adapted from a library.\n", 0, "paraphrase: \"adapted from\"", false },
	{ WHEN, WHEN "This was taken\nfrom a library.\n", 0, "paraphrase: \"taken from\"", false },
	{ "[scope]\ndevices = [\"*\"]\n", "", 2, "no_scope: which devices is it about?", false },
	{ "devices = [\"*\"]", "features = [\"fma\"]", 2, "no_scope: which devices", false },
	{ WHEN, WHEN "It takes 4 or so.\n", 0, "number_without_unit: \"4\" has no unit", false },
	{ "applies_when = \"a loop", "applies_when = \"n is 64 and a loop", 8,
	  "number_without_unit: \"64\"", false },
	{ "low = 1.3\n", "low = 0.5\nhigh = 2.0\n", 15, "vague_claim: the interval of gain holds 1",
	  true },
};

/* not_certified is a certificate's: certified_means_that_the_numbers_bear_it. */
TEST(every_rule_has_a_lesson_that_fails_it)
{
	static const char *const rules[] = {
#define LESSON_RULE(name, text) #name,
#include "know/lesson_rules.def"
#undef LESSON_RULE
	};
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		bool is_found = str_equal(rules[i], "not_certified");
		for (size_t k = 0; k < ARRAY_LEN(faults); k++)
			is_found = is_found || str_starts(faults[k].message, rules[i]);
		if (!is_found)
			printf("# no lesson fails %s\n", rules[i]);
		CHECK(is_found);
	}
}

TEST(each_rule_finds_its_fault_where_it_stands)
{
	for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
		struct sample s;
		AUTO_FINDINGS struct findings f = { 0 };
		sample_open(&s);
		AUTO_FREE char *text = sample_edit(s.text, faults[i].from, faults[i].to);
		sample_put(&s, "x86-64/independent-sums.md", text);
		lint(&s, &f);
		show(&f);
		bool is_found = false;
		for (size_t k = 0; k < f.nr; k++)
			is_found = is_found ||
				   (strstr(f.items[k].text, faults[i].message) &&
				    f.items[k].is_error == !faults[i].is_warning &&
				    (!faults[i].line || f.items[k].line == faults[i].line));
		if (!is_found)
			printf("# not found: %s\n", faults[i].message);
		CHECK(is_found);
		sample_close(&s);
	}
}

static const char *const harmless[] = {
	"The name `unroll_base` has a letter less: `unroll_bas`, and `for (;;)` may stand here.\n",
	"On x86-64 with AVX-512 the L1 has 64-byte lines, 8 or 16 ways and 4 to 5 cycles.\n",
	"It needs 2x the time, 30 % more, 2^20 bytes, 0.5 ns, 4 independent sums and 32\nbytes.\n",
	"1. The first of a list.\n2. The second.\n",
	"Nothing here is original, and references to memory are no reference implementations.\n",
	"Attentive readers see matrices, norms of style and rows.\n",
};

TEST(what_only_looks_like_a_fault_is_none)
{
	for (size_t i = 0; i < ARRAY_LEN(harmless); i++) {
		struct sample s;
		AUTO_FINDINGS struct findings f = { 0 };
		sample_open(&s);
		AUTO_FREE char *more = xasprintf(WHEN "%s\n", harmless[i]);
		AUTO_FREE char *text = sample_edit(s.text, WHEN, more);
		if (i == 0) {
			char *own = sample_edit(text, "`unroll_base`", "`unroll_bases`");
			free(text);
			text = own;
		}
		sample_put(&s, "x86-64/independent-sums.md", text);
		lint(&s, &f);
		show(&f);
		CHECK_INT(f.nr, 0);
		sample_close(&s);
	}
}

TEST(a_draft_may_lie_anywhere)
{
	struct err e = { 0 };
	struct sample s;
	AUTO_FINDINGS struct findings f = { 0 };
	AUTO_LESSON_LINT struct lesson_lint rules;
	struct kb_entry draft = { .certs = NULL };
	sample_open(&s);
	sample_put(&s, "independent-sums.md", s.text);
	sample_put(&s, "independent-sums.probe.c", s.probe);
	AUTO_FREE char *path = path_join(s.dir, "independent-sums.md");
	CHECK_OK(lesson_load(&draft.lesson, path, &e));
	CHECK_OK(lesson_lint_init(&rules, NULL, &f, &e));
	lesson_lint(&rules, &draft);
	show(&f);
	CHECK_INT(f.nr, 0);
	lesson_release(&draft.lesson);
	sample_close(&s);
}

TEST(the_probe_names_no_operator_either)
{
	struct sample s;
	AUTO_FINDINGS struct findings f = { 0 };
	sample_open(&s);
	AUTO_FREE char *probe = xasprintf("%s/* like a gemm */\n", s.probe);
	sample_put(&s, "x86-64/independent-sums.probe.c", probe);
	lint(&s, &f);
	CHECK_INT(f.nr, 1);
	CHECK(str_ends(f.items[0].file, ".probe.c"));
	CHECK(strstr(f.items[0].text, "operator_name: \"gemm\""));
	sample_close(&s);
}

TEST(a_lesson_without_its_probe_is_found)
{
	struct sample s;
	AUTO_FINDINGS struct findings f = { 0 };
	sample_open(&s);
	AUTO_FREE char *probe = path_join(s.dir, "x86-64/independent-sums.probe.c");
	CHECK(unlink(probe) == 0);
	lint(&s, &f);
	show(&f);
	CHECK_INT(f.nr, 1);
	CHECK(strstr(f.items[0].text, "format: its probe can not be read"));
	sample_close(&s);
}

TEST(an_id_that_comes_twice_is_found)
{
	struct sample s;
	AUTO_FINDINGS struct findings f = { 0 };
	sample_open(&s);
	AUTO_FREE char *text = sample_edit(s.text, "family = \"x86-64\"", "family = \"aarch64\"");
	sample_put(&s, "aarch64/independent-sums.md", text);
	sample_put(&s, "aarch64/independent-sums.probe.c", s.probe);
	lint(&s, &f);
	show(&f);
	CHECK_INT(f.nr, 1);
	CHECK(strstr(f.items[0].text, "format: the id independent-sums is that of"));
	sample_close(&s);
}

/* A certificate is checked by its own numbers: `from` to `to` in one that is right. */
static void lint_certificate(const char *from, const char *to, struct findings *f)
{
	struct err e = { 0 };
	struct sample s;
	sample_open(&s);
	AUTO_LESSON struct lesson l = { 0 };
	CHECK_OK(lesson_parse(&l, s.text, "l.md", &e));
	AUTO_FREE char *page = page_block(SAMPLE_PAGE, "json", 0);
	AUTO_FREE char *told = sample_edit(
		page, "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8",
		l.digest.hex);
	AUTO_FREE char *text = sample_edit(told, from, to);
	sample_put(&s, "x86-64/independent-sums.cert.json", text);
	lint(&s, f);
	show(f);
	sample_close(&s);
}

TEST(certified_means_that_the_numbers_bear_it)
{
	static const struct {
		const char *from;
		const char *to;
		const char *message; /* NULL: nothing is found */
	} rows[] = {
		{ "3.92,", "3.92,", NULL },
		{ "\"measured\": 3.92", "\"measured\": 1.1",
		  "not_certified: certified on Example CPU 9000 @ 2.40GHz, where gain was measured "
		  "as 1.1" },
		{ "\"low\": 1.3", "\"low\": 1.0",
		  "not_certified: certified on Example CPU 9000 @ "
		  "2.40GHz, but not this claim of gain" },
		{ "{ \"value\": \"gain\"", "{ \"value\": \"loss\"", "but not this claim of gain" },
		{ "\"state\": \"certified\"", "\"state\": \"refuted\"", NULL },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FINDINGS struct findings f = { 0 };
		lint_certificate(rows[i].from, rows[i].to, &f);
		CHECK_INT(f.nr, rows[i].message ? 1 : 0);
		CHECK(!rows[i].message || strstr(f.items[0].text, rows[i].message));
	}
}

TEST(a_certificate_without_a_probe_is_found)
{
	struct sample s;
	AUTO_FINDINGS struct findings f = { 0 };
	sample_open(&s);
	AUTO_FREE char *probe = path_join(s.dir, "x86-64/independent-sums.probe.c");
	AUTO_FREE char *page = page_block(SAMPLE_PAGE, "json", 0);
	sample_put(&s, "x86-64/independent-sums.cert.json", page);
	CHECK(unlink(probe) == 0);
	lint(&s, &f);
	show(&f);
	bool is_found = false;
	for (size_t i = 0; i < f.nr; i++)
		is_found = is_found || strstr(f.items[i].text,
					      "not_certified: it has certificates and no probe");
	CHECK(is_found);
	sample_close(&s);
}

TEST_MAIN()
