/*
 * One axis of a plot: a range of values, linear or logarithmic, laid over a range of pixels, with
 * ticks at round values.
 */
#ifndef FORGE_REPORT_AXIS_H
#define FORGE_REPORT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

struct axis {
	bool is_log;
	double low;
	double high;
	double from_px;
	double to_px;
};

enum { AXIS_MAX_TICKS = 24 };

double axis_px(const struct axis *a, double value);
/* Round values inside the range, ascending; how many. The longer a
 * logarithmic axis, the fewer steps a decade. */
size_t axis_ticks(const struct axis *a, double ticks[AXIS_MAX_TICKS]);

#endif
