#include "test.h"

#include <regex.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

enum { MAX_BYTES = 1 << 20 };

/* The words of share/kb/operator-words, and some that only matter here: a rewrite may not know what
 * operator it works on. */
static const char *const more[] = {
	"softmax", "rmsnorm", "gemm", "attention", "conv", "transpose"
};

static void read_words(struct strv *words)
{
	AUTO_STR struct str text = STR_INIT;
	struct err e = { 0 };
	CHECK_OK(file_read("share/kb/operator-words", MAX_BYTES, &text, &e));
	strv_split(words, text.text, "\n");
	for (size_t i = 0; i < ARRAY_LEN(more); i++)
		strv_add(words, more[i]);
}

static void check_file(const char *path, const struct strv *words)
{
	AUTO_STR struct str text = STR_INIT;
	struct err e = { 0 };
	CHECK_OK(file_read(path, MAX_BYTES, &text, &e));
	for (size_t i = 0; i < words->nr; i++) {
		AUTO_FREE char *pattern =
			xasprintf("(^|[^[:alnum:]_])(%s)($|[^[:alnum:]_])", words->items[i]);
		regex_t re;
		CHECK_INT(regcomp(&re, pattern, REG_EXTENDED | REG_ICASE | REG_NOSUB), 0);
		bool is_found = regexec(&re, text.text, 0, NULL, 0) == 0;
		regfree(&re);
		if (is_found)
			printf("# %s: %s\n", path, words->items[i]);
		CHECK(!is_found);
	}
}

TEST(no_file_of_the_tuner_names_an_operator)
{
	AUTO_STRV struct strv words = { 0 };
	AUTO_STRV struct strv names = { 0 };
	struct err e = { 0 };
	if (!file_exists("share/kb/operator-words"))
		SKIP("not in the root of the sources");
	read_words(&words);
	CHECK_OK(dir_list("tuner", &names, &e));
	CHECK(words.nr > 10 && names.nr > 20);
	for (size_t i = 0; i < names.nr; i++) {
		AUTO_FREE char *path = path_join("tuner", names.items[i]);
		check_file(path, &words);
	}
}

TEST_MAIN()
