#include "know/recall.h"

/* Relevance by words is BM25 with a title that counts more than the text. What the asker can use
 * counts more than words: a lesson of the right device, language and topic outranks one that only
 * says the word more often. So each of these is a factor on the relevance, and the factors are wide
 * apart. */

#include <ctype.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "know/kb.h"
#include "know/kb_device.h"

static const char schema[] = "CREATE VIRTUAL TABLE lessons USING fts5(title, tags, claims, text, "
			     "tokenize = \"porter unicode61\")";
/* Weights of the columns: a title says what a lesson is about, its text also what it is not. */
static const char ranked[] = "SELECT rowid, -bm25(lessons, 8.0, 4.0, 2.0, 1.0) FROM lessons "
			     "WHERE lessons MATCH ?1";

#define OTHER_DEVICE 0.2
#define OTHER_LANGUAGE 0.3
#define OTHER_TOPIC 0.5

static const double state_factors[] = {
	[LESSON_uncertified] = 0.5,
	[LESSON_certified] = 1.0,
	[LESSON_stale] = 0.7,
	[LESSON_refuted] = 0.3,
	[LESSON_not_applicable] = OTHER_DEVICE,
};

static void close_db(sqlite3 **db)
{
	sqlite3_close(*db);
}

static void end_statement(sqlite3_stmt **stmt)
{
	sqlite3_finalize(*stmt);
}

#define AUTO_DB __attribute__((cleanup(close_db)))
#define AUTO_STATEMENT __attribute__((cleanup(end_statement)))

static int fail(sqlite3 *db, struct err *e)
{
	return err_set(e, ERR_SYSTEM, "index of lessons: %s", sqlite3_errmsg(db));
}

static void add_all(struct str *out, const char *const *items, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		str_addf(out, " %s", items[i]);
}

static int add_row(sqlite3 *db, const struct lesson *l, size_t row, struct err *e)
{
	AUTO_STATEMENT sqlite3_stmt *stmt = NULL;
	AUTO_STR struct str tags = STR_INIT;
	AUTO_STR struct str claims = STR_INIT;
	str_add(&tags, l->id);
	add_all(&tags, l->topics, l->nr_topics);
	add_all(&tags, l->languages, l->nr_languages);
	for (size_t i = 0; i < l->nr_claims; i++)
		str_addf(&claims, " %s", l->claims[i].means);
	str_addf(&claims, " %s", l->applies_when);
	const char *columns[] = { l->title, tags.text, claims.text, l->body };
	if (sqlite3_prepare_v2(db,
			       "INSERT INTO lessons(rowid, title, tags, claims, text) "
			       "VALUES (?1, ?2, ?3, ?4, ?5)",
			       -1, &stmt, NULL) != SQLITE_OK ||
	    sqlite3_bind_int64(stmt, 1, (sqlite3_int64)row) != SQLITE_OK)
		return fail(db, e);
	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		if (sqlite3_bind_text(stmt, (int)i + 2, columns[i], -1, SQLITE_STATIC) != SQLITE_OK)
			return fail(db, e);
	return sqlite3_step(stmt) == SQLITE_DONE ? 0 : fail(db, e);
}

static int build(sqlite3 *db, const struct kb *kb, struct err *e)
{
	if (sqlite3_exec(db, schema, NULL, NULL, NULL) != SQLITE_OK)
		return fail(db, e);
	for (size_t i = 0; i < kb->nr; i++)
		if (add_row(db, &kb->items[i].lesson, i + 1, e) < 0)
			return -1;
	return 0;
}

/* Each word in quotes and as a beginning, so that nothing a user types is syntax. False: no word.
 */
static bool make_match(const char *words, struct str *out)
{
	AUTO_STRV struct strv list = { 0 };
	strv_split(&list, words, " \t\r\n,.;:!?\"'()[]{}*^");
	for (size_t i = 0; i < list.nr; i++)
		str_addf(out, "%s\"%s\" *", i ? " OR " : "", list.items[i]);
	return list.nr > 0;
}

static double factor_of(const struct kb_entry *entry, const struct recall_query *q)
{
	const struct lesson *l = &entry->lesson;
	AUTO_STR struct str ignored = STR_INIT;
	double factor = 1;
	if (q->device)
		factor *= state_factors[kb_state(entry, q->device, &ignored)];
	if (q->language && !lesson_has_language(l, q->language))
		factor *= OTHER_LANGUAGE;
	if (q->topic && !lesson_has_topic(l, q->topic))
		factor *= OTHER_TOPIC;
	return factor;
}

/* Higher scores first, then in the order of the base. */
static int by_score(const void *a, const void *b)
{
	const struct recalled *x = a;
	const struct recalled *y = b;
	if (x->score > y->score)
		return -1;
	if (x->score < y->score)
		return 1;
	return (x->entry > y->entry) - (x->entry < y->entry);
}

static int take_all(const struct kb *kb, struct recalled *all, size_t *nr)
{
	for (*nr = 0; *nr < kb->nr; ++*nr)
		all[*nr] = (struct recalled){ &kb->items[*nr], 1 };
	return 0;
}

static int take_matching(const struct kb *kb, const char *match, struct recalled *all, size_t *nr,
			 struct err *e)
{
	AUTO_DB sqlite3 *db = NULL;
	AUTO_STATEMENT sqlite3_stmt *stmt = NULL;
	if (sqlite3_open(":memory:", &db) != SQLITE_OK)
		return fail(db, e);
	if (build(db, kb, e) < 0)
		return -1;
	if (sqlite3_prepare_v2(db, ranked, -1, &stmt, NULL) != SQLITE_OK ||
	    sqlite3_bind_text(stmt, 1, match, -1, SQLITE_STATIC) != SQLITE_OK)
		return fail(db, e);
	int rc = sqlite3_step(stmt);
	for (*nr = 0; rc == SQLITE_ROW && *nr < kb->nr; rc = sqlite3_step(stmt)) {
		size_t row = (size_t)sqlite3_column_int64(stmt, 0);
		all[(*nr)++] =
			(struct recalled){ &kb->items[row - 1], sqlite3_column_double(stmt, 1) };
	}
	return rc == SQLITE_DONE ? 0 : fail(db, e);
}

int recall(const struct kb *kb, const struct recall_query *query, struct recalled *out, size_t max,
	   size_t *nr, struct err *e)
{
	AUTO_FREE struct recalled *all = xcalloc(kb->nr + 1, sizeof(*all));
	AUTO_STR struct str match = STR_INIT;
	size_t nr_all = 0;
	bool has_words = query->words && make_match(query->words, &match);
	int rc = has_words ? take_matching(kb, match.text, all, &nr_all, e)
			   : take_all(kb, all, &nr_all);
	if (rc < 0)
		return -1;
	for (size_t i = 0; i < nr_all; i++)
		all[i].score *= factor_of(all[i].entry, query);
	qsort(all, nr_all, sizeof(*all), by_score);
	for (*nr = 0; *nr < nr_all && *nr < max; ++*nr)
		out[*nr] = all[*nr];
	return 0;
}
