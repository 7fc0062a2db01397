/*
 * The box of a device process: which files it may read, the folder that it may write, and all of
 * its environment. Every process gets an empty folder of its own, so that nothing which one of them
 * writes down, Triton's cache among it, is there for the next.
 */
#ifndef FORGE_WORKER_GPU_BOX_H
#define FORGE_WORKER_GPU_BOX_H

#include "sys/box.h"
#include "worker/worker.h"

struct gpu_box {
	struct box walls;
	struct strv env;
	char *python; /* itself, where PATH has a script that looks for it; NULL: not asked */
};

struct gpu_box_wish {
	enum party party;    /* whose code it loads; PARTY_NR: that of reference and candidate */
	bool has_modules;    /* it is Python */
	const char *kernels; /* the library's own */
};

/* Refused without Landlock when a candidate's own host code runs there, unless weak isolation was
 * accepted. */
int gpu_box_make(struct gpu_box *b, struct worker *w, const struct gpu_box_wish *wish,
		 struct err *e);
/* When the process is gone: removes its folder. */
void gpu_box_release(struct gpu_box *b);

#endif
