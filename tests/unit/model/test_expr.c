#include "model/expr.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

static struct dim some_dims[] = { { "rows", 7 }, { "cols", 5 }, { "min", 3 }, { "neg", -4 } };
static const struct dims dims = { some_dims, ARRAY_LEN(some_dims) };

struct value_row {
	const char *text;
	int64_t value;
};

static const struct value_row values[] = {
	{ "rows", 7 },
	{ "4*rows*cols", 140 },
	{ "1 + 2 * 3", 7 },
	{ "(1+2)*3", 9 },
	{ "10 - 3 - 2", 5 },
	{ "7/2", 3 },
	{ "7 % 4", 3 },
	{ "100/10/2", 5 },
	{ "ceil(rows,2)", 4 },
	{ "ceil(8, 2)", 4 },
	{ "ceil(0, 5)", 0 },
	{ "min(rows, cols)", 5 },
	{ "max(rows, cols) + min", 10 },
	{ "-3", -3 },
	{ "2 - -3", 5 },
	{ "--3", 3 },
	{ "-(rows)", -7 },
	{ "rows*-1", -7 },
	{ "neg", -4 },
	{ "\t rows\t", 7 },
	{ "9223372036854775807", INT64_MAX },
	{ "-9223372036854775807-1", INT64_MIN },
	{ "ceil(9223372036854775807, 2)", INT64_C(4611686018427387904) },
};

TEST(expressions_have_the_values_of_arithmetic)
{
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		struct err e = { 0 };
		int64_t value = 0;
		CHECK_OK(expr_eval(values[i].text, &dims, &value, &e));
		CHECK_INT(value, values[i].value);
	}
}

struct bad_row {
	const char *text;
	const char *message;
};

static const struct bad_row bad[] = {
	{ "", "expression \"\" column 1: expected a whole number, a dim or '('" },
	{ "rows*", "expression \"rows*\" column 6: expected a whole number, a dim or '('" },
	{ "rows cols", "expression \"rows cols\" column 6: expected an operator or the end" },
	{ "heads", "expression \"heads\" column 1: no dim is named heads; the dims are rows cols "
		   "min neg" },
	{ "1/(rows-7)", "expression \"1/(rows-7)\" column 2: division by zero" },
	{ "1%0", "expression \"1%0\" column 2: division by zero" },
	{ "neg/2", "expression \"neg/2\" column 4: division of a negative number" },
	{ "7%neg", "expression \"7%neg\" column 2: division of a negative number" },
	{ "ceil(1,0)", "expression \"ceil(1,0)\" column 1: division by zero" },
	{ "9223372036854775808",
	  "expression \"9223372036854775808\" column 1: the number does not fit 64 bits" },
	{ "9223372036854775807+1",
	  "expression \"9223372036854775807+1\" column 20: the value does not fit 64 bits" },
	{ "4611686018427387904*2",
	  "expression \"4611686018427387904*2\" column 20: the value does not fit 64 bits" },
	{ "-9223372036854775807-2",
	  "expression \"-9223372036854775807-2\" column 21: the value does not fit 64 bits" },
	{ "1.5", "expression \"1.5\" column 2: expected an operator after the whole number" },
	{ "2rows", "expression \"2rows\" column 2: expected an operator after the whole number" },
	{ "pow(2,3)",
	  "expression \"pow(2,3)\" column 1: the functions are min(a,b) max(a,b) ceil(a,b)" },
	{ "max(1)", "expression \"max(1)\" column 6: expected ','" },
	{ "max(1,2", "expression \"max(1,2\" column 8: expected ')'" },
	{ "(1", "expression \"(1\" column 3: expected ')'" },
	{ "1)", "expression \"1)\" column 2: expected an operator or the end" },
	{ "$", "expression \"$\" column 1: expected a whole number, a dim or '('" },
};

TEST(a_wrong_expression_names_its_column)
{
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err e = { 0 };
		int64_t value = 0;
		CHECK(expr_eval(bad[i].text, &dims, &value, &e) < 0);
		CHECK_TEXT(e.text, bad[i].message);
	}
}

static char *nested(size_t depth)
{
	AUTO_STR struct str s = STR_INIT;
	for (size_t i = 0; i < depth; i++)
		str_add(&s, "(");
	str_add(&s, "1");
	for (size_t i = 0; i < depth; i++)
		str_add(&s, ")");
	return str_take(&s);
}

TEST(depth_is_limited)
{
	struct err e = { 0 };
	int64_t value = 0;
	AUTO_FREE char *fits = nested(63);
	AUTO_FREE char *deep = nested(100000);
	CHECK_OK(expr_eval(fits, &dims, &value, &e));
	CHECK(expr_eval(deep, &dims, &value, &e) < 0);
	CHECK(str_ends(e.text, "nested too deeply"));
}

TEST(a_name_has_a_limit)
{
	struct err e = { 0 };
	int64_t value = 0;
	char name[66];
	memset(name, 'a', 65);
	name[65] = 0;
	CHECK(expr_eval(name, &dims, &value, &e) < 0);
	CHECK(str_ends(e.text, "the name is longer than 64 characters"));
}

static void collect(const char *name, void *ctx)
{
	strv_add(ctx, name);
}

TEST(names_are_reported_without_dims_and_without_arithmetic)
{
	struct err e = { 0 };
	AUTO_STRV struct strv names = { 0 };
	CHECK_OK(expr_names("max(a, b)/(a-a) + 9223372036854775807*3", collect, &names, &e));
	AUTO_FREE char *joined = strv_join(&names, " ");
	CHECK_TEXT(joined, "a b a a");
	CHECK(expr_names("a +", collect, &names, &e) < 0);
}

TEST_MAIN()
