#include "kernels.h"

#include "tuner/ir.h"

/* Strips as a sink row leaves them: counters over lanes end in _s, those over registers in _r. */
#define STRIPS(var, nr) "for (int64_t " var " = 0; " var " < " nr "; " var "++)\n"
#define REST                                                                                       \
	"	for (int64_t i = 0; i < n; i++)\n"                                                       \
	"		for (int64_t j = i < n / 4 * 4 ? m / 16 * 16 : 0; j < m; j++) {\n"                      \
	"			float s = 0;\n"                                                                        \
	"			for (int64_t p = 0; p < k; p++)\n"                                                     \
	"				s += a[i * k + p] * b[p * m + j];\n"                                                  \
	"			c[i * m + j] = s;\n"                                                                   \
	"		}\n"

#define KERNEL_TILE_WITH(back)                                                                     \
	KERNEL_HEAD                                                                                \
	"{\n"                                                                                      \
	"	for (int64_t i = 0; i < n / 4 * 4; i += 4)\n"                                            \
	"		for (int64_t j = 0; j < m / 16 * 16; j += 16) {\n"                                      \
	"			float acc[4][16];\n" STRIPS("i_r", "4") STRIPS(                    \
		"j_s", "16") "acc[i_r][j_s] = 0.0f;\n"                                             \
			     "for (int64_t p = 0; p < k; p++)\n" STRIPS("i_r", "4") STRIPS(        \
				     "j_s",                                                        \
				     "16") "acc[i_r][j_s] += a[(i + i_r) * k + p] * b[p * m + "    \
					   "(j + j_s)];\n" back "		}\n" REST "}\n"

#define KERNEL_TILE                                                                                \
	KERNEL_TILE_WITH(STRIPS("i_r", "4") STRIPS(                                                \
		"j_s", "16") "c[(i + i_r) * m + (j + j_s)] = acc[i_r][j_s];\n")

static bool ends_in(const char *name, const char *end)
{
	return strlen(name) > 2 && strcmp(name + strlen(name) - 2, end) == 0;
}

static void mark_strips(struct stmt *s)
{
	if (s->loop && ends_in(s->loop->var, "_s"))
		s->loop->role = LOOP_LANES;
	if (s->loop && ends_in(s->loop->var, "_r"))
		s->loop->role = LOOP_REGISTERS;
	for (size_t i = 0; i < s->nr; i++)
		mark_strips(s->items[i]);
}

/* The file after these rows, or why the last one does not apply; yours. */
static char *vectors_with(const char *source, bool is_taken, const char *const *rows)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_KERNEL struct kernel k = { 0 };
	struct str out = STR_INIT;
	struct err e = { 0 };
	kernel_init(&k, source, &kernel_task, &a);
	if (k.unread)
		printf("# not read: %s\n", k.unread);
	CHECK(!k.unread);
	mark_strips(k.variants[0].body);
	for (; *rows; rows++) {
		bool is_applied = kernel_apply(&k, *rows, &e);
		if (is_applied != (is_taken || rows[1]))
			printf("# %s: %s\n", *rows, e.text);
		CHECK(is_applied == (is_taken || rows[1]));
	}
	kernel_print(&k, &out);
	if (is_taken)
		return str_take(&out);
	str_release(&out);
	return xstrdup(e.text);
}

#define BUILD "build cc=gcc flags=-O3,-march=native,-ffast-math"
#define MADE(source, ...) vectors_with(source, true, (const char *const[]){ __VA_ARGS__, NULL })
#define REFUSED(source, ...) vectors_with(source, false, (const char *const[]){ __VA_ARGS__, NULL })

TEST(a_register_tile_becomes_vector_variables)
{
	AUTO_FREE char *text = MADE(KERNEL_TILE, BUILD, "vectors bits=256");
	CHECK(strstr(text, "forge_v8f acc_3_1 = forge_all_8f(0.0f);"));
	CHECK(strstr(text, "acc_1_0 += a[(i + 1) * k + p] * *(const forge_u8f *)&b[p * m + j];"));
	CHECK(strstr(text, "*(forge_u8f *)&c[(i + 3) * m + (j + 8)] = acc_3_1;"));
	CHECK_INT(count(text, "forge_all_8f(0.0f)"), 8);
	CHECK(!strstr(kernel_made(text), "acc[") && !strstr(kernel_made(text), "j_s"));
	CHECK(kernel_same(KERNEL_TILE, text));
}

TEST(an_emitted_file_is_read_and_built_again)
{
	AUTO_FREE char *once = MADE(KERNEL_TILE, BUILD, "vectors bits=256");
	AUTO_FREE char *twice = kernel_with(
		once, (const char *const[]){ "build cc=gcc flags=-O2,-march=native", NULL });
	CHECK(strstr(twice, "*(const forge_u8f *)&b[p * m + j]"));
	CHECK(kernel_same(KERNEL_TILE, twice));
	AUTO_FREE char *none = REFUSED(once, "vectors bits=256");
	CHECK(strstr(none, "no strip of lanes"));
}

TEST(clang_takes_the_same_text)
{
	if (access("/usr/bin/clang", X_OK) != 0)
		SKIP("no clang");
	AUTO_FREE char *text = MADE(KERNEL_TILE, "vectors bits=256",
				    "build cc=clang flags=-O3,-march=native,-ffast-math");
	CHECK(kernel_same(KERNEL_TILE, text));
}

TEST(a_strip_takes_the_widest_vector_that_divides_it)
{
	AUTO_FREE char *narrow = MADE(KERNEL_TILE, BUILD, "vectors bits=128");
	CHECK(strstr(narrow, "forge_v4f acc_3_3 ="));
	CHECK(kernel_same(KERNEL_TILE, narrow));
	AUTO_FREE char *short_strip =
		MADE(KERNEL_HEAD "{\n(void)b, (void)m, (void)k;\n"
				 "for (int64_t i = 0; i < n; i += 1)\n" STRIPS(
					 "j_s", "12") "c[i * 12 + j_s] = a[j_s];\n}\n",
		     "vectors bits=256");
	CHECK_INT(count(short_strip, "= *(const forge_u4f *)&a["), 3);
}

/* A sum over lanes and a call are left to loops, between them the array is in vectors. */
TEST(other_uses_of_an_array_find_it_as_it_should_be)
{
	static const char source[] =
		KERNEL_HEAD "{\n(void)k;\n"
			    "	for (int64_t i = 0; i < n; i++) {\n"
			    "		float t[16] = { 0 };\n"
			    "		float sum = 0;\n"
			    "		for (int64_t p = 0; p < m / 16; p++)\n" STRIPS("j_s", "16") "t[j_s] += a[p * 16 + j_s] * b[i];\n" STRIPS(
				    "j_s", "16") "t["
						 "j_s] = cbrtf(t[j_s]);\n" STRIPS(
							 "j_s",
							 "16") "t[j_s] = t[j_s] * "
							       "2.0f;\n" STRIPS(
								       "j_s",
								       "16") "sum"
									     " += t[j_s];\n"
									     "		float last "
									     "= t[3];\n"
									     "		c[i] = sum "
									     "+ last;\n"
									     "	}\n}\n";
	AUTO_FREE char *text = MADE(source, BUILD, "vectors bits=256");
	CHECK(strstr(text, "forge_v8f t_1 = { 0 };"));
	CHECK(strstr(text, "t_1 += *(const forge_u8f *)&a[p * 16 + 8] * b[i];") ||
	      strstr(text, "t_1 += *(const forge_u8f *)&a[p * 16 + 8] *"));
	CHECK(strstr(text, "t[j_s] = cbrtf(t[j_s]);") && strstr(text, "t_0 = t_0 * 2.0f;"));
	CHECK_INT(count(text, "*(forge_u8f *)&t[8] = t_1;"), 3);
	CHECK_INT(count(text, "t_1 = *(const forge_u8f *)&t[8];"), 1);
	CHECK(kernel_same(source, text));
}

TEST(choices_and_functions_are_written_for_vectors)
{
	static const char source[] = KERNEL_HEAD
		"{\n(void)k;\n"
		"	for (int64_t i = 0; i < n * m / 8 * 8; i += 8)\n" STRIPS(
			"j_s", "8") "{\n"
				    "			int64_t at = i + j_s;\n"
				    "			const float x = a[at] - 0.2f;\n"
				    "			float y = x > b[at] ? x : b[at];\n"
				    "			y = y < 0.1f ? 0.1f : y;\n"
				    "			y += fmaxf(x, 0.25f) + fminf(b[at], x) + "
				    "fabsf(x) + sqrtf(fabsf(y));\n"
				    "			y = x >= 0 ? y : -y * (float)i;\n"
				    "			c[at] = fmaf(x, y, 1) / (x != y ? 3.0f : "
				    "2.0f) + (x == y) * 0.0f;\n"
				    "		}\n}\n";
	AUTO_FREE char *why = REFUSED(source, "vectors bits=256");
	CHECK(strstr(why, "operator"));
	AUTO_FREE char *good = xstrdup(source);
	char *at = strstr(good, " + (x == y) * 0.0f");
	memset(at, ' ', strlen(" + (x == y) * 0.0f"));
	AUTO_FREE char *text = MADE(good, BUILD, "vectors bits=256");
	CHECK(strstr(text, "forge_v8f y = forge_max_8f(x, *(const forge_u8f *)&b[i]);"));
	CHECK(strstr(text, "y = forge_max_8f(") && strstr(text, "forge_if_at_least_8f("));
	CHECK(kernel_same(good, text));
	AUTO_FREE char *exact =
		MADE(good, "build cc=gcc flags=-O2,-march=native", "vectors bits=128");
	CHECK(kernel_same(good, exact));
}

TEST(strips_of_double_become_vectors_too)
{
	static const char source[] = KERNEL_HEAD
		"{\n(void)k;\n"
		"	for (int64_t i = 0; i < n; i++) {\n"
		"		double t[8];\n" STRIPS(
			"j_s", "8") "t[j_s] = 0;\n"
				    "		for (int64_t p = 0; p < m / 8; p++)\n" STRIPS(
					    "j_r",
					    "8") "t[j_r] = t[j_r] + a[p * 8 + "
						 "j_r];\n" STRIPS("j_s",
								  "8") "t["
								       "j_s] = "
								       "sqrt(fabs(t[j_s] * "
								       "(double)b[i]));"
								       "\n" STRIPS("j_s",
										   "8") "c[i * "
											"8 + "
											"j_s]"
											" = "
											"(float)"
											"t[j_s];"
											"\n"
											"	}"
											"\n}\n";
	AUTO_FREE char *text = MADE(source, BUILD, "vectors bits=256");
	CHECK(strstr(text, "t_1 = forge_sqrt_4d(forge_fabs_4d(t_1 * (double)b[i]));"));
	CHECK(kernel_same(source, text));
}

TEST(lanes_that_need_each_other_stay_a_loop)
{
	static const char *const bodies[][2] = {
		{ "c[i + j_s + 1] = c[i + j_s] * 2;", "what another one writes" },
		{ "c[i] += a[i + j_s];", "along the lanes" },
		{ "sum += a[i + j_s];", "from one lane to the next" },
		{ "c[i + j_s] = a[(i + j_s) * 2];", "along the lanes" },
		{ "c[i + j_s] = (float)j_s;", "number of the lane" },
		{ "c[i + j_s] = a[i + j_s] * 0.5;", "several types" },
		{ "c[i + j_s] = cbrtf(a[i + j_s]);", "calls a function" },
		{ "if (a[j_s] > 0) c[i + j_s] = 1;", "no assignment" },
	};
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		AUTO_STR struct str source = STR_INIT;
		str_addf(&source,
			 "%s{\n(void)b, (void)m, (void)k;\nfloat sum = 0;\n"
			 "for (int64_t i = 0; i < n / 8 * 8; i += 8)\n%s%s\nc[0] = sum;\n}\n",
			 KERNEL_HEAD, STRIPS("j_s", "8"), bodies[i][0]);
		AUTO_FREE char *why = REFUSED(source.text, "vectors bits=256");
		if (!strstr(why, bodies[i][1]))
			printf("# %s: %s\n", bodies[i][0], why);
		CHECK(strstr(why, bodies[i][1]));
	}
}

TEST(vectors_are_as_wide_as_the_machine_has_them)
{
	AUTO_FREE char *wide = REFUSED(KERNEL_TILE, "vectors bits=512");
	CHECK(strstr(wide, "no vectors of 512"));
	AUTO_FREE char *odd = REFUSED(KERNEL_TILE, "vectors bits=100");
	CHECK(strstr(odd, "128, 256 or 512"));
}

TEST(functions_of_the_library_are_called_with_vectors)
{
	static const char source[] = KERNEL_HEAD
		"{\n(void)k;\n"
		"	for (int64_t i = 0; i < n * m / 16 * 16; i += 16)\n" STRIPS(
			"j_s", "16") "c[i + j_s] = expf(a[i + j_s]) + tanhf(b[i + j_s]) + "
				     "powf(fabsf(b[i + j_s]), 2.0f);\n}\n";
	AUTO_FREE char *text = MADE(source, BUILD, "vectors bits=256");
	CHECK(strstr(text, "forge_exp_8f(*(const forge_u8f *)&a[i + 8])"));
	CHECK(strstr(text, "forge_pow_8f(forge_fabs_8f(") && strstr(text, "__builtin_powf(a[i]"));
	CHECK(kernel_same(source, text));
	AUTO_FREE char *exact =
		MADE(source, "build cc=gcc flags=-O2,-march=native", "vectors bits=256");
	CHECK(kernel_same(source, exact));
}

TEST(functions_of_other_rows_run_in_vectors)
{
	static const char source[] = KERNEL_HEAD
		"{\n(void)k;\n"
		"	for (int64_t i = 0; i < n * m / 8 * 8; i += 8)\n" STRIPS(
			"j_s", "8") "c[i + j_s] = expf(a[i + j_s]) + b[i + j_s] * 2;\n}\n";
	AUTO_FREE char *text = MADE(source, BUILD, "math exp=inline", "vectors bits=256");
	CHECK(strstr(text, "forge_expf_8f(*(const forge_u8f *)&a[i])"));
	CHECK(strstr(text, "x[i] = forge_expf(x[i]);") && strstr(text, "&b[i] * 2.0f"));
	CHECK(kernel_same(source, text));
}

/* From the plain loops to vector code by rows alone, with remainders in both directions. */
TEST(sunk_loops_become_vector_code)
{
	AUTO_FREE char *text = MADE(KERNEL_NEST, BUILD, "specialise shapes=all",
				    "scalarise loop=L0.0.0", "sink loop=L0.0 u=16 as=lanes",
				    "sink loop=L0 u=3 as=registers", "vectors bits=256");
	CHECK(strstr(text, "c_kept_2_1 += a[(i + 2) * k + p] *"));
	CHECK(kernel_same(KERNEL_NEST, text));
}

#define KERNEL_COPY                                                                                \
	KERNEL_HEAD                                                                                \
	"{\n(void)b, (void)k;\n"                                                                   \
	"	for (int64_t i = 0; i < n; i++) {\n"                                                     \
	"		float *to = c + i * 64;\n"                                                              \
	"		for (int64_t j = 0; j < 32; j += 16)\n" STRIPS(                            \
		"j_s", "16") "to[j + j_s] = a[i * m"                                               \
			     " + (j + j_s)] * 2;\n\t}\n}\n"

TEST(streamed_vectors_compute_the_same)
{
	AUTO_FREE char *text = MADE(KERNEL_COPY, BUILD, "vectors bits=256", "stream array=c");
	CHECK(strstr(text,
		     "forge_stream_8f(&to[j + 8], *(const forge_u8f *)&a[i * m + (j + 8)] *"));
	CHECK_INT(count(text, "\t__builtin_ia32_sfence();\n"), 1);
	CHECK(kernel_same(KERNEL_COPY, text));
	AUTO_FREE char *clang = MADE(KERNEL_COPY, "build cc=clang flags=-O3,-march=native",
				     "vectors bits=256", "stream array=c");
	if (access("/usr/bin/clang", X_OK) == 0)
		CHECK(kernel_same(KERNEL_COPY, clang));
	AUTO_FREE char *plain = MADE(KERNEL_COPY, "vectors bits=128", "stream array=c");
	CHECK(kernel_same(KERNEL_COPY, plain));
}

TEST(threads_take_vector_code_along)
{
	AUTO_FREE char *text = MADE(KERNEL_COPY, BUILD, "specialise shapes=none",
				    "threads loop=L0 n=2", "vectors bits=256", "stream array=c");
	CHECK(strstr(text, "GOMP_parallel(") && strstr(text, "forge_stream_8f(&to[j"));
	CHECK(kernel_same(KERNEL_COPY, text));
	AUTO_FREE char *tile =
		MADE(KERNEL_TILE, BUILD, "specialise shapes=none", "vectors bits=256");
	CHECK(kernel_same(KERNEL_TILE, tile));
	AUTO_FREE char *nest =
		MADE(KERNEL_NEST, BUILD, "specialise shapes=all", "scalarise loop=L0.0.0",
		     "threads loop=L0 n=2", "sink loop=L0.0 u=16 as=lanes", "vectors bits=256");
	CHECK(strstr(nest, "_part1(") && strstr(nest, "c_kept_1 += a[i * k + p] *"));
	CHECK(kernel_same(KERNEL_NEST, nest));
}

TEST(stream_needs_aligned_places_that_are_only_written)
{
	static const char *const lines[][2] = {
		{ "c[i * m + j_s] = a[j_s];", "not known to be aligned" },
		{ "c[i * 8 + 4 + j_s] = a[j_s];", "not known to be aligned" },
		{ "c[i * 8 + j_s] += a[j_s];", "it is read" },
		{ "c[i * 8 + j_s] = c[i * 8 + j_s] * 2;", "it is read" },
		{ "t[j_s] = a[j_s];", "no vector is written" },
	};
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		AUTO_STR struct str source = STR_INIT;
		str_addf(&source,
			 "%s{\n(void)b, (void)k;\nfloat t[8];\nfor (int64_t i = 0; i < n; i++)\n"
			 "%s%s\nc[m] = t[0];\n}\n",
			 KERNEL_HEAD, STRIPS("j_s", "8"), lines[i][0]);
		AUTO_FREE char *why = REFUSED(source.text, "vectors bits=256", "stream array=c");
		if (!strstr(why, lines[i][1]))
			printf("# %s: %s\n", lines[i][0], why);
		CHECK(strstr(why, lines[i][1]));
	}
}

TEST_MAIN()
