#include "engine/scene.h"

#include <math.h>
#include <sys/wait.h>

#include "engine/budget.h"
#include "engine/dispatch.h"
#include "engine/dispatch_plan.h"
#include "engine/engine_in.h"
#include "engine/jobs.h"

/* When kernels are put together, what becomes of it, and that no kill changes it. */

#define POWERS "void powers(const float *x, const float *c, float *y, int64_t n, int64_t m) { }"
#define AT(s, o) "/* FAKE at_short=" s " FAKE at_odd=" o " FAKE speedup=3.3 */ " POWERS

static const char *const crossing[] = { AT("2", "2"), AT("4", "1.5"), AT("1.2", "3"), NULL };
static const char crossing_verdicts[] = "1 D0.1 base 0 ok kept best\n"
					"2 D1.1 base 1 ok kept best\n"
					"3 D1.2 base 2 ok kept\n"
					"4 D1.3 base 3 give_up no_candidate\n"
					"5 D1.4 base 3 give_up no_candidate\n"
					"6 D1.5 base 3 give_up no_candidate\n"
					"7 D1.6 base 3 give_up no_candidate\n"
					"8 dispatch base 2 ok kept best\n";

static void check_crossing(const struct scene *sc)
{
	CHECK_VERDICTS(sc, crossing_verdicts);
	AUTO_RUN_STATE struct run_state s;
	scene_state(sc, &s);
	CHECK(s.dispatch.is_offered && fabs(s.dispatch.expected - sqrt(12)) < 0.1);
	CHECK_INT(s.dispatch.nr_parts, 2);
	CHECK_INT(s.dispatch.parts[0].round, 2);
	CHECK_INT(s.dispatch.parts[1].round, 3);
	CHECK_TEXT(s.dispatch.parts[1].shapes.items[0], "odd");
	CHECK_INT(s.dispatch.round, 8);
	CHECK(s.rounds[7].is_dispatch && !s.rounds[6].is_dispatch);
	CHECK_INT(s.rounds[7].screen.replicates, 2);
	CHECK_INT(s.rounds[7].decide.replicates, 8);
	CHECK(s.confirm.is_confirmed && s.confirm.round == 8);
	CHECK_INT(s.nr_bests, 3);
	CHECK_INT(s.student_usage.turns, 7);
}

TEST(kernels_that_win_at_different_shapes_become_one)
{
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, crossing);
	scene_new(&sc);
	scene_run_ok(&sc);
	CHECK_INT(sc.outcome, ENGINE_GOAL_MET);
	check_crossing(&sc);
	AUTO_FREE char *best = rundir_path(sc.run, RUNDIR_BEST_KERNEL);
	AUTO_STR struct str text = STR_INIT;
	struct err e = { 0 };
	CHECK_OK(file_read(best, 1 << 20, &text, &e));
	CHECK(strstr(text.text, "\tif (n == 1011 && m == 17) /* odd */\n"
				"\t\tpart2_powers(x, c, y, n, m);\n"
				"\telse\n"
				"\t\tpart1_powers(x, c, y, n, m);\n"));
	scene_close(&sc);
}

static void die_at_event(void *ctx, const struct event *ev, const struct run_state *s)
{
	unsigned *left = ctx;
	(void)ev;
	(void)s;
	if (--*left == 0)
		_exit(99);
}

/* One session in a child that dies after `events` events. True: it ended by itself. */
static bool session(struct scene *sc, unsigned events)
{
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		sc->hooks.see_event = die_at_event;
		sc->hooks.ctx = &events;
		_exit(scene_run(sc) == 0 ? 0 : 1);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) != 1);
	return WEXITSTATUS(status) == 0;
}

TEST(a_dispatch_kernel_is_made_once_however_often_the_run_is_killed)
{
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, crossing);
	scene_new(&sc);
	unsigned sessions = 0;
	while (!session(&sc, 2 + sessions % 2))
		CHECK(++sessions < 400);
	check_crossing(&sc);
	AUTO_STR struct str jobs = STR_INIT;
	scene_jobs(&sc, &jobs);
	const char *first = strstr(jobs.text, "r0008-decide");
	CHECK(first);
	scene_close(&sc);
}

/* What is said where there is none; the run ends as without it. */
static void check_none(const char *const *marks, const char *text)
{
	struct scene sc;
	scene_open(&sc);
	scene_student(&sc, marks);
	scene_new(&sc);
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK(s.dispatch.is_considered && !s.dispatch.is_offered && !s.dispatch.round);
	CHECK_INT(s.nr_rounds, 7);
	CHECK(s.confirm.is_confirmed);
	if (!strstr(s.dispatch.text, text))
		printf("# %s\n", s.dispatch.text);
	CHECK(strstr(s.dispatch.text, text));
	scene_close(&sc);
}

TEST(one_kernel_that_wins_everywhere_stays_alone)
{
	static const char *const marks[] = { AT("2", "2"), AT("4", "3"), AT("3", "2.9"), NULL };
	check_none(marks, "by more than the noise floor");
}

TEST(a_gain_within_the_noise_floor_is_no_reason)
{
	static const char *const marks[] = { AT("2", "2"), AT("1.9", "2.015"), NULL };
	check_none(marks, "by more than the noise floor");
}

TEST(kernels_that_are_built_differently_do_not_go_together)
{
	static const char *const marks[] = { "/* forge-build: gcc -O3 */ " AT("4", "1.5"),
					     "/* forge-build: clang -O2 */ " AT("1.2", "3"), NULL };
	check_none(marks,
		   "round 2 at odd; round 1 at all other sizes would reach about 3.46x, but "
		   "one file has one build directive, and theirs differ: gcc -O3, clang -O2");
}

TEST(a_source_that_can_not_be_read_is_said)
{
	static const char *const marks[] = {
		AT("4", "1.5"), "#define E powers\n/* FAKE at_short=1.2 FAKE at_odd=3 */", NULL
	};
	check_none(marks, "but the source of round 2 defines no powers in sight");
}

TEST(the_control_arm_gets_none)
{
	struct scene sc;
	struct err e = { 0 };
	AUTO_STR struct str made = STR_INIT;
	scene_open(&sc);
	scene_student(&sc, crossing);
	const struct engine_new spec = {
		.task_dir = sc.task, .run_dir = sc.run, .seed = 42, .is_control = true
	};
	CHECK_OK(engine_new_run(&spec, &made, &e));
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK(!s.dispatch.is_considered && s.is_ended);
	scene_close(&sc);
}

/* The plan alone, on measurements made up here. */

enum { NR_SHAPES = 3, MAX_ROUNDS = 6 };

struct made {
	struct run_state s;
	struct state_round rounds[MAX_ROUNDS];
	struct state_shape shapes[MAX_ROUNDS][NR_SHAPES];
	const char *builds[MAX_ROUNDS];
	struct arena arena;
	struct dispatch_plan plan;
};

static void add_round(struct made *m, const char *source, double a, double b, double c)
{
	static const char *const names[] = { "a", "b", "c" };
	const double speedups[] = { a, b, c };
	size_t i = m->s.nr_rounds++;
	for (size_t k = 0; k < NR_SHAPES; k++)
		m->shapes[i][k] = (struct state_shape){ .name = names[k],
							.speedup = speedups[k],
							.low = speedups[k] * 0.99,
							.high = speedups[k] * 1.01 };
	m->rounds[i] = (struct state_round){ .number = (unsigned)i + 1,
					     .source = source,
					     .outcome = ROUND_KEPT,
					     .verdict.state = VERDICT_PASS };
	m->rounds[i].screen = (struct state_estimate){ .call = "faster",
						       .speedup = cbrt(a * b * c),
						       .floor = 0.005,
						       .shapes = m->shapes[i],
						       .nr_shapes = NR_SHAPES };
	m->s.rounds = m->rounds;
}

static void find(struct made *m, double bar, bool with_builds)
{
	const struct dispatch_spec spec = { .state = &m->s,
					    .bar = bar,
					    .builds = with_builds ? m->builds : NULL };
	dispatch_plan_find(&spec, &m->arena, &m->plan);
}

TEST(each_shape_goes_to_the_kernel_that_wins_there)
{
	struct made m = { 0 };
	add_round(&m, "p", 2, 2, 2);
	add_round(&m, "q", 4, 1, 1);
	add_round(&m, "r", 1, 4, 1.9);
	find(&m, 2, false);
	CHECK_INT(m.plan.nr, 3);
	CHECK_INT(m.plan.rounds[0], 1);
	CHECK_INT(m.plan.rounds[m.plan.part_of[0]], 2);
	CHECK_INT(m.plan.rounds[m.plan.part_of[1]], 3);
	CHECK_INT(m.plan.rounds[m.plan.part_of[2]], 1);
	CHECK(fabs(m.plan.expected - cbrt(32)) < 1e-9);
	arena_release(&m.arena);
}

TEST(all_other_sizes_go_to_the_fastest_of_them_even_where_it_serves_no_shape)
{
	struct made m = { 0 };
	add_round(&m, "p", 2, 2, 2);
	add_round(&m, "q", 4, 1.3, 1.3);
	add_round(&m, "r", 1, 4, 1.3);
	add_round(&m, "s", 1, 1, 4);
	find(&m, 2, false);
	CHECK_INT(m.plan.nr, 4);
	CHECK_INT(m.plan.rounds[0], 1);
	for (size_t i = 0; i < NR_SHAPES; i++)
		CHECK(m.plan.part_of[i] != 0);
	arena_release(&m.arena);
}

TEST(intervals_that_meet_take_no_shape)
{
	struct made m = { 0 };
	add_round(&m, "p", 2, 2, 2);
	add_round(&m, "q", 2.3, 1, 1);
	m.shapes[1][0].low = 2.01;
	find(&m, 2, false);
	CHECK_INT(m.plan.nr, 0);
	m.shapes[1][0].low = 2.03;
	find(&m, 2, false);
	CHECK_INT(m.plan.nr, 2);
	arena_release(&m.arena);
}

TEST(the_gain_has_to_pass_the_noise_floor_and_the_best)
{
	struct made m = { 0 };
	add_round(&m, "p", 2, 2, 2);
	add_round(&m, "q", 2.2, 1, 1);
	find(&m, 2, false);
	CHECK_INT(m.plan.nr, 2);
	m.rounds[0].screen.floor = 0.04;
	find(&m, 2, false);
	CHECK_INT(m.plan.nr, 0);
	m.rounds[0].screen.floor = 0.005;
	find(&m, 2.05, false);
	CHECK_INT(m.plan.nr, 0);
	arena_release(&m.arena);
}

TEST(only_correct_measured_kernels_that_are_built_alike_take_part)
{
	struct made m = { 0 };
	add_round(&m, "p", 2, 2, 2);
	add_round(&m, "q", 4, 1, 1);
	m.builds[0] = "gcc -O3";
	m.builds[1] = "gcc -O3";
	find(&m, 2, true);
	CHECK_INT(m.plan.nr, 2);
	m.builds[1] = "gcc -O2";
	find(&m, 2, true);
	CHECK_INT(m.plan.nr, 0);
	m.builds[1] = NULL;
	find(&m, 2, true);
	CHECK_INT(m.plan.nr, 0);
	m.rounds[1].outcome = ROUND_ROLLED_BACK;
	find(&m, 2, false);
	CHECK_INT(m.plan.nr, 0);
	m.rounds[1].outcome = ROUND_KEPT;
	m.rounds[1].is_dispatch = true;
	find(&m, 2, false);
	CHECK_INT(m.plan.nr, 0);
	arena_release(&m.arena);
}

static struct engine engine_of(const struct made *m)
{
	struct engine g = { .state = m->s };
	g.state.hours = 10;
	return g;
}

TEST(the_loop_keeps_time_for_a_dispatch_kernel_while_one_would_pay)
{
	struct made m = { 0 };
	add_round(&m, "p", 2, 2, 2);
	struct engine alone = engine_of(&m);
	add_round(&m, "q", 4, 1, 1);
	struct engine both = engine_of(&m);
	double jobs_s = job_expected_s(&both, SCREEN_REPLICATES + DECIDE_REPLICATES);
	CHECK(dispatch_reserve_s(&alone) == 0);
	CHECK(fabs(dispatch_reserve_s(&both) - jobs_s) < 1e-6);
	CHECK(fabs(budget_reserve_s(&both) - budget_reserve_s(&alone) - jobs_s) < 1e-6);
	CHECK(fabs(budget_left_to_confirm_s(&both) - budget_left_s(&both) - jobs_s) < 1e-6);
	struct engine control = both;
	control.state.is_control = true;
	CHECK(dispatch_reserve_s(&control) == 0);
	struct engine over = both;
	over.state.dispatch.is_considered = true;
	CHECK(dispatch_reserve_s(&over) == 0);
}

TEST_MAIN()
