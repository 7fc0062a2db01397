#include "base/str.h"

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "test.h"

TEST(a_fresh_str_is_an_empty_c_string)
{
	AUTO_STR struct str s = STR_INIT;
	CHECK_TEXT(s.text, "");
	str_addf(&s, "%d-%s", 7, "x");
	CHECK_TEXT(s.text, "7-x");
	CHECK_INT(s.len, 3);
}

TEST(splitting_drops_empty_pieces)
{
	AUTO_STRV struct strv v = { 0 };
	strv_split(&v, "  a b\t c ", " \t");
	CHECK_INT(v.nr, 3);
	AUTO_FREE char *joined = strv_join(&v, ",");
	CHECK_TEXT(joined, "a,b,c");
}

TEST(an_error_grows_from_the_inside_and_truncates_visibly)
{
	struct err e = { 0 };
	err_set(&e, ERR_INPUT, "open x: %s", "gone");
	err_wrap(&e, "task %s", "t");
	CHECK_TEXT(e.text, "task t: open x: gone");
	char big[2000];
	memset(big, 'a', sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	err_set(&e, ERR_INPUT, "%s", big);
	CHECK(str_ends(e.text, "..."));
}

TEST(a_failed_write_leaves_the_old_file)
{
	struct err e = { 0 };
	char dir[] = "/tmp/forge-test-XXXXXX";
	CHECK(mkdtemp(dir));
	AUTO_FREE char *path = path_join(dir, "f");
	CHECK_OK(file_write_text(path, "old", &e));
	AUTO_FREE char *bad = path_join(path, "below-a-file");
	CHECK(file_write_text(bad, "new", &e) < 0);
	AUTO_STR struct str s = STR_INIT;
	CHECK_OK(file_read(path, 100, &s, &e));
	CHECK_TEXT(s.text, "old");
	CHECK_OK(tree_remove(dir, &e));
	CHECK(!file_exists(dir));
}

TEST_MAIN()
