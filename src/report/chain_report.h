/*
 * The report of a chain of generations: report.md and report.html, from the chain's log alone.
 */
#ifndef FORGE_REPORT_CHAIN_REPORT_H
#define FORGE_REPORT_CHAIN_REPORT_H

struct err;
struct strv;

/* Adds what it wrote, relative to the chain's directory, to `paths`. */
int chain_report_write(const char *chain_dir, struct strv *paths, struct err *e);

#endif
