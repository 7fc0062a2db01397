#include "cmd/live_text.h"

#include "base/str.h"
#include "report/fixture.h"
#include "store/fold.h"

struct told {
	struct run_state state;
	struct str text;
};

static int tell(void *ctx, const struct event *event, struct err *e)
{
	struct told *told = ctx;
	enum tone tone = TONE_PLAIN;
	if (run_state_fold(&told->state, event, e) < 0)
		return -1;
	if (live_line(event, &told->state, &told->text, &tone))
		str_add_char(&told->text, '\n');
	return 0;
}

static void tell_run(struct told *told, size_t nr_events)
{
	struct err e = { 0 };
	AUTO_FREE char *dir = fixture_dir();
	AUTO_FREE char *run = path_join(dir, "run");
	AUTO_FREE char *log = path_join(run, "events.jsonl");
	run_state_init(&told->state);
	str_init(&told->text);
	fixture_make(run, nr_events);
	CHECK_OK(eventlog_read(log, tell, told, &e));
	fixture_remove(dir);
}

TEST(a_run_is_told_line_by_line)
{
	struct told told;
	tell_run(&told, 0);
	CHECK_TEXT(
		told.text.text,
		"stage 1/7 freeze\n"
		"machine lacks landlock: files are kept away by namespaces alone\n"
		"stage 2/7 judge\n"
		"  judge: by the teacher, NOT independent\n"
		"  judge agrees with the reference on 9 cases; self-test holds\n"
		"stage 3/7 reference\n"
		"  reference 330 µs, goal 275 µs (1.20×)\n"
		"stage 4/7 curriculum\n"
		"  curriculum v1: 2 milestones, 5 decisions to try\n"
		"stage 5/7 student\n"
		"round 1  D0.1 compiler and flags = gcc -O3 -march=native: correct, "
		"1.30× [1.25, 1.34] faster (K=8), NEW BEST\n"
		"round 2  D0.2 loop order = rows outside: fail wrong_slice: odd<&>/normal: output "
		"y: row 3 of 7 is off by 0.2 | tolerance 1e-6; rolled back\n"
		"  gate M0: pass, the base is correct\n"
		"round 3  D1.1 vector width = 256: correct, 1.82× [1.80, 1.84] faster (screen, "
		"K=2)\n"
		"round 4  D1.2 unroll = 4: correct, 0.93× [0.91, 0.95] slower (screen, K=2)\n"
		"round 5  D1.3 threads = 2: no candidate, no outermost loop that can be split\n"
		"  decision: round 3  D1.1: 1.80× [1.74, 1.86] faster (K=8), NEW BEST; stands for "
		"round 4\n"
		"  inner loop ends: every decision was tried\n"
		"stage 6/7 confirm\n"
		"  confirm: the fresh measurement agrees\n");
	run_state_release(&told.state);
	str_release(&told.text);
}

TEST(the_picture_says_where_the_run_stands)
{
	struct told told;
	AUTO_STR struct str picture = STR_INIT;
	/* Round 2 has just begun: the best is round 1's. */
	tell_run(&told, 29);
	live_picture(&told.state, "time 3 of 8", told.state.session_mono_ns, &picture);
	CHECK_TEXT(picture.text, "[5/7 student] round 2 (2 of 5) D0.2 = rows outside | time 3 of 8 "
				 "| best 1.30× [1.25, 1.34] | 1 h 00 min left");
	run_state_release(&told.state);
	str_release(&told.text);
}

TEST_MAIN()
