/*
 * The lesson and the probe that docs/format/lesson.md shows, in a base of their own: tests begin
 * with a lesson that is right and change one thing.
 */
#ifndef FORGE_TEST_SAMPLE_H
#define FORGE_TEST_SAMPLE_H

#include <sys/stat.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "know/kb.h"
#include "know/kb_device.h"
#include "model/page.h"
#include "model/task.h"
#include "test.h"

#define SAMPLE_PAGE "docs/format/lesson.md"

struct sample {
	char dir[64];
	char *text;
	char *probe;
};

/* What stands between four backticks. */
static inline char *sample_lesson(void)
{
	struct err e = { 0 };
	AUTO_STR struct str page = STR_INIT;
	CHECK_OK(file_read(SAMPLE_PAGE, 1 << 20, &page, &e));
	const char *at = strstr(page.text, "\n````markdown\n");
	CHECK(at != NULL);
	at += strlen("\n````markdown\n");
	const char *end = strstr(at, "\n````\n");
	CHECK(end != NULL);
	return xstrndup(at, (size_t)(end - at) + 1);
}

static inline char *sample_probe(void)
{
	struct err e = { 0 };
	AUTO_STR struct str page = STR_INIT;
	CHECK_OK(file_read(SAMPLE_PAGE, 1 << 20, &page, &e));
	const char *at = strstr(page.text, "\nIts probe:\n\n```c\n");
	CHECK(at != NULL);
	at += strlen("\nIts probe:\n\n```c\n");
	const char *end = strstr(at, "\n```");
	CHECK(end != NULL);
	return xstrndup(at, (size_t)(end - at) + 1);
}

static inline void sample_put(const struct sample *s, const char *name, const char *text)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(s->dir, name);
	AUTO_FREE char *dir = path_dir(path);
	CHECK_OK(dir_make(dir, &e));
	CHECK_OK(file_write_text(path, text, &e));
}

/* `text` with its one passage `from` replaced; yours. */
static inline char *sample_edit(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	if (!at)
		printf("# no passage \"%s\"\n", from);
	CHECK(at != NULL);
	return xasprintf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static inline void sample_open(struct sample *s)
{
	*s = (struct sample){ .dir = "/tmp/forge-know-XXXXXX" };
	CHECK(mkdtemp(s->dir));
	s->text = sample_lesson();
	s->probe = sample_probe();
	sample_put(s, "x86-64/independent-sums.md", s->text);
	sample_put(s, "x86-64/independent-sums.probe.c", s->probe);
}

static inline void sample_close(struct sample *s)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(s->dir, &e));
	free(s->text);
	free(s->probe);
}

static inline struct kb_device sample_device(void)
{
	return (struct kb_device){ .host = "local",
				   .family = "x86-64",
				   .name = "Example CPU 9000 @ 2.40GHz",
				   .features = "avx2 fma",
				   .compiler = "gcc (Debian 12.2.0-14) 12.2.0",
				   .driver = "Linux 6.1" };
}

#endif
