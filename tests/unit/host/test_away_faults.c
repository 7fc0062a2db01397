#include "host/host.h"

#include "away.h"

/* What the queue says of a job that has ended; one that has not might write its own end over this.
 */
#define ENDED_AS(state)                                                                            \
	"[ $program != squeue ] || { until grep -q C $job/state; do sleep 0.05; done; "            \
	"echo '" state "' > $job/state; }"

/* What a connection, a disk or a queue says, and what it means. */
static const struct fault {
	const struct host_ops *ops;
	const char *faults;
	enum trouble trouble;
	unsigned tries; /* of the worker */
	const char *words;
} table[] = {
	{ &host_ssh, "echo 'ssh: connect to host box port 22: Connection refused' >&2; exit 255",
	  TROUBLE_unreachable, 0, "Connection refused" },
	{ &host_ssh,
	  "echo 'ssh: Could not resolve hostname box: Name or service not known' >&2; "
	  "exit 255",
	  TROUBLE_unreachable, 0, "box" },
	{ &host_ssh, "echo 'Host key verification failed.' >&2; exit 255", TROUBLE_key_unknown, 0,
	  "Host key" },
	{ &host_ssh, "echo 'me@box: Permission denied (publickey).' >&2; exit 255", TROUBLE_denied,
	  0, "publickey" },
	{ &host_ssh, "echo 'tar: bundle: Cannot write: No space left on device' >&2; exit 2",
	  TROUBLE_no_space, 0, "No space left" },
	{ &host_ssh, "echo 'mkdir: cannot create directory: Permission denied' >&2; exit 1",
	  TROUBLE_no_workdir, 0, "Permission denied" },
	{ &host_ssh, "echo 'sh: 1: tar: not found' >&2; exit 127", TROUBLE_no_program, 0, "tar" },
	{ &host_ssh,
	  "[ $call != 2 ] || { echo 'sh: kit/bin/forge-worker: Exec format error' >&2; "
	  "exit 126; }",
	  TROUBLE_unfit, 0, "Exec format error" },
	{ &host_ssh, "[ $call != 2 ] || echo ' ' | tee -a work/*/bundle/job.json > log",
	  TROUBLE_damaged_bundle, 0, "changed on its way" },
	{ &host_ssh, "[ $call != 3 ] || echo ' ' | tee -a work/*/bundle/result.json > log",
	  TROUBLE_damaged_answer, 1, "result.json" },
	{ &host_ssh, "[ $call != 3 ] || echo ' ' | tee -a work/*/answer.json > log",
	  TROUBLE_damaged_answer, 1, "answer.json" },
	{ &host_ssh,
	  "[ $call != 2 ] || { echo 'forge-worker: No space left on device' >&2; exit "
	  "74; }",
	  TROUBLE_no_space, 0, "No space left" },
	{ &host_slurm,
	  "[ $program != sbatch ] || { echo 'sbatch: error: invalid partition "
	  "specified: nope' >&2; exit 1; }",
	  TROUBLE_refused, 0, "invalid partition" },
	{ &host_slurm,
	  "[ $program != sbatch ] || { echo 'sbatch: error: Batch job submission failed: "
	  "Unable to contact slurm controller (connect failure)' >&2; exit 1; }",
	  TROUBLE_unreachable, 0, "slurm controller" },
	{ &host_slurm, "[ $program != sbatch ] || echo ' ' >> bundle/job.json",
	  TROUBLE_damaged_bundle, 0, "changed on its way" },
	{ &host_slurm,
	  "[ $program != squeue ] || { until grep -q C $job/state; do sleep 0.05; done; "
	  "echo ' ' | tee -a \"$REMOTE_WORKDIR\"/*/bundle/result.json > log; }",
	  TROUBLE_damaged_answer, 1, "result.json" },
	{ &host_slurm, ENDED_AS("CANCELLED by 7|None"), TROUBLE_cancelled, 9, "CANCELLED" },
	{ &host_slurm, ENDED_AS("TIMEOUT|TimeLimit"), TROUBLE_timed_out, 9, "TIMEOUT" },
	{ &host_slurm, ENDED_AS("OUT_OF_MEMORY|None"), TROUBLE_out_of_memory, 9, "OUT_OF_MEMORY" },
};

TEST(every_fault_is_told_apart_and_leaves_nothing)
{
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		const struct fault *f = &table[i];
		struct away a;
		away_open(&a, "answer \"$2\"");
		away_use(&a, f->ops);
		away_write(&a, "host/faults", f->faults);
		bool has_failed = away_run(&a, f->ops) < 0;
		if (!has_failed)
			printf("# row %zu: no fault\n", i);
		CHECK(has_failed);
		if (a.outcome.trouble != f->trouble || !strstr(a.e.text, f->words))
			printf("# row %zu: %s: %s\n", i, trouble_name(a.outcome.trouble), a.e.text);
		CHECK_INT(a.outcome.trouble, f->trouble);
		CHECK(strstr(a.e.text, f->words) && strstr(a.e.text, trouble_text(f->trouble)));
		CHECK_INT(a.e.kind, trouble_kind(f->trouble));
		CHECK_INT(a.outcome.attempts, 1);
		CHECK(f->tries == 9 || away_tries(&a) == f->tries);
		away_check_clean(&a);
		away_write(&a, "host/faults", "");
		away_close(&a);
	}
}

TEST(a_connection_that_is_lost_ends_the_job_there_and_is_tried_again)
{
	struct away a;
	away_open(&a, "[ $(wc -l < \"$top/tries\") -ge 2 ] || { touch \"$top/began\"; sleep 60; }\n"
		      "answer \"$2\"");
	away_use(&a, &host_ssh);
	AUTO_FREE char *faults = xasprintf(
		"[ $call != 2 ] || { sh -c \"$command\" & until [ -e %s/began ]; do sleep "
		"0.05; done; echo 'client_loop: send disconnect: Broken pipe' >&2; exit "
		"255; }",
		a.dir);
	away_write(&a, "host/faults", faults);
	CHECK(away_run(&a, &host_ssh) == 0);
	CHECK_INT(a.outcome.attempts, 2);
	CHECK_INT(away_tries(&a), 2);
	away_check_clean(&a);
	away_close(&a);
}

TEST(a_queue_that_never_begins_is_given_up_when_the_user_says_so)
{
	static const struct host_ops *const queues[] = { &host_slurm, &host_spool };
	for (size_t i = 0; i < ARRAY_LEN(queues); i++) {
		struct away a;
		away_open(&a, "answer \"$2\"");
		unsetenv("REMOTE_HOST");
		setenv("FK_QUEUE_HOURS", "0.0001", 1);
		away_write(&a, "host/hold", "");
		CHECK(away_run(&a, queues[i]) < 0);
		CHECK_INT(a.outcome.trouble, TROUBLE_never_started);
		CHECK_INT(a.e.kind, ERR_TIMEOUT);
		CHECK_INT(away_tries(&a), 0);
		CHECK(a.outcome.queue_s > 0.3);
		away_check_clean(&a);
		away_close(&a);
	}
}

/* A node that goes down, a queue's time that is over: the next worker finds what the first one
 * left. */
TEST(a_worker_of_a_spool_that_is_stopped_leaves_its_job_for_the_next_one)
{
	struct away a;
	away_open(&a, "if [ $(wc -l < \"$top/tries\") -lt 2 ]; then\n"
		      "  mkdir -p \"$2/work/deep\" \"$2/check\"\n"
		      "  mkfifo \"$2/work/deep/pipe\"\n"
		      "  touch \"$2/work/deep/scratch\" \"$2/check/half\" \"$2/samples.csv\"\n"
		      "  (setsid sh -c 'sleep 1; exec \"$@\"' - \"$0\" spool --once --settle 60 "
		      "\"$top/spool\" &) > /dev/null 2>&1 < /dev/null\n"
		      "  kill $PPID; sleep 60\nfi\n"
		      "[ ! -e \"$2/samples.csv\" ] && [ ! -e \"$2/check/half\" ] && answer \"$2\"");
	away_use(&a, &host_spool);
	CHECK(away_run(&a, &host_spool) == 0);
	CHECK_INT(a.outcome.attempts, 1);
	CHECK_INT(away_tries(&a), 2);
	away_check_clean(&a);
	away_close(&a);
}

TEST_MAIN()
