#include "fuzz.h"

/* A curriculum loads or is refused with a place; whatever loads is linted to the end, and a second
 * lint says the same. */

#include "model/curriculum.h"
#include "model/task.h"

static const char *const curriculum_reference =
	"static float pair_sum(float a, float b) { return a + b; }\n"
	"void entry(const float *x, float *y, long n) { for (long i = 0; i < n; i++)\n"
	"\ty[i] = pair_sum(x[i], 1.5f); }\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct err e = { 0 };
	struct curriculum c;
	AUTO_FREE char *text = xstrndup((const char *)data, len);
	AUTO_FINDINGS struct findings once = { 0 };
	AUTO_FINDINGS struct findings again = { 0 };
	if (curriculum_parse(&c, text, "f", &e) < 0) {
		FUZZ_CHECK(str_starts(e.text, "f:"));
		return 0;
	}
	curriculum_lint(&c, curriculum_reference, &once);
	curriculum_lint(&c, curriculum_reference, &again);
	FUZZ_CHECK(once.nr == again.nr);
	for (size_t i = 0; i < once.nr; i++)
		FUZZ_CHECK(strcmp(once.items[i].text, again.items[i].text) == 0);
	curriculum_release(&c);
	return 0;
}

#ifndef FUZZ_NO_MAIN
static const char *const curriculum_words[] = {
	"[[milestone]]\n",
	"[[milestone.decision]]\n",
	"id = \"D1.1\"\n",
	"id = \"D0.1\"\n",
	"id = \"M0\"\n",
	"needs = [\"D0.1\"]\n",
	"needs = [\"D1.1\"]\n",
	"atomic = \"a\"\n",
	"covers = \"order\"\n",
	"not_applicable = true\n",
	"value = 3\n",
	"range = \"1, 2\"\n",
	"mechanism_none = \"x\"\n",
	"mechanism = { metric = \"m\", direction = \"up\" }\n",
	"why = \"pair_sum\"\n",
	"what = \"y[i] = x\"\n",
	"```",
	";",
	"return a + b",
	"\"",
	"\n",
	"=",
	"version = 1\n",
	NULL
};
#endif
FUZZ_MAIN(curriculum_words)
