#include "base/toml_scan.h"

/* Dates and times of RFC 3339, checked as a calendar does. The value keeps the text, with 'T' and
 * 'Z' in capitals, because the project only compares and prints dates. */

#include <ctype.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/toml.h"

/* A cursor over the token; `is_ok` goes false at the first thing that does not fit. */
struct date_scan {
	const char *at;
	const char *end;
	bool is_ok;
};

bool toml_is_date(const char *token, size_t len)
{
	size_t nr_digits = 0;
	while (nr_digits < len && isdigit((unsigned char)token[nr_digits]))
		nr_digits++;
	if (nr_digits == len)
		return false;
	return (nr_digits == 4 && token[4] == '-') || (nr_digits == 2 && token[2] == ':');
}

static unsigned number(struct date_scan *d, int nr_digits)
{
	unsigned value = 0;
	for (int i = 0; i < nr_digits; i++) {
		if (d->at == d->end || !isdigit((unsigned char)*d->at)) {
			d->is_ok = false;
			return 0;
		}
		value = value * 10 + (unsigned)(*d->at++ - '0');
	}
	return value;
}

static unsigned number_in(struct date_scan *d, int nr_digits, unsigned low, unsigned high)
{
	unsigned value = number(d, nr_digits);
	if (value < low || value > high)
		d->is_ok = false;
	return value;
}

static bool take_any(struct date_scan *d, const char *set)
{
	if (d->at == d->end || !strchr(set, *d->at))
		return false;
	d->at++;
	return true;
}

static void expect(struct date_scan *d, char c)
{
	const char set[] = { c, 0 };
	if (!take_any(d, set))
		d->is_ok = false;
}

static unsigned days_in(unsigned year, unsigned month)
{
	static const unsigned char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	if (month < 1 || month > 12)
		return 0;
	return days[month - 1] + (unsigned)(month == 2 && is_leap);
}

static void scan_date(struct date_scan *d)
{
	unsigned year = number(d, 4);
	expect(d, '-');
	unsigned month = number_in(d, 2, 1, 12);
	expect(d, '-');
	number_in(d, 2, 1, days_in(year, month));
}

static void scan_time(struct date_scan *d)
{
	number_in(d, 2, 0, 23);
	expect(d, ':');
	number_in(d, 2, 0, 59);
	expect(d, ':');
	number_in(d, 2, 0, 60); /* a leap second is a legal time */
	if (!take_any(d, "."))
		return;
	number(d, 1);
	while (d->at < d->end && isdigit((unsigned char)*d->at))
		d->at++;
}

static bool scan_offset(struct date_scan *d)
{
	if (take_any(d, "Zz"))
		return true;
	if (!take_any(d, "+-"))
		return false;
	number_in(d, 2, 0, 23);
	expect(d, ':');
	number_in(d, 2, 0, 59);
	return true;
}

static enum toml_type scan_all(struct date_scan *d)
{
	if (d->end - d->at > 2 && d->at[2] == ':') {
		scan_time(d);
		return TOML_LOCAL_TIME;
	}
	scan_date(d);
	if (d->at == d->end)
		return TOML_LOCAL_DATE;
	if (!take_any(d, "Tt "))
		d->is_ok = false;
	scan_time(d);
	return scan_offset(d) ? TOML_OFFSET_DATETIME : TOML_LOCAL_DATETIME;
}

int toml_scan_date(struct toml_scan *s, const char *token, size_t len, struct toml *value)
{
	struct date_scan d = { .at = token, .end = token + len, .is_ok = true };
	value->type = scan_all(&d);
	if (!d.is_ok || d.at != d.end)
		return toml_fail(s, token, "%.*s is not a date or time", (int)len, token);
	char *text = arena_strndup(s->arena, token, len);
	for (char *c = text; *c; c++)
		*c = *c == ' ' || *c == 't' ? 'T' : *c == 'z' ? 'Z' : *c;
	value->text = text;
	value->len = len;
	return 0;
}
