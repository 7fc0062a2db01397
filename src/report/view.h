/*
 * Everything a report is made from: the folded log and the result that its headline rests on.
 * Loaded once, read by all sections and plots. Missing parts (a run that is not over) are none.
 */
#ifndef FORGE_REPORT_VIEW_H
#define FORGE_REPORT_VIEW_H

#include <stdbool.h>

#include "base/mem.h"
#include "model/result.h"
#include "store/fold.h"

struct err;

struct view {
	const char *run_dir; /* as given */
	const char *named;   /* in commands, for a reader: run_dir, unless it was published */
	struct run_state state;
	/* The best measurement of the best kernel: confirm's, else the one that made it best; NULL
	 * when there is none. */
	const struct state_estimate *head;
	const struct state_round *head_round;
	struct result result; /* of head's job */
	bool has_result;
	/* Ceilings that the job knew: of the GPU it ran on, else of one thread; 0: unknown. */
	double bytes_per_s;
	double flops_per_s;
};

int view_load(struct view *v, const char *run_dir, struct err *e);
void view_release(struct view *v);
#define AUTO_VIEW __attribute__((cleanup(view_release)))
/* flops and bytes of a shape, as the worker evaluated them; NULL: unknown. */
const struct result_shape *view_shape(const struct view *v, const char *name);
/* Did the job behind the headline run on a GPU? */
bool view_is_gpu(const struct view *v);
/* Share of the roofline that a job measured, of the GPU it ran on or of one thread, that `ns` a
 * call reaches at a shape, 0..; 0: unknown. */
double roofline_share(const struct result *r, const char *shape, double ns);
double view_roofline_share(const struct view *v, const char *shape, double ns);
/* What became of a round's decision: finer than its outcome ("kept slower"). */
enum decision_fate round_fate(const struct run_state *s, const struct state_round *r);

#endif
