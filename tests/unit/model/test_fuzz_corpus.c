/* The fuzz corpus as a test, with a short round of mutations: a fault that fuzzing once found stays
 * found. The targets are compiled in under other names. */

#include <stddef.h>
#include <stdint.h>

int fuzz_one_expr(const uint8_t *data, size_t len);
int fuzz_one_shapes(const uint8_t *data, size_t len);
int fuzz_one_curriculum(const uint8_t *data, size_t len);
int fuzz_one_cscope(const uint8_t *data, size_t len);

#define FUZZ_NO_MAIN
#define LLVMFuzzerTestOneInput fuzz_one_toml
#include "../../fuzz/fuzz_toml.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_one_expr
#include "../../fuzz/fuzz_expr.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_one_shapes
#include "../../fuzz/fuzz_shapes.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_one_curriculum
#include "../../fuzz/fuzz_curriculum.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_one_cscope
#include "../../fuzz/fuzz_cscope.c"
#undef LLVMFuzzerTestOneInput

#include "test.h"

typedef int (*one_input_fn)(const uint8_t *data, size_t len);

static void run_exact(one_input_fn one, const char *bytes, size_t len)
{
	AUTO_FREE uint8_t *exact = xmalloc(len + 1);
	memcpy(exact, bytes, len);
	one(exact, len);
}

/* The file, each of its prefixes up to a bound, and the file with one byte changed. */
static void run_file(one_input_fn one, const char *path, struct rng *rng)
{
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read(path, 1 << 16, &text, &e));
	run_exact(one, text.text, text.len);
	for (size_t len = 0; len < text.len && len < 400; len++)
		run_exact(one, text.text, len);
	for (int i = 0; i < 300 && text.len; i++) {
		size_t at = (size_t)rng_below(rng, text.len);
		char saved = text.text[at];
		text.text[at] = (char)rng_below(rng, 256);
		run_exact(one, text.text, text.len);
		text.text[at] = saved;
	}
}

static void run_folder(one_input_fn one, const char *dir)
{
	struct err e = { 0 };
	struct rng rng = { .seed = 5 };
	AUTO_STRV struct strv names = { 0 };
	CHECK_OK(dir_list(dir, &names, &e));
	CHECK(names.nr > 0);
	for (size_t i = 0; i < names.nr; i++) {
		AUTO_FREE char *path = path_join(dir, names.items[i]);
		run_file(one, path, &rng);
	}
}

TEST(the_toml_corpus_holds)
{
	run_folder(fuzz_one_toml, "tests/fuzz/corpus/toml");
}

TEST(the_expression_corpus_holds)
{
	run_folder(fuzz_one_expr, "tests/fuzz/corpus/expr");
}

TEST(the_shapes_corpus_holds)
{
	run_folder(fuzz_one_shapes, "tests/fuzz/corpus/shapes");
}

TEST(the_curriculum_corpus_holds)
{
	run_folder(fuzz_one_curriculum, "tests/fuzz/corpus/curriculum");
}

TEST(the_corpus_of_c_sources_holds)
{
	run_folder(fuzz_one_cscope, "tests/fuzz/corpus/cscope");
}

TEST_MAIN()
