#include "agent/agent.h"

#include <limits.h>
#include <sys/stat.h>

#include "agent/agent_ops.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "test.h"

/* What a boxed agent finds of the knowledge base: the lessons that its row cites, to read, and
 * nothing of where lessons come from. */

struct scene {
	char root[64];
	char *knowledge;
	char *work;
	struct agent_spec spec;
};

static void scene_open(struct scene *sc, bool has_lessons)
{
	struct err e = { 0 };
	*sc = (struct scene){ .root = "/tmp/forge-box-XXXXXX" };
	CHECK(mkdtemp(sc->root));
	if (!agent_sandbox_works())
		SKIP("no box for agents here");
	sc->knowledge = path_join(sc->root, "lessons");
	sc->work = path_join(sc->root, "work");
	AUTO_FREE char *one = path_join(sc->knowledge, "one.md");
	CHECK_OK(dir_make(sc->work, &e));
	CHECK_OK(dir_make(sc->knowledge, &e));
	CHECK_OK(file_write_text(one, "what was measured", &e));
	sc->spec = (struct agent_spec){ .ops = &agent_tuner,
					.role = AGENT_STUDENT,
					.workspace = sc->work,
					.knowledge = has_lessons ? sc->knowledge : NULL,
					.program = "tests/fake/fake-agent",
					.deadline_s = 20 };
}

static void scene_close(struct scene *sc)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(sc->root, &e));
	free(sc->knowledge);
	free(sc->work);
}

static void ask(struct scene *sc, struct agent_answer *answer)
{
	struct err e = { 0 };
	char place[PATH_MAX];
	CHECK(realpath("docs/kb-provenance", place) != NULL);
	AUTO_FREE char *prompt = xasprintf("mode knows %s", place);
	AUTO_JSON json_t *data = json_pack("{s:{s:s}}", "row", "id", "D1.1");
	const struct agent_turn turn = {
		.id = 1, .kind = TURN_ROUND, .prompt = prompt, .data = data
	};
	CHECK_OK(agent_ask(&sc->spec, &turn, answer, &e));
}

TEST(cited_lessons_can_be_read_and_not_changed_and_provenance_is_not_there)
{
	struct scene sc;
	scene_open(&sc, true);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, &a);
	CHECK_INT(a.kind, ANSWER_SUBMIT);
	CHECK_TEXT(a.text, "what was measured");
	scene_close(&sc);
}

TEST(without_cited_lessons_there_are_none)
{
	struct scene sc;
	scene_open(&sc, false);
	AUTO_AGENT_ANSWER struct agent_answer a = { 0 };
	ask(&sc, &a);
	CHECK_TEXT(a.text, "nothing");
	scene_close(&sc);
}

TEST(provenance_is_neither_installed_nor_in_what_forge_shows_to_agents)
{
	static const char *const shown[] = { "share/prompts", "share/strategy", "share/kb" };
	struct err e = { 0 };
	AUTO_STR struct str make = STR_INIT;
	CHECK_OK(file_read("Makefile", 1 << 20, &make, &e));
	CHECK(!strstr(make.text, "provenance"));
	CHECK(file_is_dir("docs/kb-provenance"));
	for (size_t i = 0; i < ARRAY_LEN(shown); i++) {
		AUTO_STRV struct strv names = { 0 };
		CHECK_OK(dir_list(shown[i], &names, &e));
		for (size_t k = 0; k < names.nr; k++) {
			AUTO_FREE char *path = path_join(shown[i], names.items[k]);
			AUTO_STR struct str text = STR_INIT;
			CHECK_OK(file_read(path, 1 << 20, &text, &e));
			CHECK(!strstr(text.text, "provenance"));
		}
	}
}

TEST_MAIN()
