#include "report/axis.h"

#include <math.h>

static double place(const struct axis *a, double value)
{
	return a->is_log ? log(value) : value;
}

double axis_px(const struct axis *a, double value)
{
	double low = place(a, a->low);
	double share = (place(a, value) - low) / (place(a, a->high) - low);
	return a->from_px + share * (a->to_px - a->from_px);
}

/* About six steps of 1, 2 or 5 times a power of ten. */
static double round_step(double span)
{
	double raw = span / 6;
	double power = pow(10, floor(log10(raw)));
	double lead = raw / power;
	return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

static size_t linear_ticks(const struct axis *a, double *ticks)
{
	double step = round_step(a->high - a->low);
	size_t nr = 0;
	for (double k = ceil(a->low / step - 1e-9); nr < AXIS_MAX_TICKS; k++) {
		if (k * step > a->high + 1e-9 * step)
			break;
		ticks[nr++] = k * step;
	}
	return nr;
}

struct leads {
	double items[6];
	size_t nr;
};

static const struct leads *leads_for(double decades)
{
	static const struct leads fine = { { 1, 1.5, 2, 3, 5, 7 }, 6 };
	static const struct leads usual = { { 1, 2, 5 }, 3 };
	static const struct leads coarse = { { 1 }, 1 };
	return decades <= 1.2 ? &fine : decades <= 3 ? &usual : &coarse;
}

static size_t log_ticks(const struct axis *a, double *ticks)
{
	const struct leads *leads = leads_for(log10(a->high / a->low));
	size_t nr = 0;
	for (double p = floor(log10(a->low)); p <= log10(a->high); p++)
		for (size_t i = 0; i < leads->nr && nr < AXIS_MAX_TICKS; i++) {
			double value = leads->items[i] * pow(10, p);
			if (value >= a->low * (1 - 1e-9) && value <= a->high * (1 + 1e-9))
				ticks[nr++] = value;
		}
	return nr;
}

size_t axis_ticks(const struct axis *a, double ticks[AXIS_MAX_TICKS])
{
	bool is_short = a->is_log && a->high / a->low < 4;
	return a->is_log && !is_short ? log_ticks(a, ticks) : linear_ticks(a, ticks);
}
