/*
 * The worked examples of docs/format, so that tests parse what the pages show: the text of the n-th
 * fenced block of a language, yours.
 */
#ifndef FORGE_TEST_PAGE_H
#define FORGE_TEST_PAGE_H

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

static inline char *page_block(const char *path, const char *language, unsigned n)
{
	struct err e = { 0 };
	AUTO_STR struct str page = STR_INIT;
	AUTO_FREE char *open = xasprintf("\n```%s\n", language);
	CHECK_OK(file_read(path, 1 << 20, &page, &e));
	const char *at = page.text;
	for (unsigned i = 0; i <= n; i++) {
		at = strstr(at, open);
		CHECK(at != NULL);
		at += strlen(open);
	}
	const char *end = strstr(at, "\n```");
	CHECK(end != NULL);
	return xstrndup(at, (size_t)(end - at) + 1);
}

#endif
