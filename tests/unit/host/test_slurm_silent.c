#include "host/host.h"

#include <time.h>

#include "away.h"

/*
 * Slurm does not tell how a job stands: it has forgotten it, or its controller is away. forge asks
 * 13 times, ever more slowly, before it gives up, so time passes faster here for all but the
 * worker.
 */

enum { SPEED = 10 };

static uint64_t read_clock(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t clock_mono_ns(void)
{
	return read_clock(CLOCK_MONOTONIC) * SPEED;
}

uint64_t clock_wall_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

void clock_format_wall(uint64_t wall_ns, char out[32])
{
	snprintf(out, 32, "%llu", (unsigned long long)wall_ns);
}

void clock_sleep_ns(uint64_t ns)
{
	const struct timespec t = { (time_t)(ns / SPEED / NS_PER_S),
				    (long)(ns / SPEED % NS_PER_S) };
	nanosleep(&t, NULL);
}

static void open_slurm(struct away *a, const char *run)
{
	away_open(a, run);
	unsetenv("REMOTE_HOST");
}

static bool is_there(const struct away *a, const char *name)
{
	AUTO_FREE char *path = away_path(a, name);
	return file_exists(path);
}

static void remove_path(const struct away *a, const char *name)
{
	struct err e = { 0 };
	AUTO_FREE char *path = away_path(a, name);
	CHECK_OK(tree_remove(path, &e));
}

static bool has_answer(const struct away *a)
{
	struct err e = { 0 };
	AUTO_STRV struct strv names = { 0 };
	if (file_is_dir(a->work))
		CHECK_OK(dir_list(a->work, &names, &e));
	for (size_t i = 0; i < names.nr; i++) {
		AUTO_FREE char *answer = xasprintf("%s/%s/answer.json", a->work, names.items[i]);
		if (file_exists(answer))
			return true;
	}
	return false;
}

/* A forge that is killed once `name` is there. */
static struct host_job *start_until(const struct away *a, const char *name)
{
	struct host_job *job = NULL;
	struct host_status st = { .end = HOST_RUNNING };
	struct err e = { 0 };
	CHECK_OK(host_slurm.start(&job, &a->spec, &e));
	while (!is_there(a, name) && st.end == HOST_RUNNING)
		CHECK_OK(host_slurm.poll(job, NS_PER_MS, NULL, &st, &e));
	CHECK_INT(st.end, HOST_RUNNING);
	return job;
}

static void poll_to_end(struct host_job *job, struct host_status *st)
{
	struct err e = { 0 };
	do
		CHECK_OK(host_slurm.poll(job, NS_PER_MS, NULL, st, &e));
	while (st->end == HOST_RUNNING);
}

TEST(a_finished_answer_is_taken_though_slurm_has_forgotten_its_job)
{
	struct away a;
	open_slurm(&a, "answer \"$2\"");
	struct host_job *killed = start_until(&a, "host/jobs/1/state");
	while (!has_answer(&a))
		clock_sleep_ns(NS_PER_S);
	remove_path(&a, "host/jobs/1");
	CHECK(away_run(&a, &host_slurm) == 0);
	CHECK_INT(away_tries(&a), 1);
	CHECK_INT(a.outcome.attempts, 1);
	away_check_clean(&a);
	host_slurm.stop(&killed);
	away_close(&a);
}

/* A queue may start a job again that has ended, where its administrator says so. */
TEST(a_job_that_has_answered_is_cancelled_where_it_waits_to_begin_again)
{
	struct away a;
	struct err e = { 0 };
	open_slurm(&a, "answer \"$2\"");
	struct host_job *killed = start_until(&a, "host/jobs/1/state");
	AUTO_FREE char *path = away_path(&a, "host/jobs/1/state");
	AUTO_STR struct str state = STR_INIT;
	while (!has_answer(&a) || !strstr(state.text, "COMPLETED")) {
		clock_sleep_ns(NS_PER_S);
		str_clear(&state);
		CHECK_OK(file_read(path, 100, &state, &e));
	}
	away_write(&a, "host/jobs/1/state", "PENDING|BeginTime\n");
	CHECK(away_run(&a, &host_slurm) == 0);
	CHECK_INT(away_tries(&a), 1);
	str_clear(&state);
	CHECK_OK(file_read(path, 100, &state, &e));
	CHECK(str_starts(state.text, "CANCELLED"));
	away_check_clean(&a);
	host_slurm.stop(&killed);
	away_close(&a);
}

/* The controller goes away while the job works, and what it said last is that it works. */
TEST(an_answer_that_comes_while_slurm_is_silent_is_taken)
{
	struct away a;
	struct host_status st = { .end = HOST_RUNNING };
	open_slurm(&a, "touch \"$top/began\"; until [ -e \"$top/go\" ]; do sleep 0.05; done; "
		       "answer \"$2\"");
	struct host_job *job = start_until(&a, "began");
	away_write(&a, "host/silent", "");
	away_write(&a, "go", "");
	poll_to_end(job, &st);
	CHECK_INT(st.end, HOST_DONE);
	host_slurm.stop(&job);
	away_check_clean(&a);
	away_close(&a);
}

TEST(a_job_that_works_while_slurm_is_silent_is_left_to_work_and_found_again)
{
	struct away a;
	struct host_status st = { .end = HOST_RUNNING };
	open_slurm(&a, "touch \"$top/began\"; until [ -e \"$top/go\" ]; do sleep 0.05; done; "
		       "answer \"$2\"");
	struct host_job *job = start_until(&a, "began");
	away_write(&a, "host/silent", "");
	poll_to_end(job, &st);
	CHECK_INT(st.end, HOST_LOST);
	CHECK_INT(st.trouble, TROUBLE_lost);
	host_slurm.stop(&job);
	remove_path(&a, "host/silent");
	away_write(&a, "go", "");
	CHECK(away_run(&a, &host_slurm) == 0);
	CHECK_INT(a.outcome.attempts, 1);
	CHECK_INT(away_tries(&a), 1);
	CHECK(!is_there(&a, "host/jobs/2"));
	CHECK(strstr(st.text, "job 1 ") && strstr(st.text, "finds"));
	CHECK(strstr(st.text, "slurm controller"));
	away_check_clean(&a);
	away_close(&a);
}

static volatile sig_atomic_t stop_now;

/* Who stops a job does not want it, whatever Slurm says. */
TEST(a_stop_while_slurm_is_silent_leaves_no_folder)
{
	struct away a;
	struct host_status st = { .end = HOST_RUNNING };
	open_slurm(&a, "touch \"$top/began\"; sleep 60");
	a.spec.stop = &stop_now;
	struct host_job *job = start_until(&a, "began");
	away_write(&a, "host/silent", "");
	stop_now = 1;
	poll_to_end(job, &st);
	CHECK_INT(st.end, HOST_STOPPED);
	host_slurm.stop(&job);
	away_check_clean(&a);
	away_close(&a);
}

/* Slurm answers that there is no such job, and there is no answer of it: waiting is of no use. */
TEST(a_job_that_slurm_has_forgotten_without_an_answer_is_queued_again)
{
	struct away a;
	open_slurm(&a, "answer \"$2\"");
	away_write(&a, "host/hold", "");
	struct host_job *killed = start_until(&a, "host/jobs/1/state");
	remove_path(&a, "host/jobs/1");
	remove_path(&a, "host/hold");
	CHECK(away_run(&a, &host_slurm) == 0);
	CHECK_INT(a.outcome.attempts, 2);
	CHECK_INT(away_tries(&a), 1);
	away_check_clean(&a);
	host_slurm.stop(&killed);
	away_close(&a);
}

TEST_MAIN()
