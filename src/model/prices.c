#include "model/prices.h"

/* Lookup: the user's rows before those that come along; there the longest model prefix; of it the
 * dearest tier that the prompt reaches; of that the newest row in force. Names that agents tell
 * carry more than the model: "vendor/name-20260801". A prefix ends where a word does, so that the
 * price of name-5 is not taken for name-50. */

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "model/usage.h"

enum { NR_COLUMNS = 9, MAX_TABLE_BYTES = 4 << 20, MAX_MODEL = 200, DAY_LEN = 10 };

/* Dearer than anything sold; a slip in a unit shows here. */
#define MAX_PRICE 1e6
#define TOKENS_PER_PRICE 1e6

struct table_text {
	struct prices *prices;
	const char *name;
	unsigned line;
	bool is_own;
};

/* "2026-10-07", also "0000-00-00": since ever. */
static bool is_day(const char *text)
{
	for (size_t i = 0; i < DAY_LEN; i++) {
		bool is_dash = i == 4 || i == 7;
		if (is_dash ? text[i] != '-' : !isdigit((unsigned char)text[i]))
			return false;
	}
	return true;
}

static int fail(const struct table_text *t, struct err *e, const char *column, const char *got,
		const char *want)
{
	return err_set(e, ERR_INPUT, "%s:%u: %s is \"%.40s\", which is no %s", t->name, t->line,
		       column, got, want);
}

static int read_price(const struct table_text *t, const char *text, double *out, struct err *e)
{
	char *end = NULL;
	if (str_equal(text, "-")) {
		*out = -1;
		return 0;
	}
	*out = strtod(text, &end);
	if (!isdigit((unsigned char)text[0]) || *end || !(*out >= 0 && *out <= MAX_PRICE))
		return fail(t, e, "a price", text, "number of dollars for 1e6 tokens, nor \"-\"");
	return 0;
}

static int read_min_prompt(const struct table_text *t, const char *text, uint64_t *out,
			   struct err *e)
{
	char *end = NULL;
	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || *end || errno)
		return fail(t, e, "min_prompt_tokens", text, "number of tokens");
	*out = value;
	return 0;
}

static struct price_row *push_row(struct prices *p)
{
	if (p->nr == p->cap) {
		size_t cap = p->cap ? p->cap * 2 : 64;
		struct price_row *wider = arena_array(&p->arena, cap, sizeof(*wider));
		if (p->nr)
			memcpy(wider, p->rows, p->nr * sizeof(*wider));
		p->rows = wider;
		p->cap = cap;
	}
	return &p->rows[p->nr++];
}

static int read_cells(const struct table_text *t, char *const *cells, struct err *e)
{
	struct price_row row = { .is_own = t->is_own };
	if (!is_day(cells[0]) || cells[0][DAY_LEN])
		return fail(t, e, "effective_from", cells[0], "day like 2026-10-07");
	if (read_min_prompt(t, cells[3], &row.min_prompt, e) < 0)
		return -1;
	for (int kind = 0; kind < PRICE_NR; kind++)
		if (read_price(t, cells[4 + kind], &row.usd[kind], e) < 0)
			return -1;
	row.from = arena_strdup(&t->prices->arena, cells[0]);
	row.provider = arena_strdup(&t->prices->arena, cells[1]);
	row.model = arena_strdup(&t->prices->arena, cells[2]);
	*push_row(t->prices) = row;
	return 0;
}

static int read_row(const struct table_text *t, const char *line, struct err *e)
{
	AUTO_STRV struct strv cells = { 0 };
	strv_split(&cells, line, "\t\r");
	if (cells.nr != NR_COLUMNS)
		return err_set(e, ERR_INPUT,
			       "%s:%u: %zu columns; a row has %d, parted by single tabs: "
			       "effective_from provider model_prefix min_prompt_tokens input "
			       "cache_read write_5m write_1h output",
			       t->name, t->line, cells.nr, NR_COLUMNS);
	return read_cells(t, cells.items, e);
}

/* "# date: 2026-11-30" */
static void read_comment(const struct table_text *t, const char *line)
{
	static const char mark[] = "# date: ";
	if (!str_starts(line, mark) || strlen(line) < strlen(mark) + DAY_LEN)
		return;
	const char *day = line + strlen(mark);
	const char **slot = t->is_own ? &t->prices->own_date : &t->prices->date;
	if (is_day(day))
		*slot = arena_strndup(&t->prices->arena, day, DAY_LEN);
}

static void describe(struct prices *p)
{
	if (p->date && p->own_date)
		p->text = arena_printf(&p->arena, "%s, own prices of %s", p->date, p->own_date);
	else if (p->own_date)
		p->text = arena_printf(&p->arena, "own prices of %s", p->own_date);
	else
		p->text = p->date;
}

int prices_parse(struct prices *p, const char *text, const char *name, bool is_own, struct err *e)
{
	struct table_text t = { p, name, 0, is_own };
	const char **date = is_own ? &p->own_date : &p->date;
	while (*text) {
		size_t len = strcspn(text, "\n");
		AUTO_FREE char *line = xstrndup(text, len);
		t.line++;
		if (line[0] == '#')
			read_comment(&t, line);
		else if (line[strspn(line, " \t\r")] && read_row(&t, line, e) < 0)
			return -1;
		text += len + (text[len] == '\n');
	}
	describe(p);
	if (*date)
		return 0;
	return err_set(e, ERR_INPUT,
		       "%s: no line \"# date: YYYY-MM-DD\"; every price has a date: add the day on "
		       "which the table was made",
		       name);
}

int prices_load(struct prices *p, const char *path, bool is_own, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	if (file_read(path, MAX_TABLE_BYTES, &text, e) < 0)
		return -1;
	return prices_parse(p, text.text, path, is_own, e);
}

void prices_release(struct prices *p)
{
	arena_release(&p->arena);
	*p = (struct prices){ 0 };
}

/* Ends `text` before "-20260801", "-2026-08-01" or "@20260801". */
static void cut_date(char *text)
{
	size_t len = strlen(text);
	static const char *const shapes[] = { "-dddddddd", "-dddd-dd-dd", "@dddddddd" };
	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		size_t shape_len = strlen(shapes[i]);
		if (len <= shape_len)
			continue;
		const char *tail = text + len - shape_len;
		size_t same = 0;
		while (same < shape_len &&
		       (shapes[i][same] == 'd' ? isdigit((unsigned char)tail[same]) != 0
					       : tail[same] == shapes[i][same]))
			same++;
		if (same == shape_len) {
			text[len - shape_len] = 0;
			return;
		}
	}
}

/* What is looked for: the bare model, and of whom. */
struct wanted {
	char model[MAX_MODEL];
	char provider[MAX_MODEL]; /* "": anybody's */
	const char *date;
	uint64_t prompt;
	bool is_one_request;
};

static void copy_text(char *to, const char *from, size_t len)
{
	size_t most = len < MAX_MODEL - 1 ? len : MAX_MODEL - 1;
	memcpy(to, from, most);
	to[most] = 0;
}

/* "vendor/name": the vendor counts as the provider where none was told. */
static struct wanted want(const struct price_query *q, const struct usage *u)
{
	struct wanted w = {
		.date = q->date,
		.prompt = u->input + u->cache_read + u->cache_write_5m + u->cache_write_1h,
		.is_one_request = u->requests == 1 && usage_is_told(u, USAGE_REQUESTS)
	};
	const char *slash = strrchr(q->model, '/');
	const char *bare = slash ? slash + 1 : q->model;
	copy_text(w.model, bare, strlen(bare));
	cut_date(w.model);
	if (q->provider)
		copy_text(w.provider, q->provider, strlen(q->provider));
	else if (slash)
		copy_text(w.provider, q->model, strcspn(q->model, "/"));
	return w;
}

/* Characters of the model that the row's prefix covers, plus one; 0: not this row. */
static size_t fit(const struct price_row *row, const struct wanted *w)
{
	size_t len = strlen(row->model);
	if (w->provider[0] && strcasecmp(row->provider, w->provider) != 0)
		return 0;
	if (str_equal(row->model, "*"))
		return w->provider[0] ? 1 : 0;
	if (strncasecmp(w->model, row->model, len) != 0 || isalnum((unsigned char)w->model[len]))
		return 0;
	return len + 1;
}

/* The model that a row is of: the first row of its provider and prefix. NULL: unknown, or two
 * providers sell it and none was told. */
static const struct price_row *find_model(const struct prices *p, const struct wanted *w,
					  bool is_own)
{
	const struct price_row *best = NULL;
	size_t best_fit = 0;
	bool is_ambiguous = false;
	for (size_t i = 0; i < p->nr; i++) {
		const struct price_row *row = &p->rows[i];
		size_t now = row->is_own == is_own ? fit(row, w) : 0;
		if (!now || now < best_fit)
			continue;
		if (now == best_fit && !str_equal(row->provider, best->provider))
			is_ambiguous = true;
		if (now == best_fit)
			continue;
		best = row;
		best_fit = now;
		is_ambiguous = false;
	}
	return is_ambiguous ? NULL : best;
}

static bool is_of_model(const struct price_row *row, const struct price_row *model)
{
	return row->is_own == model->is_own && str_equal(row->provider, model->provider) &&
	       str_equal(row->model, model->model);
}

static bool is_in_force(const struct price_row *row, const char *date)
{
	return strncmp(row->from, date, DAY_LEN) <= 0;
}

/* The newest row in force of the highest tier below `most` tokens; NULL: none. */
static const struct price_row *find_tier(const struct prices *p, const struct price_row *model,
					 const char *date, uint64_t most)
{
	const struct price_row *best = NULL;
	for (size_t i = 0; i < p->nr; i++) {
		const struct price_row *row = &p->rows[i];
		if (!is_of_model(row, model) || !is_in_force(row, date) || row->min_prompt > most)
			continue;
		if (!best || row->min_prompt > best->min_prompt ||
		    (row->min_prompt == best->min_prompt && strcmp(row->from, best->from) >= 0))
			best = row;
	}
	return best;
}

/* Prices of one kind over the tiers that may hold: the highest. Negative: one is not known. */
static double dearest(const struct prices *p, const struct price_row *top, const struct wanted *w,
		      int kind)
{
	double usd = top->usd[kind];
	const struct price_row *row = top;
	while (!w->is_one_request && row->min_prompt > 0 && usd >= 0) {
		row = find_tier(p, top, w->date, row->min_prompt - 1);
		if (!row)
			break;
		usd = row->usd[kind] < 0 ? -1 : fmax(usd, row->usd[kind]);
	}
	return usd;
}

static bool is_tier_doubtful(const struct prices *p, const struct price_row *top,
			     const struct wanted *w)
{
	return !w->is_one_request && top->min_prompt > 0 &&
	       find_tier(p, top, w->date, top->min_prompt - 1);
}

static bool is_for_nothing(const struct price_row *row)
{
	for (int kind = 0; kind < PRICE_NR; kind++)
		if (row->usd[kind] != 0)
			return false;
	return true;
}

static void apply(const struct prices *p, const struct price_row *top, const struct wanted *w,
		  struct usage *u)
{
	const uint64_t counts[PRICE_NR] = { u->input, u->cache_read, u->cache_write_5m,
					    u->cache_write_1h, u->output };
	bool is_whole = usage_is_told(u, USAGE_INPUT) && usage_is_told(u, USAGE_OUTPUT);
	bool is_partial = (!is_whole && !is_for_nothing(top)) || is_tier_doubtful(p, top, w);
	u->usd = 0;
	for (int kind = 0; kind < PRICE_NR; kind++) {
		double usd = dearest(p, top, w, kind);
		if (usd >= 0)
			u->usd += usd * (double)counts[kind] / TOKENS_PER_PRICE;
		else if (counts[kind])
			is_partial = true;
	}
	u->basis = is_partial ? USAGE_PARTIAL : USAGE_TABLE;
}

void prices_apply(const struct prices *p, const struct price_query *q, struct usage *u)
{
	if (u->basis != USAGE_UNKNOWN || !q->model || !q->model[0])
		return;
	const struct wanted w = want(q, u);
	const struct price_row *model = find_model(p, &w, true);
	if (!model)
		model = find_model(p, &w, false);
	const struct price_row *top = model ? find_tier(p, model, w.date, w.prompt) : NULL;
	if (top)
		apply(p, top, &w, u);
}
