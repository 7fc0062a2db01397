#include "bundle.h"

#include "sys/lock.h"

TEST(a_job_does_not_wait_for_its_turn_for_ever)
{
	struct err e = { 0 };
	unsetenv("FORGE_TIMING_LOCK"); /* the lock of all of a user's jobs */
	struct bundle b = bundle_make(JOB_TIME, BLEND_RIGHT);
	bundle_tolerances(&b);
	b.job.replicates = 1;
	b.job.deadline_s = 20; /* it waits for half of what it has left */
	AUTO_FREE char *path = xasprintf("/tmp/forge-timing-%ld.lock", (long)getuid());
	AUTO_LOCK struct lock lock = LOCK_INIT;
	while (lock_take(&lock, path, &e) < 0)
		clock_sleep_ns(NS_PER_MS);
	AUTO_STR struct str out = STR_INIT;
	CHECK_INT(bundle_run(&b, &out), 0);
	AUTO_FREE char *why = xasprintf(
		"waiting for another measurement on this machine (process %ld)", (long)getpid());
	CHECK(strstr(out.text, why));
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	CHECK_TEXT(json_text_or(json_object_get(r.doc, "timing"), "priority", ""), "ordinary");
	printf("# %s: %s\n", reason_name(r.verdict.reason), r.verdict.detail);
	CHECK_INT(r.verdict.state, VERDICT_PASS);
	CHECK(r.cost.wait_s > 1);
	AUTO_FREE char *notes = json_dumps(json_object_get(r.doc, "notes"), 0);
	CHECK(notes && strstr(notes, "beside other jobs"));
	bundle_remove(&b);
}

TEST_MAIN()
