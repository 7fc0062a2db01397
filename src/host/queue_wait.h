/*
 * How long a job has stood in a queue, told to whoever watches: at once, when the reason changes,
 * and less and less often.
 */
#ifndef FORGE_HOST_QUEUE_WAIT_H
#define FORGE_HOST_QUEUE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct host_watch;
struct settings;

struct queue_wait {
	uint64_t began_ns; /* waiting */
	uint64_t work_ns;  /* the work began; 0: not yet */
	uint64_t limit_ns; /* 0: for ever */
	uint64_t told_ns;
	uint64_t pause_ns;
	char reason[120];
};

/* FK_QUEUE_HOURS that is no number is ERR_INPUT. */
int queue_wait_begin(struct queue_wait *q, const struct settings *s, struct err *e);
void queue_wait_tell(struct queue_wait *q, const char *reason, const struct host_watch *watch);
bool queue_wait_is_over(const struct queue_wait *q);
/* Seconds since the work began; 0: it has not. */
double queue_wait_work_s(const struct queue_wait *q);

#endif
