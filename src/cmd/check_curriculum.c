#include "cmd/check_curriculum.h"

/* A finding belongs to the row whose line it has; what is left over is about milestones or the file
 * as a whole. Every fault is printed where it stands first, then one line a row says how far the
 * skeleton has come. */

#include <stdio.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "cmd/check_text.h"
#include "cmd/term.h"
#include "know/kb.h"
#include "model/curriculum.h"
#include "model/python_source.h"
#include "model/task.h"

enum { MAX_SOURCE_BYTES = 4 << 20 };

struct grade {
	const struct curriculum *c;
	const struct findings *f;
	bool has_reference;
};

/* Text of the task's reference, if agents may see it; else an empty string. */
static int read_reference(const char *dir, struct str *text, struct err *e)
{
	AUTO_TASK struct task task = { 0 };
	if (task_load(&task, dir, e) < 0)
		return -1;
	if (!task.reference_run || !task.reference_is_source)
		return 0;
	AUTO_FREE char *path = path_join(dir, task.reference_run);
	if (file_read(path, MAX_SOURCE_BYTES, text, e) < 0)
		return -1;
	if (!str_equal(task.reference_language, "python"))
		return 0;
	AUTO_FREE char *code = python_without_prose(text->text);
	str_clear(text);
	str_add(text, code);
	return 0;
}

static size_t nr_at(const struct findings *f, unsigned line)
{
	size_t nr = 0;
	for (size_t i = 0; i < f->nr; i++)
		nr += f->items[i].is_error && f->items[i].line == line;
	return nr;
}

static size_t nr_rows(const struct curriculum *c, const struct findings *f, size_t *nr_complete)
{
	size_t nr = 0;
	*nr_complete = 0;
	for (size_t m = 0; m < c->nr_milestones; m++) {
		for (size_t i = 0; i < c->milestones[m].nr_decisions; i++, nr++)
			*nr_complete += nr_at(f, c->milestones[m].decisions[i].line) == 0;
	}
	return nr;
}

static void print_row(const struct grade *g, const struct decision *d)
{
	size_t nr = nr_at(g->f, d->line);
	const char *what = d->is_not_applicable ? "complete, does not apply" : "complete";
	term_print("  %-6s line %-4u ", d->id, d->line);
	if (nr)
		term_print("%zu fault%s\n", nr, check_plural(nr));
	else
		term_print("%s\n", what);
}

static void print_rows(const struct grade *g)
{
	for (size_t m = 0; m < g->c->nr_milestones; m++) {
		const struct milestone *one = &g->c->milestones[m];
		size_t nr = nr_at(g->f, one->line);
		term_print("%s %s", one->id, one->title ? one->title : "(no title)");
		if (nr)
			term_print(": %zu fault%s of the milestone", nr, check_plural(nr));
		term_print("\n");
		for (size_t i = 0; i < one->nr_decisions; i++)
			print_row(g, &one->decisions[i]);
	}
}

static void print_grade(const struct grade *g)
{
	size_t nr_complete;
	size_t nr = nr_rows(g->c, g->f, &nr_complete);
	size_t nr_errors = check_count_errors(g->f);
	for (size_t i = 0; i < g->f->nr; i++)
		check_print_finding(&g->f->items[i]);
	print_rows(g);
	if (nr_errors)
		term_print("%s: %zu of %zu rows complete, %zu error%s\n", g->c->path, nr_complete,
			   nr, nr_errors, check_plural(nr_errors));
	else
		term_print("%s: ok: %zu rows in %zu milestones\n", g->c->path, nr,
			   g->c->nr_milestones);
	if (!g->has_reference)
		term_print("not compared with a reference; name a task in source mode for that\n");
}

static json_t *rows_json(const struct grade *g)
{
	json_t *list = json_array();
	for (size_t m = 0; m < g->c->nr_milestones; m++) {
		for (size_t i = 0; i < g->c->milestones[m].nr_decisions; i++) {
			const struct decision *d = &g->c->milestones[m].decisions[i];
			json_array_append_new(list, json_pack("{s:s, s:i, s:i}", "id", d->id,
							      "line", (int)d->line, "faults",
							      (int)nr_at(g->f, d->line)));
		}
	}
	return list;
}

static void tell(const struct grade *g, json_t *answer)
{
	if (!answer) {
		print_grade(g);
		return;
	}
	json_object_set_new(answer, "curriculum", json_string(g->c->path));
	json_object_set_new(answer, "findings", check_findings_json(g->f));
	json_object_set_new(answer, "rows", rows_json(g));
}

/* Against the base of this installation, where there is one. */
static void lint_lessons(const struct curriculum *c, struct findings *f)
{
	AUTO_KB struct kb kb = { 0 };
	AUTO_STRV struct strv ids = { 0 };
	struct err ignored = { 0 };
	AUTO_FREE char *dir = kb_find_dir(&ignored);
	if (!dir || kb_load(&kb, dir, NULL, &ignored) < 0 || !kb.nr)
		return;
	kb_ids(&kb, &ids);
	curriculum_lint_lessons(c, &ids, f);
}

int check_curriculum(const char *path, const char *task, json_t *answer, bool *is_good,
		     struct err *e)
{
	AUTO_CURRICULUM struct curriculum c = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_FINDINGS struct findings found = { 0 };
	if (task && read_reference(task, &text, e) < 0)
		return -1;
	if (curriculum_load(&c, path, e) < 0)
		return -1;
	const char *reference = text.len ? text.text : NULL;
	curriculum_lint(&c, reference, &found);
	lint_lessons(&c, &found);
	const struct grade g = { .c = &c, .f = &found, .has_reference = reference };
	tell(&g, answer);
	*is_good = check_count_errors(&found) == 0;
	return 0;
}
