#include "report/text.h"

/* Small printers. Each appends, so that a caller can build a sentence. */

#include <math.h>

#include "base/mem.h"
#include "base/table.h"
#include "store/fold.h"

enum { DIGEST_SHOWN = 12 };

static int decimals(double value)
{
	double size = fabs(value);
	return size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
}

void text_number(double value, struct str *out)
{
	double size = fabs(value);
	bool is_plain = value == 0 || (size >= 0.001 && size < 1e6);
	if (!isfinite(value))
		str_add(out, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
	else if (value == rint(value) && size < 1e6)
		str_addf(out, "%.0f", value);
	else if (is_plain)
		str_addf(out, "%.*f", decimals(value), value);
	else
		str_addf(out, "%.2e", value);
}

void text_seconds(double seconds, struct str *out)
{
	if (seconds < 59.95) {
		str_addf(out, "%.1f s", seconds > 0 ? seconds : 0);
		return;
	}
	long whole = lrint(seconds);
	if (whole < 3600)
		str_addf(out, "%ld min %02ld s", whole / 60, whole % 60);
	else
		str_addf(out, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
}

static void add_scaled(double value, double step, const char *const *units, struct str *out)
{
	size_t unit = 0;
	while (value >= step * 0.9995 && units[unit + 1]) {
		value /= step;
		unit++;
	}
	str_addf(out, "%.*f %s", decimals(value), value, units[unit]);
}

void text_time(double ns, struct str *out)
{
	static const char *const units[] = { "ns", "µs", "ms", "s", NULL };
	if (ns > 0)
		add_scaled(ns, 1000, units, out);
	else
		str_add(out, "-");
}

void text_bytes(double bytes, struct str *out)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", NULL };
	add_scaled(bytes, 1024, units, out);
}

/* A ratio keeps two decimals below 10: 0.93 and 1.52 are read side by side. */
static int ratio_decimals(double ratio)
{
	return ratio >= 0.0995 && ratio < 9.995 ? 2 : decimals(ratio);
}

void text_ratio(double ratio, struct str *out)
{
	if (ratio > 0)
		str_addf(out, "%.*f×", ratio_decimals(ratio), ratio);
	else
		str_add(out, "-");
}

void text_speedup(const struct state_estimate *estimate, struct str *out)
{
	if (!estimate->call) {
		str_add(out, "-");
		return;
	}
	text_ratio(estimate->speedup, out);
	int digits = ratio_decimals(estimate->high);
	str_addf(out, " [%.*f, %.*f]", digits, estimate->low, digits, estimate->high);
}

const char *text_call(const struct state_estimate *estimate)
{
	return estimate->call ? estimate->call : "-";
}

void text_shape_cells(const struct state_shape *shape, struct table *t)
{
	AUTO_STR struct str reference = STR_INIT;
	AUTO_STR struct str candidate = STR_INIT;
	text_time(shape->reference_ns, &reference);
	text_time(shape->candidate_ns, &candidate);
	table_addf(t, "%s%s", shape->name, shape->held_out ? " (held out)" : "");
	table_add(t, reference.text);
	table_add(t, candidate.text);
	table_addf(t, "%.2f×", shape->speedup);
	table_addf(t, "[%.2f, %.2f]", shape->low, shape->high);
	table_add(t, shape->call ? shape->call : "-");
}

void text_words(const char *name, struct str *out)
{
	for (; *name; name++)
		str_add_char(out, *name == '_' ? ' ' : *name);
}

void text_digest(const char *digest, struct str *out)
{
	if (digest && *digest)
		str_addf(out, "%.*s", DIGEST_SHOWN, digest);
	else
		str_add(out, "-");
}
