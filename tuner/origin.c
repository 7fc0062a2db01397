#include "tuner/origin.h"

/* The text that rows were applied to is the file with what stands between the second mark and the
 * third left out, and the function behind the first called by its own name again. Whether somebody
 * has changed the file since is not guessed from it: the rows are applied again and both files are
 * compared as lexemes, so comments and layout are free. */

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "tuner/clex.h"
#include "tuner/emit.h"
#include "tuner/kernel.h"
#include "tuner/rewrite.h"
#include "tuner/row.h"
#include "tuner/ttask.h"

enum { ROWS_VERSION = 1, HEAD_LINES = 20 };

static const char rows_mark[] = "forge-rows:";
static const char build_mark[] = "forge-build:";
static const char row_line[] = " *   ";
static const char unused[] = "static __attribute__((unused))\n";
static const char plain_mark[] =
	"/* What the rows apply to. Nothing calls it: a later search goes on "
	"from here. */\n";
static const char made_mark[] = "/* What the rows made of it. */\n";
static const char rest_mark[] = "/* The rest of the source. */\n";
/* What kernel_init begins with. */
static const char first_build[] = "build cc=gcc flags=-O2";

void origin_print_rows(const struct kernel *k, struct str *out)
{
	str_addf(out, " * %s %d\n", rows_mark, ROWS_VERSION);
	for (size_t i = 0; i < k->taken.nr; i++)
		str_addf(out, "%s%s\n", row_line, k->taken.items[i]);
}

void origin_print_plain(const struct kernel *k, struct str *out)
{
	const char *text = k->unit.text;
	str_addf(out, "%s%s", plain_mark, unused);
	str_add_len(out, text, k->unit.name_at);
	str_add(out, fresh_name(k, NULL, arena_printf(k->a, "%s_plain", k->unit.entry.name)));
	emit_text(out, text + k->unit.name_at + strlen(k->unit.entry.name));
	str_addf(out, "\n\n%s", made_mark);
}

void origin_print_rest(struct str *out)
{
	str_addf(out, "\n%s", rest_mark);
}

/* Behind the mark, where it stands in the first lines; NULL: it does not. */
static const char *find_in_head(const char *text, const char *mark)
{
	const char *at = strstr(text, mark);
	size_t lines = 0;
	for (const char *c = text; at && c < at; c++)
		lines += *c == '\n';
	return at && lines < HEAD_LINES ? at + strlen(mark) : NULL;
}

/* A row, perhaps behind the name of the decision that it was part of. */
static const char *read_row(const char *line, struct arena *a)
{
	struct row row;
	struct err ignored = { 0 };
	if (row_parse(&row, line, a, &ignored) == 0)
		return row.text;
	const char *second = strchr(line, ' ');
	return second && row_parse(&row, second, a, &ignored) == 0 ? row.text : NULL;
}

static const char *read_rows(struct plan *p, const char *head, struct arena *a)
{
	AUTO_STRV struct strv lines = { 0 };
	*p = (struct plan){ .nr = 0 };
	if (strtol(head, NULL, 10) != ROWS_VERSION)
		return "its rows are of another version";
	strv_split(&lines, head, "\n");
	for (size_t i = 1; i < lines.nr && str_starts(lines.items[i], row_line); i++) {
		const char *row = read_row(lines.items[i] + strlen(row_line), a);
		if (!row || p->nr == PLAN_ROWS)
			return arena_printf(a, "a row in its head is not understood: %s",
					    lines.items[i] + strlen(row_line));
		p->rows[p->nr++] = row;
	}
	return p->nr ? NULL : "its head lists no row";
}

static const char *last_of(const char *text, const char *what)
{
	const char *last = NULL;
	for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
		last = at;
	return last;
}

/* The function under the entry's own name; NULL: it has another form. */
static const char *rename_plain(const char *text, size_t len, const char *entry, struct arena *a)
{
	AUTO_LEXEMES struct lexemes words = { 0 };
	struct err ignored = { 0 };
	const char *copy = arena_strndup(a, text, len);
	if (!str_starts(copy, unused))
		return NULL;
	copy += strlen(unused);
	if (clex_scan(&words, copy, a, &ignored) < 0 || words.nr < 2)
		return NULL;
	const struct lexeme *name = &words.items[1];
	size_t end = strlen(copy);
	while (end && copy[end - 1] == '\n')
		end--;
	return arena_printf(a, "%.*s%s%.*s", (int)name->begin, copy, entry, (int)(end - name->end),
			    copy + name->end);
}

/* What the rows were applied to; NULL: a mark is missing. `head` lies in the first comment. */
static const char *read_source(const char *head, const char *entry, struct arena *a)
{
	const char *before = strstr(head, "*/\n");
	const char *plain = before ? last_of(before, plain_mark) : NULL;
	const char *made = plain ? strstr(plain, made_mark) : NULL;
	const char *rest = made ? strstr(made, rest_mark) : NULL;
	if (!rest)
		return NULL;
	before += strlen("*/\n");
	const char *text = plain + strlen(plain_mark);
	const char *function = rename_plain(text, (size_t)(made - text), entry, a);
	return function ? arena_printf(a, "%.*s%s\n%s", (int)(plain - before), before, function,
				       rest + strlen(rest_mark))
			: NULL;
}

static bool same_words(const char *one, const char *other, struct arena *a)
{
	AUTO_LEXEMES struct lexemes x = { 0 };
	AUTO_LEXEMES struct lexemes y = { 0 };
	struct err ignored = { 0 };
	if (clex_scan(&x, one, a, &ignored) < 0 || clex_scan(&y, other, a, &ignored) < 0 ||
	    x.nr != y.nr)
		return false;
	for (size_t i = 0; i < x.nr; i++)
		if (strcmp(x.items[i].text, y.items[i].text) != 0)
			return false;
	return true;
}

static bool same_build(const char *one, const char *other)
{
	const char *x = find_in_head(one, build_mark);
	const char *y = find_in_head(other, build_mark);
	size_t len = x ? strcspn(x, "\n") : 0;
	return x && y && len == strcspn(y, "\n") && strncmp(x, y, len) == 0;
}

/* NULL: the rows make this file out of that source. Else why not. */
static const char *differs(const struct origin *o, const char *text, const struct tuner_task *task,
			   struct arena *a)
{
	AUTO_STR struct str made = STR_INIT;
	struct err why = { 0 };
	if (plan_render(&o->plan, o->source, task, &made, &why) < 0)
		return arena_printf(a, "its rows do not apply here: %s", why.text);
	if (!same_build(made.text, text))
		return "it is built otherwise than its rows say";
	return same_words(made.text, text, a) ? NULL
					      : "its rows make another file: it was changed, or "
						"written by another version";
}

void origin_find(struct origin *o, const char *text, const struct tuner_task *task, struct arena *a)
{
	const char *head = find_in_head(text, rows_mark);
	*o = (struct origin){ .source = text };
	if (!head)
		return;
	struct origin own = { .source = read_source(head, task->entry, a) };
	o->doubt =
		own.source ? read_rows(&own.plan, head, a) : "a mark between its parts is missing";
	if (!o->doubt)
		o->doubt = differs(&own, text, task, a);
	if (o->doubt)
		return;
	*o = own;
	if (!plan_has_kind(&o->plan, "build"))
		o->plan = plan_with(&o->plan, first_build, a);
}
