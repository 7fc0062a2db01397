/*
 * A temporary task folder for tests: the worked example of docs/format, written file by file, each
 * with one replacement if the test wants one.
 */
#ifndef FORGE_TEST_FOLDER_H
#define FORGE_TEST_FOLDER_H

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "page.h"
#include "test.h"

struct folder {
	char path[32];
};

#define AUTO_FOLDER __attribute__((cleanup(folder_release)))

static inline void folder_release(struct folder *f)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(f->path, &e));
}

static inline void folder_write(const struct folder *f, const char *name, const char *text)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(f->path, name);
	AUTO_FREE char *dir = path_dir(path);
	CHECK_OK(dir_make(dir, &e));
	CHECK_OK(file_write_text(path, text, &e));
}

static inline char *folder_read(const struct folder *f, const char *name)
{
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_FREE char *path = path_join(f->path, name);
	CHECK_OK(file_read(path, 1 << 20, &text, &e));
	return str_take(&text);
}

/* Replace the first `from`, which must be there; an empty one replaces the whole file. */
static inline void folder_replace(const struct folder *f, const char *name, const char *from,
				  const char *to)
{
	AUTO_FREE char *text = folder_read(f, name);
	char *at = strstr(text, from);
	if (!at)
		printf("# %s does not hold: %s\n", name, from);
	CHECK(at != NULL);
	const char *rest = *from ? at + strlen(from) : "";
	AUTO_FREE char *changed = xasprintf("%.*s%s%s", (int)(at - text), text, to, rest);
	folder_write(f, name, changed);
}

static inline void folder_remove(const struct folder *f, const char *name)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(f->path, name);
	CHECK_OK(tree_remove(path, &e));
}

static const char *const good_description =
	"# saxpby\n\nA weighted sum: every element of y becomes alpha times that of x plus y.\n\n"
	"- x and y have n elements and do not overlap; n >= 1, alpha is any finite value.\n"
	"- The product and the sum are rounded to f32, fused or not.\n";

static const char *const good_reference =
	"#include <stdint.h>\n\nstatic float weighted_pair(float left, float right_term);\n\n"
	"void saxpby(const float *x, float *y, int64_t n, float alpha)\n{\n"
	"\tfor (int64_t i = 0; i < n; i++)\n\t\ty[i] = alpha * x[i] + y[i];\n}\n";

static const char *const good_judge =
	"#include <stdint.h>\nvoid saxpby(const double *x, double *y, int64_t n, double alpha)\n{\n"
	"\tfor (int64_t i = n; i > 0; i--)\n\t\ty[i - 1] += alpha * x[i - 1];\n}\n";

static inline struct folder folder_of_example(void)
{
	struct folder f = { "/tmp/forge-model-XXXXXX" };
	CHECK(mkdtemp(f.path) != NULL);
	AUTO_FREE char *task = page_block("docs/format/task.md", "toml", 0);
	AUTO_FREE char *shapes = page_block("docs/format/shapes.md", "json", 0);
	folder_write(&f, "task.toml", task);
	folder_write(&f, "shapes.json", shapes);
	folder_write(&f, "description.md", good_description);
	folder_write(&f, "reference/saxpby.c", good_reference);
	folder_write(&f, "judge/judge.c", good_judge);
	return f;
}

#endif
