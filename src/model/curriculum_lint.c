#include "model/curriculum.h"

/* The rules of docs/format/curriculum.md. Rows are first laid out in one list with their milestone,
 * so that graph rules are loops over an index. The leak rules live in leak.c. */

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/opt.h"
#include "base/str.h"
#include "model/leak.h"
#include "model/prediction.h"
#include "model/task.h"

/* At most: a student does some hundred rounds in a run, and the rules below are not linear. */
enum { MIN_STRUCTURE_ROWS = 7, MAX_ROWS = 256 };

static const char *const topics[] = {
#define TOPIC(name, text) #name,
#include "model/topics.def"
#undef TOPIC
};

#define TOPIC(name, text) " " #name
static const char topic_names[] =
#include "model/topics.def"
	;
#undef TOPIC

struct row {
	const struct decision *d;
	size_t milestone;
};

struct course {
	const struct curriculum *c;
	struct findings *f;
	struct row *rows;
	size_t nr;
};

#define ERROR_AT(k, line, ...) finding_error((k)->f, (k)->c->path, line, __VA_ARGS__)

static void lay_out(struct course *k, struct arena *a)
{
	size_t nr = 0;
	for (size_t m = 0; m < k->c->nr_milestones; m++)
		nr += k->c->milestones[m].nr_decisions;
	k->rows = arena_array(a, nr + 1, sizeof(*k->rows));
	for (size_t m = 0; m < k->c->nr_milestones; m++)
		for (size_t i = 0; i < k->c->milestones[m].nr_decisions; i++)
			k->rows[k->nr++] = (struct row){ &k->c->milestones[m].decisions[i], m };
}

static bool is_blank(const char *text)
{
	return !text || !text[strspn(text, " \t\r\n")];
}

static size_t find_row(const struct course *k, const char *id)
{
	size_t i = 0;
	while (i < k->nr && strcmp(k->rows[i].d->id, id) != 0)
		i++;
	return i;
}

static void check_top(const struct course *k)
{
	if (k->c->version < 1)
		ERROR_AT(k, 1, "version must be 1 or more");
	if (k->c->structure_epoch < 1)
		ERROR_AT(k, 1, "structure_epoch must be 1 or more");
	if (k->c->nr_milestones == 0)
		ERROR_AT(k, 1, "there is no milestone; write [[milestone]] with id = \"M0\"");
}

static void check_milestone(const struct course *k, size_t index)
{
	const struct milestone *m = &k->c->milestones[index];
	const char *gate = index ? "correctness+performance+mechanism" : "correctness";
	AUTO_FREE char *id = xasprintf("M%zu", index);
	if (strcmp(m->id, id) != 0)
		ERROR_AT(k, m->line, "milestone %s stands where %s belongs; number them in order",
			 m->id, id);
	if (is_blank(m->title))
		ERROR_AT(k, m->line, "milestone %s has no title; add one", m->id);
	if (!str_equal(m->gate, gate))
		ERROR_AT(k, m->line, "the gate of %s must be \"%s\"", m->id, gate);
	if (m->nr_decisions == 0)
		ERROR_AT(k, m->line, "milestone %s has no decision; add rows or remove it", m->id);
}

/* "D<milestone>.<n>" without leading zeros, n from 1. */
static bool is_row_id(const char *id, size_t milestone)
{
	AUTO_FREE char *prefix = xasprintf("D%zu.", milestone);
	if (!str_starts(id, prefix))
		return false;
	const char *n = id + strlen(prefix);
	return n[0] >= '1' && n[0] <= '9' && strlen(n) < 6 && !n[strspn(n, "0123456789")];
}

static void check_id(const struct course *k, size_t index)
{
	const struct row *row = &k->rows[index];
	if (!is_row_id(row->d->id, row->milestone))
		ERROR_AT(k, row->d->line,
			 "the id %s does not fit; rows of M%zu are D%zu.1, D%zu.2 "
			 "and so on",
			 row->d->id, row->milestone, row->milestone, row->milestone);
	if (find_row(k, row->d->id) < index)
		ERROR_AT(k, row->d->line, "a second row %s; give it a number of its own",
			 row->d->id);
}

static void check_choice(const struct course *k, const struct decision *d)
{
	if (is_blank(d->value) && is_blank(d->range))
		ERROR_AT(k, d->line, "%s has neither value nor range; give one", d->id);
	if (!is_blank(d->value) && !is_blank(d->range))
		ERROR_AT(k, d->line, "%s has a value and a range; keep one", d->id);
	if (is_blank(d->wrong_when))
		ERROR_AT(k, d->line,
			 "%s has no wrong_when; name the measurement that would "
			 "refute it",
			 d->id);
}

static void check_substance(const struct course *k, const struct decision *d)
{
	if (is_blank(d->what))
		ERROR_AT(k, d->line, "%s has no what; say what is decided", d->id);
	if (is_blank(d->why))
		ERROR_AT(k, d->line, "%s has no why; give the reason", d->id);
	if (!d->is_not_applicable)
		check_choice(k, d);
	for (size_t i = 0; i < d->nr_lessons; i++)
		if (is_blank(d->lessons[i]))
			ERROR_AT(k, d->line, "%s cites a lesson without a name; name it or drop it",
				 d->id);
}

static bool is_metric(const char *name)
{
	size_t len = strlen(name);
	return len > 0 && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == len;
}

static void check_size(const struct course *k, const struct decision *d)
{
	const struct mechanism *m = &d->mechanism;
	bool is_down = str_equal(m->direction, "down");
	if (!(m->by_pct >= 0 && m->by_pct < 1e9) || (is_down && m->by_pct > 100))
		ERROR_AT(k, d->line, "%s: by_pct must be 0 or more, and at most 100 downwards",
			 d->id);
	if (m->has_to && !isfinite(m->to))
		ERROR_AT(k, d->line, "%s: to must be a value of the metric", d->id);
	if (prediction_nr_sizes(m) > 1)
		ERROR_AT(k, d->line, "%s: at_least, by_pct and to tell the same thing; keep one",
			 d->id);
	if (str_equal(m->direction, "same") && prediction_nr_sizes(m))
		ERROR_AT(k, d->line, "%s: what stays the same has no size; drop it", d->id);
}

static void check_prediction(const struct course *k, const struct decision *d)
{
	const struct mechanism *m = &d->mechanism;
	if (!is_metric(m->metric))
		ERROR_AT(k, d->line, "%s: \"%s\" is no metric; metrics are names in lower case",
			 d->id, m->metric);
	if (!prediction_is_direction(m->direction))
		ERROR_AT(k, d->line, "%s: direction must be \"up\", \"down\" or \"same\"", d->id);
	if (!(m->at_least >= 0 && m->at_least < 1e9))
		ERROR_AT(k, d->line, "%s: at_least must be a factor, 0 or more", d->id);
	if (m->none_reason)
		ERROR_AT(k, d->line, "%s has a mechanism and a reason for none; keep one", d->id);
	check_size(k, d);
}

static void check_expectation(const struct course *k, const struct decision *d)
{
	if (!(d->predicts >= 0 && d->predicts < 1e9))
		ERROR_AT(k, d->line,
			 "%s: predicts must be a speed-up over the reference, 0 or more", d->id);
}

static void check_mechanism(const struct course *k, const struct decision *d)
{
	if (d->mechanism.metric)
		check_prediction(k, d);
	else if (!d->is_not_applicable && is_blank(d->mechanism.none_reason))
		ERROR_AT(k, d->line,
			 "%s has no mechanism; give metric and direction, or the "
			 "reason in mechanism_none",
			 d->id);
}

static void check_topic(const struct course *k, const struct row *row)
{
	const struct decision *d = row->d;
	bool is_known = false;
	if (d->is_not_applicable && !d->covers)
		ERROR_AT(k, d->line, "%s does not apply and covers nothing; remove it", d->id);
	if (!d->covers)
		return;
	for (size_t i = 0; i < ARRAY_LEN(topics); i++)
		is_known = is_known || strcmp(d->covers, topics[i]) == 0;
	if (!is_known)
		ERROR_AT(k, d->line, "%s covers an unknown topic \"%s\"; the topics are%s", d->id,
			 d->covers, topic_names);
	if (row->milestone > 0)
		ERROR_AT(k, d->line, "%s covers %s; topics belong to M0", d->id, d->covers);
}

static void check_structure(const struct course *k)
{
	const struct milestone *first = &k->c->milestones[0];
	if (first->nr_decisions < MIN_STRUCTURE_ROWS)
		ERROR_AT(k, first->line, "M0 has %zu rows; the structure needs at least %d",
			 first->nr_decisions, MIN_STRUCTURE_ROWS);
	for (size_t t = 0; t < ARRAY_LEN(topics); t++) {
		bool is_covered = false;
		for (size_t i = 0; i < first->nr_decisions; i++)
			is_covered = is_covered || str_equal(first->decisions[i].covers, topics[t]);
		if (!is_covered)
			ERROR_AT(k, first->line,
				 "no row of M0 covers %s; add one, or one that is "
				 "not_applicable and says why",
				 topics[t]);
	}
}

static void check_need(const struct course *k, const struct row *row, const char *id)
{
	size_t at = find_row(k, id);
	if (at == k->nr) {
		ERROR_AT(k, row->d->line,
			 "%s needs %s, which does not exist; name a row of this file", row->d->id,
			 id);
		return;
	}
	const struct row *other = &k->rows[at];
	if (other->d == row->d)
		ERROR_AT(k, row->d->line, "%s needs itself; drop that need", row->d->id);
	else if (other->milestone > row->milestone)
		ERROR_AT(k, row->d->line, "%s needs %s of a later milestone; move one of them",
			 row->d->id, id);
	else if (other->d->is_not_applicable)
		ERROR_AT(k, row->d->line, "%s needs %s, which does not apply; drop that need",
			 row->d->id, id);
}

static bool is_needed(const struct course *k, const char *id)
{
	for (size_t i = 0; i < k->nr; i++)
		for (size_t n = 0; n < k->rows[i].d->nr_needs; n++)
			if (strcmp(k->rows[i].d->needs[n], id) == 0)
				return true;
	return false;
}

static void check_needs(const struct course *k, const struct row *row)
{
	for (size_t n = 0; n < row->d->nr_needs; n++)
		check_need(k, row, row->d->needs[n]);
	if (row->milestone > 0 && row->d->nr_needs == 0 && !is_needed(k, row->d->id))
		ERROR_AT(k, row->d->line,
			 "%s is an orphan: it needs nothing and nothing needs it; name in "
			 "needs what it builds on",
			 row->d->id);
}

/* Whether every need of the row is settled (missing ones are another finding). */
static bool is_ready(const struct course *k, const bool *is_done, size_t index)
{
	const struct decision *d = k->rows[index].d;
	for (size_t n = 0; n < d->nr_needs; n++) {
		size_t at = find_row(k, d->needs[n]);
		if (at < k->nr && at != index && !is_done[at])
			return false;
	}
	return true;
}

/* The first need of the row that is not settled. */
static size_t open_need(const struct course *k, const bool *is_done, size_t index)
{
	const struct decision *d = k->rows[index].d;
	for (size_t n = 0; n < d->nr_needs; n++) {
		size_t at = find_row(k, d->needs[n]);
		if (at < k->nr && at != index && !is_done[at])
			return at;
	}
	return index;
}

/* From an open row, following open needs must run into a cycle within nr steps; print it once. */
static void report_cycle(const struct course *k, const bool *is_done, size_t index)
{
	AUTO_STR struct str path = STR_INIT;
	for (size_t i = 0; i < k->nr; i++)
		index = open_need(k, is_done, index);
	size_t at = index;
	do {
		str_addf(&path, "%s needs ", k->rows[at].d->id);
		at = open_need(k, is_done, at);
	} while (at != index);
	str_add(&path, k->rows[index].d->id);
	ERROR_AT(k, k->rows[index].d->line, "a cycle: %s; drop one of these needs", path.text);
}

static void check_cycles(const struct course *k, struct arena *a)
{
	bool *is_done = arena_array(a, k->nr + 1, sizeof(*is_done));
	bool has_moved = true;
	while (has_moved) {
		has_moved = false;
		for (size_t i = 0; i < k->nr; i++) {
			if (!is_done[i] && is_ready(k, is_done, i))
				is_done[i] = has_moved = true;
		}
	}
	for (size_t i = 0; i < k->nr; i++) {
		if (!is_done[i]) {
			report_cycle(k, is_done, i);
			return;
		}
	}
}

/* A group is judged as one step, so its rows stand together in one milestone. */
static void check_atomic(const struct course *k, size_t index)
{
	const struct row *row = &k->rows[index];
	const char *group = row->d->atomic;
	if (!group)
		return;
	if (is_blank(group))
		ERROR_AT(k, row->d->line,
			 "%s: the atomic group has no name; name it or drop the key", row->d->id);
	bool continues = index > 0 && str_equal(k->rows[index - 1].d->atomic, group);
	for (size_t i = 0; i < index; i++) {
		if (!str_equal(k->rows[i].d->atomic, group))
			continue;
		if (k->rows[i].milestone != row->milestone)
			ERROR_AT(k, row->d->line,
				 "the atomic group %s spans two milestones; move its rows "
				 "together",
				 group);
		else if (!continues)
			ERROR_AT(k, row->d->line,
				 "the atomic group %s is not in one piece; write its rows "
				 "one behind the other",
				 group);
	}
}

static void check_leaks(const struct course *k, const struct leak *leak)
{
	for (size_t m = 0; m < k->c->nr_milestones; m++)
		leak_check(leak, k->c->milestones[m].line, "a title", k->c->milestones[m].title);
	for (size_t i = 0; i < k->nr; i++) {
		const struct decision *d = k->rows[i].d;
		const struct {
			const char *key;
			const char *text;
		} texts[] = { { "what", d->what },
			      { "value", d->value },
			      { "range", d->range },
			      { "why", d->why },
			      { "wrong_when", d->wrong_when },
			      { "atomic", d->atomic },
			      { "mechanism_none", d->mechanism.none_reason } };
		for (size_t t = 0; t < ARRAY_LEN(texts); t++) {
			AUTO_FREE char *what = xasprintf("%s %s", d->id, texts[t].key);
			leak_check(leak, d->line, what, texts[t].text);
		}
	}
}

static void check_rows(const struct course *k)
{
	for (size_t i = 0; i < k->nr; i++) {
		const struct row *row = &k->rows[i];
		check_id(k, i);
		check_substance(k, row->d);
		check_mechanism(k, row->d);
		check_expectation(k, row->d);
		check_topic(k, row);
		check_needs(k, row);
		check_atomic(k, i);
	}
}

void curriculum_lint(const struct curriculum *c, const char *reference_text, struct findings *f)
{
	AUTO_ARENA struct arena arena = { 0 };
	struct course course = { .c = c, .f = f };
	struct leak leak;
	lay_out(&course, &arena);
	if (course.nr > MAX_ROWS) {
		ERROR_AT(&course, 1, "%zu rows; a course has at most %d", course.nr, MAX_ROWS);
		return;
	}
	check_top(&course);
	for (size_t m = 0; m < c->nr_milestones; m++)
		check_milestone(&course, m);
	if (c->nr_milestones)
		check_structure(&course);
	check_rows(&course);
	check_cycles(&course, &arena);
	leak_init(&leak, reference_text, c->path, f);
	check_leaks(&course, &leak);
	leak_release(&leak);
}

static void check_cited(const struct curriculum *c, const struct decision *d,
			const struct strv *ids, struct findings *f)
{
	for (size_t i = 0; i < d->nr_lessons; i++) {
		const char *id = d->lessons[i];
		if (is_blank(id) || strv_has(ids, id))
			continue;
		const char *near = opt_nearest(id, (const char *const *)ids->items, ids->nr);
		finding_error(
			f, c->path, d->line,
			"%s cites the lesson \"%.60s\", which is not in the knowledge base%s%s; "
			"%s",
			d->id, id, near ? "; did you mean " : "", near ? near : "",
			ids->nr ? "cite by id, or drop it" : "there are no lessons: drop it");
	}
}

void curriculum_lint_lessons(const struct curriculum *c, const struct strv *ids, struct findings *f)
{
	for (size_t m = 0; m < c->nr_milestones; m++)
		for (size_t i = 0; i < c->milestones[m].nr_decisions; i++)
			check_cited(c, &c->milestones[m].decisions[i], ids, f);
}
