#include "cmd/cmd.h"

/* The knowledge base. What a lesson is worth is said of the machine that would use it, so nearly
 * every verb asks the host what it is first. */

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"
#include "cmd/check_text.h"
#include "cmd/hand.h"
#include "cmd/kb_in.h"
#include "cmd/term.h"
#include "know/recall.h"

enum { MAX_FOUND = 20 };

static const struct verb {
	const char *name;
	size_t min_operands;
	int max_operands;
	bool needs_base;
	const char *text;
	kb_verb_fn run;
} verbs[] = {
#define KB_VERB(name, min, max, needs_base, text) { #name, min, max, needs_base, text, kb_##name },
#include "cmd/kb_verbs.def"
#undef KB_VERB
};

int kb_call_open_host(struct kb_call *c, struct err *e)
{
	return c->place.host ? 0 : kb_host_open(&c->place, c->host, e);
}

void kb_add_state(const struct kb_call *c, const struct kb_entry *entry, struct str *out)
{
	AUTO_STR struct str why = STR_INIT;
	enum lesson_state state = kb_state(entry, &c->place.device, &why);
	str_add(out, lesson_state_name(state));
	if (why.len)
		str_addf(out, " (%s)", why.text);
}

static json_t *device_json(const struct kb_device *d)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s}", "host", d->host, "family", d->family, "name",
			 d->name, "compiler", d->compiler, "driver", d->driver);
}

json_t *kb_answer(const struct kb_call *c)
{
	const struct kb_device *d = &c->place.device;
	json_t *gpu = d->gpu ? device_json(d->gpu) : NULL;
	return json_pack("{s:i, s:s, s:o, s:o?}", "version", 1, "base", c->base, "device",
			 device_json(d), "gpu", gpu);
}

bool kb_call_means(const struct kb_call *c, const struct lesson *l)
{
	return !c->family || str_equal(c->family, l->family);
}

static json_t *texts(const char *const *items, size_t nr)
{
	json_t *list = json_array();
	for (size_t i = 0; i < nr; i++)
		json_array_append_new(list, json_string(items[i]));
	return list;
}

json_t *kb_entry_json(const struct kb_call *c, const struct kb_entry *entry)
{
	const struct lesson *l = &entry->lesson;
	AUTO_STR struct str why = STR_INIT;
	enum lesson_state state = kb_state(entry, &c->place.device, &why);
	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:b, s:s, s:s, s:s}", "id", l->id, "title",
			 l->title, "family", l->family, "languages",
			 texts(l->languages, l->nr_languages), "topics",
			 texts(l->topics, l->nr_topics), "negative", l->is_negative, "state",
			 lesson_state_name(state), "why", why.text, "path", l->path);
}

static bool is_shown(const struct kb_call *c, const struct lesson *l)
{
	return kb_call_means(c, l) && (!c->language || lesson_has_language(l, c->language)) &&
	       (!c->topic || lesson_has_topic(l, c->topic));
}

static void add_heading(struct table *t)
{
	table_init(t, "llll");
	table_line(t, "lesson\tfamily\there\ttitle");
}

static void add_row(const struct kb_call *c, const struct kb_entry *entry, struct table *t)
{
	AUTO_STR struct str ignored = STR_INIT;
	table_add(t, entry->lesson.id);
	table_add(t, entry->lesson.family);
	table_add(t, lesson_state_name(kb_state(entry, &c->place.device, &ignored)));
	table_add(t, entry->lesson.title);
}

static void print_counts(const struct kb_call *c, size_t nr, const size_t *by_state)
{
	AUTO_STR struct str out = STR_INIT;
	str_addf(&out, "%zu lesson%s in %s", nr, check_plural(nr), c->base);
	const char *before = ": ";
	for (int s = 0; s < LESSON_NR_STATES; s++) {
		if (!by_state[s])
			continue;
		str_addf(&out, "%s%zu %s", before, by_state[s],
			 lesson_state_name((enum lesson_state)s));
		before = ", ";
	}
	const struct kb_device *gpu = c->place.device.gpu;
	term_print("%s; here is %s%s%s\n", out.text, c->place.device.name, gpu ? ", " : "",
		   gpu ? gpu->name : "");
}

static void print_unreadable(const struct kb_call *c)
{
	for (size_t i = 0; i < c->unreadable.nr; i++)
		check_print_finding(&c->unreadable.items[i]);
}

int kb_list(struct kb_call *c, struct err *e)
{
	size_t by_state[LESSON_NR_STATES] = { 0 };
	size_t nr = 0;
	AUTO_TABLE struct table t = { 0 };
	AUTO_STR struct str out = STR_INIT;
	json_t *list = json_array();
	if (kb_call_open_host(c, e) < 0) {
		json_decref(list);
		return -1;
	}
	add_heading(&t);
	for (size_t i = 0; i < c->kb.nr; i++) {
		AUTO_STR struct str ignored = STR_INIT;
		const struct kb_entry *entry = &c->kb.items[i];
		if (!is_shown(c, &entry->lesson))
			continue;
		nr++;
		by_state[kb_state(entry, &c->place.device, &ignored)]++;
		json_array_append_new(list, kb_entry_json(c, entry));
		add_row(c, entry, &t);
	}
	AUTO_JSON json_t *answer = kb_answer(c);
	json_object_set_new(answer, "lessons", list);
	if (c->is_json) {
		hand_print_json(answer);
		return 0;
	}
	print_unreadable(c);
	if (nr) {
		table_print(&t, "", &out);
		term_put(out.text);
	}
	print_counts(c, nr, by_state);
	return 0;
}

static void print_found(const struct kb_call *c, const struct recalled *found, size_t nr)
{
	AUTO_TABLE struct table t = { 0 };
	AUTO_STR struct str out = STR_INIT;
	add_heading(&t);
	for (size_t i = 0; i < nr; i++)
		add_row(c, found[i].entry, &t);
	table_print(&t, "", &out);
	if (nr)
		term_put(out.text);
	else
		term_print("no lesson in %s speaks of it\n", c->base);
}

static json_t *found_json(const struct kb_call *c, const struct recalled *found, size_t nr)
{
	json_t *list = json_array();
	for (size_t i = 0; i < nr; i++) {
		json_t *one = kb_entry_json(c, found[i].entry);
		json_object_set_new(one, "score", json_number(found[i].score));
		json_array_append_new(list, one);
	}
	return list;
}

int kb_search(struct kb_call *c, struct err *e)
{
	struct recalled found[MAX_FOUND];
	size_t nr = 0;
	AUTO_FREE char *words = strv_join(c->operands, " ");
	if (kb_call_open_host(c, e) < 0)
		return -1;
	const struct recall_query query = { .words = words,
					    .language = c->language,
					    .topic = c->topic,
					    .device = &c->place.device };
	if (recall(&c->kb, &query, found, MAX_FOUND, &nr, e) < 0)
		return -1;
	if (!c->is_json) {
		print_found(c, found, nr);
		return 0;
	}
	AUTO_JSON json_t *answer = kb_answer(c);
	json_object_set_new(answer, "lessons", found_json(c, found, nr));
	hand_print_json(answer);
	return 0;
}

static void print_lesson(const struct kb_call *c, const struct kb_entry *entry)
{
	AUTO_STR struct str state = STR_INIT;
	size_t i;
	json_t *one;
	kb_add_state(c, entry, &state);
	term_print("%s\n", entry->lesson.path);
	term_print("here: %s\n", state.text);
	json_array_foreach(json_object_get(entry->certs, "certificates"), i, one)
	{
		AUTO_STR struct str claims = STR_INIT;
		kb_add_claims(one, &claims);
		term_print("%s on %s, %s, %s, %s: %s\n", json_text_or(one, "state", ""),
			   json_text_or(one, "device", ""), json_text_or(one, "compiler", ""),
			   json_text_or(one, "driver", ""), json_text_or(one, "date", ""),
			   claims.text);
	}
	term_put("\n");
	term_put(entry->lesson.text);
}

int kb_show(struct kb_call *c, struct err *e)
{
	const struct kb_entry *entry = kb_need(&c->kb, c->operands->items[0], e);
	if (!entry || kb_call_open_host(c, e) < 0)
		return -1;
	if (!c->is_json) {
		print_lesson(c, entry);
		return 0;
	}
	AUTO_JSON json_t *answer = kb_answer(c);
	json_t *lesson = kb_entry_json(c, entry);
	json_object_set_new(lesson, "text", json_string(entry->lesson.text));
	json_object_set_new(lesson, "certificates",
			    entry->certs
				    ? json_deep_copy(json_object_get(entry->certs, "certificates"))
				    : json_array());
	json_object_set_new(answer, "lesson", lesson);
	hand_print_json(answer);
	return 0;
}

static int refuse_verb(const char *name, struct err *e)
{
	const char *names[ARRAY_LEN(verbs)];
	AUTO_STR struct str known = STR_INIT;
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
		names[i] = verbs[i].name;
		str_addf(&known, "%s%s", i ? ", " : "", names[i]);
	}
	const char *near = opt_nearest(name, names, ARRAY_LEN(names));
	return err_set(e, ERR_USAGE, "kb: '%s' is no verb%s%s%s: %s", name,
		       near ? "; did you mean '" : "", near ? near : "", near ? "'? They are" : "",
		       known.text);
}

static const struct verb *find_verb(const char *name, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
		if (str_equal(verbs[i].name, name))
			return &verbs[i];
	refuse_verb(name, e);
	return NULL;
}

static int check_operands(const struct verb *v, const struct strv *operands, struct err *e)
{
	if (operands->nr < v->min_operands)
		return err_set(e, ERR_USAGE, "kb %s: an operand is missing: %s", v->name, v->text);
	if (v->max_operands >= 0 && operands->nr > (size_t)v->max_operands)
		return err_set(e, ERR_USAGE, "kb %s: one operand too many: '%s'", v->name,
			       operands->items[v->max_operands]);
	return 0;
}

/* A word that no lesson can have is a slip of the pen; nothing found would be no answer to it. */
static int refuse_words(const struct verb *v, const struct kb_call *c, struct err *e)
{
	if (c->family && !lesson_is_family(c->family))
		return err_set(e, ERR_USAGE,
			       "kb %s: there is no device family %s; forge kb list shows those of "
			       "the lessons",
			       v->name, c->family);
	if (c->language && !lesson_is_language(c->language))
		return err_set(e, ERR_USAGE,
			       "kb %s: lessons have no language %s; they have c, cuda and python",
			       v->name, c->language);
	if (c->topic && !lesson_is_topic(c->topic))
		return err_set(e, ERR_USAGE,
			       "kb %s: there is no topic %s; docs/format/lesson.md lists them",
			       v->name, c->topic);
	return 0;
}

static int run_verb(const struct verb *v, struct kb_call *c, struct err *e)
{
	AUTO_FREE char *found = c->base ? xstrdup(c->base) : kb_find_dir(e);
	if (!found || check_operands(v, c->operands, e) < 0 || refuse_words(v, c, e) < 0)
		return -1;
	c->base = found;
	int rc = -1;
	if ((!v->needs_base && !file_is_dir(found)) ||
	    kb_load(&c->kb, found, &c->unreadable, e) == 0)
		rc = v->run(c, e);
	kb_host_close(&c->place);
	kb_release(&c->kb);
	findings_release(&c->unreadable);
	return rc;
}

int cmd_kb(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	struct kb_call c = { .tasks = NULL };
	const struct opt rows[] = {
		{ 0, "base", OPT_TEXT, "DIR", "the base; else FORGE_KB, else that of this forge",
		  &c.base },
		{ 0, "host", OPT_TEXT, "HOST", "where probes run, and whose device is meant",
		  &c.host },
		{ 0, "all", OPT_FLAG, NULL, "certify: every lesson", &c.is_all },
		{ 0, "family", OPT_TEXT, "FAMILY",
		  "list, stale, certify --all: lessons of this device family only", &c.family },
		{ 0, "language", OPT_TEXT, "LANGUAGE", "search: those for it first; list: only",
		  &c.language },
		{ 0, "topic", OPT_TEXT, "TOPIC", "search: those about it first; list: only",
		  &c.topic },
		{ 0, "tasks", OPT_TEXT, "DIR",
		  "lint: names of these tasks' references are no lesson's (default: tasks)",
		  &c.tasks },
		{ 0, "replace", OPT_FLAG, NULL, "add, review: put it in the place of an older one",
		  &c.is_replacing },
		{ 0, "why", OPT_TEXT, "TEXT", "review: the reason, which is kept", &c.why },
		{ 0, "json", OPT_FLAG, NULL, "one JSON object", &c.is_json },
	};
	AUTO_STRV struct strv rest = { 0 };
	AUTO_STRV struct strv operands = { 0 };
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	const struct verb *verb = find_verb(rest.items[0], e);
	if (!verb)
		return -1;
	for (size_t i = 1; i < rest.nr; i++)
		strv_add(&operands, rest.items[i]);
	c.operands = &operands;
	return run_verb(verb, &c, e);
}
