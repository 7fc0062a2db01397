/*
 * How numbers read, the same in the terminal, in report.md and in report.html: durations, times of
 * one kernel call, speed-ups with their interval, percentages. Nothing is rounded to look better:
 * three significant digits everywhere.
 */
#ifndef FORGE_REPORT_TEXT_H
#define FORGE_REPORT_TEXT_H

#include <stddef.h>

#include "base/str.h"

struct state_estimate;
struct state_shape;
struct table;

/* "12.3 s", "4 min 05 s", "1 h 52 min". */
void text_seconds(double seconds, struct str *out);
/* "850 ns", "12.3 µs", "4.56 ms"; "-" for 0 or less. */
void text_time(double ns, struct str *out);
/* "1.52×". */
void text_ratio(double ratio, struct str *out);
/* "1.52× [1.48, 1.55]"; "-" when there is no estimate. */
void text_speedup(const struct state_estimate *estimate, struct str *out);
/* "faster", "slower", "undecided", "-". */
const char *text_call(const struct state_estimate *estimate);
/* Six cells of a table: name, both times, speed-up, interval, call. */
void text_shape_cells(const struct state_shape *shape, struct table *t);
/* "12.3 KiB", "4.5 MiB". */
void text_bytes(double bytes, struct str *out);
/* "rolled_back" -> "rolled back". */
void text_words(const char *name, struct str *out);
/* First 12 characters of a digest; "-" for none. */
void text_digest(const char *digest, struct str *out);
/* Three significant digits without an exponent where that reads well. */
void text_number(double value, struct str *out);

#endif
