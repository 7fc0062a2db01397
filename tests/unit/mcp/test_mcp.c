#include "mcp/mcp.h"

/* Conversations as transcripts (tests/mcp/transcripts): what the client says, what the server must
 * say, and what forge does at the other end of a real mailbox. Time is the transcript's. */

#include <string.h>

#include "agent/mailbox.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

struct scene {
	char *dir;
	struct mailbox box;
	struct mcp m;
	uint64_t now_ns;
};

static void scene_open(struct scene *s, enum agent_role role, const char *name)
{
	struct err e = { 0 };
	const char *tmp = getenv("TMPDIR");
	AUTO_FREE char *top = xasprintf("%s/forge-mcp-XXXXXX", tmp ? tmp : "/tmp");
	CHECK(mkdtemp(top));
	*s = (struct scene){ .dir = path_join(top, name), .now_ns = 1 };
	CHECK_OK(mailbox_open(&s->box, s->dir, &e));
	const struct mcp_spec spec = { .mailbox = s->dir,
				       .role = role,
				       .is_one_turn = str_equal(name, ".forge") };
	mcp_init(&s->m, &spec);
}

static void scene_close(struct scene *s)
{
	struct err e = { 0 };
	AUTO_FREE char *top = path_dir(s->dir);
	mcp_release(&s->m);
	mailbox_close(&s->box);
	CHECK_OK(tree_remove(top, &e));
	free(s->dir);
}

static void say(struct scene *s, const char *line)
{
	mcp_take(&s->m, line, strlen(line), s->now_ns);
}

/* The first line of the output, which is taken away; "" when there is none. */
static char *heard(struct scene *s)
{
	const char *feed = strchr(s->m.out.text, '\n');
	size_t len = feed ? (size_t)(feed - s->m.out.text) : 0;
	char *line = xstrndup(s->m.out.text, len);
	struct str rest = STR_INIT;
	str_add(&rest, feed ? feed + 1 : "");
	str_release(&s->m.out);
	s->m.out = rest;
	return line;
}

static json_t *heard_json(struct scene *s)
{
	AUTO_FREE char *line = heard(s);
	json_error_t why;
	return json_loads(line, JSON_ALLOW_NUL, &why);
}

/* Does `got` have all that `want` has? Lists: item by item from the first; an empty one is empty.
 */
static bool has_all(const json_t *got, const json_t *want)
{
	const char *key;
	json_t *value;
	if (json_is_array(want)) {
		if (!json_is_array(got) || (!json_array_size(want) && json_array_size(got)))
			return false;
		for (size_t i = 0; i < json_array_size(want); i++)
			if (!has_all(json_array_get(got, i), json_array_get(want, i)))
				return false;
		return true;
	}
	if (!json_is_object(want))
		return json_equal(got, want);
	json_object_foreach((json_t *)(uintptr_t)want, key, value)
	{
		if (!has_all(json_object_get(got, key), value))
			return false;
	}
	return true;
}

static void expect(struct scene *s, const json_t *want)
{
	AUTO_JSON json_t *got = heard_json(s);
	AUTO_FREE char *want_line = json_line(want);
	AUTO_FREE char *got_line = got ? json_line(got) : xstrdup("nothing");
	printf("# want %s\n# got  %s\n", want_line, got_line);
	CHECK(has_all(got, want));
}

static void forge_replies(struct scene *s, const json_t *step)
{
	struct err e = { 0 };
	struct mail mail;
	CHECK_INT(mailbox_take(&s->box, &mail, 0, &e), 1);
	AUTO_JSON json_t *line = mail.line;
	AUTO_FREE char *text = json_line(line);
	printf("# forge took %s\n", text);
	if (json_object_get(step, "asked"))
		CHECK(has_all(line, json_object_get(step, "asked")));
	CHECK_OK(mailbox_reply(&s->box, mail.id, json_object_get(step, "forge"), &e));
}

static void no_mail(struct scene *s)
{
	struct err e = { 0 };
	struct mail mail;
	CHECK_INT(mailbox_take(&s->box, &mail, 0, &e), 0);
}

static void put(struct scene *s, const json_t *step)
{
	struct err e = { 0 };
	const json_t *turn = json_object_get(step, "turn");
	const json_t *state = json_object_get(step, "state");
	if (turn)
		CHECK_OK(mailbox_offer(&s->box, json_is_null(turn) ? NULL : turn, &e));
	if (state)
		CHECK_OK(mailbox_tell(&s->box, state, &e));
}

static void pass(struct scene *s, double seconds)
{
	s->now_ns += (uint64_t)(seconds * 1e9);
	mcp_tick(&s->m, s->now_ns);
}

static void take_step(struct scene *s, const json_t *step)
{
	json_t *to = json_object_get(step, "to");
	AUTO_FREE char *line = to ? json_line(to) : NULL;
	const char *raw = json_text_or(step, "raw", line);
	if (raw)
		say(s, raw);
	if (json_object_get(step, "from"))
		expect(s, json_object_get(step, "from"));
	if (json_object_get(step, "silence"))
		CHECK_TEXT(s->m.out.text, "");
	if (json_object_get(step, "forge"))
		forge_replies(s, step);
	if (json_object_get(step, "no_mail"))
		no_mail(s);
	if (json_object_get(step, "after_s"))
		pass(s, json_real_or(step, "after_s", 0));
	put(s, step);
}

static void replay(enum agent_role role, const char *path)
{
	struct err e = { 0 };
	struct scene s;
	AUTO_STR struct str text = STR_INIT;
	AUTO_STRV struct strv lines = { 0 };
	json_error_t why;
	CHECK_OK(file_read(path, 1 << 20, &text, &e));
	strv_split(&lines, text.text, "\n");
	scene_open(&s, role, agent_role_name(role));
	for (size_t i = 0; i < lines.nr; i++) {
		AUTO_JSON json_t *step = json_loads(lines.items[i], JSON_ALLOW_NUL, &why);
		printf("# %s:%zu\n", path, i + 1);
		CHECK(step != NULL);
		take_step(&s, step);
	}
	CHECK_TEXT(s.m.out.text, "");
	scene_close(&s);
}

TEST(a_client_with_a_handshake_is_served)
{
	replay(AGENT_STUDENT, "tests/mcp/transcripts/handshake.jsonl");
}

TEST(a_client_without_a_handshake_is_served)
{
	replay(AGENT_STUDENT, "tests/mcp/transcripts/stateless.jsonl");
}

TEST(each_line_that_asks_is_answered_once)
{
	replay(AGENT_STUDENT, "tests/mcp/transcripts/malformed.jsonl");
}

TEST(a_student_works_through_a_turn)
{
	replay(AGENT_STUDENT, "tests/mcp/transcripts/student.jsonl");
}

TEST(a_teacher_has_something_measured_that_lasts)
{
	replay(AGENT_TEACHER, "tests/mcp/transcripts/slow.jsonl");
}

#define MODERN                                                                                     \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
	"\"io.modelcontextprotocol/clientCapabilities\":{}}"

static json_t *ask(struct scene *s, const char *method, const char *params)
{
	AUTO_FREE char *line = xasprintf(
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s%s" MODERN "}}",
		method, params, params[0] ? "," : "");
	say(s, line);
	return heard_json(s);
}

static json_t *tool_names(struct scene *s)
{
	AUTO_JSON json_t *answer = ask(s, "tools/list", "");
	json_t *tools = json_object_get(json_object_get(answer, "result"), "tools");
	json_t *names = json_array();
	for (size_t i = 0; i < json_array_size(tools); i++)
		json_array_append(names, json_object_get(json_array_get(tools, i), "name"));
	return names;
}

static bool is_offered(struct scene *s, const char *name)
{
	AUTO_JSON json_t *names = tool_names(s);
	for (size_t i = 0; i < json_array_size(names); i++)
		if (str_equal(json_string_value(json_array_get(names, i)), name))
			return true;
	return false;
}

TEST(both_roles_are_offered_their_tools_and_none_for_files)
{
	struct scene student;
	struct scene teacher;
	scene_open(&student, AGENT_STUDENT, "student");
	scene_open(&teacher, AGENT_TEACHER, "teacher");
	AUTO_JSON json_t *student_names = tool_names(&student);
	AUTO_JSON json_t *want_student =
		json_pack("[s, s, s, s, s, s, s, s, s]", "decision", "contract", "build", "submit",
			  "wait", "knowledge_search", "knowledge_read", "handback", "give_up");
	CHECK(json_equal(student_names, want_student));
	CHECK(is_offered(&teacher, "publish_curriculum"));
	CHECK(is_offered(&teacher, "submit_judge"));
	CHECK(is_offered(&teacher, "wait"));
	CHECK(!is_offered(&teacher, "submit"));
	CHECK(!is_offered(&teacher, "read"));
	scene_close(&student);
	scene_close(&teacher);
}

TEST(in_a_box_only_the_tools_of_the_turn_are_offered_and_a_verdict_is_not_waited_for)
{
	struct err e = { 0 };
	struct scene s;
	scene_open(&s, AGENT_TEACHER, ".forge");
	AUTO_JSON json_t *turn = json_pack("{s:i, s:s, s:s, s:{}}", "id", 1, "role", "teacher",
					   "kind", "judge", "data");
	AUTO_JSON json_t *state = json_pack("{s:s}", "state", "open");
	CHECK_OK(mailbox_offer(&s.box, turn, &e));
	CHECK_OK(mailbox_tell(&s.box, state, &e));
	CHECK(is_offered(&s, "submit_judge"));
	CHECK(!is_offered(&s, "publish_curriculum"));
	CHECK(!is_offered(&s, "wait"));
	scene_close(&s);
	scene_open(&s, AGENT_STUDENT, ".forge");
	CHECK_OK(mailbox_tell(&s.box, state, &e));
	AUTO_JSON json_t *answer = ask(&s, "tools/call", "\"name\":\"wait\"");
	json_t *told = json_object_get(json_object_get(answer, "result"), "structuredContent");
	CHECK(strstr(json_text_or(told, "text", ""), "next turn") != NULL);
	scene_close(&s);
}

TEST(a_file_stands_for_a_long_text)
{
	struct err e = { 0 };
	struct scene s;
	struct mail mail;
	scene_open(&s, AGENT_STUDENT, "student");
	AUTO_JSON json_t *turn = json_pack("{s:i, s:s, s:{}}", "id", 1, "kind", "round", "data");
	CHECK_OK(mailbox_offer(&s.box, turn, &e));
	AUTO_FREE char *path = xasprintf("%s/kernel.c", s.dir);
	AUTO_FREE char *params =
		xasprintf("\"name\":\"submit\",\"arguments\":{\"path\":\"%s\"}", path);
	AUTO_JSON json_t *missing = ask(&s, "tools/call", params);
	CHECK(json_is_true(json_object_get(json_object_get(missing, "result"), "isError")));
	CHECK_OK(file_write_text(path, "int kernel;\n", &e));
	AUTO_JSON json_t *nothing_yet = ask(&s, "tools/call", params);
	CHECK(!nothing_yet);
	CHECK_INT(mailbox_take(&s.box, &mail, 0, &e), 1);
	AUTO_JSON json_t *line = mail.line;
	CHECK_TEXT(json_text_or(line, "source", ""), "int kernel;\n");
	CHECK(!json_object_get(line, "path"));
	scene_close(&s);
}

TEST(too_many_calls_at_once_are_refused)
{
	struct err e = { 0 };
	struct scene s;
	size_t nr_refused = 0;
	scene_open(&s, AGENT_STUDENT, "student");
	AUTO_JSON json_t *turn = json_pack("{s:i, s:s, s:{}}", "id", 1, "kind", "round", "data");
	CHECK_OK(mailbox_offer(&s.box, turn, &e));
	for (int i = 0; i < 100; i++) {
		AUTO_JSON json_t *answer = ask(
			&s, "tools/call", "\"name\":\"build\",\"arguments\":{\"source\":\"x\"}");
		nr_refused += answer != NULL;
	}
	CHECK_INT(nr_refused, 36);
	scene_close(&s);
}

TEST(documents_are_read_where_they_are)
{
	struct err e = { 0 };
	struct scene s;
	scene_open(&s, AGENT_STUDENT, "student");
	AUTO_FREE char *top = path_dir(s.dir);
	s.m.spec.run_dir = top;
	AUTO_FREE char *folder = path_join(top, "curriculum");
	AUTO_FREE char *first = path_join(folder, "v1.toml");
	AUTO_FREE char *second = path_join(folder, "v2.toml");
	AUTO_FREE char *report = path_join(top, "report.md");
	AUTO_JSON json_t *turn =
		json_pack("{s:i, s:s, s:s, s:{s:{s:s}}}", "id", 1, "kind", "round", "prompt",
			  "Apply it.", "data", "feedback", "outcome", "kept");
	CHECK_OK(dir_make(folder, &e));
	CHECK_OK(file_write_text(first, "version = 1\n", &e));
	CHECK_OK(file_write_text(second, "version = 2 # \xe2\x80\xae\n", &e));
	CHECK_OK(file_write_text(report, "# done\n", &e));
	CHECK_OK(mailbox_offer(&s.box, turn, &e));
	static const char *const want[][2] = {
		{ "forge://turn", "Apply it." },
		{ "forge://curriculum", "version = 2 # \\u{202e}\n" },
		{ "forge://feedback", "{\n \"outcome\": \"kept\"\n}\n" },
		{ "forge://report", "# done\n" },
	};
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		AUTO_FREE char *params = xasprintf("\"uri\":\"%s\"", want[i][0]);
		AUTO_JSON json_t *answer = ask(&s, "resources/read", params);
		json_t *contents = json_object_get(json_object_get(answer, "result"), "contents");
		CHECK_TEXT(json_text_or(json_array_get(contents, 0), "text", ""), want[i][1]);
	}
	AUTO_JSON json_t *list = ask(&s, "resources/list", "");
	CHECK_INT(json_array_size(json_object_get(json_object_get(list, "result"), "resources")),
		  4);
	scene_close(&s);
}

TEST(when_the_client_goes_its_questions_go_and_its_answers_stay)
{
	struct err e = { 0 };
	struct scene s;
	struct mail mail;
	scene_open(&s, AGENT_STUDENT, "student");
	AUTO_JSON json_t *turn = json_pack("{s:i, s:s, s:{}}", "id", 1, "kind", "round", "data");
	CHECK_OK(mailbox_offer(&s.box, turn, &e));
	AUTO_JSON json_t *build =
		ask(&s, "tools/call", "\"name\":\"build\",\"arguments\":{\"source\":\"x\"}");
	AUTO_JSON json_t *submit =
		ask(&s, "tools/call", "\"name\":\"submit\",\"arguments\":{\"source\":\"y\"}");
	CHECK(!build && !submit);
	mcp_release(&s.m);
	CHECK_INT(mailbox_take(&s.box, &mail, 0, &e), 1);
	AUTO_JSON json_t *line = mail.line;
	CHECK_TEXT(json_text_or(line, "source", ""), "y");
	AUTO_JSON json_t *reply = json_pack("{s:s}", "type", "accepted");
	CHECK_OK(mailbox_reply(&s.box, mail.id, reply, &e));
	no_mail(&s);
	scene_close(&s);
}

TEST_MAIN()
