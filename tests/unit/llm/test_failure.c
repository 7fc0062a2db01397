#include "llm/failure.h"

#include "base/mem.h"
#include "test.h"

/* Classes of failures, and what is waited for. */

static const struct {
	long status;
	const char *body;
	enum failure_class class;
	bool may_pass;
} answers[] = {
	{ 400, "{\"error\":{\"type\":\"invalid_request_error\",\"message\":\"bad\"}}",
	  FAILURE_INVALID, false },
	{ 400, "{\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"too long\"}}",
	  FAILURE_CONTEXT, false },
	{ 400,
	  "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt "
	  "is too long: 210000 tokens\"}}",
	  FAILURE_CONTEXT, false },
	{ 400, "{\"error\":{\"code\":400,\"message\":\"exceeds the available context size\"}}",
	  FAILURE_CONTEXT, false },
	{ 401, "{\"error\":{\"code\":\"invalid_api_key\",\"message\":\"no\"}}", FAILURE_AUTH,
	  false },
	{ 403, "", FAILURE_AUTH, false },
	{ 402, "{\"error\":{\"message\":\"Insufficient Balance\"}}", FAILURE_BILLING, false },
	{ 404, "{\"error\":{\"code\":\"model_not_found\",\"message\":\"no\"}}", FAILURE_INVALID,
	  false },
	{ 408, "", FAILURE_SERVER, true },
	{ 409, "", FAILURE_SERVER, true },
	{ 425, "", FAILURE_SERVER, true },
	{ 413, "", FAILURE_CONTEXT, false },
	{ 429, "{\"error\":{\"code\":\"rate_limit_exceeded\",\"message\":\"slow\"}}",
	  FAILURE_RATE_LIMIT, true },
	{ 429, "{\"error\":{\"type\":\"insufficient_quota\",\"message\":\"pay\"}}", FAILURE_BILLING,
	  false },
	{ 500, "<html><body>Bad gateway</body></html>", FAILURE_SERVER, true },
	{ 500, "{\"error\":{\"message\":\"billing service down\"}}", FAILURE_SERVER, true },
	{ 502, "", FAILURE_SERVER, true },
	{ 503, "engine overloaded", FAILURE_OVERLOADED, true },
	{ 504, "", FAILURE_SERVER, true },
	{ 529, "{\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}",
	  FAILURE_OVERLOADED, true },
	{ 302, "", FAILURE_INVALID, false },
	{ 418, "{\"error\":\"a text\"}", FAILURE_INVALID, false },
};

TEST(an_answer_that_is_no_reply_has_its_class)
{
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		struct failure f;
		char text[FAILURE_TEXT_BYTES + 64];
		const struct failure_headers h = { 0 };
		failure_of_answer(&f, answers[i].status, &h, answers[i].body, 0);
		failure_describe(&f, text, sizeof(text));
		printf("# %s\n", text);
		CHECK_INT(f.class, answers[i].class);
		CHECK_INT(failure_may_pass(&f), answers[i].may_pass);
	}
}

TEST(an_error_in_a_stream_has_its_class)
{
	struct failure f;
	failure_of_stream(&f, "overloaded_error", "Overloaded");
	CHECK_INT(f.class, FAILURE_OVERLOADED);
	failure_of_stream(&f, "server_error", "the worker died");
	CHECK_INT(f.class, FAILURE_SERVER);
	failure_of_stream(&f, "", "what is this");
	CHECK_INT(f.class, FAILURE_SERVER);
	failure_of_stream(&f, "invalid_request_error", "the context window is full");
	CHECK_INT(f.class, FAILURE_CONTEXT);
}

static double waited(const char *after, const char *after_ms, int64_t now_s)
{
	struct failure f;
	const struct failure_headers h = { .retry_after = after, .retry_after_ms = after_ms };
	failure_of_answer(&f, 429, &h, "", now_s);
	return f.wait_s;
}

TEST(a_provider_says_how_long_in_seconds_in_milliseconds_or_by_a_date)
{
	CHECK(waited("7", NULL, 0) == 7);
	CHECK(waited("1.5", NULL, 0) == 1.5);
	CHECK(waited("7", "120", 0) == 0.12);
	CHECK(waited("Wed, 21 Oct 2015 07:28:00 GMT", NULL, 1445412400) == 80);
	CHECK(waited("Wed, 21 Oct 2015 07:28:00 GMT", NULL, 1445412500) == 0);
	CHECK(waited("soon", NULL, 0) == -1);
	CHECK(waited("-3", NULL, 0) == -1);
	CHECK(waited(NULL, NULL, 0) == -1);
	CHECK(waited("1e300", NULL, 0) == -1);
}

TEST(waits_double_up_to_a_minute_and_are_no_shorter_than_asked)
{
	struct failure f = { .class = FAILURE_SERVER, .wait_s = -1, .says_retry = -1 };
	CHECK(failure_wait_s(&f, 1, 0.5, 0.5) == 0.5);
	CHECK(failure_wait_s(&f, 3, 0.5, 0.5) == 2);
	CHECK(failure_wait_s(&f, 30, 0.5, 0.5) == 60);
	CHECK(failure_wait_s(&f, 1, 0.5, 0) == 0.375);
	CHECK(failure_wait_s(&f, 1, 0.5, 1) == 0.625);
	f.wait_s = 3;
	CHECK(failure_wait_s(&f, 1, 0.5, 0.5) == 3);
	f = (struct failure){ .class = FAILURE_OVERLOADED, .wait_s = -1 };
	CHECK(failure_wait_s(&f, 1, 0.5, 0.5) == 2);
}

TEST(x_should_retry_is_believed_but_not_for_keys_money_and_length)
{
	struct failure f;
	struct failure_headers h = { .should_retry = "false" };
	failure_of_answer(&f, 500, &h, "", 0);
	CHECK(!failure_may_pass(&f));
	h.should_retry = "true";
	failure_of_answer(&f, 400, &h, "", 0);
	CHECK(failure_may_pass(&f));
	failure_of_answer(&f, 401, &h, "", 0);
	CHECK(!failure_may_pass(&f));
	failure_of_answer(&f, 429, &h, "{\"error\":{\"code\":\"insufficient_quota\"}}", 0);
	CHECK(!failure_may_pass(&f));
}

TEST(a_redirect_is_told_and_not_followed)
{
	struct failure f;
	const struct failure_headers h = { .location = "https://elsewhere/v1" };
	failure_of_answer(&f, 307, &h, "", 0);
	CHECK(strstr(f.text, "https://elsewhere/v1 is not followed"));
}

TEST_MAIN()
