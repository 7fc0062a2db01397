#include "agent/mailbox.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "agent/mailbox_file.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

struct scene {
	char root[64];
	char *dir;
	char *in;
	char *out;
	struct mailbox box;
};

static void scene_open(struct scene *sc)
{
	struct err e = { 0 };
	*sc = (struct scene){ .root = "/tmp/forge-mailbox-XXXXXX", .box = MAILBOX_INIT };
	CHECK(mkdtemp(sc->root));
	sc->dir = path_join(sc->root, "box");
	sc->in = path_join(sc->dir, "in");
	sc->out = path_join(sc->dir, "out");
	CHECK_OK(mailbox_open(&sc->box, sc->dir, &e));
}

static void scene_close(struct scene *sc)
{
	struct err e = { 0 };
	mailbox_close(&sc->box);
	CHECK_OK(tree_remove(sc->root, &e));
	free(sc->dir);
	free(sc->in);
	free(sc->out);
}

static void put(const char *folder, const char *name, const char *text)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(folder, name);
	CHECK_OK(file_write_text(path, text, &e));
}

static void offer(struct scene *sc, int id)
{
	struct err e = { 0 };
	AUTO_JSON json_t *turn = json_pack("{s:i, s:s}", "id", id, "kind", "round");
	AUTO_JSON json_t *state = json_pack("{s:s}", "state", "open");
	CHECK_OK(mailbox_offer(&sc->box, turn, &e));
	CHECK_OK(mailbox_tell(&sc->box, state, &e));
}

/* forge's side in a process of its own: answers `nr` messages by what they said. */
static pid_t serve(struct scene *sc, int nr)
{
	fflush(stdout);
	pid_t pid = fork();
	if (pid)
		return pid;
	for (int i = 0; i < nr; i++) {
		struct err e = { 0 };
		struct mail mail;
		if (mailbox_take(&sc->box, &mail, 10 * NS_PER_S, &e) != 1)
			_exit(1);
		AUTO_JSON json_t *reply =
			json_pack("{s:s, s:o}", "type", "accepted", "of", mail.line);
		if (mailbox_reply(&sc->box, mail.id, reply, &e) < 0)
			_exit(2);
	}
	_exit(0);
}

static void reap(pid_t pid)
{
	int status = 0;
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_INT(status, 0);
}

TEST(a_client_sees_the_turn_and_its_call_is_answered)
{
	struct scene sc;
	struct err e = { 0 };
	AUTO_JSON json_t *line = json_pack("{s:s, s:s}", "type", "submit", "source", "int x;");
	json_t *got = NULL;
	scene_open(&sc);
	offer(&sc, 7);
	CHECK_OK(mailbox_turn(sc.dir, &got, &e));
	CHECK_INT(json_int_or(got, "id", 0), 7);
	json_decref(got);
	CHECK_OK(mailbox_state(sc.dir, &got, &e));
	CHECK_TEXT(json_text_or(got, "state", ""), "open");
	json_decref(got);
	pid_t pid = serve(&sc, 1);
	CHECK_OK(mailbox_call(sc.dir, line, 20, &got, &e));
	reap(pid);
	AUTO_FREE char *text = json_line(got);
	CHECK_TEXT(text, "{\"of\":{\"source\":\"int "
			 "x;\",\"turn\":7,\"type\":\"submit\"},\"type\":\"accepted\"}");
	json_decref(got);
	/* Nothing is left behind. */
	AUTO_STRV struct strv left = { 0 };
	CHECK_OK(dir_list(sc.in, &left, &e));
	CHECK_OK(dir_list(sc.out, &left, &e));
	CHECK_INT(left.nr, 0);
	scene_close(&sc);
}

TEST(without_a_turn_nothing_can_be_sent)
{
	struct scene sc;
	struct err e = { 0 };
	AUTO_JSON json_t *line = json_pack("{s:s}", "type", "give_up");
	json_t *got = NULL;
	scene_open(&sc);
	CHECK(mailbox_call(sc.dir, line, 1, &got, &e) < 0);
	CHECK_INT(e.kind, ERR_CONFLICT);
	offer(&sc, 1);
	CHECK_OK(mailbox_offer(&sc.box, NULL, &e));
	CHECK_OK(mailbox_offer(&sc.box, NULL, &e));
	CHECK(mailbox_turn(sc.dir, &got, &e) < 0);
	CHECK_INT(e.kind, ERR_CONFLICT);
	CHECK(mailbox_state(sc.root, &got, &e) < 0);
	CHECK(strstr(e.text, "is no mailbox"));
	scene_close(&sc);
}

static size_t nr_in(const char *dir)
{
	struct err e = { 0 };
	AUTO_STRV struct strv names = { 0 };
	CHECK_OK(dir_list(dir, &names, &e));
	return names.nr;
}

/* The answer of a person is kept until forge is there again; a question has nobody left to read it.
 */
TEST(unanswered_an_answer_stays_and_a_tool_call_goes)
{
	struct scene sc;
	struct err e = { 0 };
	json_t *got = NULL;
	AUTO_JSON json_t *call = json_pack("{s:s, s:s}", "type", "tool", "tool", "decision");
	AUTO_JSON json_t *answer = json_pack("{s:s, s:s}", "type", "give_up", "reason", "r");
	scene_open(&sc);
	offer(&sc, 1);
	CHECK(mailbox_call(sc.dir, call, 0.1, &got, &e) < 0);
	CHECK_INT(e.kind, ERR_TIMEOUT);
	CHECK_INT(nr_in(sc.in), 0);
	CHECK(mailbox_call(sc.dir, answer, 0.1, &got, &e) < 0);
	CHECK_INT(nr_in(sc.in), 1);
	mailbox_close(&sc.box);
	CHECK_OK(mailbox_open(&sc.box, sc.dir, &e));
	struct mail mail;
	CHECK_INT(mailbox_take(&sc.box, &mail, 0, &e), 1);
	CHECK_TEXT(json_text_or(mail.line, "type", ""), "give_up");
	json_decref(mail.line);
	/* It is seen until it is answered. */
	CHECK_INT(mailbox_take(&sc.box, &mail, 0, &e), 1);
	CHECK_OK(mailbox_reply(&sc.box, mail.id, mail.line, &e));
	json_decref(mail.line);
	CHECK_INT(mailbox_take(&sc.box, &mail, 0, &e), 0);
	scene_close(&sc);
}

TEST(junk_is_passed_over_and_no_link_is_followed)
{
	struct scene sc;
	struct err e = { 0 };
	struct mail mail;
	scene_open(&sc);
	put(sc.in, "note.json", "{}");
	put(sc.in, "0123456789ABCDEF.json", "{}");
	put(sc.in, "0123456789abcde.json", "{}");
	put(sc.in, "0123456789abcdef.txt", "{}");
	put(sc.root, "elsewhere", "{\"type\":\"submit\"}");
	AUTO_FREE char *folder = path_join(sc.in, "00000000000000aa.json");
	AUTO_FREE char *link = path_join(sc.in, "00000000000000bb.json");
	AUTO_FREE char *fifo = path_join(sc.in, "00000000000000cc.json");
	CHECK(mkdir(folder, 0755) == 0);
	CHECK(symlink("../../elsewhere", link) == 0);
	CHECK(mkfifo(fifo, 0644) == 0);
	CHECK_INT(mailbox_take(&sc.box, &mail, 0, &e), 0);
	scene_close(&sc);
}

static void check_malformed(struct scene *sc, const char *id, const char *text)
{
	struct err e = { 0 };
	struct mail mail;
	AUTO_FREE char *name = xasprintf("%s.json", id);
	AUTO_JSON json_t *reply = NULL;
	CHECK_INT(mailbox_take(&sc->box, &mail, 0, &e), 0);
	CHECK_INT(mailbox_file_read(sc->box.out, name, &reply, &e), 1);
	CHECK_TEXT(json_text_or(reply, "type", ""), "malformed");
	printf("# %s\n", json_text_or(reply, "text", ""));
	CHECK(strstr(json_text_or(reply, "text", ""), text));
	CHECK_INT(nr_in(sc->in), 0);
}

TEST(a_message_that_is_no_object_is_answered_as_malformed)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	put(sc.in, "00000000000000aa.json", "{\"type\":");
	check_malformed(&sc, "00000000000000aa", "00000000000000aa.json");
	put(sc.in, "00000000000000bb.json", "[1]");
	check_malformed(&sc, "00000000000000bb", "not a JSON object");
	put(sc.in, "00000000000000cc.json", "{\"a\":\"\xff\"}");
	check_malformed(&sc, "00000000000000cc", "cc.json");
	AUTO_FREE char *big = path_join(sc.in, "00000000000000dd.json");
	AUTO_CLOSE int fd = open(big, O_WRONLY | O_CREAT, 0644);
	CHECK(ftruncate(fd, MAILBOX_MAX_BYTES + 1) == 0);
	check_malformed(&sc, "00000000000000dd", "larger than 8 MiB");
	(void)e;
	scene_close(&sc);
}

/* Whoever may write to the folder swaps it for a link: what forge writes goes where it went. */
TEST(a_folder_that_is_swapped_for_a_link_leads_nowhere)
{
	struct scene sc;
	struct err e = { 0 };
	AUTO_JSON json_t *reply = json_pack("{s:s}", "type", "accepted");
	scene_open(&sc);
	AUTO_FREE char *away = path_join(sc.root, "away");
	AUTO_FREE char *victim = path_join(sc.root, "victim");
	AUTO_FREE char *file = path_join(victim, "00000000000000aa.json");
	CHECK_OK(dir_make(victim, &e));
	CHECK(rename(sc.out, away) == 0);
	CHECK(symlink(victim, sc.out) == 0);
	CHECK_OK(mailbox_reply(&sc.box, "00000000000000aa", reply, &e));
	CHECK(!file_exists(file));
	/* And one that is there before is no mailbox. */
	mailbox_close(&sc.box);
	CHECK(mailbox_open(&sc.box, sc.dir, &e) < 0);
	scene_close(&sc);
}

TEST(a_reply_replaces_a_link_and_does_not_follow_it)
{
	struct scene sc;
	struct err e = { 0 };
	AUTO_JSON json_t *reply = json_pack("{s:s}", "type", "accepted");
	AUTO_JSON json_t *got = NULL;
	scene_open(&sc);
	put(sc.root, "victim", "old");
	AUTO_FREE char *victim = path_join(sc.root, "victim");
	AUTO_FREE char *link = path_join(sc.out, "00000000000000aa.json");
	CHECK(symlink("../../victim", link) == 0);
	CHECK_OK(mailbox_reply(&sc.box, "00000000000000aa", reply, &e));
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read(victim, 100, &text, &e));
	CHECK_TEXT(text.text, "old");
	CHECK_INT(mailbox_file_read(sc.box.out, "00000000000000aa.json", &got, &e), 1);
	scene_close(&sc);
}

TEST(what_is_left_is_refused_when_a_turn_is_over)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	put(sc.in, "00000000000000aa.json", "{\"type\":\"submit\"}");
	put(sc.in, "00000000000000bb.json", "{\"type\":\"tool\"}");
	CHECK_OK(mailbox_refuse_all(&sc.box, "the turn is over", &e));
	check_malformed(&sc, "00000000000000aa", "the turn is over");
	check_malformed(&sc, "00000000000000bb", "the turn is over");
	scene_close(&sc);
}

TEST(the_examples_of_the_page_are_json)
{
	struct err e = { 0 };
	unsigned nr = 0;
	AUTO_STR struct str page = STR_INIT;
	CHECK_OK(file_read("docs/format/mailbox.md", 1 << 20, &page, &e));
	for (const char *at = strstr(page.text, "```json\n"); at; at = strstr(at, "```json\n")) {
		at += strlen("```json\n");
		const char *end = strstr(at, "```");
		CHECK(end);
		size_t used = 0;
		for (; at < end; at += used, nr++) {
			json_error_t why;
			AUTO_JSON json_t *item =
				json_loadb(at, (size_t)(end - at), JSON_DISABLE_EOF_CHECK, &why);
			CHECK(json_is_object(item));
			used = (size_t)why.position;
			while (at[used] == '\n')
				used++;
		}
	}
	CHECK_INT(nr, 5);
}

TEST_MAIN()
