#include "model/verdict.h"

/* The state is never stored apart from the reason's row: verdicts.def is the only place that says
 * which reason is which state, and a verdict read from a file that disagrees is refused. Texts may
 * come from a compiler or a candidate; a detail is made one harmless line at birth, and what is
 * read from a file too (base/untrusted.h). */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/untrusted.h"

struct reason_row {
	const char *name;
	enum verdict_state state;
	const char *text;
};

static const struct reason_row rows[] = {
	[REASON_NONE] = { "none", VERDICT_NONE, "not judged" },
#define VERDICT(name, state, text) [REASON_##name] = { #name, VERDICT_##state, text },
#include "model/verdicts.def"
#undef VERDICT
};

static const char *const state_names[] = {
	[VERDICT_NONE] = "none",     [VERDICT_PASS] = "pass",     [VERDICT_FAIL] = "fail",
	[VERDICT_POLICY] = "policy", [VERDICT_TAMPER] = "tamper",
};

struct verdict verdict_make(enum reason reason, const char *fmt, ...)
{
	struct verdict v = { .state = rows[reason].state, .reason = reason };
	AUTO_STR struct str text = STR_INIT;
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	untrusted_copy(v.detail, sizeof(v.detail), text.text);
	return v;
}

const char *verdict_state_name(enum verdict_state s)
{
	return state_names[s];
}

const char *reason_name(enum reason r)
{
	return rows[r].name;
}

const char *reason_text(enum reason r)
{
	return rows[r].text;
}

enum verdict_state reason_state(enum reason r)
{
	return rows[r].state;
}

int reason_parse(const char *name, enum reason *out)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (str_equal(name, rows[i].name)) {
			*out = (enum reason)i;
			return 0;
		}
	}
	return -1;
}

void verdict_print(const struct verdict *v, char *out, size_t len)
{
	AUTO_STR struct str s = STR_INIT;
	str_addf(&s, "%s %s", state_names[v->state], rows[v->reason].name);
	if (v->shape[0] || v->group[0])
		str_addf(&s, ": %s/%s", v->shape, v->group);
	if (v->output[0])
		str_addf(&s, ": output %s", v->output);
	if (v->detail[0])
		str_addf(&s, ": %s", v->detail);
	snprintf(out, len, "%s", s.text);
}

/* Invalid text keeps its ASCII part; what is not ASCII becomes '?'. */
static json_t *text_to_json(const char *text)
{
	json_t *json = json_string(text);
	if (json)
		return json;
	AUTO_FREE char *copy = xstrdup(text);
	for (char *c = copy; *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	return json_string(copy);
}

json_t *verdict_to_json(const struct verdict *v)
{
	json_t *obj = json_object();
	json_object_set_new(obj, "state", json_string(state_names[v->state]));
	json_object_set_new(obj, "reason", json_string(rows[v->reason].name));
	json_object_set_new(obj, "shape", text_to_json(v->shape));
	json_object_set_new(obj, "group", text_to_json(v->group));
	json_object_set_new(obj, "output", text_to_json(v->output));
	json_object_set_new(obj, "detail", text_to_json(v->detail));
	return obj;
}

struct text_field {
	const char *key;
	char *out;
	size_t cap;
};

static int read_text(const json_t *obj, const char *doc, const struct text_field *field,
		     struct err *e)
{
	const char *text;
	if (json_get_text(obj, field->key, doc, &text, e) < 0)
		return -1;
	if (strlen(text) >= field->cap)
		return err_set(e, ERR_INPUT, "%s: member \"%s\" is longer than %zu bytes", doc,
			       field->key, field->cap - 1);
	untrusted_copy(field->out, field->cap, text);
	return 0;
}

static int read_reason(const json_t *obj, const char *doc, struct verdict *v, struct err *e)
{
	const char *state;
	const char *reason;
	if (json_get_text(obj, "state", doc, &state, e) < 0 ||
	    json_get_text(obj, "reason", doc, &reason, e) < 0)
		return -1;
	if (reason_parse(reason, &v->reason) < 0)
		return err_set(e, ERR_INPUT, "%s: unknown verdict reason \"%s\"", doc, reason);
	v->state = rows[v->reason].state;
	if (strcmp(state, state_names[v->state]) != 0)
		return err_set(e, ERR_INPUT, "%s: state \"%s\" does not go with reason \"%s\"", doc,
			       state, reason);
	return 0;
}

int verdict_from_json(const json_t *obj, const char *doc, struct verdict *v, struct err *e)
{
	*v = (struct verdict){ 0 };
	const struct text_field fields[] = {
		{ "shape", v->shape, sizeof(v->shape) },
		{ "group", v->group, sizeof(v->group) },
		{ "output", v->output, sizeof(v->output) },
		{ "detail", v->detail, sizeof(v->detail) },
	};
	if (read_reason(obj, doc, v, e) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		if (read_text(obj, doc, &fields[i], e) < 0)
			return -1;
	return 0;
}
