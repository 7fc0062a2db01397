#include "engine/student_build.h"

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/engine_in.h"
#include "test.h"

/* The real worker of the build tree; only the run around it is missing. */

struct scene {
	char dir[48];
	char *worker;
	struct engine g;
};

static char *find_worker(void)
{
	AUTO_FREE char *here = path_of_program();
	AUTO_FREE char *runner = xasprintf("%s/../../bin/forge-runner", here);
	char *path = xasprintf("%s/../../bin/forge-worker", here);
	if (!file_exists(path) || !file_exists(runner))
		SKIP("forge-worker and forge-runner are not built");
	return path;
}

static void scene_open(struct scene *sc)
{
	struct err e = { 0 };
	*sc = (struct scene){ .dir = "/tmp/forge-build-XXXXXX", .worker = find_worker() };
	CHECK(mkdtemp(sc->dir));
	AUTO_FREE char *task = path_join(sc->dir, "task");
	AUTO_FREE char *agents = path_join(sc->dir, "agents");
	CHECK_OK(tree_copy("tests/crash/task", task, &e));
	CHECK_OK(dir_make(agents, &e));
	sc->g = (struct engine){
		.run_dir = sc->dir,
		.host = { .worker_path = sc->worker, .accept_weak_sandbox = true },
		.state = { .seed = 7 },
	};
}

static void scene_close(struct scene *sc)
{
	struct err e = { 0 };
	AUTO_STRV struct strv left = { 0 };
	AUTO_FREE char *agents = path_join(sc->dir, "agents");
	/* Nothing stays of a build. */
	CHECK_OK(dir_list(agents, &left, &e));
	CHECK_INT(left.nr, 0);
	CHECK_OK(tree_remove(sc->dir, &e));
	free(sc->worker);
}

static json_t *build(struct scene *sc, const char *source, unsigned *nr)
{
	struct err e = { 0 };
	AUTO_JSON json_t *call =
		json_pack("{s:s, s:s, s:s}", "type", "tool", "tool", "build", "source", source);
	json_t *said = student_build(&sc->g, call, nr, &e);
	if (!said)
		printf("# %s\n", e.text);
	CHECK(said);
	AUTO_FREE char *line = json_line(said);
	printf("# %.400s\n", line);
	return said;
}

static const char entry[] = "#include <stdint.h>\n"
			    "void powers(const float *x, const float *c, float *y, int64_t n, "
			    "int64_t m)\n";

TEST(a_source_that_compiles_is_built_and_its_metrics_are_told)
{
	struct scene sc;
	unsigned nr = 0;
	scene_open(&sc);
	AUTO_FREE char *source = xasprintf(
		"%s{ (void)c; (void)m; for (int64_t i = 0; i < n; i++) y[i] = x[i]; }\n", entry);
	AUTO_JSON json_t *said = build(&sc, source, &nr);
	CHECK_TEXT(json_text_or(said, "outcome", ""), "done");
	CHECK(json_is_true(json_object_get(said, "builds")));
	CHECK(json_is_object(json_object_get(said, "profile")));
	CHECK_INT(json_int_or(said, "left", 0), STUDENT_MAX_BUILDS - 1);
	CHECK_INT(nr, 1);
	scene_close(&sc);
}

/* What the compiler says quotes the source: it is shown as text and nothing else. */
TEST(what_the_compiler_says_comes_back_harmless)
{
	struct scene sc;
	unsigned nr = 0;
	scene_open(&sc);
	AUTO_FREE char *source = xasprintf("%s{ return undeclared_thing; }\n", entry);
	AUTO_JSON json_t *said = build(&sc, source, &nr);
	CHECK_TEXT(json_text_or(said, "outcome", ""), "done");
	CHECK(json_is_false(json_object_get(said, "builds")));
	CHECK(strstr(json_text_or(said, "text", ""), "undeclared_thing"));
	CHECK_TEXT(json_text_or(json_object_get(said, "verdict"), "reason", ""), "compile_failed");
	for (const char *at = json_text_or(said, "text", ""); *at; at++)
		CHECK((unsigned char)*at >= ' ' || *at == '\n' || *at == '\t');
	scene_close(&sc);
}

TEST(a_source_that_may_not_run_is_refused_by_the_screens)
{
	struct scene sc;
	unsigned nr = 0;
	scene_open(&sc);
	AUTO_FREE char *source = xasprintf(
		"extern int system(const char *);\n%s{ (void)x; (void)c; (void)y; (void)n; "
		"(void)m; system(\"ls\"); }\n",
		entry);
	AUTO_JSON json_t *said = build(&sc, source, &nr);
	CHECK(json_is_false(json_object_get(said, "builds")));
	CHECK_TEXT(json_text_or(json_object_get(said, "verdict"), "reason", ""),
		   "forbidden_import");
	scene_close(&sc);
}

TEST(a_build_that_can_not_be_done_is_no_fault_of_the_source)
{
	struct scene sc;
	unsigned nr = 0;
	scene_open(&sc);
	sc.g.host.worker_path = "/nowhere/forge-worker";
	AUTO_JSON json_t *said = build(&sc, "int x;", &nr);
	CHECK_TEXT(json_text_or(said, "outcome", ""), "failed");
	CHECK(!strstr(json_text_or(said, "text", ""), "/"));
	CHECK_INT(nr, 1);
	scene_close(&sc);
}

TEST(builds_of_a_turn_are_counted)
{
	struct scene sc;
	unsigned nr = STUDENT_MAX_BUILDS;
	scene_open(&sc);
	AUTO_JSON json_t *said = build(&sc, "int x;", &nr);
	CHECK_TEXT(json_text_or(said, "outcome", ""), "refused");
	scene_close(&sc);
}

TEST_MAIN()
