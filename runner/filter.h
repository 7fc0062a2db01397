/*
 * The system-call filter, in two stages. Stage one holds while the object is loaded: it may open
 * and map files for reading (the jail holds only libraries and the object). Stage two holds from
 * then on: computing, private memory, the thread pool's futexes, the end. A forbidden call raises
 * SIGSYS, which faults.c reports with its number.
 */
#ifndef FORGE_RUNNER_FILTER_H
#define FORGE_RUNNER_FILTER_H

struct doorbell_reply;

/* Both stages, built while the building still may allocate and read. */
struct filter {
	void *loading; /* libseccomp's contexts */
	void *running;
};

/* Does not come back on failure. */
void filter_make(struct filter *f, struct doorbell_reply *reply);
/* Put a stage on every thread. 0 or an errno. */
int filter_enter_loading(struct filter *f);
int filter_enter_running(struct filter *f);

#endif
