#include "host/host.h"

#include "model/order.h"
#include "sys/cpu.h"
#include "sys/device_lock.h"

#include "away.h"

/* A spool that is carried about, shared, cut off: what a job finds there is its own or nothing. */

#define POLL_NS (20 * NS_PER_MS)

/* The one delivery in the spool `dir`; yours. */
static char *delivery_in(const char *dir)
{
	struct err e = { 0 };
	AUTO_STRV struct strv names = { 0 };
	CHECK_OK(dir_list(dir, &names, &e));
	for (size_t i = 0; i < names.nr; i++)
		if (names.items[i][0] != '.' && !str_equal(names.items[i], "kit"))
			return path_join(dir, names.items[i]);
	return NULL;
}

static struct host_job *begin(struct away *a)
{
	struct err e = { 0 };
	struct host_job *job = NULL;
	CHECK_OK(host_spool.start(&job, &a->spec, &e));
	return job;
}

/* For so long, or until it is over. */
static struct host_status poll_for(struct host_job *job, uint64_t ns)
{
	struct host_status st = { 0 };
	struct err e = { 0 };
	const uint64_t until_ns = clock_mono_ns() + ns;
	do
		CHECK_OK(host_spool.poll(job, POLL_NS, NULL, &st, &e));
	while (st.end == HOST_RUNNING && clock_mono_ns() < until_ns);
	return st;
}

/* As `cp -r FROM/. TO`. */
static void merge(const char *from, const char *to)
{
	struct err e = { 0 };
	AUTO_FREE char *all = xasprintf("%s/.", from);
	const char *const argv[] = { "cp", "-r", all, to, NULL };
	const struct proc_spec spec = { .argv = argv, .deadline_ns = 30 * NS_PER_S };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	CHECK_OK(dir_make(to, &e));
	CHECK_OK(proc_run(&r, &spec, &e));
	CHECK_INT(r.exit_code, 0);
}

static void write_below(const char *dir, const char *name, const char *text)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(dir, name);
	CHECK_OK(file_write_text(path, text, &e));
}

TEST(a_spool_that_can_not_be_used_is_a_trouble_of_the_place)
{
	struct away a;
	away_open(&a, "answer \"$2\"");
	away_write(&a, "file", "");
	AUTO_FREE char *below = away_path(&a, "file/spool");
	setenv("SPOOL_DIR", below, 1);
	CHECK(away_run(&a, &host_spool) < 0);
	CHECK_INT(a.outcome.trouble, TROUBLE_no_workdir);
	CHECK(trouble_is_of_place(a.outcome.trouble));
	away_close(&a);
}

TEST(an_answer_of_an_older_asking_is_none)
{
	struct away a;
	away_open(
		&a,
		"[ $(wc -l < \"$top/tries\") -lt 2 ] || answer \"$2\"\n[ -e \"$2/result.json\" ]");
	AUTO_FREE char *there = away_path(&a, "there");
	struct host_job *job = begin(&a);
	merge(a.spool, there);
	CHECK_INT(away_serve_once(&a, there, "0.2"), 0);
	merge(there, a.spool);
	CHECK(poll_for(job, 5 * NS_PER_S).end != HOST_RUNNING);
	host_spool.stop(&job);
	/* Asked again; the first answer still lies there, and comes back too early once. */
	job = begin(&a);
	merge(there, a.spool);
	CHECK_INT(poll_for(job, 300 * NS_PER_MS).end, HOST_RUNNING);
	merge(a.spool, there);
	CHECK_INT(away_serve_once(&a, there, "0.2"), 0);
	CHECK_INT(away_tries(&a), 2);
	merge(there, a.spool);
	const struct host_status st = poll_for(job, 5 * NS_PER_S);
	CHECK_INT(st.end, HOST_DONE);
	CHECK_INT(st.exit_code, 0);
	host_spool.stop(&job);
	away_close(&a);
}

TEST(waiting_for_a_device_is_no_work)
{
	struct away a;
	struct err e = { 0 };
	const struct cpu_list none = { 0 };
	away_open(&a, "answer \"$2\"");
	struct device_lock held = { 0 };
	CHECK_OK(device_lock_take(&held, &none, getenv("FK_GPU"), &e));
	struct host_job *job = begin(&a);
	AUTO_FREE char *dir = delivery_in(a.spool);
	write_below(dir, DELIVERY_WORKS, ""); /* of a worker that was killed */
	away_serve(&a);
	AUTO_FREE char *taken = path_join(dir, DELIVERY_TAKEN);
	for (int i = 0; i < 500 && !file_exists(taken); i++)
		clock_sleep_ns(POLL_NS);
	CHECK(file_exists(taken));
	const struct host_status st = poll_for(job, 300 * NS_PER_MS);
	CHECK_INT(st.end, HOST_RUNNING);
	CHECK(st.work_s == 0);
	device_lock_release(&held);
	CHECK_INT(poll_for(job, 20 * NS_PER_S).end, HOST_DONE);
	host_spool.stop(&job);
	away_close(&a);
}

TEST(a_copy_of_the_mark_of_a_worker_says_nothing)
{
	struct away a;
	away_open(&a, "answer \"$2\"");
	struct host_job *job = begin(&a);
	AUTO_FREE char *dir = delivery_in(a.spool);
	write_below(dir, DELIVERY_TAKEN, "17 1\n");
	CHECK_INT(poll_for(job, 200 * NS_PER_MS).end, HOST_RUNNING);
	host_spool.stop(&job);
	away_close(&a);
}

TEST(what_a_worker_left_waits_for_what_still_arrives)
{
	struct away a;
	struct err e = { 0 };
	away_open(&a, "[ $(wc -l < \"$top/tries\") -ge 2 ] || { kill $PPID; sleep 60; }\n"
		      "answer \"$2\"");
	struct host_job *job = begin(&a);
	away_serve_once(&a, a.spool, "0.2");
	AUTO_FREE char *dir = delivery_in(a.spool);
	AUTO_FREE char *begun = path_join(dir, DELIVERY_BEGUN);
	AUTO_FREE char *late = path_join(dir, "bundle/job.json");
	AUTO_FREE char *kept = away_path(&a, "job.json");
	CHECK(file_exists(begun));
	CHECK(rename(late, kept) == 0);
	const char *const argv[] = { a.worker, "spool", "--settle", "5", a.spool, NULL };
	const struct proc_spec spec = { .argv = argv };
	CHECK_OK(child_start(&a.server, &spec, &e));
	child_close_stdin(a.server);
	clock_sleep_ns(700 * NS_PER_MS);
	CHECK(rename(kept, late) == 0);
	const struct host_status st = poll_for(job, 20 * NS_PER_S);
	CHECK_INT(st.end, HOST_DONE);
	CHECK_INT(away_tries(&a), 2);
	host_spool.stop(&job);
	away_close(&a);
}

TEST(an_answer_that_comes_in_pieces_is_waited_for)
{
	struct away a;
	struct err e = { 0 };
	away_open(&a, "answer \"$2\"");
	AUTO_FREE char *there = away_path(&a, "there");
	struct host_job *job = begin(&a);
	merge(a.spool, there);
	CHECK_INT(away_serve_once(&a, there, "0.2"), 0);
	AUTO_FREE char *dir = delivery_in(a.spool);
	AUTO_FREE char *far = delivery_in(there);
	AUTO_FREE char *from = path_join(far, DELIVERY_ANSWER);
	AUTO_FREE char *to = path_join(dir, DELIVERY_ANSWER);
	CHECK_OK(file_copy(from, to, &e));
	/* Longer than an answer may be broken, with something new every few seconds. */
	for (int i = 0; i < 3; i++) {
		CHECK_INT(poll_for(job, 4 * NS_PER_S).end, HOST_RUNNING);
		AUTO_FREE char *name = xasprintf("bundle/piece%d", i);
		write_below(dir, name, "x");
	}
	merge(there, a.spool);
	CHECK_INT(poll_for(job, 5 * NS_PER_S).end, HOST_DONE);
	host_spool.stop(&job);
	away_close(&a);
}

TEST(a_delivery_that_can_not_be_taken_is_told)
{
	struct away a;
	struct err e = { 0 };
	away_open(&a, "answer \"$2\"");
	struct host_job *job = begin(&a);
	AUTO_FREE char *dir = delivery_in(a.spool);
	AUTO_FREE char *taken = path_join(dir, DELIVERY_TAKEN);
	AUTO_FREE char *other = away_path(&a, "spool/r9");
	AUTO_FREE char *answer = path_join(other, DELIVERY_ANSWER);
	CHECK_OK(tree_copy(dir, other, &e));
	CHECK_OK(dir_make(taken, &e));
	CHECK_INT(away_serve_once(&a, a.spool, "0.2"), 1);
	/* The other one does not wait for it. */
	CHECK_INT(away_tries(&a), 1);
	CHECK(file_exists(answer));
	host_spool.stop(&job);
	away_close(&a);
}

TEST_MAIN()
