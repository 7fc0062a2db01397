/*
 * What earlier null trials found on this machine: the stored noise floor of each shape
 * (model/noise.h), by where its operands fit and by the kernel's threads.
 */
#ifndef FORGE_WORKER_HISTORY_H
#define FORGE_WORKER_HISTORY_H

#include "model/noise.h"
#include "worker/worker.h"

struct history {
	struct arena arena;
	struct noise noise;
	bool is_there;
	struct noise_caches caches;
};

/* An unreadable file is an error. */
int history_load(struct history *h, struct err *e);
void history_release(struct history *h);
#define AUTO_HISTORY __attribute__((cleanup(history_release)))
/* Floor of operands of so many bytes, as a fraction; 0: nothing is known. */
double history_floor(const struct history *h, size_t bytes, unsigned threads);

#endif
