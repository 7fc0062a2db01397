#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/promote.h"
#include "test.h"

static void promotes(const char *source, const char *want)
{
	struct err e = { 0 };
	AUTO_STR struct str out = STR_INIT;
	CHECK_OK(promote_source(source, "x.c", &out, &e));
	CHECK_TEXT(out.text, want);
}

static void refuses(const char *source, const char *why)
{
	struct err e = { 0 };
	AUTO_STR struct str out = STR_INIT;
	CHECK(promote_source(source, "x.c", &out, &e) < 0);
	CHECK_INT(e.kind, ERR_INPUT);
	CHECK_TEXT(e.text, why);
}

TEST(types_become_double)
{
	promotes("void f(const float *x, float y, int64_t n)",
		 "void f(const double *x, double y, int64_t n)");
	promotes("sizeof(float) * n", "sizeof(double) * n");
}

TEST(names_that_only_contain_float_are_left)
{
	promotes("float_t a; int myfloat; int float2;", "float_t a; int myfloat; int float2;");
}

TEST(literals_lose_their_suffix)
{
	static const struct {
		const char *source;
		const char *want;
	} rows[] = {
		{ "1.0f", "1.0" },
		{ "1.F", "1." },
		{ ".5f", ".5" },
		{ "1e-5f", "1e-5" },
		{ "1.5e+3F*2", "1.5e+3*2" },
		{ "0x1p-3f", "0x1p-3" },
		{ "0x1fp3", "0x1fp3" },
		{ "0x1f", "0x1f" },
		{ "0xFF", "0xFF" },
		{ "10", "10" },
		{ "1.0", "1.0" },
		{ "1.0L", "1.0L" },
		{ "a.f", "a.f" },
		{ "1-2.0f", "1-2.0" },
		{ "0.f+0.5f", "0.+0.5" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		promotes(rows[i].source, rows[i].want);
}

TEST(mathematics_and_limits_become_those_of_double)
{
	promotes("sqrtf(expf(x)) + fmaxf(a, -FLT_MAX)", "sqrt(exp(x)) + fmax(a, -DBL_MAX)");
	promotes("__builtin_fabsf(x) < FLT_EPSILON", "__builtin_fabs(x) < DBL_EPSILON");
	promotes("HUGE_VALF, INFINITY, FLT_RADIX", "HUGE_VAL, INFINITY, FLT_RADIX");
}

TEST(functions_of_the_source_keep_their_names)
{
	promotes("static float half(float x); buf[i]; if (f) g(of, inf2f);",
		 "static double half(double x); buf[i]; if (f) g(of, inf2f);");
}

TEST(comments_strings_and_includes_stay)
{
	promotes("// float 1.0f\nfloat", "// float 1.0f\ndouble");
	promotes("/* sqrtf\n float */float", "/* sqrtf\n float */double");
	promotes("\"float \\\" 1.0f\" float '\\'' 'f'", "\"float \\\" 1.0f\" double '\\'' 'f'");
	promotes("#include <float.h>\n# include \"float.h\"\n#define F float\n",
		 "#include <float.h>\n# include \"float.h\"\n#define F double\n");
}

TEST(what_a_token_can_not_tell_is_refused_with_its_line)
{
	refuses("int a;\n/* \n */ union u { float f; };",
		"x.c:3: can not promote a source with \"union\"");
	refuses("_mm_add_ps(a, b)", "x.c:1: can not promote a source with \"_mm_add_ps\"");
	refuses("\n__m256 v;", "x.c:2: can not promote a source with \"__m256\"");
	refuses("__attribute__((vector_size(16)))",
		"x.c:1: can not promote a source with \"vector_size\"");
}

TEST(a_source_that_does_not_end_its_tokens_is_refused)
{
	refuses("\n/* float", "x.c:2: comment without an end");
	refuses("\"float", "x.c:1: literal without an end");
	refuses("a\n'\n'", "x.c:2: literal without an end");
	refuses("\"abc\\", "x.c:1: literal without an end");
}

TEST(an_empty_source_stays_empty)
{
	promotes("", "");
	promotes("f", "f");
	promotes("/", "/");
}

TEST_MAIN()
