/*
 * worker/show.h for kernels of a GPU: a party alone on the device answers every case of a shape
 * twice, on different memory, and its answers are copied before anybody knows what is right.
 */
#ifndef FORGE_WORKER_GPU_SHOW_H
#define FORGE_WORKER_GPU_SHOW_H

#include "worker/show.h"

/* As show_shape. */
int gpu_show_shape(struct worker *w, struct shape_cases *s, enum party party,
		   uint64_t call_deadline_ns, struct shown *shown, struct err *e);
/* As show_time. */
int gpu_show_time(struct worker *w, struct shape_cases *s, struct err *e);

#endif
