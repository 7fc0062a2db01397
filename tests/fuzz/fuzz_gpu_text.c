/* Every reader of what CUDA tools print or embed, over the same input: none may crash, and what one
 * accepts must keep its promises. */
#include "build/compile_cuda.h"
#include "build/fatbin.h"
#include "build/ptx.h"
#include "build/ptxas_report.h"
#include "build/sass.h"
#include "fuzz.h"
#include "model/ncu.h"

static void try_texts(const char *text)
{
	struct err e = { 0 };
	const char *at = NULL;
	size_t len = 0;
	AUTO_STR struct str what = STR_INIT;
	json_t *facts = json_object();
	AUTO_PTXAS_REPORT struct ptxas_report r;
	if (ptxas_report_parse(&r, text, &e) == 0)
		ptxas_report_facts(&r, facts);
	sass_facts(text, facts);
	if (sass_reads_clock(text, &at, &len))
		FUZZ_CHECK(at >= text && at + len <= text + strlen(text));
	ptx_facts(text, facts);
	bool is_forbidden = ptx_is_forbidden(text, &what);
	FUZZ_CHECK(is_forbidden == (what.len > 0));
	free(compile_cuda_foreign(text, "/kit", "/cuda"));
	json_decref(facts);
}

static void try_ncu(const char *text)
{
	struct err e = { 0 };
	const char *name;
	json_t *value;
	json_t *facts = json_object();
	int rc = ncu_parse(text, facts, &e);
	FUZZ_CHECK(rc == 0 || json_object_size(facts) == 0);
	FUZZ_CHECK(rc < 0 || json_integer_value(json_object_get(facts, "ncu_kernels")) > 0);
	json_object_foreach(facts, name, value)
		FUZZ_CHECK(json_is_array(value) || json_number_value(value) < 1e300);
	ncu_check_version(text, &e);
	json_decref(facts);
}

static void try_images(const char *bytes, size_t len)
{
	struct err e = { 0 };
	struct fatbin_image image;
	for (size_t at = 0; fatbin_next(bytes, len, &at, &image, &e) > 0;)
		FUZZ_CHECK(at <= len && image.bytes + image.len == bytes + at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	AUTO_FREE char *text = xstrndup((const char *)data, len);
	try_texts(text);
	try_ncu(text);
	try_images((const char *)data, len);
	return 0;
}

static const char *const words[] = { "ptxas info    : ",
				     "Compiling entry function '",
				     "Used 8 registers",
				     "bytes stack frame",
				     "/*0010*/ ",
				     "@!P0 ",
				     "LDG.E.128 R4;",
				     "SR_CLOCKLO",
				     "%clock",
				     "brkpt;",
				     "cp.async.bulk",
				     "{",
				     "};",
				     "/*",
				     "*/",
				     "//",
				     "\"ID\",",
				     "\"Metric Name\",",
				     "\"Metric Unit\",",
				     "\"Metric Value\"",
				     "==ERROR==",
				     "gpu__time_duration.sum",
				     "\"1,234.5\"",
				     "nan",
				     "# 1 \"",
				     "\x50\xed\x55\xba",
				     "Version 2025.1",
				     NULL };
FUZZ_MAIN(words)
