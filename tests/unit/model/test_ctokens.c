#include "model/ctokens.h"

#include "test.h"

static bool next(struct ctokens *t, const char *text, struct cfunction *fn)
{
	size_t at = 0;
	ctokens_scan(t, text);
	return ctokens_next_function(t, &at, fn);
}

TEST(comments_includes_and_literals_are_no_words)
{
	AUTO_CTOKENS struct ctokens t;
	ctokens_scan(&t,
		     "#include <a.h>\n# include \"b.h\"\n/* c\n d */ e // f\n\"g \\\" h\" 'i' j2 "
		     "0x1Fu 1.5e3f #define K 3\n");
	static const char *const want[] = { "e",      "\"", "'",      "j2", "0x1Fu",
					    "1.5e3f", "#",  "define", "K",  "3" };
	CHECK_INT(t.nr, ARRAY_LEN(want));
	for (size_t i = 0; i < t.nr; i++)
		CHECK_TEXT(t.items[i].text, want[i]);
	CHECK_INT(t.items[0].line, 4);
	CHECK_INT(t.items[1].line, 5);
}

TEST(prose_keeps_everything)
{
	AUTO_CTOKENS struct ctokens t;
	ctokens_scan_prose(&t, "don't // stop");
	CHECK_INT(t.nr, 6);
	CHECK_TEXT(t.items[0].text, "don");
	CHECK_TEXT(t.items[5].text, "stop");
}

TEST(what_ends_too_early_ends_the_scan)
{
	static const char *const texts[] = { "",         "\"a",      "/* a",   "// a",
					     "'",        "#include", "a(",     "\"\\",
					     "f(a, (b)", "f(a) {",   "static", "\\" };
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct cfunction fn;
		AUTO_CTOKENS struct ctokens t;
		bool is_found = next(&t, texts[i], &fn);
		CHECK(is_found == (strcmp(texts[i], "f(a) {") == 0));
	}
}

TEST(a_definition_is_found_with_its_parameters)
{
	struct cfunction fn;
	AUTO_CTOKENS struct ctokens t;
	CHECK(next(&t,
		   "int f(int a);\nif (f(1)) { }\nextern void f(const float *restrict x,\n"
		   "unsigned long long n, double m[2][3], int) {\n}",
		   &fn));
	CHECK_TEXT(fn.name, "f");
	CHECK(!fn.is_static);
	CHECK_INT(fn.line, 3);
	CHECK_INT(fn.nr_params, 4);
	CHECK_TEXT(fn.params[0].name, "x");
	CHECK_TEXT(fn.params[0].type, "float");
	CHECK(fn.params[0].is_pointer);
	CHECK_TEXT(fn.params[1].type, "unsigned long long");
	CHECK(!fn.params[1].is_pointer);
	CHECK(fn.params[2].is_pointer);
}

TEST(a_function_without_parameters_has_none)
{
	struct cfunction fn;
	AUTO_CTOKENS struct ctokens a;
	AUTO_CTOKENS struct ctokens b;
	CHECK(next(&a, "void f(void) {}", &fn));
	CHECK_INT(fn.nr_params, 0);
	CHECK(next(&b, "static inline int g() {}", &fn));
	CHECK_INT(fn.nr_params, 0);
	CHECK(fn.is_static);
}

TEST(functions_are_found_among_others_and_behind_branches)
{
	struct cfunction fn;
	AUTO_CTOKENS struct ctokens t;
	ctokens_scan(&t,
		     "static int a(int q) { if (q) { return 1; } return 2; }\n#if X\nvoid b(int r) "
		     "{\n#else\nvoid b(int r) { {\n#endif\n}\nvoid c(int s)\n{\n}\n");
	CHECK(ctokens_find_function(&t, "a", &fn) && fn.is_static);
	CHECK(ctokens_find_function(&t, "b", &fn) && fn.line == 3);
	CHECK(ctokens_find_function(&t, "c", &fn));
	CHECK_TEXT(fn.params[0].name, "s");
	CHECK(!ctokens_find_function(&t, "if", &fn));
	CHECK(!ctokens_find_function(&t, "d", &fn));
}

TEST_MAIN()
