#include "engine/knowledge.h"

/* One file, knowledge.json, written at once: there is no half a base. What a curriculum was written
 * by stands with it in the log as the file's digest. */

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/agent_ops.h"
#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/engine_in.h"
#include "know/kb.h"
#include "know/kb_device.h"
#include "know/recall.h"
#include "model/task.h"

enum { KNOWLEDGE_VERSION = 1, MAX_LESSONS = 256 };

static bool takes_lessons(const char *driver)
{
	const struct agent_ops *ops = agent_driver(driver);
	return ops && !ops->takes_rows_only;
}

static json_t *claims_of(const struct lesson *l)
{
	json_t *list = json_array();
	for (size_t i = 0; i < l->nr_claims; i++) {
		const struct claim *c = &l->claims[i];
		AUTO_STR struct str text = STR_INIT;
		str_addf(&text, "%s: ", c->means);
		if (!isnan(c->low))
			str_addf(&text, "at least %g %s", c->low, c->unit);
		if (!isnan(c->high))
			str_addf(&text, "%sat most %g %s", isnan(c->low) ? "" : ", ", c->high,
				 c->unit);
		json_array_append_new(list, json_string(text.text));
	}
	return list;
}

static json_t *lesson_json(const struct lesson *l)
{
	json_t *topics = json_array();
	for (size_t i = 0; i < l->nr_topics; i++)
		json_array_append_new(topics, json_string(l->topics[i]));
	return json_pack("{s:s, s:s, s:o, s:o, s:s, s:b, s:s, s:s}", "id", l->id, "title", l->title,
			 "topics", topics, "claims", claims_of(l), "applies_when", l->applies_when,
			 "negative", l->is_negative, "digest", l->digest.hex, "text", l->text);
}

/* What is certified here and for the run's language, in the order of recall. */
static int choose(const struct kb *kb, const struct kb_device *device, const char *language,
		  json_t *out, struct err *e)
{
	struct recalled found[MAX_LESSONS];
	size_t nr = 0;
	const struct recall_query query = { .language = language, .device = device };
	if (recall(kb, &query, found, MAX_LESSONS, &nr, e) < 0)
		return -1;
	for (size_t i = 0; i < nr; i++) {
		AUTO_STR struct str ignored = STR_INIT;
		const struct kb_entry *entry = found[i].entry;
		if (kb_state(entry, device, &ignored) != LESSON_certified ||
		    !lesson_has_language(&entry->lesson, language))
			continue;
		json_t *one = lesson_json(&entry->lesson);
		if (!one)
			return err_set(e, ERR_INPUT, "%s: not UTF-8", entry->lesson.path);
		json_array_append_new(out, one);
	}
	return 0;
}

/* An installation without a base, or one that can not be read, gives no lessons. */
static int collect(struct engine *g, json_t *out, struct err *e)
{
	AUTO_KB struct kb kb = { 0 };
	AUTO_KB_DEVICE struct kb_device device = { 0 };
	struct err why = { 0 };
	AUTO_FREE char *dir = kb_find_dir(&why);
	kb_device_read(&device, "", g->state.machine_doc);
	if (dir && kb_load(&kb, dir, NULL, &why) == 0)
		return choose(&kb, &device, g->task.language, out, e);
	engine_say(g, "no knowledge base: %s", why.text);
	return 0;
}

int knowledge_freeze(struct engine *g, struct err *e)
{
	AUTO_FREE char *path = engine_path(g, RUNDIR_KNOWLEDGE);
	bool is_wanted = takes_lessons(g->task.teacher) && !g->state.is_control;
	if (!is_wanted || file_exists(path))
		return 0;
	json_t *lessons = json_array();
	AUTO_JSON json_t *doc =
		json_pack("{s:i, s:o}", "version", KNOWLEDGE_VERSION, "lessons", lessons);
	if (collect(g, lessons, e) < 0)
		return err_wrap(e, "knowledge base");
	engine_say(g, "the knowledge base has %zu lessons certified here for %s",
		   json_array_size(lessons), g->task.language);
	return json_write_file(path, doc, e);
}

struct digest knowledge_digest(const struct engine *g)
{
	AUTO_FREE char *path = engine_path(g, RUNDIR_KNOWLEDGE);
	struct digest digest = { "" };
	struct err ignored = { 0 };
	if (!file_exists(path) || digest_file(path, &digest, &ignored) < 0)
		digest.hex[0] = 0;
	return digest;
}

static int check_unchanged(const struct engine *g, const char *path, struct err *e)
{
	const struct state_curriculum *now = run_state_curriculum(&g->state);
	const char *then = now && now->knowledge ? now->knowledge : NULL;
	if (!then || str_equal(knowledge_digest(g).hex, then))
		return 0;
	return err_set(e, ERR_CONFLICT,
		       "%s: changed after a curriculum was written by it; put it back", path);
}

json_t *knowledge_all(const struct engine *g, struct err *e)
{
	AUTO_FREE char *path = engine_path(g, RUNDIR_KNOWLEDGE);
	if (check_unchanged(g, path, e) < 0)
		return NULL;
	if (!file_exists(path))
		return json_array();
	AUTO_JSON json_t *doc = json_read_file(path, e);
	json_t *lessons = NULL;
	if (!doc || json_get_array(doc, "lessons", path, &lessons, e) < 0)
		return NULL;
	return json_incref(lessons);
}

static json_t *find(const json_t *all, const char *id)
{
	for (size_t i = 0; i < json_array_size(all); i++)
		if (str_equal(json_text_or(json_array_get(all, i), "id", ""), id))
			return json_array_get(all, i);
	return NULL;
}

int knowledge_offer(struct engine *g, json_t *data, struct err *e)
{
	if (knowledge_freeze(g, e) < 0)
		return -1;
	AUTO_JSON json_t *lessons = knowledge_all(g, e);
	if (!lessons)
		return -1;
	if (json_array_size(lessons))
		json_object_set(data, "knowledge", lessons);
	return 0;
}

int knowledge_cite(const struct engine *g, const struct decision *d, json_t *data, struct err *e)
{
	if (!d->nr_lessons)
		return 0;
	AUTO_JSON json_t *all = knowledge_all(g, e);
	if (!all)
		return -1;
	json_t *cited = json_array();
	for (size_t i = 0; i < d->nr_lessons; i++) {
		json_t *one = find(all, d->lessons[i]);
		if (one)
			json_array_append(cited, one);
	}
	json_object_set_new(data, "knowledge", cited);
	return 0;
}

json_t *knowledge_cites(const json_t *all, const struct decision *d)
{
	json_t *list = json_array();
	for (size_t i = 0; i < d->nr_lessons; i++) {
		const json_t *one = find(all, d->lessons[i]);
		json_array_append_new(list, json_pack("{s:s, s:s}", "id", d->lessons[i], "digest",
						      json_text_or(one, "digest", "")));
	}
	return list;
}

int knowledge_lint(const struct engine *g, const struct curriculum *c, struct findings *f,
		   struct err *e)
{
	AUTO_STRV struct strv ids = { 0 };
	AUTO_JSON json_t *all = knowledge_all(g, e);
	if (!all)
		return -1;
	for (size_t i = 0; i < json_array_size(all); i++)
		strv_add(&ids, json_text_or(json_array_get(all, i), "id", ""));
	curriculum_lint_lessons(c, &ids, f);
	return 0;
}

static int write_one(const char *dir, const json_t *lesson, struct err *e)
{
	AUTO_FREE char *path = xasprintf("%s/%s.md", dir, json_text_or(lesson, "id", ""));
	if (!lesson_is_id(json_text_or(lesson, "id", "")))
		return err_set(e, ERR_INPUT,
			       "a lesson of the run has no id; put knowledge.json back");
	if (file_write_text(path, json_text_or(lesson, "text", ""), e) < 0)
		return -1;
	return chmod(path, 0444) == 0 ? 0 : err_errno(e, ERR_SYSTEM, "chmod %s", path);
}

int knowledge_lay_out(const struct engine *g, const json_t *data, char **dir, struct err *e)
{
	const json_t *cited = json_object_get(data, "knowledge");
	AUTO_FREE char *agents = engine_path(g, RUNDIR_AGENTS);
	AUTO_FREE char *place = path_join(agents, "student-knowledge");
	*dir = NULL;
	if (tree_remove(place, e) < 0)
		return -1;
	if (!json_array_size(cited))
		return 0;
	if (dir_make(place, e) < 0)
		return -1;
	for (size_t i = 0; i < json_array_size(cited); i++)
		if (write_one(place, json_array_get(cited, i), e) < 0)
			return -1;
	*dir = take_ptr(&place);
	return 0;
}
