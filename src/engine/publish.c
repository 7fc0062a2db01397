#include "engine/publish.h"

/* Refused drafts go back with the lint's findings, at most three times. Version and structure
 * epoch are forge's: a teacher that miscounts has its text taken and the numbers set in the event,
 * so the file and the event agree on the file's name. */

#include <string.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/course.h"
#include "engine/engine_in.h"
#include "engine/knowledge.h"
#include "engine/structure.h"
#include "engine/teacher_tools.h"
#include "engine/turns.h"
#include "model/python_source.h"
#include "store/seal.h"

enum { MAX_SOURCE_BYTES = 4 << 20, MAX_FINDINGS = 40 };

char *publish_reference_text(const struct engine *g)
{
	AUTO_FREE char *path = engine_path(g, RUNDIR_REFERENCE_SOURCE);
	AUTO_STR struct str text = STR_INIT;
	struct err ignored = { 0 };
	if (seal_read(path, MAX_SOURCE_BYTES, &text, &ignored) < 0)
		return NULL;
	/* Compiled: it has no words. */
	if (memchr(text.text, 0, text.len))
		return NULL;
	if (str_equal(g->task.reference_language, "python"))
		return python_without_prose(text.text);
	return xstrdup(text.text);
}

/* Errors of a draft as a JSON array of text; empty: it may be published. */
static json_t *lint_draft(const struct engine *g, const char *toml, struct curriculum *c)
{
	json_t *errors = json_array();
	struct err why = { 0 };
	if (curriculum_parse(c, toml, "curriculum", &why) < 0) {
		json_array_append_new(errors, json_string(why.text));
		return errors;
	}
	AUTO_FREE char *reference = publish_reference_text(g);
	struct findings found = { 0 };
	curriculum_lint(c, reference, &found);
	if (knowledge_lint(g, c, &found, &why) < 0)
		finding_error(&found, "knowledge.json", 1, "%s", why.text);
	for (size_t i = 0; i < found.nr && json_array_size(errors) < MAX_FINDINGS; i++)
		if (found.items[i].is_error)
			json_array_append_new(errors,
					      json_sprintf("line %u: %s", found.items[i].line,
							   found.items[i].text));
	findings_release(&found);
	return errors;
}

static json_t *decision_body(const struct decision *d, const json_t *lessons)
{
	json_t *needs = json_array();
	for (size_t i = 0; i < d->nr_needs; i++)
		json_array_append_new(needs, json_string(d->needs[i]));
	const char *value = d->value ? d->value : d->range;
	json_t *row =
		json_pack("{s:s, s:s?, s:s, s:s?, s:s?, s:o, s:b}", "id", d->id, "what", d->what,
			  "value", value ? value : "", "why", d->why, "wrong_when", d->wrong_when,
			  "needs", needs, "not_applicable", d->is_not_applicable);
	if (row && d->nr_lessons)
		json_object_set_new(row, "lessons", knowledge_cites(lessons, d));
	return row;
}

static json_t *milestones_body(const struct curriculum *c, const json_t *lessons)
{
	json_t *list = json_array();
	for (size_t i = 0; i < c->nr_milestones; i++) {
		const struct milestone *m = &c->milestones[i];
		json_t *rows = json_array();
		for (size_t j = 0; j < m->nr_decisions; j++)
			json_array_append_new(rows, decision_body(&m->decisions[j], lessons));
		json_array_append_new(list,
				      json_pack("{s:s, s:s?, s:s?, s:o}", "id", m->id, "title",
						m->title, "gate", m->gate, "decisions", rows));
	}
	return list;
}

static void keep_row(void *ctx, const struct state_decision *old)
{
	json_t *milestones = ctx;
	size_t i, j;
	json_t *m, *row;
	json_array_foreach(milestones, i, m)
	{
		json_array_foreach(json_object_get(m, "decisions"), j, row)
		{
			if (!str_equal(json_text_or(row, "id", ""), old->id))
				continue;
			json_object_set_new(row, "fate",
					    json_string(decision_fate_name(old->fate)));
			json_object_set_new(row, "round", json_integer(old->round));
		}
	}
}

static int announce(struct engine *g, const struct publish_spec *spec, const struct curriculum *c,
		    const char *path, struct err *e)
{
	AUTO_FREE char *whole = path_join(g->run_dir, path);
	const struct state_curriculum *old = run_state_curriculum(&g->state);
	long version = old ? old->version + 1 : 1;
	struct digest digest;
	if (digest_file(whole, &digest, e) < 0)
		return -1;
	AUTO_JSON json_t *lessons = knowledge_all(g, e);
	const struct digest knowledge = knowledge_digest(g);
	if (!lessons)
		return -1;
	json_t *milestones = milestones_body(c, lessons);
	if (old)
		course_reuse(old, c, keep_row, milestones);
	return engine_event(g, EVENT_curriculum_published, e,
			    "{s:I, s:I, s:s, s:s, s:s, s:s*, s:i, s:o}", "version",
			    (json_int_t)version, "epoch", (json_int_t)structure_epoch(g, c), "path",
			    path, "digest", digest.hex, "reason", spec->reason, "knowledge",
			    json_array_size(lessons) ? knowledge.hex : NULL, "after_round",
			    (int)g->state.nr_rounds, "milestones", milestones);
}

static int write_version(struct engine *g, const struct publish_spec *spec, const char *toml,
			 const struct curriculum *c, struct err *e)
{
	const struct state_curriculum *old = run_state_curriculum(&g->state);
	AUTO_FREE char *relative = xasprintf("%sv%ld.toml", rundir_name(RUNDIR_CURRICULUM),
					     old ? old->version + 1 : 1);
	AUTO_FREE char *whole = path_join(g->run_dir, relative);
	if (file_write_text(whole, toml, e) < 0)
		return -1;
	return announce(g, spec, c, relative, e);
}

/* 1 published, 0 refused with `errors`, -1 trouble. */
static int try_draft(struct engine *g, const struct publish_spec *spec, const char *toml,
		     json_t **errors, struct err *e)
{
	AUTO_CURRICULUM struct curriculum c = { 0 };
	*errors = lint_draft(g, toml, &c);
	if (json_array_size(*errors))
		return 0;
	return write_version(g, spec, toml, &c, e) < 0 ? -1 : 1;
}

static int refuse(struct engine *g, const struct publish_spec *spec, unsigned attempt,
		  const char *toml, json_t *errors, struct err *e)
{
	json_object_set(spec->data, "errors", errors);
	json_object_set_new(spec->data, "previous", json_string(toml));
	/* A resumed run walks through the refusals it recorded before. */
	if (g->state.nr_refused >= attempt)
		return 0;
	return engine_event(g, EVENT_curriculum_refused, e, "{s:i, s:O}", "attempt", (int)attempt,
			    "findings", errors);
}

/* One turn and its outcome: 1 published, 0 refused (go on), 2 the teacher has nothing. */
static int attempt_once(struct engine *g, const struct publish_spec *spec, unsigned attempt,
			struct str *why, struct err *e)
{
	AUTO_AGENT_ANSWER struct agent_answer answer = { 0 };
	AUTO_FREE char *purpose = xasprintf("%s-%u", spec->purpose, attempt);
	const struct turn_spec turn = {
		.role = AGENT_TEACHER,
		.kind = spec->kind,
		.purpose = purpose,
		.data = spec->data,
		.has_tools = true,
	};
	if (knowledge_offer(g, spec->data, e) < 0)
		return -1;
	json_object_set_new(spec->data, "tools", teacher_tools_offer(g));
	if (turn_ask(g, &turn, &answer, e) < 0)
		return -1;
	str_clear(why);
	if (answer.kind != ANSWER_CURRICULUM) {
		str_addf(why, "the teacher answered %s: %s", answer_kind_name(answer.kind),
			 answer.text);
		return 2;
	}
	AUTO_JSON json_t *errors = NULL;
	int done = try_draft(g, spec, answer.text, &errors, e);
	if (done != 0)
		return done;
	str_addf(why, "the draft was refused: %s", json_string_value(json_array_get(errors, 0)));
	return refuse(g, spec, attempt, answer.text, errors, e);
}

int publish(struct engine *g, const struct publish_spec *spec, struct str *why, struct err *e)
{
	for (unsigned attempt = 1; attempt <= 1 + PUBLISH_REPAIRS; attempt++) {
		int done = attempt_once(g, spec, attempt, why, e);
		if (done != 0)
			return done == 2 ? 0 : done;
	}
	return 0;
}

int publish_load(struct engine *g, struct err *e)
{
	const struct state_curriculum *now = run_state_curriculum(&g->state);
	if (!now || now->version == g->course_version)
		return 0;
	if (g->course_version)
		curriculum_release(&g->course);
	g->course_version = 0;
	AUTO_FREE char *path = path_join(g->run_dir, now->path);
	struct digest digest;
	if (digest_file(path, &digest, e) < 0)
		return -1;
	if (!str_equal(digest.hex, now->digest))
		return err_set(e, ERR_CONFLICT, "%s: changed after it was published; put it back",
			       path);
	if (curriculum_load(&g->course, path, e) < 0)
		return -1;
	g->course_version = now->version;
	return 0;
}
