#include "engine/scene.h"

#include "agent/mailbox.h"
#include "base/clock.h"
#include "engine/budget.h"
#include "engine/engine_in.h"

/* A student played by hand: forge works in this process, the person in another one. */

enum { THINKS_MS = 400 };

static void send(const char *box, const char *source)
{
	struct err e = { 0 };
	AUTO_JSON json_t *reply = NULL;
	AUTO_JSON json_t *line = json_pack("{s:s, s:s}", "type", "submit", "source", source);
	clock_sleep_ns(THINKS_MS * NS_PER_MS);
	if (mailbox_call(box, line, 30, &reply, &e) < 0 ||
	    !str_equal(json_text_or(reply, "type", ""), "accepted"))
		_exit(3);
}

/* Answers every turn until the run has ended; tells how many that were. */
static pid_t person(const char *box)
{
	static const char *const sources[] = { "FAKE speedup=1.5", "FAKE reason=wrong_value",
					       "FAKE speedup=2 FAKE metric=256" };
	fflush(stdout);
	pid_t pid = fork();
	if (pid)
		return pid;
	for (unsigned nr = 0;;) {
		struct err ignored = { 0 };
		AUTO_JSON json_t *state = NULL;
		const char *now = mailbox_state(box, &state, &ignored) == 0
					  ? json_text_or(state, "state", "")
					  : "";
		if (str_equal(now, "ended"))
			_exit(nr > 0 ? 0 : 4);
		if (str_equal(now, "open"))
			send(box, sources[nr++ % ARRAY_LEN(sources)]);
		clock_sleep_ns(20 * NS_PER_MS);
	}
}

TEST(what_a_person_thinks_is_taken_off_no_budget)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	scene_edit(&sc, "task.toml", "student = \"replay\"", "student = \"manual\"");
	scene_new(&sc);
	AUTO_FREE char *box = rundir_mailbox(sc.run, "student");
	pid_t pid = person(box);
	scene_run_ok(&sc);
	int status = 0;
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_INT(status, 0);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK(s.nr_rounds >= 3);
	CHECK(s.clocks.person_s > 0.9 * THINKS_MS / 1000 * (double)s.student_usage.turns);
	CHECK(s.clocks.agent_s < s.clocks.person_s);
	CHECK(s.stages[STAGE_STUDENT].seconds > s.clocks.person_s);
	AUTO_JSON json_t *state = NULL;
	CHECK_OK(mailbox_state(box, &state, &e));
	CHECK(json_is_object(json_object_get(state, "last")));
	CHECK_INT(json_int_or(state, "turn", 0), s.student_usage.turns);
	scene_close(&sc);
}

/* Also in the middle of a turn, when a tool is called after a long thought. */
TEST(the_time_budget_knows_both_kinds_of_waiting)
{
	struct engine g = { .state = { .hours = 1, .elapsed_s = 3000 } };
	g.state.stages[STAGE_STUDENT] = (struct state_stage){ .is_started = true };
	double before_s = budget_left_s(&g);
	g.state.clocks.person_s = 1000;
	CHECK(budget_left_s(&g) == before_s + 1000);
	g.waiting_s = 500;
	CHECK(budget_left_s(&g) == before_s + 1500);
	g.state.stages[STAGE_STUDENT].free_s = 1000;
	CHECK(budget_left_s(&g) == before_s + 500);
}

TEST_MAIN()
