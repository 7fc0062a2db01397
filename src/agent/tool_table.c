#include "agent/tool_table.h"

/* The check knows just those keywords of JSON Schema that the table uses; a unit test walks the
 * table and refuses others. Every message ends with the member's description: models repair by it.
 */

#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/opt.h"
#include "base/str.h"

#define KIND(kind) (1u << (kind))
#define KINDS_ROW (KIND(TURN_ROUND) | KIND(TURN_ABLATION))
#define KINDS_STUDENT (KINDS_ROW | KIND(TURN_GOAL) | KIND(TURN_GENERATE))
#define KINDS_COURSE (KIND(TURN_CURRICULUM) | KIND(TURN_REVISION))
#define KINDS_LOOK (KINDS_COURSE | KIND(TURN_RECONNAISSANCE))
#define KINDS_TEACHER (KINDS_LOOK | KIND(TURN_JUDGE))
#define KINDS_KNOW (KINDS_ROW | KINDS_LOOK)
#define KINDS_ALL (KINDS_STUDENT | KINDS_TEACHER)

static const struct tool_spec tools[] = {
#define TOOL(tool, when, where, type, text, ...)                                                   \
	{ .name = #tool,                                                                           \
	  .kinds = when,                                                                           \
	  .is_answer = where == TOOL_ANSWER,                                                       \
	  .description = text,                                                                     \
	  .schema = #__VA_ARGS__,                                                                  \
	  .place = where,                                                                          \
	  .answer = type },
#include "agent/tools.def"
#undef TOOL
};

const struct tool_spec *tool_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		if (str_equal(tools[i].name, name))
			return &tools[i];
	return NULL;
}

const struct tool_spec *tool_of_answer(const char *type)
{
	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		if (tools[i].answer && str_equal(tools[i].answer, type))
			return &tools[i];
	return NULL;
}

const struct tool_spec *tool_answering(enum turn_kind kind)
{
	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		if (tools[i].is_answer && tool_fits(&tools[i], kind, false) &&
		    tool_text_member(&tools[i]))
			return &tools[i];
	return NULL;
}

bool tool_fits(const struct tool_spec *t, enum turn_kind kind, bool has_files)
{
	return (t->kinds & KIND(kind)) && (has_files || t->place != TOOL_FILES);
}

size_t tools_for(enum turn_kind kind, const struct tool_spec **out, size_t max)
{
	size_t nr = 0;
	for (size_t i = 0; i < ARRAY_LEN(tools) && nr < max; i++)
		if (tool_fits(&tools[i], kind, false))
			out[nr++] = &tools[i];
	return nr;
}

static json_t *schema_of(const struct tool_spec *t)
{
	struct err why = { 0 };
	json_t *schema = json_read_text(t->schema, strlen(t->schema), t->name, &why);
	if (!schema)
		BUG("schema of tool %s: %s", t->name, why.text);
	return schema;
}

json_t *tools_to_json(enum turn_kind kind, bool has_files)
{
	json_t *list = json_array();
	for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
		const struct tool_spec *t = &tools[i];
		if (!tool_fits(t, kind, has_files))
			continue;
		json_t *item = json_pack("{s:s, s:s, s:o}", "name", t->name, "description",
					 t->description, "schema", schema_of(t));
		if (t->is_answer)
			json_object_set_new(item, "answer", json_true());
		json_array_append_new(list, item);
	}
	return list;
}

void tools_names(enum turn_kind kind, bool has_files, struct str *out)
{
	const char *separator = "";
	for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
		if (!tool_fits(&tools[i], kind, has_files))
			continue;
		str_addf(out, "%s%s", separator, tools[i].name);
		separator = ", ";
	}
}

/* One member of a call against its schema. */
struct member {
	const struct tool_spec *tool;
	const char *key;
	const json_t *schema;
	const json_t *value;
};

static const char *type_name(const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
		return "an integer";
	case JSON_REAL:
		return "a number";
	case JSON_TRUE:
	case JSON_FALSE:
		return "a boolean";
	case JSON_NULL:
		break;
	}
	return "null";
}

static bool is_of_type(const json_t *value, const char *type)
{
	if (str_equal(type, "string"))
		return json_is_string(value);
	if (str_equal(type, "integer"))
		return json_is_integer(value);
	if (str_equal(type, "number"))
		return json_is_number(value);
	if (str_equal(type, "boolean"))
		return json_is_boolean(value);
	return json_is_object(value);
}

/* -1 with "TOOL: "KEY" WHAT: DESCRIPTION". */
static int refuse(const struct member *m, struct err *e, const char *what)
{
	const char *description = json_text_or(m->schema, "description", "");
	return err_set(e, ERR_INPUT, "%s: \"%.60s\" %s%s%s", m->tool->name, m->key, what,
		       description[0] ? "; it is " : "", description);
}

static bool is_listed(const json_t *list, const json_t *value)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		if (json_equal(json_array_get(list, i), value))
			return true;
	return false;
}

static int check_listed(const struct member *m, struct err *e)
{
	const json_t *list = json_object_get(m->schema, "enum");
	if (!list || is_listed(list, m->value))
		return 0;
	AUTO_FREE char *known = json_line(list);
	AUTO_FREE char *what = xasprintf("is none of %s", known);
	return refuse(m, e, what);
}

static int check_range(const struct member *m, struct err *e)
{
	double value = json_number_value(m->value);
	const json_t *least = json_object_get(m->schema, "minimum");
	const json_t *most = json_object_get(m->schema, "maximum");
	AUTO_FREE char *low = xasprintf("is below %g", json_number_value(least));
	AUTO_FREE char *high = xasprintf("is above %g", json_number_value(most));
	if (least && value < json_number_value(least))
		return refuse(m, e, low);
	return most && value > json_number_value(most) ? refuse(m, e, high) : 0;
}

/* Members of an object that may have any names. */
static int check_items(const struct member *m, struct err *e)
{
	const json_t *schema = json_object_get(m->schema, "additionalProperties");
	const char *type = json_text_or(schema, "type", NULL);
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)(uintptr_t)m->value, key, value)
	{
		AUTO_FREE char *what = xasprintf("has \"%.60s\", which is %s and no %s", key,
						 type_name(value), type);
		if (type && !is_of_type(value, type))
			return refuse(m, e, what);
	}
	return 0;
}

static int check_member(const struct member *m, struct err *e)
{
	const char *type = json_text_or(m->schema, "type", "object");
	AUTO_FREE char *what = xasprintf("is %s, not of type %s", type_name(m->value), type);
	if (!is_of_type(m->value, type))
		return refuse(m, e, what);
	if (json_is_string(m->value) &&
	    json_string_length(m->value) < (size_t)json_int_or(m->schema, "minLength", 0))
		return refuse(m, e, "is empty");
	if (check_listed(m, e) < 0)
		return -1;
	if (json_is_number(m->value))
		return check_range(m, e);
	return json_is_object(m->value) ? check_items(m, e) : 0;
}

static int refuse_unknown(const struct tool_spec *t, const json_t *properties, const char *key,
			  struct err *e)
{
	const char *names[TOOL_MAX] = { NULL };
	size_t nr = 0;
	AUTO_STR struct str known = STR_INIT;
	const char *name;
	json_t *ignored;
	json_object_foreach((json_t *)(uintptr_t)properties, name, ignored)
	{
		if (nr < TOOL_MAX)
			names[nr++] = name;
		str_addf(&known, "%s%s", known.len ? ", " : "", name);
	}
	const char *near = opt_nearest(key, names, nr);
	if (!nr)
		return err_set(e, ERR_INPUT, "%s: it takes nothing, and \"%.60s\" was given",
			       t->name, key);
	return err_set(e, ERR_INPUT, "%s: there is no \"%.60s\"%s%s%s it takes %s", t->name, key,
		       near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : ";",
		       known.text);
}

static int check_present(const struct tool_spec *t, const json_t *schema, const json_t *args,
			 struct err *e)
{
	const json_t *required = json_object_get(schema, "required");
	const json_t *properties = json_object_get(schema, "properties");
	for (size_t i = 0; i < json_array_size(required); i++) {
		const char *key = json_string_value(json_array_get(required, i));
		const struct member m = { t, key, json_object_get(properties, key), NULL };
		if (!json_object_get(args, key))
			return refuse(&m, e, "is missing");
	}
	return 0;
}

const char *tool_text_member(const struct tool_spec *t)
{
	if (!strstr(t->schema, "\"path\"") || t->place == TOOL_FILES)
		return NULL;
	if (strstr(t->schema, "\"findings\""))
		return "findings";
	return strstr(t->schema, "\"toml\"") ? "toml" : "source";
}

/* A text or the file that holds it. */
static int check_text(const struct tool_spec *t, const json_t *args, struct err *e)
{
	const char *text = tool_text_member(t);
	if (!text)
		return 0;
	bool has_text = json_object_get(args, text) != NULL;
	bool has_path = json_object_get(args, "path") != NULL;
	if (has_text && has_path)
		return err_set(e, ERR_INPUT, "%s: \"%s\" and \"path\" are given; give one of them",
			       t->name, text);
	if (!has_text && !has_path)
		return err_set(e, ERR_INPUT,
			       "%s: \"%s\" is missing; give the whole text, or \"path\", a file of "
			       "your workspace",
			       t->name, text);
	return 0;
}

static int check_all(const struct tool_spec *t, const json_t *schema, const json_t *args,
		     struct err *e)
{
	const json_t *properties = json_object_get(schema, "properties");
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)(uintptr_t)args, key, value)
	{
		const struct member m = { t, key, json_object_get(properties, key), value };
		if (!m.schema)
			return refuse_unknown(t, properties, key, e);
		if (check_member(&m, e) < 0)
			return -1;
	}
	return check_present(t, schema, args, e) < 0 ? -1 : check_text(t, args, e);
}

int tool_check(const struct tool_spec *t, const json_t *args, struct err *e)
{
	AUTO_JSON json_t *schema = schema_of(t);
	if (!json_is_object(args))
		return err_set(e, ERR_INPUT, "%s: its arguments are %s, not an object", t->name,
			       args ? type_name(args) : "missing");
	return check_all(t, schema, args, e);
}

json_t *tool_to_line(const struct tool_spec *t, const json_t *args)
{
	json_t *line = json_object();
	bool is_file = json_object_get(args, "path") && tool_text_member(t);
	json_object_update(line, (json_t *)(uintptr_t)args);
	if (t->answer && !is_file) {
		json_object_set_new(line, "type", json_string(t->answer));
		return line;
	}
	json_object_set_new(line, "type", json_string("tool"));
	json_object_set_new(line, "tool", json_string(t->name));
	return line;
}
