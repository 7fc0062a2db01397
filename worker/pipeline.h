/*
 * A job from bundle to result: build < judge < time, or calibrate.
 */
#ifndef FORGE_WORKER_PIPELINE_H
#define FORGE_WORKER_PIPELINE_H

struct err;

/* 0: result.json holds an answer. -1: the job failed; result.json says why if it could be written.
 */
int pipeline_run(const char *bundle, struct err *e);

#endif
