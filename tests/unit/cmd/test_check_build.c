#include "cmd/check_build.h"

#include "base/str.h"
#include "../model/folder.h"
#include "model/task.h"
#include "sys/cpu.h"

/* Findings that need the list of flags or the machine, each at its line. */

static void check_found(const struct folder *f, const char *file, unsigned line, bool is_error,
			const char *text)
{
	AUTO_FINDINGS struct findings found = { 0 };
	AUTO_FREE char *path = path_join(f->path, file);
	check_build(f->path, &found);
	CHECK_INT(found.nr, 1);
	printf("# %s:%u: %s\n", found.items[0].file, found.items[0].line, found.items[0].text);
	CHECK_TEXT(found.items[0].file, path);
	CHECK_INT(found.items[0].line, line);
	CHECK_INT(found.items[0].is_error, is_error);
	CHECK(strstr(found.items[0].text, text));
}

static struct folder example(void)
{
	struct folder f = folder_of_example();
	/* Any machine has one core. */
	folder_replace(&f, "task.toml", "threads = 2", "threads = 1");
	return f;
}

TEST(a_forbidden_flag_is_named_where_it_stands)
{
	AUTO_FOLDER struct folder f = example();
	folder_replace(&f, "task.toml", "build = \"gcc -O2\"", "build = \"gcc -O2 -include x.h\"");
	check_found(&f, "task.toml", 37, true, "flag -include is not on the allow list");
	folder_replace(&f, "task.toml", "build = \"gcc -O2 -include x.h\"",
		       "build = \"gcc -fopenmp\"");
	check_found(&f, "task.toml", 37, true, "flag -fopenmp: the task allows one thread");
	folder_replace(&f, "task.toml", "build = \"gcc -fopenmp\"", "build = \"gcc -O2\"");
	folder_write(&f, "reference/saxpby.c", "\n/* forge-build: gcc -Wl,-z,now */\n");
	check_found(&f, "reference/saxpby.c", 2, true, "flag -Wl,-z,now is not on the allow list");
}

TEST(more_threads_than_cores_are_a_warning)
{
	struct err e = { 0 };
	struct cpu_list cpus = { 0 };
	CHECK_OK(cpu_usable(&cpus, &e));
	if (cpus.nr > 200)
		SKIP("too many cores");
	AUTO_FOLDER struct folder f = folder_of_example();
	folder_replace(&f, "task.toml", "threads = 2", "threads = 256");
	check_found(&f, "task.toml", 5, false, "threads = 256, and this machine has");
}

TEST(a_task_that_is_not_there_has_no_findings_here)
{
	AUTO_FINDINGS struct findings found = { 0 };
	check_build("/nowhere/at/all", &found);
	CHECK_INT(found.nr, 0);
}

TEST_MAIN()
