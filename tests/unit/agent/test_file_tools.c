#include "agent/file_tools.h"

#include <sys/stat.h>

#include "agent/clip.h"
#include "agent/tool_table.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "test.h"

struct scene {
	char root[64];
	char *work;
};

static void scene_open(struct scene *sc)
{
	struct err e = { 0 };
	*sc = (struct scene){ .root = "/tmp/forge-files-XXXXXX" };
	CHECK(mkdtemp(sc->root));
	sc->work = path_join(sc->root, "work");
	CHECK_OK(dir_make(sc->work, &e));
}

static void scene_close(struct scene *sc)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(sc->root, &e));
	free(sc->work);
}

/* The result as one line. */
static char *use(const struct scene *sc, const char *name, const char *text)
{
	struct err e = { 0 };
	AUTO_JSON json_t *args = json_read_text(text, strlen(text), "args", &e);
	CHECK(args);
	const struct tool_spec *t = tool_find(name);
	CHECK_OK(tool_check(t, args, &e));
	AUTO_JSON json_t *said = file_tool(t, sc->work, args);
	char *line = json_line(said);
	printf("# %s %s: %.300s\n", name, text, line);
	return line;
}

static void expect(const struct scene *sc, const char *name, const char *args, const char *part)
{
	AUTO_FREE char *line = use(sc, name, args);
	CHECK(strstr(line, part));
}

TEST(files_are_written_edited_read_and_listed)
{
	struct scene sc;
	scene_open(&sc);
	expect(&sc, "write", "{\"path\":\"src/deep/k.c\",\"content\":\"one\\ntwo\\nthree\\n\"}",
	       "src/deep/k.c has 14 bytes now");
	expect(&sc, "read", "{\"path\":\"src/deep/k.c\"}",
	       "{\"bytes\":14,\"lines\":3,\"outcome\":\"done\",\"text\":\"one\\ntwo\\nthree\\n\"}");
	expect(&sc, "read", "{\"path\":\"src/deep/k.c\",\"from\":2,\"lines\":1}",
	       "\"text\":\"two\\n\"");
	expect(&sc, "edit", "{\"path\":\"src/deep/k.c\",\"old\":\"two\",\"new\":\"2\"}",
	       "has 12 bytes");
	expect(&sc, "read", "{\"path\":\"src/deep/k.c\"}", "\"text\":\"one\\n2\\nthree\\n\"");
	expect(&sc, "write", "{\"path\":\"a\",\"content\":\"\"}", "a has 0 bytes now");
	expect(&sc, "list", "{}",
	       "\"entries\":[{\"bytes\":0,\"name\":\"a\"},{\"folder\":true,\"name\":\"src\"}]");
	expect(&sc, "list", "{\"path\":\"src/deep\"}", "[{\"bytes\":12,\"name\":\"k.c\"}]");
	scene_close(&sc);
}

TEST(a_passage_must_stand_in_the_file_exactly_once)
{
	struct scene sc;
	scene_open(&sc);
	expect(&sc, "write", "{\"path\":\"k.c\",\"content\":\"abab\"}", "done");
	expect(&sc, "edit", "{\"path\":\"k.c\",\"old\":\"x\",\"new\":\"y\"}", "is not in the file");
	expect(&sc, "edit", "{\"path\":\"k.c\",\"old\":\"ab\",\"new\":\"y\"}", "more than once");
	expect(&sc, "edit", "{\"path\":\"k.c\",\"old\":\"ba\",\"new\":\"\"}", "has 2 bytes");
	scene_close(&sc);
}

/* Each leads to a file that is there, outside. */
static const char *const ways_out[] = {
	"../secret", "src/../../secret", "/etc/hostname", "link", "folder/secret", "up/secret",
};

TEST(no_name_leads_out_of_the_workspace)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	AUTO_FREE char *secret = path_join(sc.root, "secret");
	AUTO_FREE char *link = path_join(sc.work, "link");
	AUTO_FREE char *folder = path_join(sc.work, "folder");
	AUTO_FREE char *up = path_join(sc.work, "up");
	AUTO_FREE char *src = path_join(sc.work, "src");
	CHECK_OK(file_write_text(secret, "old", &e));
	CHECK_OK(dir_make(src, &e));
	CHECK(symlink("../secret", link) == 0);
	CHECK(symlink(sc.root, folder) == 0);
	CHECK(symlink("..", up) == 0);
	for (size_t i = 0; i < ARRAY_LEN(ways_out); i++) {
		AUTO_FREE char *read = xasprintf("{\"path\":\"%s\"}", ways_out[i]);
		AUTO_FREE char *write =
			xasprintf("{\"path\":\"%s\",\"content\":\"new\"}", ways_out[i]);
		AUTO_FREE char *edit =
			xasprintf("{\"path\":\"%s\",\"old\":\"old\",\"new\":\"new\"}", ways_out[i]);
		expect(&sc, "read", read, "\"failed\"");
		expect(&sc, "write", write, "\"failed\"");
		expect(&sc, "edit", edit, "\"failed\"");
	}
	expect(&sc, "list", "{\"path\":\"..\"}", "\"failed\"");
	expect(&sc, "list", "{\"path\":\"folder\"}", "\"failed\"");
	expect(&sc, "write", "{\"path\":\"up/made/x\",\"content\":\"new\"}", "\"failed\"");
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read(secret, 100, &text, &e));
	CHECK_TEXT(text.text, "old");
	AUTO_FREE char *made = path_join(sc.root, "made");
	CHECK(!file_exists(made));
	scene_close(&sc);
}

TEST(what_is_no_plain_file_or_too_large_is_refused)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	AUTO_FREE char *fifo = path_join(sc.work, "fifo");
	AUTO_FREE char *big = path_join(sc.work, "big");
	CHECK(mkfifo(fifo, 0644) == 0);
	CHECK_OK(file_write_text(big, "x", &e));
	CHECK(truncate(big, (1 << 20) + 1) == 0);
	expect(&sc, "read", "{\"path\":\"fifo\"}", "\"failed\"");
	expect(&sc, "write", "{\"path\":\"fifo\",\"content\":\"x\"}", "\"failed\"");
	expect(&sc, "read", "{\"path\":\"big\"}", "larger than 1024 KiB");
	expect(&sc, "read", "{\"path\":\"missing\"}", "No such file");
	expect(&sc, "read", "{\"path\":\".\"}", "\"failed\"");
	scene_close(&sc);
}

static void clip(const char *text, size_t max, struct str *out)
{
	clip_text(out, text, strlen(text), max);
}

TEST(a_long_text_keeps_head_and_tail_and_says_how_much_is_missing)
{
	AUTO_STR struct str text = STR_INIT;
	AUTO_STR struct str out = STR_INIT;
	for (int i = 0; i < 1000; i++)
		str_addf(&text, "%03d\n", i);
	clip(text.text, 30, &out);
	CHECK_TEXT(out.text,
		   "000\n001\n002\n003\n004\n\n... (3970 of 4000 bytes are left out here) "
		   "...\n7\n998\n999\n");
}

TEST(a_cut_never_falls_into_a_character)
{
	for (size_t max = 12; max < 40; max++) {
		AUTO_STR struct str text = STR_INIT;
		AUTO_STR struct str out = STR_INIT;
		for (int i = 0; i < 40; i++)
			str_add(&text, "\xe2\x82\xac");
		clip(text.text, max, &out);
		AUTO_JSON json_t *value = json_string(out.text);
		CHECK(value);
	}
}

TEST(bytes_that_are_no_text_are_spelled_out)
{
	AUTO_STR struct str out = STR_INIT;
	clip_text(&out, "a\0b\x1b[1m\xff", 8, 100);
	CHECK_TEXT(out.text, "a\\x00b\\x1b[1m\\xff");
}

TEST_MAIN()
