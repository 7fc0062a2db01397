#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

/* Only plain files are read; nothing waits for the other end of a FIFO. */

static char *make_dir(void)
{
	char *dir = xstrdup("/tmp/forge-file-XXXXXX");
	CHECK(mkdtemp(dir));
	return dir;
}

static void check_refused(const char *path)
{
	struct err e = { 0 };
	struct digest digest;
	AUTO_STR struct str text = STR_INIT;
	AUTO_FREE char *want = xasprintf("open %s: not a plain file", path);
	AUTO_FREE char *copy = xasprintf("%s.copy", path);
	CHECK(file_read(path, 100, &text, &e) < 0);
	CHECK_TEXT(e.text, want);
	CHECK_INT(e.kind, ERR_INPUT);
	CHECK(digest_file(path, &digest, &e) < 0);
	CHECK(file_copy(path, copy, &e) < 0);
	CHECK(!file_exists(copy));
}

TEST(a_fifo_a_folder_and_a_device_are_no_plain_files)
{
	struct err e = { 0 };
	AUTO_FREE char *dir = make_dir();
	AUTO_FREE char *fifo = path_join(dir, "fifo");
	alarm(10);
	CHECK(mkfifo(fifo, 0600) == 0);
	check_refused(fifo);
	check_refused(dir);
	AUTO_STR struct str text = STR_INIT;
	CHECK(file_read("/dev/zero", 100, &text, &e) < 0);
	CHECK_OK(tree_remove(dir, &e));
}

TEST(files_of_proc_are_plain)
{
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read("/proc/self/stat", 4096, &text, &e));
	CHECK(text.len > 0);
}

static int fill_and_maybe_fail(const void *ctx, const char *dir, struct err *e)
{
	AUTO_FREE char *file = path_join(dir, "inside");
	const bool *fails = ctx;
	if (dir_make(dir, e) < 0 || file_write_text(file, "text", e) < 0)
		return -1;
	return *fails ? err_set(e, ERR_INPUT, "as told") : 0;
}

TEST(a_folder_is_made_whole_or_not_at_all)
{
	struct err e = { 0 };
	AUTO_FREE char *dir = make_dir();
	AUTO_FREE char *place = path_join(dir, "place");
	AUTO_FREE char *inside = path_join(place, "inside");
	AUTO_STRV struct strv names = { 0 };
	const bool yes = true;
	const bool no = false;
	CHECK(dir_make_whole(place, fill_and_maybe_fail, &yes, &e) < 0);
	CHECK_TEXT(e.text, "as told");
	CHECK_OK(dir_list(dir, &names, &e));
	CHECK_INT(names.nr, 0);
	CHECK_OK(dir_make_whole(place, fill_and_maybe_fail, &no, &e));
	CHECK(file_exists(inside));
	/* A folder that somebody else filled meanwhile is left alone. */
	CHECK(dir_make_whole(place, fill_and_maybe_fail, &no, &e) < 0);
	CHECK(strstr(e.text, "rename "));
	CHECK_OK(dir_list(dir, &names, &e));
	CHECK_INT(names.nr, 1);
	CHECK_OK(tree_remove(dir, &e));
}

TEST(a_folder_is_not_copied_into_itself)
{
	struct err e = { 0 };
	AUTO_FREE char *dir = make_dir();
	AUTO_FREE char *inside = path_join(dir, "copy");
	AUTO_FREE char *beside = xasprintf("%s.copy", dir);
	CHECK(tree_copy(dir, inside, &e) < 0);
	CHECK(strstr(e.text, "inside of it"));
	CHECK(!file_exists(inside));
	e = (struct err){ 0 };
	CHECK_OK(tree_copy(dir, beside, &e));
	CHECK_OK(tree_remove(beside, &e));
	CHECK_OK(tree_remove(dir, &e));
}

/* 100 times this is more than PATH_MAX. */
enum { DEEPER_THAN_ANY_PATH = 100 };
#define LONG_NAME "a-name-of-sixty-letters-a-name-of-sixty-letters-a-name-of-60"

static void dig(const char *dir, int depth)
{
	int at = open(dir, O_RDONLY | O_DIRECTORY);
	CHECK(at >= 0);
	for (int i = 0; i < depth; i++) {
		CHECK(mkdirat(at, LONG_NAME, 0700) == 0);
		int below = openat(at, LONG_NAME, O_RDONLY | O_DIRECTORY);
		CHECK(below >= 0);
		close(at);
		at = below;
	}
	close(at);
}

TEST(a_tree_deeper_than_any_path_is_removed)
{
	struct err e = { 0 };
	AUTO_FREE char *dir = make_dir();
	dig(dir, DEEPER_THAN_ANY_PATH);
	CHECK_OK(tree_remove(dir, &e));
	CHECK(!file_exists(dir));
}

TEST(locked_folders_are_removed)
{
	struct err e = { 0 };
	AUTO_FREE char *dir = make_dir();
	AUTO_FREE char *locked = path_join(dir, "locked");
	AUTO_FREE char *inner = path_join(locked, "inner/file");
	AUTO_FREE char *folder = path_dir(inner);
	CHECK_OK(dir_make(folder, &e));
	CHECK_OK(file_write_text(inner, "x", &e));
	CHECK(chmod(folder, 0500) == 0 && chmod(locked, 0) == 0);
	CHECK_OK(tree_remove(dir, &e));
	CHECK(!file_exists(dir));
}

TEST(links_are_removed_and_not_followed)
{
	struct err e = { 0 };
	AUTO_FREE char *dir = make_dir();
	AUTO_FREE char *outside = make_dir();
	AUTO_FREE char *kept = path_join(outside, "kept");
	AUTO_FREE char *sub = path_join(dir, "a/b");
	AUTO_FREE char *link = path_join(sub, "link");
	AUTO_FREE char *top = path_join(dir, "link");
	CHECK_OK(file_write_text(kept, "x", &e));
	CHECK_OK(dir_make(sub, &e));
	CHECK(symlink(outside, link) == 0 && symlink(outside, top) == 0);
	CHECK_OK(tree_remove(dir, &e));
	CHECK(file_exists(kept));
	CHECK_OK(tree_remove(outside, &e));
}

TEST_MAIN()
