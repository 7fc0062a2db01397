#include "engine/diff.h"

/* diff(1) says it better than we could; where it is missing there is no file and no harm. A sealed
 * reference has nothing to be compared with. */

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "engine/engine_in.h"
#include "sys/proc.h"

#define DIFF_DEADLINE_NS (10 * NS_PER_S)

void diff_write(const struct engine *g, unsigned round)
{
	const struct state_round *r = run_state_round(&g->state, round);
	if (!r->base && !g->task.reference_is_source)
		return;
	AUTO_FREE char *base = r->base ? rundir_round(g->run_dir, r->base, "kernel.c")
				       : engine_path(g, RUNDIR_REFERENCE_SOURCE);
	AUTO_FREE char *now = rundir_round(g->run_dir, round, "kernel.c");
	AUTO_FREE char *out = rundir_round(g->run_dir, round, "kernel.diff");
	const char *const argv[] = { "diff",      "-u", "--label", "base", "--label",
				     "candidate", base, now,       NULL };
	AUTO_PROC_RESULT struct proc_result result = { 0 };
	struct err why = { 0 };
	const struct proc_spec spec = { .argv = argv, .deadline_ns = DIFF_DEADLINE_NS };
	if (proc_run(&result, &spec, &why) < 0 ||
	    file_write(out, result.out.text, result.out.len, &why) < 0)
		log_debug("no diff of round %u: %s", round, why.text);
}
