#include "fixture.h"

/* The shipped tasks' own sources get through every step, whatever flags a candidate would try. */

static void check_source(const struct task *t, const char *path, enum build_role role,
			 const char *flags)
{
	struct fixture f;
	fixture_init(&f, t->threads);
	f.spec.task = t;
	f.spec.role = role;
	f.spec.source_path = path;
	f.spec.default_build = flags;
	struct err e = { 0 };
	AUTO_BUILD struct build b;
	CHECK_OK(build_run(&b, &f.spec, &e));
	if (b.verdict.state != VERDICT_NONE || b.log[0])
		printf("# %s with %s: %s %s\n# %s", path, flags, reason_name(b.verdict.reason),
		       b.verdict.detail, b.log);
	CHECK_INT(b.verdict.state, VERDICT_NONE);
	fixture_release(&f);
}

static void check_task(const char *dir)
{
	static const char *const flags[] = { "gcc -O3 -march=native -ffast-math",
					     "clang -O3 -march=native -ffast-math" };
	struct err e = { 0 };
	AUTO_TASK struct task t;
	CHECK_OK(task_load(&t, dir, &e));
	AUTO_FREE char *reference = path_join(dir, t.reference_run);
	check_source(&t, reference, BUILD_REFERENCE, t.reference_build);
	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		if (has_program(i ? "clang" : "gcc"))
			check_source(&t, reference, BUILD_CANDIDATE, flags[i]);
	}
	if (t.judge) {
		AUTO_FREE char *judge = path_join(dir, t.judge);
		check_source(&t, judge, BUILD_ORACLE, NULL);
	}
}

TEST(references_and_judges_of_the_shipped_tasks_are_fit_to_run)
{
	struct err e = { 0 };
	AUTO_STRV struct strv names = { 0 };
	CHECK_OK(dir_list("tasks", &names, &e));
	size_t nr = 0;
	for (size_t i = 0; i < names.nr; i++) {
		AUTO_FREE char *dir = path_join("tasks", names.items[i]);
		AUTO_FREE char *toml = path_join(dir, "task.toml");
		if (!file_exists(toml))
			continue;
		check_task(dir);
		nr++;
	}
	CHECK(nr >= 12);
}

TEST_MAIN()
