#include "worker/gpu_box.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "sys/sandbox.h"
#include "test.h"

/* A bundle below a home, as a job finds it. */
struct scene {
	char home[40];
	char *bundle;
	char *module;
	char *modules[1];
	struct worker w;
};

static void put(const char *dir, const char *name)
{
	struct err e = { 0 };
	AUTO_FREE char *at = path_join(dir, name);
	AUTO_FREE char *path = path_join(at, "kernel.py");
	CHECK_OK(dir_make(at, &e));
	CHECK_OK(file_write_text(path, "def run(x):\n    pass\n", &e));
}

static void open_scene(struct scene *s)
{
	*s = (struct scene){ .home = "/tmp/forge-gpu-box-XXXXXX" };
	CHECK(mkdtemp(s->home));
	s->bundle = path_join(s->home, "jobs/b");
	put(s->bundle, "work/candidate/src");
	put(s->bundle, "work/reference/src");
	put(s->bundle, "check");
	s->module = path_join(s->bundle, "work/candidate/src/kernel.py");
	s->modules[0] = s->module;
	s->w = (struct worker){ .bundle = s->bundle };
	s->w.runner_path = xasprintf("%s/bin/forge-runner", s->home);
	s->w.builds[PARTY_CANDIDATE].so_paths = s->modules;
	s->w.builds[PARTY_CANDIDATE].nr_so = 1;
	setenv("HOME", s->home, 1);
}

static void close_scene(struct scene *s)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(s->home, &e));
	free(s->w.runner_path);
	free(s->module);
	free(s->bundle);
}

static bool can_read(const struct gpu_box *b, const char *path)
{
	for (size_t i = 0; i < b->walls.read.nr; i++) {
		const char *at = b->walls.read.items[i];
		const size_t len = strlen(at);
		if (strncmp(path, at, len) == 0 && (path[len] == 0 || path[len] == '/'))
			return true;
	}
	return false;
}

static bool can_read_of(const struct gpu_box *b, const struct scene *s, const char *name)
{
	AUTO_FREE char *path = path_join(s->bundle, name);
	return can_read(b, path);
}

static bool has_landlock(void)
{
	struct sandbox_lacks lacks;
	box_lacks(&lacks);
	return lacks.nr == 0;
}

TEST(a_candidate_sees_its_own_folder_of_the_job_only)
{
	struct scene s;
	struct err e = { 0 };
	struct gpu_box b;
	open_scene(&s);
	s.w.job.accept_weak_sandbox = true;
	const struct gpu_box_wish wish = { .party = PARTY_CANDIDATE, .has_modules = true };
	CHECK_OK(gpu_box_make(&b, &s.w, &wish, &e));
	CHECK(can_read_of(&b, &s, "work/candidate/src/kernel.py"));
	CHECK(!can_read_of(&b, &s, "work/reference/src/kernel.py"));
	CHECK(!can_read_of(&b, &s, "check/kernel.py") && !can_read(&b, s.home));
	gpu_box_release(&b);
	close_scene(&s);
}

TEST(every_process_has_a_new_folder_that_goes_with_it)
{
	struct scene s;
	struct err e = { 0 };
	struct gpu_box a;
	struct gpu_box b;
	open_scene(&s);
	const struct gpu_box_wish wish = { .party = PARTY_NR };
	CHECK_OK(gpu_box_make(&a, &s.w, &wish, &e));
	CHECK_OK(gpu_box_make(&b, &s.w, &wish, &e));
	AUTO_FREE char *first = xstrdup(a.walls.scratch);
	CHECK(!str_equal(first, b.walls.scratch) && file_exists(first));
	gpu_box_release(&a);
	gpu_box_release(&b);
	CHECK(!file_exists(first));
	close_scene(&s);
}

TEST(the_environment_is_its_own)
{
	struct scene s;
	struct err e = { 0 };
	struct gpu_box b;
	open_scene(&s);
	setenv("FORGE_TEST_KEY", "secret", 1);
	setenv("LD_PRELOAD", "", 1);
	const struct gpu_box_wish wish = { .party = PARTY_NR };
	CHECK_OK(gpu_box_make(&b, &s.w, &wish, &e));
	AUTO_FREE char *home = xasprintf("HOME=%s", b.walls.scratch);
	CHECK(strv_has(&b.env, home));
	for (size_t i = 0; i < b.env.nr; i++)
		CHECK(!str_starts(b.env.items[i], "FORGE_TEST_KEY=") &&
		      !str_starts(b.env.items[i], "LD_PRELOAD="));
	gpu_box_release(&b);
	close_scene(&s);
}

/* A user's packages may lie below the home, which itself stays closed. */
TEST(a_path_that_holds_the_home_is_not_opened)
{
	struct scene s;
	struct err e = { 0 };
	struct gpu_box b;
	open_scene(&s);
	AUTO_FREE char *packages = path_join(s.home, "packages");
	CHECK_OK(dir_make(packages, &e));
	AUTO_FREE char *both = xasprintf("%s:%s:/tmp", packages, s.home);
	setenv("PYTHONPATH", both, 1);
	s.w.job.accept_weak_sandbox = true;
	const struct gpu_box_wish wish = { .party = PARTY_CANDIDATE, .has_modules = true };
	CHECK_OK(gpu_box_make(&b, &s.w, &wish, &e));
	CHECK(can_read(&b, packages));
	CHECK(!can_read(&b, s.home) && !can_read(&b, "/tmp"));
	gpu_box_release(&b);
	unsetenv("PYTHONPATH");
	close_scene(&s);
}

TEST(a_module_needs_landlock_or_a_word)
{
	struct scene s;
	struct err e = { 0 };
	struct gpu_box b;
	open_scene(&s);
	const struct gpu_box_wish wish = { .party = PARTY_CANDIDATE, .has_modules = true };
	const int rc = gpu_box_make(&b, &s.w, &wish, &e);
	CHECK_INT(rc, has_landlock() ? 0 : -1);
	gpu_box_release(&b);
	close_scene(&s);
}

TEST_MAIN()
