#include "engine/scene.h"

#include "model/prices.h"

/* Usage that is told while a turn is under way, budgets that end turns, and runs that are killed in
 * between: nothing is forgotten and nothing is paid twice. */

#define USAGE "{\"type\":\"usage\",\"requests\":1,\"input\":80,\"output\":20,\"usd\":0.5}"
#define TOOL "{\"type\":\"tool\",\"id\":1,\"tool\":\"decision\"}"
#define SUBMIT(text) "{\"type\":\"submit\",\"source\":\"" text "\"}"
#define DONE "{\"type\":\"done\",\"usage\":{\"requests\":0,\"input\":0,\"output\":0}}"
#define ROW(lines) "{\"lines\":[" lines "]}\n"
#define ONE_CALL(text) ROW(USAGE "," SUBMIT(text) "," DONE)

struct seen {
	struct str text;
	unsigned nr_spent;
	unsigned nr_turns;
};

static int see(void *ctx, const struct event *ev, struct err *e)
{
	struct seen *seen = ctx;
	(void)e;
	seen->nr_spent += ev->type == EVENT_agent_spent;
	seen->nr_turns += ev->type == EVENT_agent_turn;
	if (ev->type == EVENT_budget_spent)
		str_addf(&seen->text, "%s %lld of %g: %g\n", json_text_or(ev->body, "resource", ""),
			 (long long)json_int_or(ev->body, "percent", 0),
			 json_real_or(ev->body, "limit", 0), json_real_or(ev->body, "used", 0));
	return 0;
}

static void look(const struct scene *sc, struct seen *seen)
{
	struct err e = { 0 };
	*seen = (struct seen){ .text = STR_INIT };
	AUTO_FREE char *events = path_join(sc->run, "events.jsonl");
	CHECK_OK(eventlog_read(events, see, seen, &e));
}

TEST(a_limit_of_requests_is_hit_once_and_the_best_is_confirmed)
{
	struct scene sc;
	struct seen seen;
	scene_open(&sc);
	scene_edit(&sc, "task.toml", "hours = 0.5", "hours = 0.5\nrequests = 3");
	scene_write(&sc, "replay/student.jsonl",
		    ONE_CALL("FAKE speedup=2") ONE_CALL("FAKE speedup=0.5")
			    ONE_CALL("FAKE speedup=3") ONE_CALL("FAKE speedup=9"));
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	look(&sc, &seen);
	CHECK_TEXT(seen.text.text, "requests 50 of 3: 2\nrequests 100 of 3: 3\n");
	str_release(&seen.text);
	CHECK_INT(s.nr_rounds, 3);
	CHECK_TEXT(s.loop_end, "the budget of requests of 3 is used up");
	CHECK(s.confirm.is_confirmed);
	CHECK_INT(s.confirm.round, 3);
	CHECK_INT(s.student_usage.used.requests, 3);
	CHECK_INT(s.student_usage.used.tokens, 300);
	CHECK(s.student_usage.used.usd == 1.5);
	scene_close(&sc);
}

TEST(a_budget_ends_a_turn_after_the_call_that_passed_it)
{
	struct scene sc;
	scene_open(&sc);
	scene_edit(&sc, "task.toml", "hours = 0.5", "hours = 0.5\ntokens = 250");
	scene_write(&sc, "replay/student.jsonl",
		    ONE_CALL("FAKE speedup=2")
			    ROW(USAGE "," TOOL "," USAGE "," TOOL "," USAGE "," TOOL
				      "," SUBMIT("FAKE speedup=9") "," DONE));
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.nr_rounds, 2);
	CHECK_TEXT(s.rounds[1].absent, "error");
	CHECK(strstr(s.rounds[1].absent_text, "the token budget of 250 is used up"));
	CHECK_TEXT(s.loop_end, "the token budget of 250 is used up, and 50 more");
	CHECK_INT(s.student_usage.used.tokens, 300);
	CHECK_INT(s.student_usage.used.tool_calls, 1);
	CHECK_INT(s.confirm.round, 1);
	CHECK(s.confirm.is_confirmed);
	scene_close(&sc);
}

TEST(a_limit_of_tool_calls_ends_a_turn_before_the_call)
{
	struct scene sc;
	scene_open(&sc);
	scene_edit(&sc, "task.toml", "hours = 0.5", "hours = 0.5\ntool_calls = 2");
	scene_write(&sc, "replay/student.jsonl",
		    ONE_CALL("FAKE speedup=2")
			    ROW(TOOL "," TOOL "," TOOL "," SUBMIT("FAKE speedup=9") "," DONE));
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.student_usage.used.tool_calls, 2);
	CHECK_TEXT(s.loop_end, "the budget of tool calls of 2 is used up");
	CHECK_INT(s.confirm.round, 1);
	scene_close(&sc);
}

TEST(an_agent_that_costs_money_is_not_asked_once_it_is_spent)
{
	struct scene sc;
	scene_open(&sc);
	scene_edit(&sc, "task.toml", "hours = 0.5", "hours = 0.5\nusd = 0.4");
	scene_write(&sc, "replay/teacher.jsonl",
		    ROW(USAGE ",{\"type\":\"curriculum\",\"toml\":\"not = a course\"}," DONE)
			    ROW(USAGE ",{\"type\":\"curriculum\",\"toml_file\":\"course.toml\"},"
				      "{\"type\":\"done\"}"));
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.teacher_usage.turns, 1);
	CHECK(s.teacher_usage.used.usd == 0.5);
	CHECK_INT(s.nr_curricula, 0);
	CHECK_INT(s.student_usage.turns, 0);
	scene_close(&sc);
}

static void die_at_spending(void *ctx, const struct event *ev, const struct run_state *s)
{
	(void)ctx;
	(void)s;
	if (ev->type == EVENT_agent_spent)
		_exit(99);
}

static void die_in_session(struct scene *sc)
{
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		sc->hooks.see_event = die_at_spending;
		_exit(scene_run(sc) == 0 ? 0 : 1);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status));
	CHECK_INT(WEXITSTATUS(status), 99);
}

TEST(what_a_killed_turn_had_used_is_kept_and_the_rest_of_it_is_unknown)
{
	struct scene sc;
	struct seen seen;
	scene_open(&sc);
	scene_write(&sc, "replay/student.jsonl", ONE_CALL("FAKE speedup=2"));
	scene_new(&sc);
	die_in_session(&sc);
	die_in_session(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	look(&sc, &seen);
	str_release(&seen.text);
	const struct usage *used = &s.student_usage.used;
	CHECK_INT(seen.nr_spent, 3);
	CHECK_INT(used->requests, 3);
	CHECK_INT(used->tokens, 300);
	CHECK(used->usd == 1.5);
	CHECK_INT(used->basis, USAGE_PARTIAL);
	CHECK(!usage_is_told(used, USAGE_REQUESTS));
	unsigned nr_lost = 0;
	for (size_t i = 0; i < s.nr_attempts; i++)
		nr_lost += s.attempts[i].is_lost;
	CHECK_INT(nr_lost, 2);
	CHECK_INT(seen.nr_turns, s.nr_turns);
	scene_close(&sc);
}

static volatile sig_atomic_t stop_now;

static void stop_at_spending(void *ctx, const struct event *ev, const struct run_state *s)
{
	(void)ctx;
	(void)s;
	stop_now |= ev->type == EVENT_agent_spent;
}

TEST(a_turn_that_a_signal_cuts_short_keeps_what_it_had_used)
{
	struct scene sc;
	scene_open(&sc);
	scene_write(&sc, "replay/student.jsonl",
		    ROW(USAGE ",{\"sleep_s\":30}," SUBMIT("FAKE speedup=2") "," DONE));
	scene_new(&sc);
	sc.hooks.see_event = stop_at_spending;
	sc.hooks.stop_signal = &stop_now;
	scene_run_ok(&sc);
	CHECK_INT(sc.outcome, ENGINE_INTERRUPTED);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	const struct state_attempt *a = &s.attempts[s.nr_attempts - 1];
	CHECK(a->is_lost && !a->is_open);
	CHECK_INT(s.student_usage.used.tokens, 100);
	CHECK(s.student_usage.used.usd == 0.5);
	CHECK_INT(s.student_usage.turns, 0);
	scene_close(&sc);
}

/* Killed after each event in turn: what was answered is not asked again, so all that is paid beside
 * the plain run's sum are the attempts that were lost. */
TEST(a_run_that_is_killed_at_every_event_pays_for_no_answer_twice)
{
	struct scene sc;
	scene_open(&sc);
	scene_write(&sc, "replay/student.jsonl",
		    ONE_CALL("FAKE speedup=2") ONE_CALL("FAKE speedup=0.5")
			    ONE_CALL("FAKE speedup=3"));
	scene_new(&sc);
	unsigned sessions = 0;
	while (!scene_session(&sc, 3))
		CHECK(++sessions < 500);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	double lost_usd = 0;
	for (size_t i = 0; i < s.nr_attempts; i++) {
		CHECK(!s.attempts[i].is_open);
		if (s.attempts[i].is_lost)
			lost_usd += s.attempts[i].used.usd;
	}
	printf("# %u sessions, %.2f USD of them lost\n", sessions, lost_usd);
	CHECK(s.student_usage.used.usd - lost_usd == 1.5);
	CHECK(s.confirm.is_confirmed);
	scene_close(&sc);
}

TEST(a_limit_that_was_reached_before_a_kill_stays_reached)
{
	struct scene sc;
	scene_open(&sc);
	scene_edit(&sc, "task.toml", "hours = 0.5", "hours = 0.5\nrequests = 1");
	scene_write(&sc, "replay/student.jsonl",
		    ONE_CALL("FAKE speedup=2") ONE_CALL("FAKE speedup=3"));
	scene_new(&sc);
	die_in_session(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.student_usage.used.requests, 1);
	CHECK_INT(s.student_usage.turns, 0);
	scene_close(&sc);
}

TEST(run_json_tells_who_played)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	scene_write(&sc, "replay/student.jsonl",
		    ROW(SUBMIT("FAKE speedup=2") ",{\"type\":\"done\",\"usage\":{\"tokens\":5,"
						 "\"usd\":0.1,\"model\":\"duck-5\"}}"));
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_FREE char *path = path_join(sc.run, "run.json");
	AUTO_JSON json_t *doc = json_read_file(path, &e);
	CHECK(doc);
	AUTO_FREE char *agents = json_line(json_object_get(doc, "agents"));
	printf("# %s\n", agents);
	CHECK(strstr(agents, "\"student\":{\"agent\":\"replay\",\"driver\":\"replay\","
			     "\"model\":"));
	CHECK(strstr(agents, "\"teacher\":{\"agent\":\"replay\",\"driver\":\"replay\","
			     "\"model\":\"unknown\",\"version\":\"1\"}"));
	scene_close(&sc);
}

static const char table[] = "# date: 2026-11-30\n"
			    "0000-00-00\tacme\tduck\t0\t1000\t1000\t1000\t1000\t1000\n";

TEST(the_log_says_which_table_a_cost_comes_from)
{
	struct scene sc;
	struct err e = { 0 };
	AUTO_PRICES struct prices prices = { 0 };
	CHECK_OK(prices_parse(&prices, table, "t", false, &e));
	scene_open(&sc);
	sc.hooks.prices = &prices;
	scene_write(&sc, "replay/student.jsonl",
		    ROW(SUBMIT("FAKE speedup=2") ",{\"type\":\"done\",\"usage\":{\"requests\":1,"
						 "\"input\":500,\"output\":500,"
						 "\"model\":\"duck\"}}"));
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_TEXT(s.prices, "2026-11-30");
	CHECK_INT(s.student_usage.used.basis, USAGE_TABLE);
	CHECK(s.student_usage.used.usd > 0.999 && s.student_usage.used.usd < 1.001);
	scene_close(&sc);
}

TEST(a_cost_that_nobody_knows_is_a_warning)
{
	struct scene sc;
	scene_open(&sc);
	scene_write(&sc, "replay/student.jsonl",
		    ROW(SUBMIT("FAKE speedup=2") ",{\"type\":\"done\",\"usage\":{\"tokens\":7}}"));
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	bool is_warned = false;
	for (size_t i = 0; i < s.warnings.nr; i++)
		is_warned |=
			strstr(s.warnings.items[i], "what the student costs is not known") != NULL;
	CHECK(is_warned);
	CHECK(usage_is_open(&s.student_usage.used));
	scene_close(&sc);
}

TEST_MAIN()
