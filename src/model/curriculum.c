#include "model/curriculum.h"

/* Loading is strict about form (keys and types) and lenient about substance: a row without a reason
 * loads, so that curriculum_lint can name every fault of a draft at once. */

#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "base/toml.h"
#include "base/toml_fields.h"

/* Teachers' answers come from outside; a real course takes some 20 KiB. */
enum { MAX_BYTES = 256 * 1024 };

struct raw_top {
	int64_t version;
	int64_t structure_epoch;
};

static const struct toml_field top_fields[] = {
	TOML_NEEDED("version", INT, raw_top, version),
	TOML_OPTION("structure_epoch", INT, raw_top, structure_epoch),
	TOML_NESTED("milestone"),
};
static const struct toml_field milestone_fields[] = {
	TOML_NEEDED("id", TEXT, milestone, id),
	TOML_OPTION("title", TEXT, milestone, title),
	TOML_OPTION("gate", TEXT, milestone, gate),
	TOML_NESTED("decision"),
};
static const struct toml_field decision_fields[] = {
	TOML_NEEDED("id", TEXT, decision, id),
	TOML_OPTION("what", TEXT, decision, what),
	TOML_OPTION("value", VALUE, decision, value),
	TOML_OPTION("range", TEXT, decision, range),
	TOML_OPTION("why", TEXT, decision, why),
	TOML_OPTION("wrong_when", TEXT, decision, wrong_when),
	TOML_LIST("needs", decision, needs),
	TOML_OPTION("atomic", TEXT, decision, atomic),
	TOML_NESTED("mechanism"),
	TOML_OPTION("mechanism_none", TEXT, decision, mechanism.none_reason),
	TOML_OPTION("predicts", REAL, decision, predicts),
	TOML_LIST("lessons", decision, lessons),
	TOML_OPTION("covers", TEXT, decision, covers),
	TOML_OPTION("not_applicable", BOOL, decision, is_not_applicable),
};
static const struct toml_field mechanism_fields[] = {
	TOML_NEEDED("metric", TEXT, mechanism, metric),
	TOML_NEEDED("direction", TEXT, mechanism, direction),
	TOML_OPTION("at_least", REAL, mechanism, at_least),
	TOML_OPTION("by_pct", REAL, mechanism, by_pct),
	TOML_OPTION("to", REAL, mechanism, to),
};

static const struct toml_section top_section = TOML_SECTION("a curriculum", top_fields);
static const struct toml_section milestone_section =
	TOML_SECTION("[[milestone]]", milestone_fields);
static const struct toml_section decision_section =
	TOML_SECTION("[[milestone.decision]]", decision_fields);
static const struct toml_section mechanism_section = TOML_SECTION("mechanism", mechanism_fields);

/* The array of tables under `key`; NULL and 0 when absent. */
static int read_list(struct toml_loader *l, const struct toml *table, const char *key,
		     const struct toml **list)
{
	*list = toml_get(table, key);
	if (*list && (*list)->type != TOML_ARRAY)
		return toml_fail_at(l, *list, "%s must be an array of tables", key);
	return 0;
}

static int load_decision(struct toml_loader *l, const struct toml *table, struct decision *d)
{
	d->line = table->line;
	if (toml_read_fields(l, &decision_section, table, d) < 0)
		return -1;
	const struct toml *mechanism = toml_get(table, "mechanism");
	d->mechanism.has_to = mechanism && toml_get(mechanism, "to");
	return toml_read_fields(l, &mechanism_section, mechanism, &d->mechanism);
}

static int load_milestone(struct toml_loader *l, const struct toml *table, struct milestone *m)
{
	const struct toml *list;
	m->line = table->line;
	if (toml_read_fields(l, &milestone_section, table, m) < 0 ||
	    read_list(l, table, "decision", &list) < 0)
		return -1;
	size_t nr = list ? list->nr_items : 0;
	m->decisions = arena_array(l->arena, nr + 1, sizeof(*m->decisions));
	for (; m->nr_decisions < nr; m->nr_decisions++)
		if (load_decision(l, list->items[m->nr_decisions], &m->decisions[m->nr_decisions]) <
		    0)
			return -1;
	return 0;
}

static int load_milestones(struct toml_loader *l, const struct toml *root, struct curriculum *c)
{
	const struct toml *list;
	if (read_list(l, root, "milestone", &list) < 0)
		return -1;
	size_t nr = list ? list->nr_items : 0;
	c->milestones = arena_array(l->arena, nr + 1, sizeof(*c->milestones));
	for (; c->nr_milestones < nr; c->nr_milestones++)
		if (load_milestone(l, list->items[c->nr_milestones],
				   &c->milestones[c->nr_milestones]) < 0)
			return -1;
	return 0;
}

static int load_root(struct curriculum *c, const struct toml *root, struct err *e)
{
	struct raw_top raw = { .structure_epoch = 1 };
	struct toml_loader l = { c->path, &c->arena, e };
	if (toml_read_fields(&l, &top_section, root, &raw) < 0)
		return -1;
	c->version = (long)raw.version;
	c->structure_epoch = (long)raw.structure_epoch;
	return load_milestones(&l, root, c);
}

int curriculum_parse(struct curriculum *c, const char *text, const char *name, struct err *e)
{
	*c = (struct curriculum){ 0 };
	if (strlen(text) > MAX_BYTES)
		return err_set(e, ERR_INPUT, "%s:1:1: longer than %d KiB", name, MAX_BYTES / 1024);
	c->path = arena_strdup(&c->arena, name);
	const struct toml *root = toml_parse(text, strlen(text), c->path, &c->arena, e);
	if (root && load_root(c, root, e) == 0)
		return 0;
	curriculum_release(c);
	return -1;
}

int curriculum_load(struct curriculum *c, const char *path, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	*c = (struct curriculum){ 0 };
	if (file_read(path, MAX_BYTES, &text, e) < 0)
		return -1;
	if (strlen(text.text) != text.len)
		return err_set(e, ERR_INPUT, "%s:1:1: the file has a NUL byte", path);
	return curriculum_parse(c, text.text, path, e);
}

void curriculum_release(struct curriculum *c)
{
	arena_release(&c->arena);
	*c = (struct curriculum){ 0 };
}

const struct decision *curriculum_find(const struct curriculum *c, const char *id)
{
	for (size_t m = 0; m < c->nr_milestones; m++)
		for (size_t i = 0; i < c->milestones[m].nr_decisions; i++)
			if (strcmp(c->milestones[m].decisions[i].id, id) == 0)
				return &c->milestones[m].decisions[i];
	return NULL;
}
