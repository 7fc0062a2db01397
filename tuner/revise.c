#include "tuner/revise.h"

/* Two things refute a row: the judge, and the clock. A row of M0 that is only slower stays when it
 * opens the way for others; more cores that do not pay do not. The first build stays in any case:
 * later rows hang on it. */

#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "tuner/draft.h"
#include "tuner/propose.h"

/* Slower by less than this is not told from noise by a screen of two replicates. */
#define SLOWER_RATIO 0.98

static const json_t *find_row(const json_t *digest, const char *id)
{
	size_t i;
	json_t *row;
	json_array_foreach(json_object_get(digest, "decisions"), i,
			   row) if (strcmp(json_text_or(row, "id", ""), id) == 0) return row;
	return NULL;
}

static bool fate_is(const json_t *row, const char *fate)
{
	return strcmp(json_text_or(row, "fate", "pending"), fate) == 0;
}

static bool is_pending(const json_t *row)
{
	return !row || fate_is(row, "pending");
}

static bool is_refused(const json_t *row)
{
	return row && (fate_is(row, "rolled_back") || fate_is(row, "no_candidate"));
}

/* Speed-up before or after the row; 0 when it was not measured. */
static double ratio_of(const json_t *row, const char *when)
{
	return json_real_or(json_object_get(row, when), "ratio", 0);
}

static bool is_slower(const json_t *row)
{
	if (!row || is_refused(row) || is_pending(row))
		return false;
	double before = ratio_of(row, "before");
	double after = ratio_of(row, "after");
	return fate_is(row, "kept_slower") ||
	       (before > 0 && after > 0 && after < before * SLOWER_RATIO);
}

static bool is_enabler(const struct decision *row)
{
	return row->value &&
	       (str_starts(row->value, "specialise") || str_starts(row->value, "scalarise"));
}

static const char *outcome_text(struct draft *d, const struct decision *row, const json_t *seen)
{
	const char *how =
		is_refused(seen) ? "was tried and refused" : "was tried and made it slower";
	return arena_printf(d->a, "\"%s\" %s", row->value ? row->value : row->range, how);
}

/* An M0 row that is refuted: its topic must still be settled. */
static void add_refuted(struct draft *d, const struct decision *row, const json_t *seen)
{
	struct decision absent = propose_absent(row->covers, outcome_text(d, row, seen));
	absent.what = row->what;
	absent.id = row->id;
	draft_add(d, 0, &absent);
	d->structure_epoch++;
}

static void add_structure(struct draft *d, const struct decision *row, const json_t *seen)
{
	bool is_refuted = is_refused(seen) || (is_slower(seen) && !is_enabler(row));
	if (!row->is_not_applicable && is_refuted)
		add_refuted(d, row, seen);
	else
		draft_add(d, 0, row);
}

static bool hangs_on_gone(const struct draft *d, const struct decision *row)
{
	for (size_t i = 0; i < row->nr_needs; i++)
		if (!draft_find(d, row->needs[i]))
			return true;
	return false;
}

static void add_tuning(struct draft *d, size_t milestone, const struct decision *row,
		       const json_t *seen)
{
	bool is_root = milestone == 1 && d->parts[1].nr == 0;
	bool is_blocked = is_pending(seen) && hangs_on_gone(d, row);
	if (is_refused(seen) || is_blocked || (is_slower(seen) && !is_root))
		return;
	draft_add(d, milestone, row);
}

bool revise_rows(struct draft *d, const struct curriculum *old, const json_t *digest)
{
	bool has_pending = false;
	d->version = old->version + 1;
	d->structure_epoch = old->structure_epoch;
	for (size_t m = 0; m < old->nr_milestones && m < DRAFT_MILESTONES; m++) {
		for (size_t i = 0; i < old->milestones[m].nr_decisions; i++) {
			const struct decision *row = &old->milestones[m].decisions[i];
			const json_t *seen = find_row(digest, row->id);
			if (row->value && !strv_has(&d->tried, row->value))
				strv_add(&d->tried, row->value);
			if (m == 0)
				add_structure(d, row, seen);
			else
				add_tuning(d, m, row, seen);
			const struct decision *stays = draft_find(d, row->id);
			has_pending = has_pending || (stays && stays->value && is_pending(seen));
		}
	}
	if (d->structure_epoch > old->structure_epoch)
		d->structure_epoch = old->structure_epoch + 1;
	return has_pending;
}

void revise_refused(struct strv *out, const struct curriculum *old, const json_t *digest)
{
	for (size_t m = 0; m < old->nr_milestones; m++) {
		for (size_t i = 0; i < old->milestones[m].nr_decisions; i++) {
			const struct decision *row = &old->milestones[m].decisions[i];
			AUTO_STRV struct strv rows = { 0 };
			if (!row->value || !is_refused(find_row(digest, row->id)))
				continue;
			strv_split(&rows, row->value, "|");
			if (rows.nr == 1)
				strv_add(out, row->value);
			for (size_t n = 1; n < rows.nr; n++)
				strv_add(out, rows.items[n] + strspn(rows.items[n], " "));
		}
	}
}
