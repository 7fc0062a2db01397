#include "host/host.h"

#include "away.h"
#include "host/delivery.h"

/* Who asks what a machine elsewhere is gets his own answer, also where others ask the same. */

/* As host_probe makes it; the bundle is a folder beside that of `a`. */
static void make_probe(const struct away *a, const char *bundle, const char *asker,
		       struct host_spec *spec)
{
	struct err e = { 0 };
	*spec = a->spec;
	spec->bundle_dir = bundle;
	spec->is_probe = true;
	spec->asker = asker;
	CHECK_OK(dir_make(bundle, &e));
	CHECK_OK(digest_tree(bundle, &spec->bundle, &e));
}

static void poll_to_end(struct host_job *job, struct host_status *st)
{
	struct err e = { 0 };
	do
		CHECK_OK(host_spool.poll(job, 50 * NS_PER_MS, NULL, st, &e));
	while (st->end == HOST_RUNNING);
}

/* As `forge run r1 & forge run r2 &` in one folder begin. */
TEST(two_runs_that_ask_a_spool_at_once_what_its_machine_is_get_an_answer_each)
{
	struct away a;
	struct host_job *jobs[2] = { NULL, NULL };
	struct host_spec spec;
	struct host_status st;
	struct err e = { 0 };
	away_open(&a, "exit 1");
	for (int i = 0; i < 2; i++) {
		AUTO_FREE char *bundle = xasprintf("%s/probe-%d", a.dir, i);
		make_probe(&a, bundle, i ? "r2" : "r1", &spec);
		CHECK_OK(host_spool.start(&jobs[i], &spec, &e));
	}
	away_serve(&a);
	for (int i = 0; i < 2; i++) {
		AUTO_FREE char *answer = xasprintf("%s/probe-%d/probe.json", a.dir, i);
		poll_to_end(jobs[i], &st);
		if (st.end != HOST_DONE)
			printf("# probe %d: %s\n", i, st.text);
		CHECK_INT(st.end, HOST_DONE);
		CHECK(file_exists(answer));
		host_spool.stop(&jobs[i]);
	}
	away_check_clean(&a);
	away_close(&a);
}

TEST(a_delivery_of_a_probe_is_that_of_who_asks)
{
	struct away a;
	struct host_spec spec;
	away_open(&a, "exit 1");
	AUTO_FREE char *one = away_path(&a, "one");
	AUTO_FREE char *two = away_path(&a, "two");
	make_probe(&a, one, "r1", &spec);
	AUTO_FREE char *first = delivery_name(&spec);
	make_probe(&a, two, "r1", &spec);
	AUTO_FREE char *again = delivery_name(&spec);
	CHECK_TEXT(again, first);
	make_probe(&a, one, "r2", &spec);
	AUTO_FREE char *other = delivery_name(&spec);
	CHECK(!str_equal(other, first));
	make_probe(&a, one, NULL, &spec);
	AUTO_FREE char *once = delivery_name(&spec);
	make_probe(&a, two, NULL, &spec);
	AUTO_FREE char *twice = delivery_name(&spec);
	CHECK(!str_equal(once, twice) && !str_equal(once, first));
	away_close(&a);
}

TEST(a_probe_that_is_stopped_stays_in_a_spool_for_the_run_that_asks_again)
{
	struct away a;
	away_open(&a, "exit 1");
	a.spec.stop = away_stop();
	away_stop_soon();
	CHECK(!host_probe(&host_spool, &a.spec, NULL, &a.outcome, &a.e));
	CHECK(a.outcome.is_stopped);
	away_check_clean(&a);
	a.spec.asker = a.dir;
	away_stop_soon();
	CHECK(!host_probe(&host_spool, &a.spec, NULL, &a.outcome, &a.e));
	CHECK(a.outcome.is_stopped);
	CHECK_INT(away_serve_once(&a, a.spool, "0.2"), 0);
	/* Nobody serves the spool any more: it is the answer of before. */
	a.spec.stop = NULL;
	setenv("FK_QUEUE_HOURS", "0.0005", 1);
	AUTO_JSON json_t *machine = host_probe(&host_spool, &a.spec, NULL, &a.outcome, &a.e);
	CHECK_TEXT(json_text_or(machine, "cpu", a.e.text), "far");
	away_check_clean(&a);
	away_close(&a);
}

TEST_MAIN()
