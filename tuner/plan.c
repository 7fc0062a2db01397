#include "tuner/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "tuner/kernel.h"
#include "tuner/row.h"

/* Rows prepare the ground for others: sizes before everything, loops are made independent and short
 * before they are tiled, tiles exist before operands are packed for them, and vectors are written
 * last, when nothing looks at subscripts any more. */
/* Strips in registers come behind copies: a copy is made for whole ranges. */
static const char registers[] = "sink in registers";

static const char *const order[] = {
	"build",    "specialise", "math",       "ifconvert", "scalarise", "guard",
	"scan",     "privatise",  "distribute", "fuse",      "cascade",   "interchange",
	"tile",     "strip",      "sink",       "pack",      registers,   "threads",
	"prefetch", "simd",       "unroll",     "vectors",   "stream",
};

bool row_text_is(const char *row, const char *kind)
{
	size_t len = strlen(kind);
	return strncmp(row, kind, len) == 0 && (!row[len] || row[len] == ' ');
}

static size_t rank_of(const char *row)
{
	bool is_in_registers = row_text_is(row, "sink") && strstr(row, "as=registers");
	size_t i = 0;
	while (i < ARRAY_LEN(order) &&
	       (is_in_registers ? order[i] != registers : !row_text_is(row, order[i])))
		i++;
	return i;
}

static bool is_superseded_by(const char *earlier, const char *later, struct arena *a)
{
	struct row before;
	struct row after;
	struct err ignored = { 0 };
	return row_parse(&before, earlier, a, &ignored) == 0 &&
	       row_parse(&after, later, a, &ignored) == 0 && row_supersedes(&after, &before);
}

struct plan plan_with(const struct plan *p, const char *row, struct arena *a)
{
	struct plan out = *p;
	size_t at = 0;
	for (size_t i = 0; i < out.nr; i++) {
		if (is_superseded_by(out.rows[i], row, a)) {
			out.rows[i] = row;
			return out;
		}
	}
	if (out.nr == PLAN_ROWS)
		return out;
	while (at < out.nr && rank_of(out.rows[at]) <= rank_of(row))
		at++;
	memmove(&out.rows[at + 1], &out.rows[at], (out.nr - at) * sizeof(*out.rows));
	out.rows[at] = row;
	out.nr++;
	return out;
}

struct plan plan_without(const struct plan *p, size_t at)
{
	struct plan out = *p;
	memmove(&out.rows[at], &out.rows[at + 1], (out.nr - at - 1) * sizeof(*out.rows));
	out.nr--;
	return out;
}

struct plan plan_without_kind(const struct plan *p, const char *kind)
{
	struct plan out = *p;
	for (size_t i = out.nr; i-- > 0;)
		if (row_text_is(out.rows[i], kind))
			out = plan_without(&out, i);
	return out;
}

const char *plan_rival(const struct plan *p, const char *row, struct arena *a)
{
	for (size_t i = 0; i < p->nr; i++)
		if (is_superseded_by(p->rows[i], row, a))
			return p->rows[i];
	return NULL;
}

static bool is_dropped_by(const char *row, const struct row *drop, struct arena *a)
{
	struct row old;
	struct err ignored = { 0 };
	return row_parse(&old, row, a, &ignored) == 0 && row_drops(drop, &old);
}

bool plan_drops(const struct plan *p, const char *row, struct arena *a)
{
	for (size_t i = 0; i < p->nr; i++) {
		struct row drop;
		struct err ignored = { 0 };
		if (row_parse(&drop, p->rows[i], a, &ignored) == 0 && is_dropped_by(row, &drop, a))
			return true;
	}
	return false;
}

int plan_change(struct plan *p, const char *text, struct arena *a, struct err *e)
{
	struct row row;
	if (row_parse(&row, text, a, e) < 0)
		return -1;
	if (strcmp(row.kind->name, "drop") != 0) {
		*p = plan_with(p, row.text, a);
		return plan_has(p, row.text) ? 0 : err_set(e, ERR_INPUT, "too many rows");
	}
	for (size_t i = 0; i < p->nr; i++) {
		if (!is_dropped_by(p->rows[i], &row, a))
			continue;
		*p = plan_without(p, i);
		return 0;
	}
	return err_set(e, ERR_INPUT, "%s: the source holds no such row", text);
}

struct plan plan_of_value(const char *value, struct arena *a)
{
	AUTO_STRV struct strv rows = { 0 };
	struct plan p = { .nr = 0 };
	strv_split(&rows, value ? value : "", "|");
	for (size_t i = 0; i < rows.nr && p.nr < PLAN_ROWS; i++) {
		AUTO_STRV struct strv words = { 0 };
		strv_split(&words, rows.items[i], " \t");
		AUTO_FREE char *tidy = strv_join(&words, " ");
		p.rows[p.nr++] = arena_strdup(a, tidy);
	}
	return p;
}

bool plan_value_opens(const char *value, struct arena *a)
{
	const struct plan p = plan_of_value(value, a);
	return plan_has_kind(&p, "specialise") || plan_has_kind(&p, "scalarise");
}

static const char *drop_of(const char *text, struct arena *a)
{
	static const char *const keys[] = { "loop", "array", "as" };
	struct row row;
	struct err ignored = { 0 };
	if (row_parse(&row, text, a, &ignored) < 0)
		return NULL;
	const char *drop = arena_printf(a, "drop row=%s", row.kind->name);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const char *value = row_get(&row, keys[i]);
		drop = value ? arena_printf(a, "%s %s=%s", drop, keys[i], value) : drop;
	}
	return drop;
}

static void append(struct plan *p, const char *row)
{
	if (row && p->nr < PLAN_ROWS)
		p->rows[p->nr++] = row;
}

void plan_difference(const struct plan *from, const struct plan *to, struct plan *out,
		     struct arena *a)
{
	*out = (struct plan){ .nr = 0 };
	for (size_t rank = 0; rank <= ARRAY_LEN(order); rank++) {
		for (size_t i = 0; i < from->nr; i++)
			if (rank_of(from->rows[i]) == rank && !plan_rival(to, from->rows[i], a))
				append(out, drop_of(from->rows[i], a));
		for (size_t i = 0; i < to->nr; i++)
			if (rank_of(to->rows[i]) == rank && !plan_has(from, to->rows[i]))
				append(out, to->rows[i]);
	}
}

bool plan_equal(const struct plan *a, const struct plan *b)
{
	bool is_same = a->nr == b->nr;
	for (size_t i = 0; is_same && i < a->nr; i++)
		is_same = strcmp(a->rows[i], b->rows[i]) == 0;
	return is_same;
}

bool plan_is_near(const struct plan *a, const struct plan *b)
{
	size_t nr = 0;
	if (a->nr != b->nr)
		return false;
	for (size_t i = 0; i < a->nr; i++) {
		if (strcmp(a->rows[i], b->rows[i]) == 0)
			continue;
		size_t len = strcspn(a->rows[i], "=");
		if (strncmp(a->rows[i], b->rows[i], len) != 0)
			return false;
		nr++;
	}
	return nr == 1;
}

bool plan_has_kind(const struct plan *p, const char *kind)
{
	for (size_t i = 0; i < p->nr; i++)
		if (row_text_is(p->rows[i], kind))
			return true;
	return false;
}

bool plan_has(const struct plan *p, const char *row)
{
	for (size_t i = 0; i < p->nr; i++)
		if (strcmp(p->rows[i], row) == 0)
			return true;
	return false;
}

const char *plan_compiler(const struct plan *p)
{
	for (size_t i = 0; i < p->nr; i++)
		if (str_starts(p->rows[i], "build cc=clang"))
			return "clang";
	return "gcc";
}

int plan_apply(const struct plan *p, const char *source, const struct tuner_task *task,
	       struct kernel *k, struct arena *a, struct err *e)
{
	kernel_init(k, source, task, a);
	for (size_t i = 0; i < p->nr; i++) {
		struct row row;
		struct err why = { 0 };
		if (row_parse(&row, p->rows[i], a, &why) < 0 || row.kind->apply(k, &row, &why) < 0)
			return err_set(e, ERR_INPUT, "%s: %s", p->rows[i], why.text);
		strv_add(&k->taken, p->rows[i]);
	}
	return 0;
}

int plan_render(const struct plan *p, const char *source, const struct tuner_task *task,
		struct str *out, struct err *e)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_KERNEL struct kernel k = { 0 };
	if (plan_apply(p, source, task, &k, &a, e) < 0)
		return -1;
	kernel_print(&k, out);
	return 0;
}

static const char *find_value(const char *row, const char *key)
{
	size_t len = strlen(key);
	for (const char *at = strchr(row, ' '); at; at = strchr(at + 1, ' '))
		if (strncmp(at + 1, key, len) == 0 && at[1 + len] == '=')
			return at + 2 + len;
	return NULL;
}

long row_text_number(const char *row, const char *key)
{
	const char *value = find_value(row, key);
	return value ? strtol(value, NULL, 10) : 0;
}

const char *row_text_with(const char *row, const char *key, long value, struct arena *a)
{
	const char *at = find_value(row, key);
	if (!at)
		return arena_printf(a, "%s %s=%ld", row, key, value);
	return arena_printf(a, "%.*s%ld%s", (int)(at - row), row, value, at + strcspn(at, " "));
}
