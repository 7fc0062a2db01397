/*
 * The report of a run as it is published.
 */
#ifndef FORGE_EXPORT_REPORT_COPY_H
#define FORGE_EXPORT_REPORT_COPY_H

#include "base/err.h"

/* The run's report into a folder. Where the run lay is nobody's business, and the commands in it
 * need a run, not that path: it reads RUN there. */
int report_copy(const char *run, const char *dir, struct err *e);

#endif
