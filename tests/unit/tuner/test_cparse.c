#include "kernels.h"

#include "tuner/cprint.h"
#include "tuner/ir.h"

struct source {
	struct arena a;
	struct unit unit;
	struct err e;
	int rc;
};

static void read_source(struct source *s, const char *text)
{
	*s = (struct source){ 0 };
	s->rc = unit_parse(&s->unit, text, "kern", &s->a, &s->e);
}

static void read_body(struct source *s, const char *body)
{
	AUTO_FREE char *text = xasprintf(KERNEL_HEAD "{\n%s\n}\n", body);
	read_source(s, text);
	if (s->rc < 0)
		printf("# %s\n", s->e.text);
	CHECK(s->rc == 0);
}

static char *print_body(const struct source *s)
{
	struct str out = STR_INIT;
	const struct cprint p = { .out = &out };
	for (size_t i = 0; i < s->unit.entry.body->nr; i++)
		print_stmt(&p, s->unit.entry.body->items[i], 0);
	return str_take(&out);
}

static void check_printed(const char *body, const char *want)
{
	struct source s;
	read_body(&s, body);
	AUTO_FREE char *got = print_body(&s);
	CHECK_TEXT(got, want);
	arena_release(&s.a);
}

TEST(expressions_keep_their_meaning_with_the_fewest_parentheses)
{
	static const char *const same[] = {
		"n = n - (m - k);\n",
		"n = n - m - k;\n",
		"n = -(-m);\n",
		"n = - -1;\n",
		"n = (m + k) * -n % 3;\n",
		"n = m & 1 == k;\n",
		"n = (m & 1) == k;\n",
		"n = m << 1 >> k ^ 3 | ~n;\n",
		"n = m ? k : n ? 1 : 2;\n",
		"n = (m ? k : n) ? 1 : 2;\n",
		"n = m = k;\n",
		"c[m] += a[k++] - --n;\n",
		"n = (m, k);\n",
		"c[0] = (float)(m + k) * (float)m;\n",
		"c[0] = sqrtf(a[0] * a[0]) + fmaxf(a[1], b[2]);\n",
		"n = sizeof(float) * sizeof m;\n",
		"n = !(m && k || n);\n",
		"n = (m || k) && n;\n",
		"*(c + m) = *&a[k];\n",
		"c[0] = 1e-5f + 0x1p-3f + .5f + 1.;\n",
	};
	for (size_t i = 0; i < ARRAY_LEN(same); i++)
		check_printed(same[i], strcmp(same[i], "n = - -1;\n") ? same[i] : "n = -(-1);\n");
	check_printed("n = ((m) * (k)) + (2);", "n = m * k + 2;\n");
}

TEST(statements_are_printed_in_one_layout)
{
	check_printed("if(m)n=1;else{k=2;n=3;}",
		      "if (m)\n\tn = 1;\nelse {\n\tk = 2;\n\tn = 3;\n}\n");
	check_printed("if (m) { if (k) n = 1; } else n = 2;",
		      "if (m) {\n\tif (k)\n\t\tn = 1;\n} else\n\tn = 2;\n");
	check_printed("do n--; while (n > 3);", "do\n\tn--;\nwhile (n > 3);\n");
	check_printed("while (m) { m--; continue; }", "while (m) {\n\tm--;\n\tcontinue;\n}\n");
	check_printed("float x = 1, *y = c, z[2][3] = {{0}};",
		      "float x = 1;\nfloat *y = c;\nfloat z[2][3] = { { 0 } };\n");
	check_printed("for (;;) { break; }", "for (;;) {\n\tbreak;\n}\n");
	check_printed("for (int64_t i=0;i<=n;i+=2) c[i]=0;",
		      "for (int64_t i = 0; i < n + 1; i += 2)\n\tc[i] = 0;\n");
}

TEST(what_is_not_understood_stays_as_it_was_written)
{
	check_printed("n = 1;\nswitch (n) { case 1:  m = 2; }\nk = 3;",
		      "n = 1;\nswitch (n) { case 1:  m = 2; }\nk = 3;\n");
	check_printed("struct { int x; } s = { .x = 3 };", "struct { int x; } s = { .x = 3 };\n");
	check_printed("again: n--;\nif (n) goto again;",
		      "again: n--;\nif (n) {\n\tgoto again;\n}\n");
	check_printed("__asm__(\"nop\" : : : \"memory\");", "__asm__(\"nop\" : : : \"memory\");\n");
}

static const struct stmt *find_label(const struct stmt *s, const char *label)
{
	if (s->loop && strcmp(s->loop->label, label) == 0)
		return s;
	for (size_t i = 0; i < s->nr; i++) {
		const struct stmt *found = find_label(s->items[i], label);
		if (found)
			return found;
	}
	return NULL;
}

static bool has_loop(const char *body, const char *label)
{
	struct source s;
	read_body(&s, body);
	bool is_found = find_label(s.unit.entry.body, label) != NULL;
	arena_release(&s.a);
	return is_found;
}

TEST(loops_are_labelled_by_position_and_other_loops_count)
{
	const char *body = "for (int64_t i = 0; i < n; i++) { while (k) k--;\n"
			   "for (int64_t j = 0; j < m; j++) c[j] = 0; }\n"
			   "for (int64_t i = 0; i < n; i++) c[i] = 1;";
	CHECK(has_loop(body, "L0"));
	CHECK(!has_loop(body, "L0.0"));
	CHECK(has_loop(body, "L0.1"));
	CHECK(has_loop(body, "L1"));
}

TEST(a_loop_is_canonical_only_if_its_bound_stands_still)
{
	CHECK(has_loop("for (int i = 0; i < n; i++) c[i] = n;", "L0"));
	CHECK(has_loop("for (int i = 0; i < n; i = i + 3) c[i] = n;", "L0"));
	CHECK(has_loop("for (int i = 0; i < (int)a[0]; ++i) c[i] = n;", "L0"));
	CHECK(!has_loop("for (int i = 0; i < n; i++) n--;", "L0"));
	CHECK(!has_loop("for (int i = 0; i < n; i++) i++;", "L0"));
	CHECK(!has_loop("for (int i = 0; i < (int)c[0]; i++) c[i] = n;", "L0"));
	CHECK(!has_loop("for (int i = 0; i < n; i--) c[i] = n;", "L0"));
	CHECK(!has_loop("for (int i = 0; i < f(c); i++) c[i] = n;", "L0"));
	CHECK(!has_loop("for (int i = 0; i < n; i++) { int64_t *p = &n; *p = 3; }", "L0"));
	CHECK(!has_loop("for (float i = 0; i < n; i++) c[0] = i;", "L0"));
	CHECK(!has_loop("for (int i = 0; i < n; i++) switch (1) { case 1: n = 2; }", "L0"));
}

TEST(counters_declared_in_front_move_into_their_loops)
{
	check_printed(
		"int i, j; for (i = 0; i < n; i++) for (j = 0; j < m; j++) c[j] = i;",
		"for (int i = 0; i < n; i++)\n\tfor (int j = 0; j < m; j++)\n\t\tc[j] = i;\n");
	check_printed("int i; for (i = 0; i < n; i++) c[i] = 0; k = i;",
		      "int i;\nfor (i = 0; i < n; i++)\n\tc[i] = 0;\nk = i;\n");
	CHECK(!has_loop("int i; for (i = 0; i < n; i++) { for (i = 0; i < m; i++) c[i] = 0; }",
			"L0"));
}

TEST(plain_macros_are_expanded_and_others_make_a_statement_opaque)
{
	struct source s;
	read_source(
		&s,
		"#define N 4\n#define SQ(x) ((x) * (x))\n#define SET(x) do { x = 1; } while (0)\n"
		"void kern(const float *a, float *c)\n"
		"{\n	for (int i = 0; i < N; i++)\n		c[i] = SQ(a[i]);\n	"
		"SET(c[0]);\n}\n");
	CHECK(s.rc == 0);
	AUTO_FREE char *got = print_body(&s);
	CHECK_TEXT(got, "for (int i = 0; i < 4; i++)\n\tc[i] = a[i] * a[i];\nSET(c[0]);\n");
	arena_release(&s.a);
}

TEST(a_function_that_can_not_be_read_is_refused_with_a_reason)
{
	static const struct {
		const char *text;
		const char *reason;
	} bad[] = {
		{ "void other(void) {}", "no definition" },
		{ "int kern(int n) { return n; }", "void function" },
		{ "void kern(float *c) {\n#if X\n c[0] = 1;\n#endif\n}", "line 2" },
		{ "#ifdef A\nvoid kern(float *c) { c[0] = 1; }\n#endif", "under #if" },
		{ "void kern(float *c) { c[0] = 1; } void kern(float *c) { }", "more than once" },
		{ "void kern(float *c) { (c[0] = 1; }", "brackets" },
		{ "void kern(float *c) { int c = 1; }", "declared again" },
		{ "void kern(float *c) { for (int i = 0; i < 2; i++) { int i = 3; } }", "again" },
		{ "void kern(float *c) { /* c[0] = 1; }", "comment" },
		{ "", "empty" },
	};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct source s;
		read_source(&s, bad[i].text);
		if (s.rc == 0 || !strstr(s.e.text, bad[i].reason))
			printf("# %s: %s\n", bad[i].text, s.e.text);
		CHECK(s.rc < 0 && strstr(s.e.text, bad[i].reason));
		arena_release(&s.a);
	}
}

TEST(deep_nesting_ends_in_a_refusal_or_text_never_in_a_crash)
{
	static const char *const pieces[] = { "{",        "(",  "if (n) ",  "- ",
					      "n ? n : ", "a[", "for (;;) " };
	for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
		AUTO_STR struct str text = STR_INIT;
		struct source s;
		str_add(&text, KERNEL_HEAD "{\nn = ");
		for (unsigned n = 0; n < 20000; n++)
			str_add(&text, pieces[i]);
		str_add(&text, "1;\n}\n");
		read_source(&s, text.text);
		arena_release(&s.a);
	}
	CHECK(true);
}

#define PRINTED_KERNEL(name, source)                                                               \
	TEST(printed_##name##_computes_what_the_original_does)                                     \
	{                                                                                          \
		static const char *const none[] = { NULL };                                        \
		AUTO_FREE char *text = kernel_with(source, none);                                  \
		CHECK(kernel_same(source, text));                                                  \
	}

PRINTED_KERNEL(rows, KERNEL_ROWS)
PRINTED_KERNEL(nest, KERNEL_NEST)
PRINTED_KERNEL(turn, KERNEL_TURN)
PRINTED_KERNEL(triangle, KERNEL_TRIANGLE)
PRINTED_KERNEL(chain, KERNEL_CHAIN)
PRINTED_KERNEL(place, KERNEL_PLACE)
PRINTED_KERNEL(sweeps, KERNEL_SWEEPS)
PRINTED_KERNEL(odd, KERNEL_ODD)

static char *body_text(const char *text)
{
	const char *made = kernel_made(text);
	return xstrndup(made, (size_t)(strstr(made, "/* The rest") - made));
}

TEST(a_printed_file_is_read_again_and_printed_the_same)
{
	static const char *const sources[] = { KERNEL_ROWS,  KERNEL_NEST,  KERNEL_TURN,
					       KERNEL_CHAIN, KERNEL_PLACE, KERNEL_TRIANGLE,
					       KERNEL_ODD,   KERNEL_SWEEPS };
	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		static const char *const none[] = { NULL };
		AUTO_FREE char *once = kernel_with(sources[i], none);
		AUTO_FREE char *twice = kernel_with(once, none);
		AUTO_FREE char *first = body_text(once);
		AUTO_FREE char *second = body_text(twice);
		CHECK_TEXT(second, first);
	}
}

TEST(the_fuzzers_corpus_is_read)
{
	static const char corpus[] = "tests/fuzz/corpus/cparse";
	AUTO_STRV struct strv names = { 0 };
	struct err e = { 0 };
	if (!file_is_dir(corpus))
		SKIP("not in the root of the sources");
	CHECK_OK(dir_list(corpus, &names, &e));
	CHECK(names.nr >= 3);
	for (size_t i = 0; i < names.nr; i++) {
		AUTO_FREE char *path = path_join(corpus, names.items[i]);
		AUTO_STR struct str text = STR_INIT;
		struct source s;
		CHECK_OK(file_read(path, 1 << 20, &text, &e));
		read_source(&s, text.text);
		CHECK_INT(s.rc, 0);
		arena_release(&s.a);
	}
}

TEST_MAIN()
