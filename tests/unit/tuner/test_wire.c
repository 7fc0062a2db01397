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

#define TOML_ROW(id, value, more)                                                                  \
	"[[milestone.decision]]\\nid = \\\"" id "\\\"\\nwhat = \\\"w\\\"\\nwhy = "                 \
	"\\\"y\\\"\\nwrong_when = \\\"z\\\"\\nvalue = \\\"" value "\\\"\\n" more
#define MILESTONE(id, gate)                                                                        \
	"[[milestone]]\\nid = \\\"" id "\\\"\\ntitle = \\\"t\\\"\\ngate = \\\"" gate "\\\"\\n"
#define ON_BUILD "needs = [\\\"D1.1\\\"]\\n"
#define COURSE                                                                                     \
	"\"version = 1\\n" MILESTONE("M0", "correctness")                                          \
		TOML_ROW("D0.1", "specialise shapes=all", "covers = \\\"order\\\"\\n")             \
			MILESTONE("M1", "correctness+performance+mechanism")                       \
				TOML_ROW("D1.1", "build cc=gcc flags=-O3", "")                     \
					TOML_ROW("D1.2", "unroll loop=L0 n=4", ON_BUILD) "\""
#define SEEN(id, fate, round, before, after)                                                       \
	"{\"id\":\"" id "\",\"fate\":\"" fate "\",\"round\":" #round                               \
	",\"before\":{\"ratio\":" #before ",\"low\":" #before ",\"high\":" #before                 \
	"},\"after\":{\"ratio\":" #after ",\"low\":" #after ",\"high\":" #after "}}"
#define DIGEST                                                                                     \
	"{\"decisions\":[" SEEN("D0.1", "kept", 1, 1, 1.5) "," SEEN(                               \
		"D1.1", "kept", 2, 1.5, 2) "," SEEN("D1.2", "best", 3, 2, 2) "]}"
#define RESULT(id)                                                                                 \
	"{\"type\":\"tool_result\",\"id\":" #id ",\"outcome\":\"done\",\"left\":7,"                \
	"\"best\":{\"ratio\":2,\"low\":1.99,\"high\":2.01},"                                       \
	"\"speedup\":{\"ratio\":2.2,\"low\":2.19,\"high\":2.21}}\n"
#define REVISION                                                                                   \
	TURN("revision",                                                                           \
	     "{" TASK ",\"reference\":" SOURCE ",\"curriculum\":" COURSE ",\"digest\":" DIGEST     \
	     ",\"tools\":{\"names\":[\"ablate\",\"probe\"],\"left\":8}}")

TEST(a_teacher_asks_in_the_middle_of_its_turn)
{
	check_types("teacher", HELLO("teacher") REVISION RESULT(1),
		    "ready log tool log curriculum done");
	check_types("teacher",
		    HELLO("teacher") REVISION "{\"type\":\"news\"}\n" RESULT(9) RESULT(1),
		    "ready log tool log curriculum done");
	struct err e = { 0 };
	AUTO_FREE char *answer = talk("teacher", HELLO("teacher") REVISION RESULT(1), &e);
	CHECK(strstr(answer, "{\"decision\":\"D1.2\",\"how\":\"drop\",\"id\":1,"
			     "\"tool\":\"ablate\",\"type\":\"tool\"}\n"));
	CHECK(strstr(answer,
		     "D1.2, unroll loop=L0 n=4: the best is 0.91x (0.90 to 0.92) of what it "
		     "is without, it costs"));
	CHECK(!strstr(answer, "value = \\\"unroll loop=L0 n=4\\\""));
}

TEST(a_teacher_whose_question_is_not_answered_goes_on_without)
{
	check_types("teacher", HELLO("teacher") REVISION, "ready log tool log curriculum done");
	check_types("teacher", HELLO("teacher") REVISION "{broken\n",
		    "ready log tool log curriculum done");
}

TEST(a_student_takes_one_decision_out)
{
	check_types("student",
		    HELLO("student")
			    TURN("ablation",
				 "{" TASK ",\"start\":" SOURCE ",\"base\":null,\"row\":{\"id\":"
				 "\"D1.1\"},\"rows\":[{\"id\":\"D1.2\",\"value\":"
				 "\"build cc=gcc flags=-O3\"}]}"),
		    "ready submit done");
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
