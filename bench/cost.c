/*
 * What does a verdict cost? One K = 8 job per task as the engine would ask for it: correctness on
 * all cases and 31 rounds on all visible shapes, candidate = reference, builds not cached. Prints
 * seconds split into build, starting runners, kernels, judging and preparing operands. Overhead is
 * everything that is neither build nor kernel, as a share of the whole; waiting for other jobs that
 * time on the same machine is left out.
 *
 *   cost [-k REPLICATES] [TASK...]      last line: overhead=PERCENT (of all jobs together)
 */

#include "bench/kit.h"

enum { REPLICATES = 8 };

static const char *const default_tasks[] = { "rmsnorm", "softmax", "jacobi2d", "sgemm" };

struct sum {
	double total_s;
	double overhead_s;
};

static void run_task(const char *root, const char *name, unsigned replicates, struct sum *sum)
{
	const struct kit_task k = { .name = name };
	AUTO_FREE char *dir = kit_bundle(root, &k);
	struct job job = kit_job(JOB_TIME, 7, replicates);
	/* The calibration left the reference's objects there; a first job would not find them. */
	unsetenv("FORGE_CACHE");
	AUTO_RESULT struct result r;
	kit_run(dir, &job, &r);
	const struct job_cost *c = &r.cost;
	double own_s = c->total_s - c->wait_s;
	double overhead = own_s - c->build_s - c->kernel_s;
	printf("%-12s %7.2f %7.2f %7.2f %7.2f %7.2f %7.2f %7.2f %8.1f%s\n", name, own_s, c->build_s,
	       c->start_s, c->kernel_s, c->judge_s, c->prepare_s,
	       overhead - c->start_s - c->judge_s - c->prepare_s, 100 * overhead / own_s,
	       r.is_contended ? "  contended" : "");
	fflush(stdout);
	sum->total_s += own_s;
	sum->overhead_s += overhead;
}

static bool is_option(int argc, char **argv, int at)
{
	return str_equal(argv[at], "-k") || (at > 1 && str_equal(argv[at - 1], "-k")) || at >= argc;
}

int main(int argc, char **argv)
{
	const unsigned replicates = kit_option(argc, argv, "-k", REPLICATES);
	struct sum sum = { 0 };
	unsigned nr = 0;
	char root[64];
	kit_open(root);
	printf("seconds      %7s %7s %7s %7s %7s %7s %7s overhead %%\n", "total", "build", "start",
	       "kernel", "judge", "prepare", "other");
	for (int i = 1; i < argc; i++) {
		if (is_option(argc, argv, i))
			continue;
		run_task(root, argv[i], replicates, &sum);
		nr++;
	}
	for (size_t i = 0; !nr && i < ARRAY_LEN(default_tasks); i++)
		run_task(root, default_tasks[i], replicates, &sum);
	kit_close(root);
	printf("overhead=%.1f\n", 100 * sum.overhead_s / sum.total_s);
	return 0;
}
