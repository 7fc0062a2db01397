#include "model/leaderboard.h"

#include <math.h>

#include "folder.h"
#include "model/task.h"

static const char table[] =
	"[leaderboard]\nname = 'b'\norigin = 'o'\nrun = 'reference/saxpby.c'\nsource = true\n"
	"[[leaderboard.tolerance]]\noutput = 'y'\nrtol = 1e-3\natol = 1\n"
	"[leaderboard.timing]\noperands = 'cold'\nwarmups = 2\nrepeats = 9\nstatistic = 'median'\n"
	"across = 'mean'\n";

static struct folder folder_of_board(void)
{
	struct folder f = folder_of_example();
	folder_replace(&f, "task.toml",
		       "[reference]\nrun = \"reference/saxpby.c\"\nsource = true\nbuild = \"gcc "
		       "-O2\"\ndeny = []\n",
		       table);
	return f;
}

TEST(the_origins_rules_are_read_as_they_stand)
{
	struct err e = { 0 };
	AUTO_FOLDER struct folder f = folder_of_board();
	AUTO_TASK struct task t;
	AUTO_STR struct str rule = STR_INIT;
	CHECK_OK(task_load(&t, f.path, &e));
	CHECK(t.leaderboard != NULL);
	CHECK_TEXT(t.leaderboard->name, "b");
	CHECK_TEXT(t.leaderboard->origin, "o");
	CHECK_TEXT(t.reference_run, "reference/saxpby.c");
	CHECK_TEXT(t.reference_build, "gcc -O2");
	CHECK(t.reference_is_source);
	const struct leaderboard_tolerance *y = leaderboard_find(t.leaderboard, "y");
	CHECK(y && y->relative == 1e-3 && y->absolute == 1);
	CHECK(!leaderboard_find(t.leaderboard, "x"));
	leaderboard_rule_print(t.leaderboard, &rule);
	CHECK_TEXT(rule.text, "cold operands, 2 calls first, median of 9, mean over shapes");
	CHECK(!task_expects_reference(&t));
}

TEST(without_a_judge_the_reference_is_what_is_expected)
{
	struct err e = { 0 };
	AUTO_FOLDER struct folder f = folder_of_board();
	AUTO_TASK struct task t;
	folder_remove(&f, "judge");
	CHECK_OK(task_load(&t, f.path, &e));
	CHECK(task_expects_reference(&t));
}

TEST(what_the_origin_does_not_say_is_not_made_up)
{
	static const struct {
		const char *from;
		const char *to;
		const char *says;
	} rows[] = {
		{ "statistic = 'median'", "statistic = 'geomean'", "it can be: mean median min" },
		{ "across = 'mean'", "across = 'min'", "it can be: mean geomean" },
		{ "across = 'mean'\n", "", "has no across; add it" },
		{ "operands = 'cold'", "operands = 'hot'", "they are \"warm\" or \"cold\"" },
		{ "warmups = 2", "warmups = -1", "warmups must be 0 to 1000" },
		{ "rtol = 1e-3", "rtol = nan", "rtol and atol are numbers from 0" },
		{ "atol = 1\n", "", "has no atol; add it" },
		{ "atol = 1\n", "atol = 1\n[[leaderboard.tolerance]]\noutput='y'\nrtol=0\natol=0\n",
		  "has a tolerance already" },
		{ "output = 'y'", "output = 'n'", "n is no output of the task" },
		{ "source = true", "symbol = 'f'", "unknown key symbol in [leaderboard]" },
		{ "source = true", "blackbox = true", "unknown key blackbox in [leaderboard]" },
		{ "[target]", "[reference]\nrun='reference/saxpby.c'\n[target]", "keep one" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = { 0 };
		struct task t;
		AUTO_FOLDER struct folder f = folder_of_board();
		folder_replace(&f, "task.toml", rows[i].from, rows[i].to);
		CHECK(task_load(&t, f.path, &e) < 0);
		if (!strstr(e.text, rows[i].says))
			printf("# %zu: %s\n", i, e.text);
		CHECK(strstr(e.text, rows[i].says));
		CHECK(strstr(e.text, "task.toml:"));
	}
}

TEST(a_leaderboard_brings_no_tolerances_of_its_own)
{
	struct err e = { 0 };
	struct task t;
	AUTO_FOLDER struct folder f = folder_of_board();
	folder_write(&f, "judge/tolerances.json", "{}");
	CHECK(task_load(&t, f.path, &e) < 0);
	CHECK(strstr(e.text, "judge/tolerances.json:1:1: a leaderboard is judged by the origin's"));
}

TEST(many_times_become_one_number)
{
	double values[] = { 8, 2, 4, 1 };
	CHECK(leaderboard_summary(LEADERBOARD_MEAN, values, 4) == 3.75);
	CHECK(leaderboard_summary(LEADERBOARD_MEDIAN, values, 4) == 3);
	CHECK(leaderboard_summary(LEADERBOARD_MEDIAN, values, 3) == 2);
	CHECK(leaderboard_summary(LEADERBOARD_MIN, values, 4) == 1);
	CHECK(fabs(leaderboard_summary(LEADERBOARD_GEOMEAN, values, 4) - sqrt(8)) < 1e-12);
	CHECK(leaderboard_summary(LEADERBOARD_GEOMEAN, values, 1) > 0.999999999);
}

TEST_MAIN()
