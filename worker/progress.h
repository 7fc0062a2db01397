/*
 * Progress for whoever started the worker: one JSON object per line on stdout.
 */
#ifndef FORGE_WORKER_PROGRESS_H
#define FORGE_WORKER_PROGRESS_H

#include <stddef.h>

void progress_print(const char *step, size_t done, size_t total);
/* Why nothing moves, in words. */
void progress_wait(const char *step, const char *why);

#endif
