#include "engine/engine.h"

#include "base/clock.h"
#include "host/host.h"
#include "scene.h"

/* A run whose jobs go through a driver that does as it is told here: the local one, with a trouble
 * or a wait before the job of a number. */

static unsigned nr_started;
static unsigned troubled; /* the job of this number has ... */
static enum trouble trouble;
static uint64_t wait_ns;
static volatile sig_atomic_t stop_now;
static bool stops;

static int start_as_told(struct host_job **out, const struct host_spec *spec, struct err *e)
{
	nr_started++;
	return host_local.start(out, spec, e);
}

static int poll_as_told(struct host_job *job, uint64_t poll_ns, const struct host_watch *watch,
			struct host_status *st, struct err *e)
{
	if (nr_started != troubled)
		return host_local.poll(job, poll_ns, watch, st, e);
	*st = (struct host_status){ .end = HOST_RUNNING };
	clock_sleep_ns(wait_ns);
	if (trouble != TROUBLE_NONE)
		host_status_trouble(st, trouble, "as told");
	else if (stops)
		*st = (struct host_status){ .end = HOST_STOPPED, .text = "stopped" };
	stop_now = stops;
	troubled = 0;
	return 0;
}

static struct host_ops driver(void)
{
	struct host_ops ops = host_local;
	ops.is_remote = true;
	ops.keeps_jobs = true;
	ops.start = start_as_told;
	ops.poll = poll_as_told;
	nr_started = 0;
	return ops;
}

static const char *const usual[] = { "FAKE speedup=1.5", "FAKE reason=wrong_value",
				     "FAKE speedup=2", "give_up", NULL };

TEST(a_trouble_of_the_place_stops_the_run_and_costs_no_round)
{
	struct scene sc;
	const struct host_ops ops = driver();
	AUTO_STR struct str verdicts = STR_INIT;
	AUTO_STR struct str wanted = STR_INIT;
	struct err e = { 0 };
	scene_open(&sc);
	scene_student(&sc, usual);
	scene_new(&sc);
	scene_run_ok(&sc);
	scene_verdicts(&sc, &wanted);
	CHECK_OK(tree_remove(sc.run, &e));
	scene_new(&sc);
	sc.host.ops = &ops;
	trouble = TROUBLE_unreachable;
	for (unsigned nr = 1; nr < 60; nr++) {
		troubled = nr;
		nr_started = 0;
		if (scene_run(&sc) == 0)
			break;
		CHECK_INT(sc.e.kind, ERR_REMOTE);
		CHECK(strstr(sc.e.text, "can not be reached"));
		AUTO_RUN_STATE struct run_state s;
		scene_state(&sc, &s);
		for (size_t i = 0; i < s.nr_jobs; i++)
			CHECK(!s.jobs[i].has_failed);
	}
	CHECK_INT(sc.outcome == ENGINE_INTERRUPTED, 0);
	scene_verdicts(&sc, &verdicts);
	CHECK_TEXT(verdicts.text, wanted.text);
	scene_close(&sc);
}

TEST(a_trouble_of_the_job_is_a_job_that_failed)
{
	struct scene sc;
	const struct host_ops ops = driver();
	scene_open(&sc);
	scene_student(&sc, usual);
	scene_new(&sc);
	sc.host.ops = &ops;
	trouble = TROUBLE_out_of_memory;
	troubled = 3;
	scene_run_ok(&sc);
	AUTO_FREE char *path = path_join(sc.run, "events.jsonl");
	AUTO_STR struct str log = STR_INIT;
	struct err e = { 0 };
	CHECK_OK(file_read(path, 1 << 20, &log, &e));
	const char *failed = strstr(log.text, "\"job_failed\"");
	CHECK(failed && !strstr(failed + 1, "\"job_failed\""));
	scene_close(&sc);
}

TEST(time_that_a_job_waits_at_a_host_is_of_the_queue)
{
	struct scene sc;
	const struct host_ops ops = driver();
	scene_open(&sc);
	scene_student(&sc, usual);
	scene_new(&sc);
	sc.host.ops = &ops;
	trouble = TROUBLE_NONE;
	troubled = 3;
	wait_ns = 700 * NS_PER_MS;
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK(s.clocks.queue_s >= 0.7);
	for (size_t i = 0; i < s.nr_jobs; i++)
		CHECK(s.jobs[i].seconds >= s.jobs[i].queue_s);
	scene_close(&sc);
}

TEST(a_stop_while_a_job_waits_keeps_the_wait_off_the_budget)
{
	struct scene sc;
	const struct host_ops ops = driver();
	scene_open(&sc);
	scene_student(&sc, usual);
	scene_new(&sc);
	sc.host.ops = &ops;
	sc.hooks.stop_signal = &stop_now;
	trouble = TROUBLE_NONE;
	troubled = 4;
	stops = true;
	wait_ns = 400 * NS_PER_MS;
	scene_run_ok(&sc);
	CHECK_INT(sc.outcome, ENGINE_INTERRUPTED);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	CHECK(s.clocks.queue_s >= 0.4);
	scene_close(&sc);
}

static char asked_by[200];

static json_t *refuse_to_tell(const struct host_spec *spec, struct err *e)
{
	snprintf(asked_by, sizeof(asked_by), "%s", spec->asker ? spec->asker : "");
	err_set(e, ERR_REMOTE, "as told");
	return NULL;
}

/* Two runs that begin at once do not take each other's answer. */
TEST(what_the_machine_is_a_run_asks_by_its_own_name)
{
	struct scene sc;
	struct host_ops ops = driver();
	ops.probe = refuse_to_tell;
	scene_open(&sc);
	scene_student(&sc, usual);
	scene_new(&sc);
	sc.host.ops = &ops;
	CHECK(scene_run(&sc) < 0);
	CHECK_TEXT(asked_by, sc.run);
	scene_close(&sc);
}

TEST_MAIN()
