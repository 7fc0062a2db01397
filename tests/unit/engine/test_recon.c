#include "engine/recon.h"

#include "engine/scene.h"

static void check_findings(const char *text, const char *want)
{
	AUTO_JSON json_t *list = recon_findings(text);
	AUTO_FREE char *got = json_line(list);
	CHECK_TEXT(got, want);
}

TEST(a_finding_is_a_line_without_the_mark_of_a_list)
{
	check_findings("loads bound it\n\n- 3.2 ns an element\r\n  * no lever: unrolling\n---\n-5 "
		       "% by two\n",
		       "[\"loads bound it\",\"3.2 ns an element\",\"no lever: unrolling\",\"---\","
		       "\"-5 % by two\"]");
	check_findings("", "[]");
	check_findings(" \n- \n", "[]");
}

TEST(findings_are_harmless_and_few)
{
	AUTO_STR struct str text = STR_INIT;
	for (int i = 0; i < 100; i++)
		str_add(&text, "a \x1b[2J b\n");
	for (int i = 0; i < 5000; i++)
		str_add_char(&text, 'x');
	AUTO_JSON json_t *list = recon_findings(text.text);
	CHECK_INT(json_array_size(list), 40);
	CHECK_TEXT(json_string_value(json_array_get(list, 0)), "a \\x1b[2J b");
	AUTO_JSON json_t *one = recon_findings(text.text + 100 * strlen("a \x1b[2J b\n"));
	CHECK(json_string_length(json_array_get(one, 0)) < 700);
}

TEST(a_record_is_asked_for_the_turns_that_it_holds)
{
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, (const char *const[]){ "FAKE speedup=4", NULL });
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK(!run_state_turn(&s, "reconnaissance"));
	CHECK(run_state_turn(&s, "curriculum-1"));
	scene_close(&sc);
}

TEST_MAIN()
