#include "tuner/tools.h"

#include <string.h>

#include "base/json.h"
#include "base/str.h"

static bool offers(const json_t *offer, const char *name)
{
	const json_t *names = json_object_get(offer, "names");
	for (size_t i = 0; i < json_array_size(names); i++)
		if (str_equal(json_string_value(json_array_get(names, i)), name))
			return true;
	return false;
}

void tools_read(struct tools *t, const json_t *offer)
{
	t->left = json_int_or(offer, "left", 0);
	t->has_ablate = offers(offer, "ablate");
	t->has_probe = offers(offer, "probe");
}

/* NULL with the reason: nothing was measured. Takes the call over. */
static json_t *ask(struct tools *t, json_t *call, struct str *why)
{
	AUTO_JSON json_t *own = call;
	AUTO_JSON json_t *result = own ? t->call(t->ctx, own) : NULL;
	str_clear(why);
	if (!result) {
		str_add(why, "no answer came");
		t->left = 0;
		return NULL;
	}
	t->left = json_int_or(result, "left", 0);
	if (strcmp(json_text_or(result, "outcome", ""), "done") == 0)
		return json_incref(result);
	str_addf(why, "%s, %s", json_text_or(result, "outcome", "failed"),
		 json_text_or(result, "text", ""));
	return NULL;
}

static const char *reason_of(const json_t *result)
{
	return json_text_or(json_object_get(result, "verdict"), "reason", "it was not timed");
}

bool tools_ablate(struct tools *t, const char *decision, struct speed *worth, struct str *why)
{
	AUTO_JSON json_t *result = ask(
		t,
		json_pack("{s:s, s:s, s:s}", "tool", "ablate", "decision", decision, "how", "drop"),
		why);
	if (!result)
		return false;
	const struct speed best = speed_read(json_object_get(result, "best"));
	const struct speed without = speed_read(json_object_get(result, "speedup"));
	*worth = speed_over(&best, &without);
	if (worth->ratio <= 0)
		str_addf(why, "without it: %s", reason_of(result));
	return worth->ratio > 0;
}

bool tools_probe(struct tools *t, const char *source, struct speed *speed, struct str *why)
{
	AUTO_JSON json_t *result =
		ask(t, json_pack("{s:s, s:s}", "tool", "probe", "source", source), why);
	if (!result)
		return false;
	*speed = speed_read(json_object_get(result, "speedup"));
	if (speed->ratio <= 0)
		str_add(why, reason_of(result));
	return true;
}
