#include "build/screen_python.h"

#include "base/json.h"
#include "fixture.h"

/*
 * One source for each screen of Python modules, through the build; tests/gpu/test_screens.py has
 * many more, and look-alikes that must pass. Where there is no python3 nothing is tried, and that
 * is said.
 */

struct row {
	const char *what;
	const char *source;
	enum reason reason; /* REASON_NONE: passes */
	const char *names;  /* in the detail */
};

#define TRITON "import triton\nimport triton.language as tl\n"
#define KERNEL_OF                                                                                  \
	"\n\n@triton.jit\ndef scale_of(x, y, n, s, BLOCK: tl.constexpr):\n"                        \
	"    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"                                \
	"    tl.store(y + at, tl.load(x + at, mask=at < n) * s, mask=at < n)\n\n\n"
#define CALL "    scale_of[(triton.cdiv(n, 1024),)](x, y, n, s, BLOCK=1024)\n"
#define RUN "def run(x, y, n, s):\n"
#define PLAIN TRITON KERNEL_OF RUN CALL

static void build_python(struct fixture *f, const char *source, struct build *b)
{
	struct err e = { 0 };
	f->task.language = "python";
	f->task.reference_language = "python";
	f->task.entry = "run";
	CHECK_OK(file_write_text(f->source_path, source, &e));
	CHECK_OK(build_run(b, &f->spec, &e));
}

static void check_row(const struct row *row, enum build_role role)
{
	struct fixture f;
	fixture_init(&f, 1);
	f.spec.role = role;
	AUTO_BUILD struct build b;
	build_python(&f, row->source, &b);
	bool is_named = !row->names || strstr(b.verdict.detail, row->names);
	if (b.verdict.reason != row->reason || !is_named)
		printf("# %s: %s %s\n", row->what, reason_name(b.verdict.reason), b.verdict.detail);
	CHECK_INT(b.verdict.reason, row->reason);
	CHECK(is_named);
	fixture_release(&f);
}

static bool can_try(void)
{
	if (!has_program("python3"))
		printf("# skipped: no python3 here\n");
	return has_program("python3");
}

TEST(what_a_module_may_not_do_is_refused_by_name)
{
	static const struct row rows[] = {
		{ "no Python", "def run(x, y, n, s:\n", REASON_compile_failed, "line 1" },
		{ "parameters", "def run(x, n, y, s):\n    pass\n", REASON_no_entry,
		  "(x, y, n, s), or (x, n, s)" },
		{ "import", "import os\n" PLAIN, REASON_forbidden_import, "line 1: os" },
		{ "eval", RUN "    eval('x')\n", REASON_forbidden_import, "eval" },
		{ "code of the module", "print('x')\n" PLAIN, REASON_constructor, "margin" },
		{ "kept dictionary", "KEPT = {}\n" RUN "    KEPT[n] = y\n", REASON_writable_static,
		  "KEPT[n]" },
		{ "method", RUN "    y.copy_(x)\n", REASON_forbidden_import, ".copy_()" },
		{ "clock",
		  TRITON "\n\n@triton.jit\ndef f(x):\n"
			 "    tl.inline_asm_elementwise('mov.u64 $0, %globaltimer;', '=l', [],\n"
			 "                              dtype=tl.int64, is_pure=False, pack=1)\n"
			 "\n\n" RUN "    f[(1,)](x)\n",
		  REASON_forbidden_instruction, "clock" },
	};
	for (size_t i = 0; can_try() && i < ARRAY_LEN(rows); i++)
		check_row(&rows[i], BUILD_CANDIDATE);
}

TEST(a_reference_may_call_what_is_installed)
{
	static const struct row rows[] = {
		{ "library",
		  "import torch.nn.functional as F\n\n\ndef run(x, n, s):\n    return F.gelu(x)\n",
		  REASON_NONE, NULL },
		{ "parameters", "def run(x):\n    return x\n", REASON_no_entry, "(x, n, s)" },
	};
	for (size_t i = 0; can_try() && i < ARRAY_LEN(rows); i++)
		check_row(&rows[i], BUILD_REFERENCE);
}

TEST(what_is_loaded_is_the_copy_that_was_screened)
{
	struct err e = { 0 };
	struct fixture f;
	AUTO_STR struct str copy = STR_INIT;
	if (!can_try())
		return;
	fixture_init(&f, 1);
	AUTO_BUILD struct build b;
	build_python(&f, PLAIN, &b);
	CHECK_INT(b.verdict.state, VERDICT_NONE);
	CHECK_INT((int)b.nr_so, 1);
	CHECK(str_ends(b.so_paths[0], "kernel.py"));
	CHECK_OK(file_read(b.so_paths[0], 1 << 20, &copy, &e));
	CHECK_TEXT(copy.text, PLAIN);
	CHECK_INT((int)json_integer_value(json_object_get(b.facts, "nr_kernels")), 1);
	CHECK(strstr(b.compiler_version, "Python 3"));
	fixture_release(&f);
}

TEST(an_answer_that_is_none_is_an_error)
{
	struct err e = { 0 };
	struct verdict v = { 0 };
	AUTO_JSON json_t *facts = NULL;
	AUTO_JSON json_t *strange = json_pack("{s:s}", "rule", "weather");
	CHECK(screen_python_take(strange, &v, &facts, &e) < 0);
	CHECK(screen_python_take(NULL, &v, &facts, &e) < 0);
	CHECK(v.state == VERDICT_NONE && !facts);
}

static bool stands_on(const struct str *page, const char *name)
{
	AUTO_FREE char *quoted = xasprintf("`%s`", name);
	if (!strstr(page->text, quoted))
		printf("# %s is not on the page\n", name);
	return strstr(page->text, quoted) != NULL;
}

TEST(screens_and_facts_stand_on_the_page)
{
	struct err e = { 0 };
	AUTO_STR struct str page = STR_INIT;
	CHECK_OK(file_read("docs/format/kernel-python.md", 1 << 20, &page, &e));
#define SCREEN(name, reason, holds)                                                                \
	CHECK(stands_on(&page, #name));                                                            \
	CHECK(stands_on(&page, #reason));                                                          \
	CHECK(strstr(page.text, holds));
#include "build/screens_python.def"
#undef SCREEN
	CHECK(stands_on(&page, "nr_kernels") && stands_on(&page, "nr_autotuned") &&
	      stands_on(&page, "source_lines"));
}

TEST_MAIN()
