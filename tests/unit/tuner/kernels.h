/*
 * Small kernels for the tuner's tests, all with one interface, and a judge for them: a text is
 * compiled beside the original and both run on the same random data at several sizes.
 */
#ifndef FORGE_TEST_TUNER_KERNELS_H
#define FORGE_TEST_TUNER_KERNELS_H

#include "test.h"

#include <sys/stat.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "tuner/kernel.h"
#include "tuner/origin.h"
#include "tuner/plan.h"
#include "tuner/row.h"
#include "tuner/ttask.h"

#define KERNEL_HEAD                                                                                \
	"#include <math.h>\n#include <stdint.h>\n\n"                                               \
	"void kern(const float *a, const float *b, float *c, int64_t n, int64_t m, int64_t k)\n"

/* Two passes over each row: a sum, then a scaled copy. */
#define KERNEL_ROWS                                                                                \
	KERNEL_HEAD "{\n"                                                                          \
		    "	(void)k;\n"                                                                  \
		    "	for (int64_t i = 0; i < n; i++) {\n"                                         \
		    "		float sum = 0;\n"                                                           \
		    "		for (int64_t j = 0; j < m; j++)\n"                                          \
		    "			sum += a[i * m + j] * a[i * m + j];\n"                                     \
		    "		float scale = 1.0f / sqrtf(sum / (float)m + 1e-5f);\n"                      \
		    "		for (int64_t j = 0; j < m; j++)\n"                                          \
		    "			c[i * m + j] = a[i * m + j] * scale * b[j];\n"                             \
		    "	}\n"                                                                         \
		    "}\n"

/* Products summed in place, counters declared in front. */
#define KERNEL_NEST                                                                                \
	KERNEL_HEAD "{\n"                                                                          \
		    "	int i, j;\n"                                                                 \
		    "	int64_t p;\n"                                                                \
		    "	for (i = 0; i < n; i++)\n"                                                   \
		    "		for (j = 0; j < m; j++) {\n"                                                \
		    "			c[i * m + j] = 0.0f;\n"                                                    \
		    "			for (p = 0; p < k; p++)\n"                                                 \
		    "				c[i * m + j] += a[i * k + p] * b[p * m + j];\n"                           \
		    "		}\n"                                                                        \
		    "}\n"

/* Written with a stride of n. */
#define KERNEL_TURN                                                                                \
	KERNEL_HEAD "{\n"                                                                          \
		    "	(void)b, (void)k;\n"                                                         \
		    "	for (int64_t i = 0; i < n; i++)\n"                                           \
		    "		for (int64_t j = 0; j < m; j++)\n"                                          \
		    "			c[j * n + i] = a[i * m + j];\n"                                            \
		    "}\n"

/* A triangle, with a local array as long as a size. */
#define KERNEL_TRIANGLE                                                                            \
	KERNEL_HEAD "{\n"                                                                          \
		    "	(void)k;\n"                                                                  \
		    "	for (int64_t i = 0; i < n; i++) {\n"                                         \
		    "		float p[n];\n"                                                              \
		    "		float top = -INFINITY;\n"                                                   \
		    "		for (int64_t j = 0; j <= i; j++) {\n"                                       \
		    "			p[j] = a[i * m] * b[j];\n"                                                 \
		    "			top = p[j] > top ? p[j] : top;\n"                                          \
		    "		}\n"                                                                        \
		    "		float sum = 0;\n"                                                           \
		    "		for (int64_t j = 0; j <= i; j++)\n"                                         \
		    "			sum += expf(p[j] - top);\n"                                                \
		    "		c[i] = sum;\n"                                                              \
		    "	}\n"                                                                         \
		    "}\n"

/* Every step needs the one before. */
#define KERNEL_CHAIN                                                                               \
	KERNEL_HEAD "{\n"                                                                          \
		    "	float sum = 0;\n"                                                            \
		    "	(void)b, (void)m, (void)k;\n"                                                \
		    "	for (int64_t i = 0; i < n; i++) {\n"                                         \
		    "		sum += a[i];\n"                                                             \
		    "		c[i] = sum;\n"                                                              \
		    "	}\n"                                                                         \
		    "}\n"

/* The place of the largest element, with a branch. */
#define KERNEL_PLACE                                                                               \
	KERNEL_HEAD "{\n"                                                                          \
		    "	(void)b, (void)k;\n"                                                         \
		    "	for (int64_t i = 0; i < n; i++) {\n"                                         \
		    "		float best = a[i * m];\n"                                                   \
		    "		int where = 0;\n"                                                           \
		    "		for (int64_t j = 1; j < m; j++)\n"                                          \
		    "			if (a[i * m + j] > best) {\n"                                              \
		    "				best = a[i * m + j];\n"                                                   \
		    "				where = (int)j;\n"                                                        \
		    "			}\n"                                                                       \
		    "		c[i] = (float)where;\n"                                                     \
		    "	}\n"                                                                         \
		    "}\n"

/* Sweeps that read what the last one wrote; local pointers; a helper; a macro. */
#define KERNEL_SWEEPS                                                                              \
	"#include <stdint.h>\n#define STEPS 3\n#define AT(p, i, j) (p)[(i) * m + (j)]\n"           \
	"static float half(float v)\n{\n	return 0.5f * v;\n}\n\n"                                  \
	"void kern(const float *a, const float *b, float *c, int64_t n, int64_t m, int64_t k)\n"   \
	"{\n"                                                                                      \
	"	float *t = c + n * m;\n"                                                                 \
	"	(void)b, (void)k;\n"                                                                     \
	"	for (int64_t i = 0; i < n; i++) {\n"                                                     \
	"		const float *from = &a[i * m];\n"                                                       \
	"		float *to = c + i * m;\n"                                                               \
	"		for (int64_t j = 0; j < m; j++)\n"                                                      \
	"			to[j] = t[i * m + j] = from[j];\n"                                                     \
	"	}\n"                                                                                     \
	"	for (int s = 0; s < STEPS; s++) {\n"                                                     \
	"		for (int64_t i = 1; i < n - 1; i++)\n"                                                  \
	"			for (int64_t j = 1; j < m - 1; j++)\n"                                                 \
	"				AT(t, i, j) = half(AT(c, i - 1, j) + AT(c, i, j + 1));\n"                             \
	"		for (int64_t i = 1; i < n - 1; i++)\n"                                                  \
	"			for (int64_t j = 1; j < m - 1; j++)\n"                                                 \
	"				AT(c, i, j) = AT(t, i, j);\n"                                                         \
	"	}\n"                                                                                     \
	"}\n"

/* What the front end keeps as text, and jumps. */
#define KERNEL_ODD                                                                                 \
	KERNEL_HEAD "{\n"                                                                          \
		    "	static const float table[4] = { 1, 2, 3, 4 };\n"                             \
		    "	float s = 0;\n"                                                              \
		    "	(void)b;\n"                                                                  \
		    "	switch (n % 3) {\n"                                                          \
		    "	case 0:\n"                                                                   \
		    "		s = 1;\n"                                                                   \
		    "		break;\n"                                                                   \
		    "	default:\n"                                                                  \
		    "		s = 2;\n"                                                                   \
		    "	}\n"                                                                         \
		    "	while (k > 2) {\n"                                                           \
		    "		s += table[k-- & 3];\n"                                                     \
		    "		if (s > 9)\n"                                                               \
		    "			break;\n"                                                                  \
		    "		else if (s < 0)\n"                                                          \
		    "			return;\n"                                                                 \
		    "	}\n"                                                                         \
		    "	do\n"                                                                        \
		    "		s -= -0.5f;\n"                                                              \
		    "	while (s < 3);\n"                                                            \
		    "	for (int64_t i = n - 1; i >= 0; i--)\n"                                      \
		    "		c[i] = s * (a[i] - (a[i + 1] - a[i + 2])) / (s / (1 + s));\n"               \
		    "	for (int64_t i = 0, j = m; i < j; i++, j--)\n"                               \
		    "		c[n + i] = (float)((j << 1 >> 1 ^ 3) | (i & ~1));\n"                        \
		    "}\n"

/* All kinds of scalars that a loop may carry: sums, extremes, the place of the first best. */
#define KERNEL_REDUCED                                                                             \
	KERNEL_HEAD                                                                                \
	"{\n"                                                                                      \
	"	float sum = 1, least = a[0], best = a[0], scale = 1;\n"                                  \
	"	int where = -1;\n	int64_t row = -1;\n	(void)k;\n"                                        \
	"	for (int64_t i = 0; i < n; i++)\n"                                                       \
	"		for (int64_t j = 0; j < m; j++) {\n"                                                    \
	"			float v = (float)(int)(8 * a[i * m + j]);\n"                                           \
	"			sum += v * b[j];\n"                                                                    \
	"			least = v < least ? v : least;\n"                                                      \
	"			if (j == 3)\n				scale *= 0.5f + "                                                     \
	"a[i * m + j];\n"                                                                          \
	"			if (v > best) {\n"                                                                     \
	"				where = (int)j;\n				"                                                                \
	"best = v;\n				row = i;\n			}\n"                                                          \
	"			c[8 + i * m + j] = v;\n"                                                               \
	"		}\n"                                                                                    \
	"	c[0] = sum;\n	c[1] = least;\n	c[2] = best;\n	c[3] = (float)where;\n"                     \
	"	c[4] = (float)row;\n	c[5] = scale;\n}\n"

enum { KERNEL_COMPILE_S = 50 };

static struct dim kernel_dims[2][3] = { { { "n", 8 }, { "m", 33 }, { "k", 5 } },
					{ { "n", 13 }, { "m", 20 }, { "k", 7 } } };
static struct tuner_arg kernel_args[] = {
	{ .name = "a" },
	{ .name = "b" },
	{ .name = "c" },
	{ .name = "n", .is_scalar = true, .is_size = true },
	{ .name = "m", .is_scalar = true, .is_size = true },
	{ .name = "k", .is_scalar = true, .is_size = true },
};
static struct tuner_shape kernel_shapes[] = {
	{ .name = "8x33", .dims = { kernel_dims[0], 3 }, .sizes = { kernel_dims[0], 3 } },
	{ .name = "odd", .dims = { kernel_dims[1], 3 }, .sizes = { kernel_dims[1], 3 } },
};
static const struct tuner_task kernel_task = { .entry = "kern",
					       .threads = 2,
					       .args = kernel_args,
					       .nr_args = 6,
					       .shapes = kernel_shapes,
					       .nr_shapes = 2 };

/* Apply one row; false when it does not apply (the reason is in e->text). */
static bool kernel_apply(struct kernel *k, const char *value, struct err *e)
{
	struct row row;
	CHECK(row_parse(&row, value, k->a, e) == 0);
	return row.kind->apply(k, &row, e) == 0;
}

/* The file tells what it was made of: the same rows, and a text that reads. */
__attribute__((unused)) static void kernel_check_origin(const struct tuner_task *task,
							const char *text, const char *const *rows)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_KERNEL struct kernel k = { 0 };
	struct origin o;
	size_t at = 1;
	for (size_t i = 0; rows[i]; i++)
		at = row_text_is(rows[i], "build") ? 0 : at;
	origin_find(&o, text, task, &a);
	if (o.doubt)
		printf("# %s:\n%s", o.doubt, text);
	CHECK(!o.doubt && o.plan.nr);
	for (; *rows; rows++)
		CHECK_TEXT(o.plan.rows[at++], *rows);
	CHECK_INT(o.plan.nr, at);
	kernel_init(&k, o.source, task, &a);
	CHECK(!k.unread);
}

/* The file for this task after these rows (NULL-terminated), all of which must apply; yours. */
__attribute__((unused)) static char *kernel_for(const struct tuner_task *task, const char *source,
						const char *const *rows)
{
	const char *const *all = rows;
	struct arena a = { 0 };
	struct kernel k;
	struct err e = { 0 };
	struct str out = STR_INIT;
	kernel_init(&k, source, task, &a);
	if (k.unread)
		printf("# not read: %s\n", k.unread);
	CHECK(!k.unread);
	for (; *rows; rows++) {
		if (!kernel_apply(&k, *rows, &e))
			printf("# %s: %s\n", *rows, e.text);
		CHECK(e.kind == ERR_NONE);
		strv_add(&k.taken, *rows);
	}
	kernel_print(&k, &out);
	if (*all)
		kernel_check_origin(task, out.text, all);
	kernel_release(&k);
	arena_release(&a);
	return str_take(&out);
}

__attribute__((unused)) static unsigned count(const char *text, const char *what)
{
	unsigned nr = 0;
	for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
		nr++;
	return nr;
}

__attribute__((unused)) static char *kernel_with(const char *source, const char *const *rows)
{
	return kernel_for(&kernel_task, source, rows);
}

/* The part of a file that the rows made. */
__attribute__((unused)) static const char *kernel_made(const char *text)
{
	static const char mark[] = "/* What the rows made of it. */";
	const char *made = strstr(text, mark);
	CHECK(made);
	for (const char *at = made; at; at = strstr(at + 1, mark))
		made = at;
	return made;
}

/* Why the last of these rows does not apply. */
__attribute__((unused)) static char *refusal(const char *source, const char *const *rows)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_KERNEL struct kernel k = { 0 };
	struct err e = { 0 };
	kernel_init(&k, source, &kernel_task, &a);
	for (; rows[1]; rows++)
		CHECK(kernel_apply(&k, rows[0], &e));
	CHECK(!kernel_apply(&k, rows[0], &e));
	return xstrdup(e.text);
}

#define REFUSAL(source, ...) refusal(source, (const char *const[]){ __VA_ARGS__, NULL })
#define WITH(source, ...) kernel_with(source, (const char *const[]){ __VA_ARGS__, NULL })

/* The main of the comparison: arguments hold what both kernels are given. */
static const char kernel_driver[] =
	"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <math.h>\n"
	"#define kern kern_ref\n#include \"ref.c\"\n#undef kern\n"
	"void kern(const float *a, const float *b, float *c, int64_t n, int64_t m, int64_t k);\n"
	"enum { LEN = 8192 };\n"
	"static _Alignas(64) float a[LEN], b[LEN], want[LEN], got[LEN];\n"
	"static const int64_t sizes[][3] = { { 8, 33, 5 }, { 13, 20, 7 }, { 1, 1, 1 }, { 9, 31, 4 "
	"},\n"
	"	{ 33, 8, 6 } };\n"
	"int main(void)\n{\n"
	"	for (int s = 0; s < 5; s++) {\n"
	"		double mean = 0;\n"
	"		for (int i = 0; i < LEN; i++) {\n"
	"			a[i] = (float)rand() / (float)RAND_MAX - 0.3f;\n"
	"			b[i] = (float)rand() / (float)RAND_MAX - 0.5f;\n"
	"			want[i] = got[i] = 7;\n"
	"		}\n"
	"		kern_ref(a, b, want, sizes[s][0], sizes[s][1], sizes[s][2]);\n"
	"		kern(a, b, got, sizes[s][0], sizes[s][1], sizes[s][2]);\n"
	"		for (int i = 0; i < LEN; i++)\n"
	"			mean += fabs(want[i]) / LEN;\n"
	"		for (int i = 0; i < LEN; i++)\n"
	"			if (!(fabs(got[i] - want[i]) <= 1e-4 * (fabs(want[i]) + mean))) {\n"
	"				printf(\"# size %d element %d: %g, want %g\\n\", s, i, "
	"got[i], want[i]);\n"
	"				return 1;\n"
	"			}\n"
	"	}\n"
	"	return 0;\n}\n";

/* Run to the end; the exit status, -1 for anything else. */
static int kernel_run(const struct strv *argv)
{
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		alarm(KERNEL_COMPILE_S);
		setenv("OMP_WAIT_POLICY", "passive", 1);
		execvp(argv->items[0], argv->items);
		_exit(127);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The words after "forge-build:". */
static void kernel_directive(const char *source, struct strv *argv)
{
	const char *at = strstr(source, "forge-build:");
	CHECK(at != NULL);
	at += strlen("forge-build:");
	AUTO_FREE char *line = xstrndup(at, strcspn(at, "\n"));
	strv_split(argv, line, " ");
}

static void kernel_compile(const char *dir, const char *source)
{
	AUTO_STRV struct strv argv = { 0 };
	kernel_directive(source, &argv);
	strv_add(&argv, "-Iinclude");
	strv_addf(&argv, "-I%s", dir);
	strv_add(&argv, "-c");
	strv_addf(&argv, "%s/cand.c", dir);
	strv_add(&argv, "-o");
	strv_addf(&argv, "%s/cand.o", dir);
	bool is_compiled = kernel_run(&argv) == 0;
	if (!is_compiled)
		printf("# does not compile:\n%s", source);
	CHECK(is_compiled);
	AUTO_STRV struct strv link = { 0 };
	static const char *const words[] = { "gcc", "-O1", "-std=gnu17", "-fopenmp" };
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		strv_add(&link, words[i]);
	strv_addf(&link, "%s/main.c", dir);
	strv_addf(&link, "%s/cand.o", dir);
	strv_add(&link, "-lm");
	strv_add(&link, "-o");
	strv_addf(&link, "%s/main", dir);
	CHECK_INT(kernel_run(&link), 0);
}

/* What the comparison at known and unknown sizes ends with: 0, 1 when a value differs. */
static int kernel_compare(const char *original, const char *source)
{
	char dir[] = "/tmp/forge-test-XXXXXX";
	struct err e = { 0 };
	CHECK(mkdtemp(dir) != NULL);
	AUTO_FREE char *ref = path_join(dir, "ref.c");
	AUTO_FREE char *cand = path_join(dir, "cand.c");
	AUTO_FREE char *driver = path_join(dir, "main.c");
	CHECK_OK(file_write_text(ref, original, &e));
	CHECK_OK(file_write_text(cand, source, &e));
	CHECK_OK(file_write_text(driver, kernel_driver, &e));
	kernel_compile(dir, source);
	AUTO_STRV struct strv argv = { 0 };
	strv_addf(&argv, "%s/main", dir);
	int status = kernel_run(&argv);
	CHECK_OK(tree_remove(dir, &e));
	return status;
}

/* With FORGE_UNIT_TEXT=1 kernels are made and read, not compiled and compared: another flavour of
 * the same tests does that, and it is their longest part. tools/run-unit says so. */
__attribute__((unused)) static bool kernel_same(const char *original, const char *source)
{
	if (getenv("FORGE_UNIT_TEXT"))
		return true;
	bool is_same = kernel_compare(original, source) == 0;
	if (!is_same)
		printf("# differs:\n%s", source);
	return is_same;
}

#endif
