#include "engine/scene.h"

/* Budgets of roles and milestones: each ends what it is for, at a call, and nothing else; whatever
 * was used up, the best is confirmed. */

#define USAGE "{\"type\":\"usage\",\"requests\":1,\"input\":80,\"output\":20,\"usd\":0.5}"
#define TOOL "{\"type\":\"tool\",\"id\":1,\"tool\":\"decision\"}"
#define SUBMIT(text) "{\"type\":\"submit\",\"source\":\"" text "\"}"
#define DONE "{\"type\":\"done\",\"usage\":{\"requests\":0,\"input\":0,\"output\":0}}"
#define ROW(lines) "{\"lines\":[" lines "]}\n"
#define ONE_CALL(text) ROW(USAGE "," SUBMIT(text) "," DONE)
#define SIX                                                                                        \
	ONE_CALL("FAKE speedup=2")                                                                 \
	ONE_CALL("FAKE speedup=0.5")                                                               \
	ONE_CALL("FAKE speedup=0.6")                                                               \
	ONE_CALL("FAKE speedup=3") ONE_CALL("FAKE speedup=4") ONE_CALL("FAKE speedup=9")

static void limit(const struct scene *sc, const char *table)
{
	AUTO_FREE char *text = xasprintf("%s\n[agents]", table);
	scene_edit(sc, "task.toml", "[agents]", text);
}

static int see_spent(void *ctx, const struct event *ev, struct err *e)
{
	struct str *text = ctx;
	(void)e;
	if (ev->type == EVENT_budget_spent)
		str_addf(text, "%s %s %lld; ", json_text_or(ev->body, "scope", "run"),
			 json_text_or(ev->body, "resource", ""),
			 (long long)json_int_or(ev->body, "percent", 0));
	return 0;
}

static void check_spent(const struct scene *sc, const char *want)
{
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_FREE char *events = path_join(sc->run, "events.jsonl");
	CHECK_OK(eventlog_read(events, see_spent, &text, &e));
	CHECK_TEXT(text.text, want);
}

TEST(the_students_limit_ends_the_loop_and_the_best_is_confirmed)
{
	struct scene sc;
	scene_open(&sc);
	limit(&sc, "[budget.student]\ntokens = 350");
	scene_write(&sc, "replay/student.jsonl", SIX);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.nr_rounds, 4);
	CHECK_TEXT(s.loop_end, "the student's token budget of 350 is used up, and 50 more");
	check_spent(&sc, "student tokens 50; student tokens 80; student tokens 100; ");
	CHECK(s.confirm.is_confirmed);
	CHECK_INT(s.confirm.round, 4);
	scene_close(&sc);
}

/* The run as a whole has enough. */
TEST(a_kind_of_token_may_be_limited_by_itself)
{
	struct scene sc;
	scene_open(&sc);
	limit(&sc, "[budget.student]\noutput = 40");
	scene_write(&sc, "replay/student.jsonl", SIX);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.nr_rounds, 2);
	CHECK_TEXT(s.loop_end, "the student's budget of output tokens of 40 is used up");
	scene_close(&sc);
}

TEST(a_role_that_is_spent_is_stopped_at_its_next_call)
{
	struct scene sc;
	scene_open(&sc);
	limit(&sc, "[budget.student]\nusd = 1.2");
	scene_write(&sc, "replay/student.jsonl",
		    ONE_CALL("FAKE speedup=2") ROW(USAGE "," TOOL "," USAGE "," TOOL "," USAGE
							 "," SUBMIT("FAKE speedup=9") "," DONE));
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.nr_rounds, 2);
	CHECK(strstr(s.rounds[1].absent_text, "the student's money budget of 1.20 USD is used up"));
	CHECK(s.student_usage.used.usd == 1.5);
	CHECK_INT(s.confirm.round, 1);
	CHECK(s.confirm.is_confirmed);
	scene_close(&sc);
}

/* The course has one row in M0 and more in M1. */
TEST(a_milestone_that_is_spent_gets_no_further_round)
{
	struct scene sc;
	scene_open(&sc);
	limit(&sc, "[budget.milestone]\nrequests = 3");
	scene_write(&sc, "replay/student.jsonl", SIX);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.nr_rounds, 4);
	CHECK_TEXT(s.rounds[3].milestone, "M1");
	CHECK(strstr(s.loop_end, "its milestone's budget is used up"));
	check_spent(&sc, "M1 requests 50; M1 requests 100; ");
	CHECK(s.confirm.is_confirmed);
	CHECK_INT(s.confirm.round, 4);
	scene_close(&sc);
}

TEST(a_milestone_ends_a_turn_in_its_middle)
{
	struct scene sc;
	scene_open(&sc);
	limit(&sc, "[budget.milestone]\ntokens = 150");
	scene_write(&sc, "replay/student.jsonl",
		    ROW(USAGE "," TOOL "," USAGE "," TOOL "," USAGE
			      "," SUBMIT("FAKE speedup=9") "," DONE) ONE_CALL("FAKE speedup=2"));
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK(strstr(s.rounds[0].absent_text,
		     "milestone M0's token budget of 150 is used up, and 50"));
	CHECK_INT(run_state_spending(&s, "M0").used.tokens, 200);
	CHECK_INT(run_state_spending(&s, "student").used.tokens, s.student_usage.used.tokens);
	scene_close(&sc);
}

TEST(a_teacher_that_is_spent_is_not_called_and_the_student_goes_on)
{
	struct scene sc;
	scene_open(&sc);
	limit(&sc, "[budget.teacher]\nrequests = 1");
	scene_edit(&sc, "task.toml", "stall = 50", "stall = 1");
	scene_edit(&sc, "task.toml", "max_meta = 1", "max_meta = 3");
	scene_write(&sc, "replay/teacher.jsonl",
		    ROW(USAGE ",{\"type\":\"curriculum\",\"toml_file\":\"course.toml\"}," DONE));
	scene_write(&sc, "replay/student.jsonl", SIX);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.nr_metas, 0);
	CHECK_INT(s.teacher_usage.turns, 1);
	CHECK(s.nr_rounds >= 6);
	check_spent(&sc, "teacher requests 100; ");
	CHECK(s.confirm.is_confirmed);
	scene_close(&sc);
}

/* Its turns may take 3.6 s together; the loop has half an hour. */
TEST(the_hours_of_a_role_end_its_turn)
{
	struct scene sc;
	scene_open(&sc);
	limit(&sc, "[budget.student]\nhours = 0.001");
	scene_write(&sc, "replay/student.jsonl",
		    SUBMIT("FAKE speedup=4") "\n" ROW("{\"sleep_s\":300}"));
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.nr_rounds, 2);
	CHECK(strstr(s.rounds[1].absent_text, "in time"));
	CHECK_TEXT(s.loop_end, "the student's time budget of 0.001 h is used up");
	CHECK(run_state_spending(&s, "student").seconds >= 3.6);
	CHECK(s.confirm.is_confirmed);
	scene_close(&sc);
}

TEST(the_hours_of_a_milestone_are_those_of_its_rounds)
{
	struct scene sc;
	scene_open(&sc);
	limit(&sc, "[budget.milestone]\nhours = 0.0003");
	scene_write(&sc, "replay/student.jsonl",
		    SUBMIT("FAKE speedup=4") "\n" ROW("{\"sleep_s\":1.5}," SUBMIT(
			    "FAKE speedup=5") "," DONE) SUBMIT("FAKE speedup=6") "\n");
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK(run_state_spending(&s, "M1").seconds >= 1.5);
	CHECK(run_state_is_milestone_spent(&s, "M1"));
	CHECK(strstr(s.loop_end, "its milestone's budget is used up"));
	scene_close(&sc);
}

TEST(limits_of_roles_stand_in_the_log_and_hold_after_a_kill)
{
	struct scene sc;
	scene_open(&sc);
	limit(&sc, "[budget.student]\nrequests = 2\n[budget.milestone]\nusd = 9.5");
	scene_write(&sc, "replay/student.jsonl", SIX);
	scene_new(&sc);
	unsigned sessions = 0;
	while (!scene_session(&sc, 5))
		CHECK(++sessions < 500);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK(limits_get(&s.limits[LIMITS_STUDENT], RESOURCE_REQUESTS) == 2);
	CHECK(limits_get(&s.limits[LIMITS_MILESTONE], RESOURCE_USD) == 9.5);
	CHECK(!s.limits[LIMITS_TEACHER].set);
	CHECK(strstr(s.loop_end, "the student's budget of requests of 2 is used up"));
	CHECK(s.student_usage.used.requests >= 2);
	scene_close(&sc);
}

TEST(a_plan_tells_the_limits_of_roles_and_milestones)
{
	struct scene sc;
	struct err e = { 0 };
	AUTO_PLAN struct plan p = { 0 };
	AUTO_STR struct str text = STR_INIT;
	scene_open(&sc);
	limit(&sc, "[budget.teacher]\nusd = 2.0\nrequests = 10\n[budget.student]\nusd = 3\n"
		   "hours = 0.25\n[budget.milestone]\noutput = 900");
	CHECK_OK(engine_plan(sc.task, &p, &e));
	for (size_t i = 0; i < p.notes.nr; i++)
		str_addf(&text, "%s\n", p.notes.items[i]);
	CHECK(strstr(text.text, "the teacher may use at most 2.00 USD, 10 requests\n"));
	CHECK(strstr(text.text, "the student may use at most 0.25 h, 3.00 USD\n"));
	CHECK(strstr(text.text,
		     "the rounds of each milestone may use at most 900 tokens of output\n"));
	CHECK(p.worst_usd == 5);
	scene_close(&sc);
}

TEST_MAIN()
