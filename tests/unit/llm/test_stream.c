#include "llm/sse.h"

#include "../../fuzz/stream.h"
#include "base/file.h"
#include "base/rng.h"
#include "test.h"

/* Streams of both formats: what they say, and that no cut of them says anything else. */

static void read_sample(const char *name, struct str *out)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join("tests/fuzz/corpus", name);
	CHECK_OK(file_read(path, 1 << 20, out, &e));
}

static const struct {
	const char *file;
	stream_take_fn take;
	const char *want;
} samples[] = {
	{ "chat_stream/calls.sse", reply_chat_take,
	  "text=Résumé\n\nreasoning=Zwei Wörter\ncall=a build {\"source\":\"x\"}\ncall=b wait \n"
	  "tokens=20 100 0 0 30 12 usd=-1 model=m1 stop=1 whole=1\n" },
	{ "chat_stream/bare.sse", reply_chat_take,
	  "text=\nreasoning=Hm.\ncall=call_0 build {\"source\":\"x\"}\n"
	  "call=call_1 submit {\"path\":\"a.c\"}\n"
	  "tokens=7 -1 -1 0 3 -1 usd=0.25 model=? stop=2 whole=1\n" },
	{ "chat_stream/details.sse", reply_chat_take,
	  "text=\nreasoning=First this.Zwei Wwholeanother\ncall=a wait {}\n"
	  "detail={\"format\":\"f\",\"id\":null,\"index\":0,\"summary\":\"First this.\",\"type\":"
	  "\"reasoning.summary\"}\n"
	  "detail={\"data\":\"c2Vh\",\"format\":\"f\",\"id\":\"rs_1\",\"index\":0,\"type\":"
	  "\"reasoning.encrypted\"}\n"
	  "detail={\"format\":\"g\",\"index\":1,\"signature\":\"c2ln\",\"text\":\"Zwei "
	  "Wörter.\",\"type\":\"reasoning.text\"}\n"
	  "detail={\"data\":\"YQ==\",\"id\":\"call_a\",\"index\":2,\"type\":\"reasoning."
	  "encrypted\"}\n"
	  "detail={\"data\":\"Yg==\",\"id\":\"call_b\",\"index\":2,\"type\":\"reasoning."
	  "encrypted\"}\n"
	  "detail={\"text\":\"whole\",\"type\":\"reasoning.text\"}\n"
	  "detail={\"text\":\"another\",\"type\":\"reasoning.text\"}\n"
	  "tokens=-1 -1 -1 -1 -1 -1 usd=-1 model=? stop=2 whole=1\n" },
	{ "chat_stream/error.sse", reply_chat_take,
	  "text=Hal\nreasoning=\ntokens=-1 -1 -1 -1 -1 -1 usd=-1 model=? stop=0 whole=0\n"
	  "error=server_error: the worker died\n" },
	{ "messages_stream/calls.sse", reply_messages_take,
	  "text=I build.\nreasoning=Erst bauen.\ncall=t1 build {\"source\":\"x\"}\ncall=t2 wait \n"
	  "block={\"signature\":\"c2ln\",\"thinking\":\"Erst bauen.\",\"type\":\"thinking\"}\n"
	  "block={\"text\":\"I build.\",\"type\":\"text\"}\n"
	  "block={\"id\":\"t1\",\"input\":{\"source\":\"x\"},\"name\":\"build\",\"type\":\"tool_"
	  "use\"}\n"
	  "block={\"id\":\"t2\",\"input\":{},\"name\":\"wait\",\"type\":\"tool_use\"}\n"
	  "tokens=25 4000 100 0 89 -1 usd=-1 model=m2 stop=2 whole=1\n" },
	{ "messages_stream/overloaded.sse", reply_messages_take,
	  "text=\nreasoning=\ntokens=25 -1 10 5 1 -1 usd=-1 model=m2 stop=0 whole=0\n"
	  "error=overloaded_error: Overloaded\n" },
};

TEST(a_stream_says_what_stands_in_it)
{
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		AUTO_STR struct str text = STR_INIT;
		read_sample(samples[i].file, &text);
		AUTO_FREE char *got = stream_read(samples[i].take, text.text, text.len, 0, 0);
		CHECK_TEXT(got, samples[i].want);
	}
}

static void check_cuts(stream_take_fn take, const struct str *text)
{
	AUTO_FREE char *whole = stream_read(take, text->text, text->len, 0, 0);
	AUTO_FREE char *bytes = stream_read(take, text->text, text->len, 0, 1);
	CHECK_TEXT(bytes, whole);
	for (size_t cut = 0; cut <= text->len; cut++) {
		AUTO_FREE char *got = stream_read(take, text->text, text->len, cut, 0);
		CHECK_TEXT(got, whole);
	}
}

static void with_line_end(const struct str *text, const char *end, struct str *out)
{
	for (size_t i = 0; i < text->len; i++) {
		if (text->text[i] == '\n')
			str_add(out, end);
		else if (text->text[i] != '\r')
			str_add_char(out, text->text[i]);
	}
}

/* With any line end, with a byte order mark, and without the blank line at its end. */
static void check_forms(stream_take_fn take, const struct str *text)
{
	static const char *const ends[] = { "\n", "\r\n", "\r" };
	AUTO_FREE char *want = stream_read(take, text->text, text->len, 0, 0);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		AUTO_STR struct str form = STR_INIT;
		str_add(&form, "\xEF\xBB\xBF");
		with_line_end(text, ends[i], &form);
		check_cuts(take, &form);
		AUTO_FREE char *got = stream_read(take, form.text, form.len, 0, 0);
		CHECK_TEXT(got, want);
		while (form.len && strchr("\r\n", form.text[form.len - 1]))
			form.len--;
		AUTO_FREE char *torn = stream_read(take, form.text, form.len, 0, 0);
		CHECK_TEXT(torn, want);
	}
}

TEST(a_stream_cut_at_any_byte_says_the_same)
{
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		AUTO_STR struct str text = STR_INIT;
		read_sample(samples[i].file, &text);
		check_forms(samples[i].take, &text);
	}
}

/* Transcripts that were collected elsewhere: FORGE_SHARED names their place. */
TEST(collected_streams_cut_at_any_byte_say_the_same)
{
	struct err e = { 0 };
	const char *shared = getenv("FORGE_SHARED");
	AUTO_STRV struct strv names = { 0 };
	if (!shared || !*shared)
		SKIP("FORGE_SHARED names no folder of collected streams");
	AUTO_FREE char *dir = path_join(shared, "notes/protocol/examples");
	CHECK_OK(dir_list(dir, &names, &e));
	size_t nr = 0;
	for (size_t i = 0; i < names.nr; i++) {
		AUTO_STR struct str text = STR_INIT;
		AUTO_FREE char *path = path_join(dir, names.items[i]);
		if (!str_ends(names.items[i], ".sse"))
			continue;
		CHECK_OK(file_read(path, 1 << 20, &text, &e));
		stream_take_fn take =
			str_starts(names.items[i], "chat_") ? reply_chat_take : reply_messages_take;
		AUTO_FREE char *said = stream_read(take, text.text, text.len, 0, 0);
		printf("# %s: %s\n", names.items[i], said);
		CHECK(!strstr(said, "refused="));
		check_forms(take, &text);
		nr++;
	}
	CHECK(nr >= 5);
}

static char *chat(const char *text)
{
	return stream_read(reply_chat_take, text, strlen(text), 0, 0);
}

TEST(calls_without_an_index_are_told_apart_by_id_or_name)
{
	AUTO_FREE char *by_id = chat(
		"data: "
		"{\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":"
		"\"f\",\"arguments\":\"{\"}}]}}]}\n\n"
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\",\"function\":{"
		"\"arguments\":\"}\"}}]}}]}\n\n"
		"data: "
		"{\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"b\",\"function\":{\"name\":"
		"\"g\"}}]}}]}\n\n");
	CHECK(strstr(by_id, "call=a f {}\ncall=b g \n"));
	AUTO_FREE char *by_name = chat(
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"f\","
		"\"arguments\":\"{\"}}]}}]}\n\n"
		"data: "
		"{\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":\"}\"}}]"
		"}}]}\n\n"
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"f\","
		"\"arguments\":\"{}\"}}]}}]}\n\n");
	CHECK(strstr(by_name, "call=call_0 f {}\ncall=call_1 f {}\n"));
}

TEST(one_index_with_another_id_is_another_call)
{
	AUTO_FREE char *got = chat(
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":["
		"{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}},"
		"{\"index\":0,\"id\":\"b\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}]}}]}"
		"\n\n");
	CHECK(strstr(got, "call=a f {}\ncall=b g {}\n"));
}

TEST(what_is_no_utf8_or_half_a_pair_is_replaced)
{
	AUTO_FREE char *got = chat("data: {\"choices\":[{\"delta\":{\"content\":\"a\xC3|\\ud800|"
				   "\\u0000|\\ud83d\\ude00\"}}]}\n\n");
	CHECK(strstr(got, "text=a\xEF\xBF\xBD|\xEF\xBF\xBD|\xEF\xBF\xBD|\xF0\x9F\x98\x80\n"));
}

TEST(counts_that_can_not_be_are_not_told)
{
	AUTO_FREE char *got = chat("data: {\"choices\":[],\"usage\":{\"prompt_tokens\":-5,"
				   "\"completion_tokens\":9223372036854775807}}\n\n");
	CHECK(strstr(got, "tokens=-1 -1 -1 0 -1 -1 "));
}

TEST(an_answer_that_is_no_stream_is_read_whole)
{
	struct err e = { 0 };
	AUTO_REPLY struct reply r;
	AUTO_JSON json_t *body = json_loads(
		"{\"choices\":[{\"message\":{\"content\":\"hi\",\"tool_calls\":[{\"id\":\"a\","
		"\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"stop\"}]"
		","
		"\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1}}",
		0, NULL);
	reply_init(&r);
	CHECK_OK(reply_chat_whole(&r, body, &e));
	CHECK_TEXT(r.text.text, "hi");
	CHECK_INT(r.nr_calls, 1);
	CHECK(r.is_whole);
}

TEST(an_event_without_end_is_refused_and_not_kept_for_ever)
{
	AUTO_REPLY struct reply r;
	struct stream_reader reader = { &r, reply_chat_take };
	struct sse sse;
	struct err e = { 0 };
	AUTO_FREE char *flood = xcalloc(1, 1 << 20);
	memset(flood, 'x', 1 << 20);
	reply_init(&r);
	sse_init(&sse, stream_event, &reader);
	int rc = 0;
	int nr = 0;
	while (rc == 0 && nr < 1000) {
		rc = sse_feed(&sse, flood, 1 << 20, &e);
		nr++;
	}
	CHECK_INT(rc, -1);
	CHECK(strstr(e.text, "larger than 64 MiB"));
	sse_release(&sse);
}

TEST_MAIN()
