#include "agent/memory.h"

#include "agent/agent.h"
#include "agent/agent_ops.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

/* What is told to go on from: all of it is there after a kill, but for a line that was torn. */

struct scene {
	char dir[48];
	char *path;
};

static void scene_open(struct scene *sc)
{
	*sc = (struct scene){ .dir = "/tmp/forge-memory-XXXXXX" };
	CHECK(mkdtemp(sc->dir));
	sc->path = path_join(sc->dir, "m.jsonl");
}

static void scene_close(struct scene *sc)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(sc->dir, &e));
	free(sc->path);
}

static void add(const struct scene *sc, const char *value, bool goes_on)
{
	struct memory m;
	AUTO_JSON json_t *item = json_pack("{s:s}", "session", value);
	memory_open(&m, sc->path, goes_on);
	memory_add(&m, item);
	memory_add(&m, NULL);
	memory_close(&m);
}

TEST(nothing_told_is_nothing_to_go_on_from)
{
	struct scene sc;
	struct memory m;
	scene_open(&sc);
	memory_open(&m, sc.path, false);
	memory_close(&m);
	CHECK(!memory_load(sc.path));
	memory_open(&m, NULL, false);
	memory_close(&m);
	scene_close(&sc);
}

TEST(what_was_told_is_there_in_order_and_a_turn_that_begins_anew_forgets_it)
{
	struct scene sc;
	scene_open(&sc);
	add(&sc, "one", false);
	add(&sc, "two", true);
	AUTO_JSON json_t *both = memory_load(sc.path);
	CHECK_INT(json_array_size(both), 2);
	CHECK_TEXT(memory_text(both, "session"), "two");
	CHECK(!memory_text(both, "other"));
	add(&sc, "three", false);
	AUTO_JSON json_t *one = memory_load(sc.path);
	CHECK_INT(json_array_size(one), 1);
	scene_close(&sc);
}

TEST(a_line_that_was_torn_is_left_out_and_what_came_after_it_is_not)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	CHECK_OK(file_write_text(sc.path, "{\"session\":\"one\"}\n{\"session\":\"tw", &e));
	AUTO_JSON json_t *torn = memory_load(sc.path);
	CHECK_TEXT(memory_text(torn, "session"), "one");
	add(&sc, "three", true);
	AUTO_JSON json_t *mended = memory_load(sc.path);
	CHECK_INT(json_array_size(mended), 2);
	CHECK_TEXT(memory_text(mended, "session"), "three");
	scene_close(&sc);
}

TEST(more_than_a_line_of_the_wire_holds_is_no_memory)
{
	struct scene sc;
	struct memory m;
	AUTO_FREE char *text = xcalloc(1, 1 << 20);
	scene_open(&sc);
	memset(text, 'x', (1 << 20) - 1);
	AUTO_JSON json_t *item = json_pack("{s:s}", "text", text);
	memory_open(&m, sc.path, false);
	for (int i = 0; i < 8; i++)
		memory_add(&m, item);
	memory_close(&m);
	CHECK(!memory_load(sc.path));
	CHECK(!file_exists(sc.path));
	scene_close(&sc);
}

/* The conversation keeps what any agent of the wire tells. */
TEST(lines_of_memory_are_kept_and_given_back_with_the_turn)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	AUTO_FREE char *rows = path_join(sc.dir, "student.jsonl");
	AUTO_FREE char *transcript = path_join(sc.dir, "t.jsonl");
	const struct agent_turn turn = { .id = 1, .kind = TURN_ROUND };
	struct agent_spec spec = { .ops = &agent_replay,
				   .role = AGENT_STUDENT,
				   .record_dir = sc.dir,
				   .transcript = transcript,
				   .memory = sc.path,
				   .deadline_s = 20 };
	CHECK_OK(file_write_text(rows,
				 "{\"lines\":[{\"type\":\"memory\",\"item\":{\"a\":1}},"
				 "{\"type\":\"memory\"},{\"type\":\"memory\",\"item\":{\"a\":2}},"
				 "{\"type\":\"submit\",\"source\":\"x\"},{\"type\":\"done\"}]}\n",
				 &e));
	AUTO_AGENT_ANSWER struct agent_answer first = { 0 };
	CHECK_OK(agent_ask(&spec, &turn, &first, &e));
	CHECK_INT(first.kind, ANSWER_SUBMIT);
	AUTO_JSON json_t *memory = memory_load(sc.path);
	CHECK_INT(json_array_size(memory), 2);
	const struct usage spent = { .requests = 7 };
	spec.resume = memory;
	spec.spent = &spent;
	AUTO_AGENT_ANSWER struct agent_answer second = { 0 };
	CHECK_OK(agent_ask(&spec, &turn, &second, &e));
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read(transcript, 1 << 20, &text, &e));
	CHECK(strstr(text.text, "\\\"memory\\\":[{\\\"a\\\":1},{\\\"a\\\":2}]"));
	CHECK(strstr(text.text, "\\\"requests\\\":7"));
	scene_close(&sc);
}

TEST_MAIN()
