#include "fuzz.h"

/* Reading names and computing agree about syntax: what computes also lists its names, and what does
 * not list its names does not compute. */

#include "model/expr.h"

static void expr_see(const char *name, void *ctx)
{
	size_t *nr = ctx;
	FUZZ_CHECK(*name);
	*nr += 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct err e = { 0 };
	struct dim items[] = { { "n", 7 }, { "m", INT64_MAX }, { "rows", 1 }, { "z", 0 } };
	const struct dims dims = { items, ARRAY_LEN(items) };
	AUTO_FREE char *text = xstrndup((const char *)data, len);
	size_t nr_names = 0;
	int64_t value = 0;
	int computed = expr_eval(text, &dims, &value, &e);
	int listed = expr_names(text, expr_see, &nr_names, &e);
	FUZZ_CHECK(computed < 0 || listed == 0);
	FUZZ_CHECK(listed == 0 || e.kind == ERR_INPUT);
	return 0;
}

#ifndef FUZZ_NO_MAIN
static const char *const expr_words[] = { "+",
					  "-",
					  "*",
					  "/",
					  "%",
					  "(",
					  ")",
					  ",",
					  "n",
					  "m",
					  "rows",
					  "z",
					  "min(",
					  "max(",
					  "ceil(",
					  " ",
					  "0",
					  "1",
					  "9223372036854775807",
					  "((((",
					  NULL };
#endif
FUZZ_MAIN(expr_words)
