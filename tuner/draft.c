#include "tuner/draft.h"

#include <string.h>

#include "base/mem.h"

static const char tried_mark[] = "# tried: ";
static const char refused_mark[] = "# refused: ";
static const char priced_mark[] = "# priced: ";

/* One above the highest number in use. */
static unsigned next_number(const struct draft_part *part)
{
	unsigned most = 0;
	for (size_t i = 0; i < part->nr; i++) {
		const char *dot = strchr(part->items[i].id, '.');
		unsigned n = dot ? (unsigned)strtoul(dot + 1, NULL, 10) : 0;
		most = n > most ? n : most;
	}
	return most + 1;
}

struct decision *draft_add(struct draft *d, size_t milestone, const struct decision *row)
{
	struct draft_part *part = &d->parts[milestone];
	if (part->nr == part->cap) {
		size_t cap = part->cap ? 2 * part->cap : 16;
		struct decision *items = arena_array(d->a, cap, sizeof(*items));
		if (part->nr)
			memcpy(items, part->items, part->nr * sizeof(*items));
		part->items = items;
		part->cap = cap;
	}
	struct decision *own = &part->items[part->nr];
	*own = *row;
	if (!own->id)
		own->id = arena_printf(d->a, "D%zu.%u", milestone, next_number(part));
	part->nr++;
	return own;
}

const struct decision *draft_find(const struct draft *d, const char *id)
{
	for (size_t m = 0; m < DRAFT_MILESTONES; m++)
		for (size_t i = 0; i < d->parts[m].nr; i++)
			if (strcmp(d->parts[m].items[i].id, id) == 0)
				return &d->parts[m].items[i];
	return NULL;
}

const struct decision *draft_find_value(const struct draft *d, const char *value)
{
	for (size_t m = 0; m < DRAFT_MILESTONES; m++)
		for (size_t i = 0; i < d->parts[m].nr; i++)
			if (str_equal(d->parts[m].items[i].value, value))
				return &d->parts[m].items[i];
	return NULL;
}

static void keep_needs(const struct draft *d, struct decision *row)
{
	size_t nr = 0;
	for (size_t i = 0; i < row->nr_needs; i++) {
		const struct decision *other = draft_find(d, row->needs[i]);
		if (other && !other->is_not_applicable)
			row->needs[nr++] = row->needs[i];
	}
	row->nr_needs = nr;
}

static bool is_needed(const struct draft *d, const char *id)
{
	for (size_t m = 0; m < DRAFT_MILESTONES; m++)
		for (size_t i = 0; i < d->parts[m].nr; i++)
			for (size_t n = 0; n < d->parts[m].items[i].nr_needs; n++)
				if (strcmp(d->parts[m].items[i].needs[n], id) == 0)
					return true;
	return false;
}

static void add_need(const struct draft *d, struct decision *row, const char *id)
{
	row->needs = arena_array(d->a, 1, sizeof(*row->needs));
	row->needs[row->nr_needs++] = id;
}

/* A root that nothing hangs on rests on the structure. */
static void hold_root(const struct draft *d, struct decision *root)
{
	for (size_t i = 0; i < d->parts[0].nr; i++) {
		if (d->parts[0].items[i].is_not_applicable)
			continue;
		add_need(d, root, d->parts[0].items[i].id);
		return;
	}
}

void draft_connect(struct draft *d)
{
	struct decision *root = NULL;
	for (size_t m = 0; m < DRAFT_MILESTONES; m++) {
		for (size_t i = 0; i < d->parts[m].nr; i++) {
			struct decision *row = &d->parts[m].items[i];
			keep_needs(d, row);
			if (m && root && !row->nr_needs)
				add_need(d, row, root->id);
			root = m && !root ? row : root;
		}
	}
	if (root && !root->nr_needs && !is_needed(d, root->id))
		hold_root(d, root);
}

static void print_text(struct str *out, const char *key, const char *text)
{
	if (!text)
		return;
	str_addf(out, "%s = \"", key);
	for (const char *c = text; *c; c++) {
		if (*c == '"' || *c == '\\')
			str_add_char(out, '\\');
		str_add_char(out, (unsigned char)*c < ' ' ? ' ' : *c);
	}
	str_add(out, "\"\n");
}

static void print_list(struct str *out, const char *key, const char *const *items, size_t nr)
{
	if (!nr)
		return;
	str_addf(out, "%s = [", key);
	for (size_t i = 0; i < nr; i++)
		str_addf(out, "%s\"%s\"", i ? ", " : "", items[i]);
	str_add(out, "]\n");
}

static void print_mechanism(struct str *out, const struct mechanism *m)
{
	if (!m->metric) {
		print_text(out, "mechanism_none", m->none_reason);
		return;
	}
	str_addf(out, "mechanism = { metric = \"%s\", direction = \"%s\"", m->metric, m->direction);
	if (m->at_least > 0)
		str_addf(out, ", at_least = %.3f", m->at_least);
	str_add(out, " }\n");
}

static void print_row(struct str *out, const struct decision *row)
{
	str_add(out, "\n[[milestone.decision]]\n");
	print_text(out, "id", row->id);
	print_text(out, "covers", row->covers);
	print_text(out, "what", row->what);
	print_text(out, "value", row->value);
	print_text(out, "range", row->range);
	print_text(out, "why", row->why);
	print_text(out, "wrong_when", row->wrong_when);
	print_list(out, "needs", row->needs, row->nr_needs);
	print_text(out, "atomic", row->atomic);
	print_mechanism(out, &row->mechanism);
	if (row->predicts > 0)
		str_addf(out, "predicts = %.3f\n", row->predicts);
	print_list(out, "lessons", row->lessons, row->nr_lessons);
	if (row->is_not_applicable)
		str_add(out, "not_applicable = true\n");
}

static void print_notes(struct str *out, const char *mark, const struct strv *values)
{
	for (size_t i = 0; i < values->nr; i++)
		str_addf(out, "%s%s\n", mark, values->items[i]);
}

void draft_print(const struct draft *d, struct str *out)
{
	print_notes(out, tried_mark, &d->tried);
	print_notes(out, refused_mark, &d->refused);
	print_notes(out, priced_mark, &d->priced);
	str_addf(out, "version = %ld\nstructure_epoch = %ld\n", d->version, d->structure_epoch);
	for (size_t m = 0; m < DRAFT_MILESTONES; m++) {
		const struct draft_part *part = &d->parts[m];
		if (!part->nr)
			return;
		str_addf(out, "\n[[milestone]]\nid = \"M%zu\"\n", m);
		print_text(out, "title", part->title);
		print_text(out, "gate", m ? "correctness+performance+mechanism" : "correctness");
		for (size_t i = 0; i < part->nr; i++)
			print_row(out, &part->items[i]);
	}
}

static void read_note(struct strv *values, const char *line, const char *mark)
{
	if (str_starts(line, mark))
		strv_add(values, line + strlen(mark));
}

void draft_read_notes(struct draft *d, const char *toml)
{
	AUTO_STRV struct strv lines = { 0 };
	strv_split(&lines, toml, "\n");
	for (size_t i = 0; i < lines.nr; i++) {
		read_note(&d->tried, lines.items[i], tried_mark);
		read_note(&d->refused, lines.items[i], refused_mark);
		read_note(&d->priced, lines.items[i], priced_mark);
	}
}

void draft_release(struct draft *d)
{
	strv_release(&d->tried);
	strv_release(&d->refused);
	strv_release(&d->priced);
}
