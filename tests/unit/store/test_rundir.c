#include "store/rundir.h"

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

TEST(paths_have_no_trailing_slash)
{
	AUTO_FREE char *task = rundir_path("r", RUNDIR_TASK);
	CHECK_TEXT(task, "r/task");
	AUTO_FREE char *round = rundir_round("r", 7, "kernel.c");
	CHECK_TEXT(round, "r/rounds/0007/kernel.c");
	AUTO_FREE char *version = rundir_curriculum("r", 2);
	CHECK_TEXT(version, "r/curriculum/v2.toml");
}

TEST(a_fresh_name_holds_task_and_day)
{
	AUTO_FREE char *name = rundir_fresh_name("norm", 1795913600UL, 0x7f3aUL);
	CHECK_TEXT(name, "norm_20261129-7f3a");
}

TEST(a_filled_folder_is_never_taken_for_a_run)
{
	struct err e = { 0 };
	char dir[] = "/tmp/forge-rundir-XXXXXX";
	CHECK(mkdtemp(dir));
	AUTO_FREE char *run = path_join(dir, "run");
	CHECK_OK(rundir_create(run, &e));
	CHECK(!rundir_is_run(run));
	CHECK(rundir_create(run, &e) < 0);
	CHECK_INT(e.kind, ERR_CONFLICT);
	CHECK_OK(tree_remove(dir, &e));
}

TEST(every_part_stands_in_the_format_page)
{
	struct err e = { 0 };
	AUTO_STR struct str page = STR_INIT;
	CHECK_OK(file_read("docs/format/run-dir.md", 1 << 20, &page, &e));
	for (int i = 0; i < RUNDIR_NR; i++) {
		AUTO_STRV struct strv parts = { 0 };
		strv_split(&parts, rundir_name((enum rundir_part)i), "/");
		CHECK(strstr(page.text, parts.items[parts.nr - 1]));
	}
}

TEST_MAIN()
