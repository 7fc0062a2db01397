#include "tuner/seen.h"

#include <string.h>

#include "base/json.h"

/* Slower by less than this is not told from noise by a screen of two replicates. */
#define SLOWER_RATIO 0.98

static const json_t *find(const json_t *list, const char *key, const char *id)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *row = json_array_get(list, i);
		if (strcmp(json_text_or(row, key, ""), id) == 0)
			return row;
	}
	return NULL;
}

/* The start is the reference. */
static struct speed speed_before(const json_t *row)
{
	const json_t *before = json_object_get(row, "before");
	return json_is_null(before) ? (struct speed){ 1, 1, 1 } : speed_read(before);
}

struct seen seen_find(const json_t *digest, const char *id)
{
	const json_t *row = find(json_object_get(digest, "decisions"), "id", id);
	return (struct seen){
		.fate = json_text_or(row, "fate", "pending"),
		.round = (unsigned)json_int_or(row, "round", 0),
		.before = speed_before(row),
		.after = speed_read(json_object_get(row, "after")),
	};
}

static bool fate_is(const struct seen *s, const char *fate)
{
	return strcmp(s->fate, fate) == 0;
}

bool seen_is_pending(const struct seen *s)
{
	return fate_is(s, "pending");
}

bool seen_is_refused(const struct seen *s)
{
	return fate_is(s, "rolled_back") || fate_is(s, "no_candidate");
}

bool seen_is_kept(const struct seen *s)
{
	return fate_is(s, "kept") || fate_is(s, "kept_slower") || fate_is(s, "best");
}

bool seen_is_slower(const struct seen *s)
{
	bool is_measured = s->before.ratio > 0 && s->after.ratio > 0;
	return fate_is(s, "kept_slower") ||
	       (seen_is_kept(s) && is_measured && s->after.ratio < s->before.ratio * SLOWER_RATIO);
}

bool seen_is_questioned(const json_t *digest, const char *id)
{
	return find(json_object_get(digest, "diagnosis"), "decision", id) != NULL;
}
