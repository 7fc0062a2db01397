#include "base/mask.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/mem.h"

/* A shorter "key" is a stand-in for servers that want none, and would tear ordinary words; so would
 * a shorter password. With its name and the colon it can be as short as it likes. */
enum { MIN_SECRET = 8, MIN_PASSWORD = 6, MIN_PAIR = 4 };

const char *const mask_proxy_names[] = { "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy",
					 "ALL_PROXY",   "all_proxy",   NULL };

static void keep(struct mask *m, const char *secret)
{
	if (!strv_has(&m->secrets, secret))
		strv_add(&m->secrets, secret);
}

static void learn(struct mask *m, const char *secret, size_t least)
{
	if (!secret || strlen(secret) < least)
		return;
	keep(m, secret);
	json_t *json = json_string(secret);
	AUTO_FREE char *quoted = json ? json_dumps(json, JSON_ENCODE_ANY) : NULL;
	json_decref(json);
	AUTO_FREE char *spelled = quoted ? xstrndup(quoted + 1, strlen(quoted) - 2) : NULL;
	if (spelled)
		keep(m, spelled);
}

void mask_learn(struct mask *m, const char *secret)
{
	learn(m, secret, MIN_SECRET);
}

static bool is_byte_at(const char *c)
{
	return c[0] == '%' && isxdigit((unsigned char)c[1]) && isxdigit((unsigned char)c[2]);
}

/* "%40" is "@"; yours. */
static char *decoded(const char *text)
{
	char *out = xstrdup(text);
	char *to = out;
	while (*text) {
		const char digits[3] = { text[1], text[1] ? text[2] : 0, 0 };
		bool is_byte = is_byte_at(text);
		*to++ = is_byte ? (char)strtol(digits, NULL, 16) : *text;
		text += is_byte ? 3 : 1;
	}
	*to = 0;
	return out;
}

static void learn_both(struct mask *m, const char *text, size_t least)
{
	AUTO_FREE char *plain = decoded(text);
	learn(m, text, least);
	learn(m, plain, least);
}

/* The pair before the password: what is longer is taken out first. */
void mask_learn_proxy(struct mask *m, const char *address)
{
	const char *scheme = address ? strstr(address, "://") : NULL;
	const char *start = scheme ? scheme + 3 : address;
	size_t len = start ? strcspn(start, "/?#") : 0;
	const char *at = len ? memrchr(start, '@', len) : NULL;
	if (!at)
		return;
	AUTO_FREE char *pair = xstrndup(start, (size_t)(at - start));
	const char *colon = strchr(pair, ':');
	learn_both(m, pair, colon ? MIN_PAIR : MIN_PASSWORD);
	if (colon)
		learn_both(m, colon + 1, MIN_PASSWORD);
}

static void replace(struct str *text, const char *secret)
{
	size_t len = strlen(secret);
	const char *at = text->text;
	const char *hit = strstr(at, secret);
	if (!hit)
		return;
	AUTO_STR struct str out = STR_INIT;
	for (; hit; hit = strstr(at, secret)) {
		str_add_len(&out, at, (size_t)(hit - at));
		str_add(&out, "***");
		at = hit + len;
	}
	str_add(&out, at);
	str_clear(text);
	str_add_len(text, out.text, out.len);
}

void mask_text(const struct mask *m, struct str *text)
{
	for (size_t i = 0; i < m->secrets.nr; i++)
		replace(text, m->secrets.items[i]);
}

void mask_add(const struct mask *m, struct str *out, const char *text)
{
	AUTO_STR struct str masked = STR_INIT;
	str_add(&masked, text);
	mask_text(m, &masked);
	str_add_len(out, masked.text, masked.len);
}

void mask_release(struct mask *m)
{
	strv_release(&m->secrets);
}
