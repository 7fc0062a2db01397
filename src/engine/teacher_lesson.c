#include "engine/teacher_tools_in.h"

/* A proposal is linted at once, against the reference of this run too, so that the teacher can mend
 * it while it still knows what it measured. Its probe is not run here: it enters the base, or not,
 * when a person says so (`forge kb review`), on the machine where that person is. */

#include "base/err.h"
#include "base/json.h"
#include "engine/engine_in.h"
#include "engine/knowledge.h"
#include "engine/publish.h"
#include "know/kb.h"
#include "know/lesson_lint.h"
#include "know/queue.h"

enum { MAX_FINDINGS = 20 };

/* Of a lesson that lies in the queue. */
static int lint(const struct tool_call *c, const struct kb_entry *entry, struct findings *f,
		struct err *e)
{
	AUTO_FREE char *reference = publish_reference_text(c->g);
	AUTO_LESSON_LINT struct lesson_lint rules;
	if (lesson_lint_init(&rules, reference, f, e) < 0)
		return -1;
	lesson_lint(&rules, entry);
	return 0;
}

static size_t add_findings(const struct findings *f, struct tool_outcome *o)
{
	size_t nr = 0;
	for (size_t i = 0; i < f->nr && nr < MAX_FINDINGS; i++) {
		if (!f->items[i].is_error)
			continue;
		str_addf(&o->text, "%sline %u: %s", nr++ ? "\n" : "", f->items[i].line,
			 f->items[i].text);
	}
	return nr;
}

static int look_at(const struct tool_call *c, const struct kb_entry *entry, struct tool_outcome *o,
		   struct err *e)
{
	AUTO_FINDINGS struct findings found = { 0 };
	if (lint(c, entry, &found, e) < 0)
		return -1;
	if (add_findings(&found, o)) {
		o->name = "failed";
		return queue_drop(&entry->lesson, e);
	}
	str_addf(&o->text, "%s waits for a person: forge kb review", entry->lesson.id);
	return 0;
}

static bool is_known(const struct tool_call *c, const char *id, bool *out, struct err *e)
{
	AUTO_JSON json_t *all = knowledge_all(c->g, e);
	*out = false;
	for (size_t i = 0; i < json_array_size(all); i++)
		*out = *out || str_equal(json_text_or(json_array_get(all, i), "id", ""), id);
	return all != NULL;
}

static int load_and_look(const struct tool_call *c, const char *dir, const char *id,
			 struct tool_outcome *o, struct err *e)
{
	AUTO_KB struct kb queue = { 0 };
	bool has_it = false;
	if (kb_load(&queue, dir, NULL, e) < 0 || !is_known(c, id, &has_it, e))
		return -1;
	const struct kb_entry *entry = kb_find(&queue, id);
	if (!entry)
		return err_set(e, ERR_SYSTEM, "%s: the lesson %s is not there any more", dir, id);
	if (!has_it)
		return look_at(c, entry, o, e);
	o->name = "failed";
	str_addf(&o->text, "the knowledge base has a lesson %s; choose another id", id);
	return queue_drop(&entry->lesson, e);
}

int tool_propose(const struct tool_call *c, struct tool_outcome *o, struct err *e)
{
	AUTO_FREE char *dir = engine_path(c->g, RUNDIR_LESSONS);
	AUTO_STR struct str id = STR_INIT;
	AUTO_STR struct str refused = STR_INIT;
	if (queue_put(dir, json_text_or(c->asked, "lesson", ""),
		      json_text_or(c->asked, "probe", ""), &id, &refused, e) < 0)
		return -1;
	if (!refused.len)
		return load_and_look(c, dir, id.text, o, e);
	o->name = "failed";
	str_add(&o->text, refused.text);
	return 0;
}
