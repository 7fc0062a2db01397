#include "engine/scene.h"

/* Clocks, warnings, and the slice of the budget that is kept to confirm. */

static void set_task(const struct scene *sc, const char *from, const char *to)
{
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_FREE char *path = path_join(sc->task, "task.toml");
	CHECK_OK(file_read(path, 1 << 20, &text, &e));
	char *at = strstr(text.text, from);
	CHECK(at);
	AUTO_FREE char *changed =
		xasprintf("%.*s%s%s", (int)(at - text.text), text.text, to, at + strlen(from));
	CHECK_OK(file_write_text(path, changed, &e));
}

static void spend(struct str *lines, const char *source, int tokens, double usd)
{
	str_addf(lines,
		 "{\"lines\":[{\"type\":\"submit\",\"source\":\"%s\"},{\"type\":\"done\",\"usage\":"
		 "{\"tokens\":%d,\"usd\":%g}}]}\n",
		 source, tokens, usd);
}

struct seen {
	struct str text;
};

static int see_spent(void *ctx, const struct event *ev, struct err *e)
{
	struct seen *seen = ctx;
	(void)e;
	if (ev->type == EVENT_budget_spent)
		str_addf(&seen->text, "%s %lld\n", json_text_or(ev->body, "resource", ""),
			 (long long)json_int_or(ev->body, "percent", 0));
	return 0;
}

static void read_spent(const struct scene *sc, struct str *out)
{
	struct err e = { 0 };
	struct seen seen = { .text = STR_INIT };
	AUTO_FREE char *events = path_join(sc->run, "events.jsonl");
	CHECK_OK(eventlog_read(events, see_spent, &seen, &e));
	str_add(out, seen.text.text);
	str_release(&seen.text);
}

TEST(half_and_four_fifths_of_a_budget_are_told_once_each_and_the_best_is_confirmed)
{
	struct scene sc;
	AUTO_STR struct str lines = STR_INIT;
	AUTO_STR struct str spent = STR_INIT;
	scene_open(&sc);
	set_task(&sc, "hours = 0.5", "hours = 0.5\nusd = 1.0\ntokens = 1000");
	spend(&lines, "FAKE speedup=2", 300, 0.45);
	spend(&lines, "FAKE reason=wrong_value", 250, 0.1);
	spend(&lines, "FAKE speedup=0.5", 300, 0.1);
	spend(&lines, "FAKE speedup=0.6", 300, 0.1);
	spend(&lines, "FAKE speedup=4", 300, 0.1);
	scene_write(&sc, "replay/student.jsonl", lines.text);
	scene_new(&sc);
	scene_run_ok(&sc);
	read_spent(&sc, &spent);
	CHECK_TEXT(spent.text, "usd 50\ntokens 50\ntokens 80\ntokens 100\n");
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.nr_rounds, 4);
	CHECK(strstr(s.loop_end, "the token budget of 1000 is used up"));
	CHECK(s.confirm.is_confirmed);
	CHECK_INT(s.confirm.round, 1);
	scene_close(&sc);
}

TEST(what_a_turn_cost_is_known_by_milestone)
{
	struct scene sc;
	AUTO_STR struct str lines = STR_INIT;
	double usd[2] = { 0 };
	scene_open(&sc);
	spend(&lines, "FAKE speedup=2", 300, 0.5);
	spend(&lines, "FAKE speedup=3", 40, 0.25);
	spend(&lines, "FAKE speedup=4", 2, 0.125);
	scene_write(&sc, "replay/student.jsonl", lines.text);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_TEXT(s.attempts[0].milestone, "");
	for (size_t i = 1; i < s.nr_attempts; i++)
		usd[str_equal(s.attempts[i].milestone, "M1")] += s.attempts[i].used.usd;
	/* The course has one row in M0. */
	CHECK(usd[0] == 0.5);
	CHECK(usd[1] == 0.375);
	scene_close(&sc);
}

TEST(an_agent_that_sleeps_does_not_sleep_through_the_reserve)
{
	struct scene sc;
	scene_open(&sc);
	set_task(&sc, "hours = 0.5", "hours = 0.003");
	scene_write(&sc, "replay/student.jsonl",
		    "{\"type\":\"submit\",\"source\":\"FAKE speedup=4\"}\n"
		    "{\"lines\":[{\"sleep_s\":300}]}\n");
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK_INT(s.nr_rounds, 2);
	CHECK_TEXT(s.rounds[1].absent, "error");
	CHECK(strstr(s.rounds[1].absent_text, "in time"));
	CHECK(strstr(s.loop_end, "the time budget"));
	CHECK(run_state_warned(&s, "run", RESOURCE_TIME) >= 50);
	CHECK(s.confirm.is_confirmed);
	CHECK(s.has_report);
	scene_close(&sc);
}

/* Every job says that it waited longer than the whole budget. */
TEST(waiting_for_the_machine_is_not_taken_off_the_budget)
{
	struct scene sc;
	const char *student[] = { "FAKE speedup=2 FAKE wait=90000",
				  "FAKE speedup=4 FAKE wait=90000", NULL };
	scene_open(&sc);
	scene_student(&sc, student);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK(s.clocks.queue_s > 4 * 90000 - 1);
	CHECK(s.clocks.other_s < 100);
	CHECK(!strstr(s.loop_end, "budget"));
	CHECK_INT(run_state_warned(&s, "run", RESOURCE_TIME), 0);
	CHECK_INT(s.nr_bests, 2);
	scene_close(&sc);
}

TEST(what_is_left_of_a_run_gets_less)
{
	struct scene sc;
	struct err e = { 0 };
	const char *student[] = { "FAKE speedup=2", NULL };
	AUTO_PLAN struct plan before = { 0 };
	AUTO_PLAN struct plan after = { 0 };
	scene_open(&sc);
	scene_student(&sc, student);
	scene_new(&sc);
	CHECK_OK(engine_plan_rest(sc.run, &before, &e));
	scene_run_ok(&sc);
	CHECK_OK(engine_plan_rest(sc.run, &after, &e));
	CHECK(before.worst_s > 1800 && before.nr_jobs > 0);
	CHECK(after.worst_s == 0 && after.nr_jobs == 0);
	scene_close(&sc);
}

TEST_MAIN()
