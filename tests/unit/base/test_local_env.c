#include "base/local_env.h"

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

TEST(the_environment_goes_before_the_file_and_an_empty_value_is_none)
{
	char dir[] = "/tmp/forge-test-XXXXXX";
	struct err e = { 0 };
	char *value = NULL;
	CHECK(mkdtemp(dir) && chdir(dir) == 0);
	CHECK_OK(file_write_text(
		LOCAL_ENV_NAME,
		"# HOST_A=no\nexport HOST_A='a b'\nHOST_AB=x\nHOST_C=\nHOST_C=c\r\n", &e));
	static const char *const wanted[][2] = {
		{ "HOST_A", "a b" }, { "HOST_AB", "x" }, { "HOST_C", "c" }, { "HOST_D", NULL }
	};
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		AUTO_FREE char *found = NULL;
		CHECK_OK(local_env_find(wanted[i][0], &found, &e));
		CHECK(wanted[i][1] ? found && strcmp(found, wanted[i][1]) == 0 : !found);
	}
	setenv("HOST_A", "", 1);
	CHECK_OK(local_env_find("HOST_A", &value, &e));
	CHECK_TEXT(value, "a b");
	free(value);
	setenv("HOST_A", "mine", 1);
	CHECK_OK(local_env_find("HOST_A", &value, &e));
	CHECK_TEXT(value, "mine");
	free(value);
	CHECK(chdir("/") == 0);
	CHECK_OK(tree_remove(dir, &e));
}

TEST(each_line_tells_the_name_that_it_sets)
{
	char dir[] = "/tmp/forge-test-XXXXXX";
	struct err e = { 0 };
	AUTO_STRV struct strv names = { 0 };
	CHECK(mkdtemp(dir) && chdir(dir) == 0);
	CHECK_OK(local_env_names(&names, &e)); /* there is no such file */
	CHECK(names.nr <= 1 && (!names.nr || !*names.items[0]));
	strv_release(&names);
	names = (struct strv){ 0 };
	CHECK_OK(file_write_text(LOCAL_ENV_NAME,
				 "# HOST_A=no\n  export HOST_B=b\nno value\nHOST_C=", &e));
	CHECK_OK(local_env_names(&names, &e));
	CHECK_INT(names.nr, 4);
	CHECK_TEXT(names.items[1], "HOST_B");
	CHECK_TEXT(names.items[2], "");
	CHECK_TEXT(names.items[3], "HOST_C");
	CHECK(chdir("/") == 0);
	CHECK_OK(tree_remove(dir, &e));
}

TEST_MAIN()
