#include "fuzz.h"

/* Any text is read to its end: its words lie in order inside of it, every name that it is said to
 * declare is a word of it, and without a prefix it prints as it was. */

#include "model/cscope.h"

static bool has_name(const struct cscope *c, const char *name)
{
	for (size_t i = 0; i < c->nr; i++)
		if (c->words[i].kind == CWORD_NAME && cword_is(&c->words[i], name))
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	AUTO_FREE char *text = xstrndup((const char *)data, len);
	AUTO_CSCOPE struct cscope c;
	AUTO_STR struct str out = STR_INIT;
	const char *end = text;
	cscope_read(&c, text);
	for (size_t i = 0; i < c.nr; i++) {
		FUZZ_CHECK(c.words[i].at >= end && c.words[i].len > 0);
		end = c.words[i].at + c.words[i].len;
	}
	FUZZ_CHECK(end <= text + strlen(text));
	for (size_t i = 0; i < c.names.nr; i++)
		FUZZ_CHECK(has_name(&c, c.names.items[i]));
	cscope_print(&c, "", "\x01 in no comment", &out);
	FUZZ_CHECK(strcmp(out.text, text) == 0);
	return 0;
}

#ifndef FUZZ_NO_MAIN
static const char *const cscope_words[] = { "static ",
					    "extern ",
					    "typedef ",
					    "struct ",
					    "enum ",
					    "union ",
					    "{",
					    "}",
					    "(",
					    ")",
					    "[",
					    "]",
					    "(*name)",
					    "=",
					    ",",
					    ";",
					    "*",
					    "\"",
					    "'",
					    "\\\n",
					    "/*",
					    "*/",
					    "//",
					    "\n#if 1",
					    "\n#endif",
					    "\n#include <a.h>",
					    "\n#define M(x) x ## 1",
					    "__attribute__((cold))",
					    "1e+5f",
					    NULL };
#endif
FUZZ_MAIN(cscope_words)
