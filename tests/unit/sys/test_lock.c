#include "sys/lock.h"

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "test.h"

TEST(a_second_holder_is_refused_and_told_who_holds)
{
	struct err e = { 0 };
	char dir[] = "/tmp/forge-lock-XXXXXX";
	CHECK(mkdtemp(dir));
	AUTO_FREE char *path = path_join(dir, "lock");
	AUTO_LOCK struct lock first = LOCK_INIT;
	AUTO_LOCK struct lock second = LOCK_INIT;
	CHECK_OK(lock_take(&first, path, &e));
	CHECK(lock_take(&second, path, &e) < 0);
	CHECK_INT(e.kind, ERR_CONFLICT);
	AUTO_FREE char *want =
		xasprintf("%s is in use by process %ld; wait for it, or stop it (SIGTERM)", dir,
			  (long)getpid());
	CHECK_TEXT(e.text, want);
	lock_release(&first);
	CHECK_OK(lock_take(&second, path, &e));
	CHECK_OK(tree_remove(dir, &e));
}

TEST(a_holder_that_was_killed_leaves_no_lock)
{
	struct err e = { 0 };
	char dir[] = "/tmp/forge-lock-XXXXXX";
	CHECK(mkdtemp(dir));
	AUTO_FREE char *path = path_join(dir, "lock");
	pid_t pid = fork();
	if (pid == 0) {
		struct lock l = LOCK_INIT;
		if (lock_take(&l, path, &e) < 0)
			_exit(1);
		raise(SIGKILL);
	}
	waitpid(pid, NULL, 0);
	AUTO_LOCK struct lock l = LOCK_INIT;
	CHECK_OK(lock_take(&l, path, &e));
	CHECK_OK(tree_remove(dir, &e));
}

TEST(a_copy_of_a_lock_is_none_of_a_holder)
{
	char dir[] = "/tmp/forge-lock-XXXXXX";
	struct err e = { 0 };
	CHECK(mkdtemp(dir));
	AUTO_FREE char *path = path_join(dir, "lock");
	AUTO_FREE char *copy = path_join(dir, "copy");
	CHECK(!lock_is_original(path));
	AUTO_LOCK struct lock lock = LOCK_INIT;
	CHECK_OK(lock_take(&lock, path, &e));
	CHECK_OK(file_copy(path, copy, &e));
	CHECK(lock_is_original(path) && !lock_is_original(copy));
	CHECK_OK(tree_remove(dir, &e));
}

TEST_MAIN()
