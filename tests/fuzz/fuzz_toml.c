#include "fuzz.h"

/* Any bytes are parsed or refused with a place; what was parsed has NUL-terminated text and can be
 * walked to its end. */

#include "base/toml.h"

static void toml_walk(const struct toml *value)
{
	if (value->text)
		FUZZ_CHECK(value->text[value->len] == 0);
	for (size_t i = 0; i < value->nr_items; i++)
		toml_walk(value->items[i]);
	for (size_t i = 0; i < value->nr_members; i++) {
		FUZZ_CHECK(value->members[i].key[value->members[i].key_len] == 0);
		FUZZ_CHECK(value->members[i].line > 0 && value->members[i].col > 0);
		toml_walk(value->members[i].value);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct err e = { 0 };
	AUTO_ARENA struct arena a = { 0 };
	const struct toml *root = toml_parse((const char *)data, len, "f", &a, &e);
	unsigned line = 0;
	unsigned col = 0;
	if (root)
		toml_walk(root);
	else
		FUZZ_CHECK(sscanf(e.text, "f:%u:%u: ", &line, &col) == 2 && line > 0 && col > 0);
	return 0;
}

#ifndef FUZZ_NO_MAIN
static const char *const toml_words[] = { "[",          "]",
					  "[[",         "]]",
					  "{",          "}",
					  "=",          ".",
					  ",",          "#",
					  "\n",         "\r\n",
					  "\"",         "'",
					  "\"\"\"",     "'''",
					  "\\u00e9",    "\\",
					  "a",          "a.b",
					  "inf",        "nan",
					  "true",       "0x1F",
					  "1e5",        "1_0",
					  "-",          "+",
					  "1979-05-27", "07:32:00.5",
					  "Z",          "+01:00",
					  "T",          " ",
					  "a = 1\n",    "[a.b]\n",
					  "[[a]]\n",    "\xEF\xBB\xBF",
					  "\xC3\xA9",   "9223372036854775808",
					  NULL };
#endif
FUZZ_MAIN(toml_words)
