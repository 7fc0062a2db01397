#include "model/ncu.h"

/* Lines of ncu itself begin with "==" and the program's own output may stand between, so the table
 * begins at the line that has all columns we need and every line behind it that is quoted belongs
 * to it. One row is one metric of one launch; launches are told apart by "ID". Numbers may have
 * commas between thousands. */

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

enum { MAX_COLUMNS = 64, MAX_LAUNCHES = 10000 };

/* Versions whose output this was written for: Nsight Compute of CUDA 11.8 to 13. */
enum { OLDEST_VERSION = 2022, NEWEST_VERSION = 2026 };

enum unit_kind { TIME, BYTES, PCT, COUNT };
enum fold { SUM, MAX };

static const struct metric {
	const char *ncu;
	const char *name;
	enum unit_kind kind;
	enum fold fold;
} metrics[] = {
#define NCU(ncu, name, kind, fold, text) { ncu, name, kind, fold },
#include "model/ncu_metrics.def"
#undef NCU
};

static const struct unit {
	const char *name;
	enum unit_kind kind;
	double factor;
} units[] = {
	{ "ns", TIME, 1 },        { "nsecond", TIME, 1 },     { "us", TIME, 1e3 },
	{ "usecond", TIME, 1e3 }, { "ms", TIME, 1e6 },        { "msecond", TIME, 1e6 },
	{ "s", TIME, 1e9 },       { "second", TIME, 1e9 },    { "byte", BYTES, 1 },
	{ "Kbyte", BYTES, 1e3 },  { "Mbyte", BYTES, 1e6 },    { "Gbyte", BYTES, 1e9 },
	{ "Tbyte", BYTES, 1e12 }, { "byte/block", BYTES, 1 }, { "Kbyte/block", BYTES, 1e3 },
	{ "%", PCT, 1 },          { "", COUNT, 1 },           { "inst", COUNT, 1 },
	{ "block", COUNT, 1 },    { "thread", COUNT, 1 },     { "register/thread", COUNT, 1 },
	{ "warp", COUNT, 1 },     { "sector", COUNT, 1 },     { "request", COUNT, 1 },
};

int ncu_check_version(const char *text, struct err *e)
{
	const char *at = strstr(text, "Version ");
	long year = at ? strtol(at + strlen("Version "), NULL, 10) : 0;
	if (year >= OLDEST_VERSION && year <= NEWEST_VERSION)
		return 0;
	return err_set(e, ERR_INPUT,
		       "ncu: version \"%.*s\" is not one of %d to %d; its output is not read",
		       at ? (int)strcspn(at + 8, "\n") : 7, at ? at + 8 : "unknown", OLDEST_VERSION,
		       NEWEST_VERSION);
}

void ncu_metric_list(struct str *out)
{
	for (size_t i = 0; i < ARRAY_LEN(metrics); i++)
		str_addf(out, "%s%s", i ? "," : "", metrics[i].ncu);
}

/* --- lines and fields --- */

/* Fields of one line, quotes taken off; in an arena. -1 for quotes that do not close or more fields
 * than anybody prints. */
static int split(struct arena *a, const char *line, size_t len, const char *fields[MAX_COLUMNS])
{
	int nr = 0;
	const char *p = line;
	const char *end = line + len;
	while (p <= end && nr < MAX_COLUMNS) {
		AUTO_STR struct str field = STR_INIT;
		bool is_quoted = p < end && *p == '"';
		p += is_quoted;
		while (p < end &&
		       (is_quoted ? *p != '"' || (p + 1 < end && p[1] == '"') : *p != ',')) {
			p += is_quoted && *p == '"'; /* "" stands for one */
			str_add_char(&field, *p++);
		}
		if (is_quoted && p == end)
			return -1;
		p += is_quoted;
		if (p < end && *p != ',')
			return -1;
		fields[nr++] = arena_strdup(a, field.text);
		p++;
	}
	return p > end ? nr : -1;
}

/* Where the columns are; -1 is none. */
struct head {
	int nr;
	int id;
	int name;
	int unit;
	int value;
};

static bool head_read(struct arena *a, const char *line, size_t len, struct head *h)
{
	const char *fields[MAX_COLUMNS];
	*h = (struct head){ .id = -1, .name = -1, .unit = -1, .value = -1 };
	h->nr = *line == '"' ? split(a, line, len, fields) : 0;
	for (int i = 0; i < h->nr; i++) {
		if (str_equal(fields[i], "ID"))
			h->id = i;
		if (str_equal(fields[i], "Metric Name"))
			h->name = i;
		if (str_equal(fields[i], "Metric Unit"))
			h->unit = i;
		if (str_equal(fields[i], "Metric Value"))
			h->value = i;
	}
	return h->id >= 0 && h->name >= 0 && h->unit >= 0 && h->value >= 0;
}

/* --- values --- */

struct launch {
	long id;
	double value[ARRAY_LEN(metrics)];
	bool has[ARRAY_LEN(metrics)];
	bool is_seen[ARRAY_LEN(metrics)];
};

struct table {
	struct arena arena;
	struct launch *launches;
	size_t nr;
	size_t cap;
};

static void table_release(struct table *t)
{
	free(t->launches);
	arena_release(&t->arena);
}

static int bad(struct err *e, unsigned line, const char *what, const char *text)
{
	return err_set(e, ERR_INPUT, "ncu, line %u: %s \"%.100s\"", line, what, text);
}

static int launch_find(struct table *t, const char *text, unsigned line, struct launch **out,
		       struct err *e)
{
	char *end = NULL;
	long id = strtol(text, &end, 10);
	if (end == text || *end || id < 0)
		return bad(e, line, "no launch is called", text);
	for (size_t i = t->nr; i-- > 0;)
		if (t->launches[i].id == id) {
			*out = &t->launches[i];
			return 0;
		}
	if (t->nr == MAX_LAUNCHES)
		return bad(e, line, "too many launches, here", text);
	if (t->nr == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 8;
		t->launches = xreallocarray(t->launches, t->cap, sizeof(*t->launches));
	}
	*out = &t->launches[t->nr++];
	**out = (struct launch){ .id = id };
	return 0;
}

static bool is_no_number(const char *text)
{
	static const char *const words[] = { "",    "nan", "-nan", "inf",    "-inf",
					     "n/a", "N/A", "NaN",  "no data" };
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_equal(text, words[i]))
			return true;
	return false;
}

/* "1,234.5"; a comma must have three digits behind it. */
static bool number_read(const char *text, double *out)
{
	AUTO_STR struct str plain = STR_INIT;
	for (const char *p = text; *p; p++) {
		bool is_group = *p == ',' && strspn(p + 1, "0123456789") == 3 && p > text;
		if (*p == ',' && !is_group)
			return false;
		if (*p != ',')
			str_add_char(&plain, *p);
	}
	char *end = NULL;
	if (!plain.len || !strchr("+-.0123456789", plain.text[0]) || strpbrk(plain.text, "xXpP"))
		return false;
	*out = strtod(plain.text, &end);
	return !*end && isfinite(*out);
}

static const struct unit *unit_find(const char *name, enum unit_kind kind)
{
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (units[i].kind == kind && str_equal(units[i].name, name))
			return &units[i];
	return NULL;
}

static int metric_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(metrics); i++)
		if (str_equal(metrics[i].ncu, name))
			return (int)i;
	return -1;
}

static int value_take(struct launch *l, int metric, const char *const *fields, const struct head *h,
		      unsigned line, struct err *e)
{
	const struct unit *unit = unit_find(fields[h->unit], metrics[metric].kind);
	double value = 0;
	if (l->is_seen[metric])
		return bad(e, line, "a second value of", metrics[metric].ncu);
	l->is_seen[metric] = true;
	if (is_no_number(fields[h->value]))
		return 0;
	if (!unit)
		return bad(e, line, "unknown unit", fields[h->unit]);
	if (!number_read(fields[h->value], &value))
		return bad(e, line, "not a number:", fields[h->value]);
	l->value[metric] = value * unit->factor;
	l->has[metric] = true;
	return 0;
}

static int row_take(struct table *t, const struct head *h, const char *line, size_t len,
		    unsigned number, struct err *e)
{
	const char *fields[MAX_COLUMNS];
	struct launch *launch = NULL;
	int nr = split(&t->arena, line, len, fields);
	if (nr != h->nr)
		return bad(e, number, "a row that does not fit its head:", line);
	if (launch_find(t, fields[h->id], number, &launch, e) < 0)
		return -1;
	int metric = metric_find(fields[h->name]);
	return metric < 0 ? 0 : value_take(launch, metric, fields, h, number, e);
}

/* ncu speaks on the stream of its table. */
static int own_line(const char *line, size_t len, unsigned number, struct err *e)
{
	static const char mark[] = "==ERROR==";
	if (len < sizeof(mark) - 1 || memcmp(line, mark, sizeof(mark) - 1) != 0)
		return 0;
	AUTO_FREE char *text = xstrndup(line + sizeof(mark) - 1, len - (sizeof(mark) - 1));
	return bad(e, number, "ncu failed:", text);
}

static int table_read(struct table *t, const char *csv, struct err *e)
{
	struct head head = { .nr = 0 };
	bool has_head = false;
	unsigned number = 1;
	for (const char *line = csv; *line; number++) {
		size_t len = strcspn(line, "\n");
		size_t text = len && line[len - 1] == '\r' ? len - 1 : len;
		if (own_line(line, text, number, e) < 0)
			return -1;
		if (!has_head)
			has_head = head_read(&t->arena, line, text, &head);
		else if (*line == '"' && row_take(t, &head, line, text, number, e) < 0)
			return -1;
		line += len + (line[len] == '\n');
	}
	if (!has_head)
		return err_set(e, ERR_INPUT,
			       "ncu: no table; was it run with --csv, and may this user read "
			       "counters?");
	return t->nr ? 0 : err_set(e, ERR_INPUT, "ncu: a table without a kernel");
}

/* False when some launch lacks it. */
static bool fold(const struct table *t, size_t metric, double *out)
{
	*out = 0;
	for (size_t i = 0; i < t->nr; i++) {
		double value = t->launches[i].value[metric];
		if (!t->launches[i].has[metric])
			return false;
		if (metrics[metric].fold == SUM)
			*out += value;
		else
			*out = i == 0 || value > *out ? value : *out;
	}
	return true;
}

static void put_all(const struct table *t, json_t *facts)
{
	json_t *missing = json_array();
	json_object_set_new(facts, "ncu_kernels", json_integer((json_int_t)t->nr));
	for (size_t i = 0; i < ARRAY_LEN(metrics); i++) {
		double value;
		if (fold(t, i, &value))
			json_object_set_new(facts, metrics[i].name, json_real(value));
		else
			json_array_append_new(missing, json_string(metrics[i].ncu));
	}
	json_object_set_new(facts, "ncu_missing", missing);
}

int ncu_parse(const char *csv, json_t *facts, struct err *e)
{
	__attribute__((cleanup(table_release))) struct table t = { .nr = 0 };
	if (table_read(&t, csv, e) < 0)
		return -1;
	put_all(&t, facts);
	return 0;
}
