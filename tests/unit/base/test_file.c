#include "base/file.h"

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

TEST_MAIN()
