#include "build/directive.h"

#include "base/mem.h"
#include "test.h"

static void check_accepted(const char *source, unsigned threads, const char *want)
{
	AUTO_DIRECTIVE struct directive d;
	struct verdict v = directive_parse(&d, source, "gcc -O2", threads);
	CHECK_TEXT(v.detail, "");
	CHECK_INT(v.state, VERDICT_NONE);
	AUTO_FREE char *text = directive_text(&d);
	CHECK_TEXT(text, want);
}

static void check_refused(const char *source, unsigned threads, const char *names)
{
	AUTO_DIRECTIVE struct directive d;
	struct verdict v = directive_parse(&d, source, "gcc -O2", threads);
	CHECK_INT(v.state, VERDICT_POLICY);
	CHECK_INT(v.reason, REASON_forbidden_flag);
	if (!strstr(v.detail, names))
		printf("# detail: %s\n", v.detail);
	CHECK(strstr(v.detail, names));
}

TEST(a_source_names_compilers_of_its_language_only)
{
	static const struct {
		const char *source;
		const char *otherwise;
		const char *text;  /* of the directive; NULL: refused */
		const char *names; /* in the refusal */
	} rows[] = {
		{ "int x;", "nvcc -O3", "nvcc -O3", NULL },
		{ "// forge-build: nvcc -O2 --maxrregcount=64 -Xptxas=-O3", "nvcc -O3",
		  "nvcc -O2 --maxrregcount=64 -Xptxas=-O3", NULL },
		{ "// forge-build: gcc -O2", "nvcc -O3", NULL, "gcc is not nvcc" },
		{ "// forge-build: nvcc -O2", "gcc -O2", NULL, "nvcc is not gcc or clang" },
		{ "// forge-build: nvcc -march=native", "nvcc", NULL, "-march=native is not for" },
		{ "// forge-build: gcc --use_fast_math", "gcc", NULL,
		  "--use_fast_math is not for" },
		{ "// forge-build: nvcc -arch=sm_80", "nvcc", NULL, "-arch=sm_80 is not on" },
		{ "// forge-build: nvcc -Xcompiler=-fopenmp", "nvcc", NULL, "is not on" },
		{ "// forge-build: nvcc -rdc=true", "nvcc", NULL, "-rdc=true is not on" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_DIRECTIVE struct directive d;
		struct verdict v = directive_parse(&d, rows[i].source, rows[i].otherwise, 1);
		AUTO_FREE char *text = directive_text(&d);
		if (rows[i].text)
			CHECK_TEXT(text, rows[i].text);
		if (rows[i].names && !strstr(v.detail, rows[i].names))
			printf("# %s: %s\n", rows[i].source, v.detail);
		CHECK_INT(v.reason, rows[i].names ? REASON_forbidden_flag : REASON_NONE);
		CHECK(!rows[i].names || strstr(v.detail, rows[i].names));
	}
}

TEST(a_source_without_directive_gets_the_default)
{
	check_accepted("int x;\n", 1, "gcc -O2");
}

TEST(every_comment_form_may_hold_it)
{
	check_accepted("// forge-build: clang -O3\nint x;", 1, "clang -O3");
	check_accepted("/* forge-build: gcc -O3 -march=native */ int x;", 1,
		       "gcc -O3 -march=native");
	check_accepted("/*\n * forge-build: gcc\t-Ofast\r\n */", 1, "gcc -Ofast");
}

TEST(only_comments_in_the_first_20_lines_count)
{
	check_accepted("const char *s = \"// forge-build: gcc -O3\";", 1, "gcc -O2");
	check_accepted("char q = '\"'; // forge-build: gcc -O3", 1, "gcc -O3");
	check_accepted("\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n// forge-build: gcc -O1", 1,
		       "gcc -O1");
	check_accepted("\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n// forge-build: gcc -O1", 1,
		       "gcc -O2");
}

TEST(the_directive_is_read_from_the_comments_that_the_compiler_sees)
{
	check_accepted("// a \\\n forge-build: gcc -O3", 1, "gcc -O3");
	check_accepted("// a \\ \t\r\n forge-build: gcc -O3", 1, "gcc -O3");
	check_accepted("// a \\\n \"\n// forge-build: gcc -O3", 1, "gcc -O3");
	check_accepted("/\\\n/ forge-build: gcc -O3", 1, "gcc -O3");
	check_accepted("/\\\n* \" forge-build: gcc -O3 *\\\n/", 1, "gcc -O3");
	check_accepted("char *s = \"\\\n// forge-build: gcc -O3\";", 1, "gcc -O2");
	check_refused("// forge-build: gcc -O2 \\\n -fplugin=x", 1, "-fplugin=x");
}

TEST(a_flag_that_is_not_on_the_list_is_named)
{
	check_refused("// forge-build: gcc -O3 -fplugin=./x.so", 1, "-fplugin=./x.so");
	check_refused("// forge-build: gcc -O3 @file", 1, "@file");
	check_refused("// forge-build: gcc -include /etc/passwd", 1, "-include");
	check_refused("// forge-build: gcc -B/tmp", 1, "-B/tmp");
	check_refused("// forge-build: gcc -flto", 1, "-flto");
	check_refused("// forge-build: gcc -O3;id", 1, "-O3;id");
	check_refused("// forge-build: gcc -O", 1, "-O");
	check_refused("// forge-build: tcc -O2", 1, "tcc");
	check_refused("// forge-build: /tmp/gcc -O2", 1, "/tmp/gcc");
	check_refused("// forge-build:", 1, "no compiler");
	check_refused("// forge-build: gcc -O2\n// forge-build: gcc -O3", 1, "second");
}

TEST(a_flag_belongs_to_its_compiler)
{
	check_refused("// forge-build: gcc -fveclib=libmvec", 1, "-fveclib=libmvec");
	check_refused("// forge-build: clang -fopenmp", 2, "-fopenmp");
	check_accepted("// forge-build: clang -fveclib=libmvec", 1, "clang -fveclib=libmvec");
}

TEST(openmp_needs_a_task_with_threads)
{
	check_refused("// forge-build: gcc -fopenmp", 1, "-fopenmp");
	check_accepted("// forge-build: gcc -fopenmp", 2, "gcc -fopenmp");
	check_accepted("// forge-build: gcc -fopenmp-simd", 1, "gcc -fopenmp-simd");
}

TEST_MAIN()
