#include "cmd/kb_in.h"

/* The verbs that look and run nothing: lint and stale. */

#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/check_text.h"
#include "cmd/hand.h"
#include "cmd/need_run.h"
#include "cmd/term.h"
#include "know/lesson_lint.h"

enum { MAX_SOURCE_BYTES = 4 << 20 };

static void add_reference(const char *dir, struct str *out)
{
	AUTO_TASK struct task task = { 0 };
	AUTO_STR struct str text = STR_INIT;
	struct err why = { 0 };
	if (task_load(&task, dir, &why) < 0) {
		log_warn("%s: its reference is not looked at: %s", dir, why.text);
		return;
	}
	if (!task.reference_run || !task.reference_is_source)
		return;
	AUTO_FREE char *path = path_join(dir, task.reference_run);
	if (file_read(path, MAX_SOURCE_BYTES, &text, &why) == 0 && !memchr(text.text, 0, text.len))
		str_addf(out, "%s\n", text.text);
}

int kb_references(const struct kb_call *c, struct str *out, struct err *e)
{
	const char *dir = c->tasks ? c->tasks : "tasks";
	AUTO_STRV struct strv names = { 0 };
	if (!c->tasks && !file_is_dir(dir))
		return 0;
	if (dir_list(dir, &names, e) < 0)
		return -1;
	for (size_t i = 0; i < names.nr; i++) {
		AUTO_FREE char *task = path_join(dir, names.items[i]);
		if (is_task_dir(task))
			add_reference(task, out);
	}
	return 0;
}

static int open_lint(const struct kb_call *c, struct lesson_lint *lint, struct findings *f,
		     struct err *e)
{
	AUTO_STR struct str references = STR_INIT;
	*lint = (struct lesson_lint){ .has_operators = false };
	if (kb_references(c, &references, e) < 0)
		return -1;
	return lesson_lint_init(lint, references.len ? references.text : NULL, f, e);
}

int kb_lint_entry(const struct kb_call *c, const struct kb_entry *entry, struct findings *f,
		  struct err *e)
{
	AUTO_LESSON_LINT struct lesson_lint lint;
	if (open_lint(c, &lint, f, e) < 0)
		return -1;
	lesson_lint(&lint, entry);
	return 0;
}

/* Of one file; NULL: of all. */
static void copy_findings(const struct findings *from, const char *file, struct findings *to)
{
	for (size_t i = 0; i < from->nr; i++)
		if (!file || str_equal(from->items[i].file, file))
			finding_error(to, from->items[i].file, from->items[i].line, "%s",
				      from->items[i].text);
}

static int lint_known(const struct kb_call *c, const struct lesson_lint *lint, const char *id,
		      struct err *e)
{
	const struct kb_entry *entry = kb_need(&c->kb, id, e);
	if (!entry)
		return -1;
	copy_findings(&c->unreadable, entry->lesson.path, lint->findings);
	lesson_lint(lint, entry);
	return 0;
}

/* A lesson of the base by its id, or a file. */
static int lint_named(struct kb_call *c, const struct lesson_lint *lint, const char *name,
		      struct err *e)
{
	struct kb_entry own = { .certs = NULL };
	if (!strchr(name, '/') && !str_ends(name, ".md"))
		return lint_known(c, lint, name, e);
	int rc = lesson_load(&own.lesson, name, e);
	if (rc == 0)
		rc = cert_load(&own.lesson, &own.certs, e);
	if (rc == 0)
		lesson_lint(lint, &own);
	json_decref(own.certs);
	lesson_release(&own.lesson);
	return rc;
}

static int lint_all(struct kb_call *c, const struct lesson_lint *lint, struct err *e)
{
	for (size_t i = 0; i < c->operands->nr; i++)
		if (lint_named(c, lint, c->operands->items[i], e) < 0)
			return -1;
	if (!c->operands->nr) {
		copy_findings(&c->unreadable, NULL, lint->findings);
		lesson_lint_base(lint, &c->kb);
	}
	return 0;
}

static void print_findings(const struct kb_call *c, const struct findings *f)
{
	size_t nr_errors = check_count_errors(f);
	AUTO_FREE char *named = strv_join(c->operands, ", ");
	for (size_t i = 0; i < f->nr; i++)
		check_print_finding(&f->items[i]);
	size_t nr = c->operands->nr ? c->operands->nr : c->kb.nr;
	if (nr_errors)
		term_print("%zu error%s in %zu lesson%s\n", nr_errors, check_plural(nr_errors), nr,
			   check_plural(nr));
	else
		term_print("%s: ok: %zu lesson%s\n", c->operands->nr ? named : c->base, nr,
			   check_plural(nr));
}

int kb_lint(struct kb_call *c, struct err *e)
{
	AUTO_FINDINGS struct findings found = { 0 };
	AUTO_LESSON_LINT struct lesson_lint lint;
	if (open_lint(c, &lint, &found, e) < 0 || lint_all(c, &lint, e) < 0)
		return -1;
	if (c->is_json) {
		AUTO_JSON json_t *answer =
			json_pack("{s:i, s:s, s:o}", "version", 1, "base", c->base, "findings",
				  check_findings_json(&found));
		hand_print_json(answer);
	} else {
		print_findings(c, &found);
	}
	return check_count_errors(&found) ? 1 : 0;
}

int kb_stale(struct kb_call *c, struct err *e)
{
	size_t nr = 0;
	size_t nr_certified = 0;
	if (kb_call_open_host(c, e) < 0)
		return -1;
	AUTO_JSON json_t *answer = kb_answer(c);
	json_t *list = json_array();
	json_object_set_new(answer, "lessons", list);
	for (size_t i = 0; i < c->kb.nr; i++) {
		const struct kb_entry *entry = &c->kb.items[i];
		AUTO_STR struct str said = STR_INIT;
		AUTO_STR struct str ignored = STR_INIT;
		enum lesson_state state = kb_state(entry, &c->place.device, &ignored);
		if (state == LESSON_not_applicable || !kb_call_means(c, &entry->lesson))
			continue;
		if (state == LESSON_certified) {
			nr_certified++;
			continue;
		}
		nr++;
		kb_add_state(c, entry, &said);
		json_array_append_new(list, kb_entry_json(c, entry));
		if (!c->is_json)
			term_print("%s: %s\n", entry->lesson.id, said.text);
	}
	if (c->is_json)
		hand_print_json(answer);
	else if (nr)
		term_print("%zu of %zu lessons are not certified here: forge kb certify --all\n",
			   nr, c->kb.nr);
	else if (nr_certified)
		term_print("every lesson that applies is certified here\n");
	else
		term_print("no lesson%s%s applies here\n", c->family ? " of family " : "",
			   c->family ? c->family : "");
	return nr ? 1 : 0;
}
