#include "test.h"

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "tuner/wire.h"

/* What is answered to these lines; NULL: the conversation broke. Yours. */
static char *talk(const char *role, const char *lines, struct err *e)
{
	char *answer = NULL;
	size_t len = 0;
	AUTO_FREE char *copy = xstrdup(lines);
	AUTO_FCLOSE FILE *in = fmemopen(copy, strlen(copy), "r");
	FILE *out = open_memstream(&answer, &len);
	int rc = wire_serve(in, out, role, e);
	fclose(out);
	if (rc == 0)
		return answer;
	free(answer);
	return NULL;
}

#define HELLO(role)                                                                                \
	"{\"type\":\"hello\",\"version\":1,\"role\":\"" role "\",\"workspace\":\"/w\"}\n"
#define TURN(kind, data)                                                                           \
	"{\"type\":\"turn\",\"id\":1,\"kind\":\"" kind "\",\"prompt\":\"\",\"data\":" data "}\n"
#define TASK                                                                                       \
	"\"task\":{\"entry\":\"f\",\"threads\":1,\"args\":[{\"name\":\"x\",\"role\":\"in\","       \
	"\"dtype\":\"f32\"},{\"name\":\"y\",\"role\":\"out\",\"dtype\":\"f32\"},{\"name\":\"n\","  \
	"\"role\":\"scalar\",\"dtype\":\"i64\",\"value\":null}],\"shapes\":[{\"name\":\"s\","      \
	"\"dims\":{\"n\":100}}]}"
#define SOURCE                                                                                     \
	"\"void f(const float *x, float *y, long n) { for (long i = 0; i < n; i++) y[i] = x[i]; "  \
	"}\""

/* Types of the answered lines, joined by spaces; any number of log lines counts as one. */
static void check_types(const char *role, const char *lines, const char *want)
{
	struct err e = { 0 };
	AUTO_FREE char *answer = talk(role, lines, &e);
	AUTO_STR struct str types = STR_INIT;
	AUTO_STRV struct strv rows = { 0 };
	CHECK(answer != NULL);
	strv_split(&rows, answer, "\n");
	for (size_t i = 0; i < rows.nr; i++) {
		AUTO_JSON json_t *obj =
			json_read_text(rows.items[i], strlen(rows.items[i]), "line", &e);
		CHECK(obj != NULL);
		const char *type = json_text_or(obj, "type", "?");
		if (strcmp(type, "log") != 0 || !str_ends(types.text, "log"))
			str_addf(&types, "%s%s", i ? " " : "", type);
	}
	CHECK_TEXT(types.text, want);
}

TEST(a_turn_gets_exactly_one_answer_and_done)
{
	check_types(NULL,
		    HELLO("teacher") TURN("curriculum", "{" TASK ",\"reference\":" SOURCE "}"),
		    "ready log curriculum done");
	check_types(NULL,
		    HELLO("student")
			    TURN("round", "{" TASK ",\"start\":" SOURCE
					  ",\"rows\":[],\"row\":{\"id\":\"D1.1\",\"value\":"
					  "\"build cc=gcc flags=-O3\"}}"),
		    "ready submit done");
	check_types("teacher",
		    HELLO("teacher") TURN("judge", "{" TASK ",\"reference\":" SOURCE "}"),
		    "ready judge done");
}

TEST(one_process_serves_many_turns)
{
	check_types("teacher",
		    HELLO("teacher") TURN("judge", "{" TASK ",\"reference\":null}")
			    TURN("curriculum", "{" TASK ",\"reference\":" SOURCE "}"),
		    "ready give_up done log curriculum done");
}

TEST(what_can_not_be_answered_is_an_error_answer)
{
	check_types("teacher", HELLO("teacher") TURN("round", "{}"), "ready error done");
	check_types("teacher", HELLO("teacher") TURN("curriculum", "{\"reference\":\"x\"}"),
		    "ready error done");
	check_types("student",
		    HELLO("student") TURN("round", "{" TASK ",\"row\":{\"id\":\"D1.1\"}}"),
		    "ready handback done");
	check_types("student",
		    HELLO("student")
			    TURN("round", "{" TASK ",\"start\":null,\"row\":{\"id\":\"D1.1\","
					  "\"value\":\"simd loop=L0\"}}"),
		    "ready handback done");
	check_types("student", HELLO("student") "{\"type\":\"repair\",\"id\":1,\"text\":\"no\"}\n",
		    "ready error done");
}

TEST(log_lines_and_unknown_types_are_passed_over)
{
	check_types("student", "just text\n{\"type\":\"news\"}\n" HELLO("student"), "ready");
}

TEST(a_broken_line_or_a_strange_hello_ends_the_conversation)
{
	static const char *const lines[] = {
		"{broken\n", "{\"type\":\"hello\",\"version\":2,\"role\":\"student\"}\n",
		"{\"type\":\"hello\",\"version\":1,\"role\":\"cook\"}\n", HELLO("teacher")
	};
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct err e = { 0 };
		AUTO_FREE char *answer = talk("student", lines[i], &e);
		CHECK(answer == NULL && e.kind == ERR_INPUT);
	}
}

TEST_MAIN()
