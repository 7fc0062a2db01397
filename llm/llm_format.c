#include "llm/llm_format.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "llm/llm_settings.h"

const struct llm_format *llm_format_find(const char *name)
{
	static const struct llm_format *const formats[] = { &llm_chat, &llm_messages };
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (str_equal(formats[i]->name, name))
			return formats[i];
	return NULL;
}

/* "a.b": member b of the object a, which is made. */
static void set_at(json_t *body, const char *place, json_t *value)
{
	AUTO_STRV struct strv parts = { 0 };
	strv_split(&parts, place, ".");
	json_t *at = body;
	for (size_t i = 0; i + 1 < parts.nr; i++) {
		if (!json_is_object(json_object_get(at, parts.items[i])))
			json_object_set_new(at, parts.items[i], json_object());
		at = json_object_get(at, parts.items[i]);
	}
	json_object_set_new(at, parts.items[parts.nr - 1], value);
}

void llm_body_finish(json_t *body, const struct llm_settings *s)
{
	if (json_is_object(s->extra_body))
		json_object_update(body, (json_t *)(uintptr_t)s->extra_body);
	if (s->effort && s->effort_field && s->effort_field[0])
		set_at(body, s->effort_field, json_string(s->effort));
}
