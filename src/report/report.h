/*
 * The report of a run: report.md and a single-file report.html, and a README beside the best
 * kernel. A read-only view over the event log and the results that it names; it may be written
 * again at any time and says the same.
 */
#ifndef FORGE_REPORT_REPORT_H
#define FORGE_REPORT_REPORT_H

struct err;
struct str;
struct strv;

/* Adds the paths written, below the run directory, to `paths`. */
int report_write(const char *run_dir, struct strv *paths, struct err *e);
/* report.md as text, whose commands call the run by another name. */
int report_print(const char *run_dir, const char *named, struct str *out, struct err *e);

#endif
