#include "llm/mask.h"

#include <string.h>

#include <jansson.h>

#include "base/mem.h"

/* A shorter "key" is a stand-in for servers that want none, and would tear ordinary words. */
enum { MIN_SECRET = 8 };

static void replace(struct str *out, const char *text, const char *secret)
{
	size_t len = strlen(secret);
	for (const char *at; (at = strstr(text, secret)); text = at + len) {
		str_add_len(out, text, (size_t)(at - text));
		str_add(out, "***");
	}
	str_add(out, text);
}

/* As it stands inside of a JSON string, or NULL. */
static char *spelled(const char *secret)
{
	json_t *json = json_string(secret);
	AUTO_FREE char *quoted = json ? json_dumps(json, JSON_ENCODE_ANY) : NULL;
	json_decref(json);
	return quoted ? xstrndup(quoted + 1, strlen(quoted) - 2) : NULL;
}

void mask_add(struct str *out, const char *text, const char *secret)
{
	if (!secret || strlen(secret) < MIN_SECRET) {
		str_add(out, text);
		return;
	}
	AUTO_FREE char *json = spelled(secret);
	AUTO_STR struct str once = STR_INIT;
	replace(&once, text, secret);
	replace(out, once.text, json ? json : secret);
}
