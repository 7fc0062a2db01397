#include "know/cert.h"

/* The document is kept as JSON: it is shown, compared and written again as a whole. What is read
 * from it is checked once, when it is loaded. */

#include <ctype.h>
#include <string.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "know/kb_device.h"
#include "know/lesson.h"

enum { CERT_VERSION = 1 };

static const struct {
	const char *name;
	const char *text;
} states[] = {
#define LESSON_STATE(name, text) { #name, text },
#include "know/lesson_states.def"
#undef LESSON_STATE
};

const char *lesson_state_name(enum lesson_state state)
{
	return states[state].name;
}

const char *lesson_state_text(enum lesson_state state)
{
	return states[state].text;
}

char *cert_path(const struct lesson *l)
{
	AUTO_FREE char *dir = path_dir(l->path);
	return xasprintf("%s/%s.cert.json", dir, l->id);
}

static enum lesson_state said_by(const json_t *certificate)
{
	const char *name = json_text_or(certificate, "state", "");
	for (size_t i = 0; i < ARRAY_LEN(states); i++)
		if (str_equal(states[i].name, name))
			return (enum lesson_state)i;
	return LESSON_NR_STATES;
}

static int check_one(const json_t *certificate, const char *path, struct err *e)
{
	static const char *const texts[] = { "state",    "date",   "host",   "device",
					     "compiler", "driver", "lesson", "probe" };
	const char *ignored;
	json_t *list;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (json_get_text(certificate, texts[i], path, &ignored, e) < 0)
			return -1;
	enum lesson_state state = said_by(certificate);
	if (state != LESSON_certified && state != LESSON_refuted && state != LESSON_not_applicable)
		return err_set(e, ERR_INPUT,
			       "%s: \"%.40s\" is no state of a certificate; remove the file and "
			       "certify again",
			       path, json_text_or(certificate, "state", ""));
	if (json_get_array(certificate, "claims", path, &list, e) < 0)
		return -1;
	return json_get_array(certificate, "values", path, &list, e);
}

static int check_document(const json_t *doc, const struct lesson *l, const char *path,
			  struct err *e)
{
	int64_t version = 0;
	const char *id = NULL;
	json_t *list = NULL;
	if (json_get_int(doc, "version", path, &version, e) < 0 ||
	    json_get_text(doc, "id", path, &id, e) < 0 ||
	    json_get_array(doc, "certificates", path, &list, e) < 0)
		return -1;
	if (version != CERT_VERSION)
		return err_set(e, ERR_INPUT, "%s: version %lld, this program reads %d", path,
			       (long long)version, CERT_VERSION);
	if (!str_equal(id, l->id))
		return err_set(e, ERR_INPUT, "%s: it is about \"%.60s\", not about %s", path, id,
			       l->id);
	for (size_t i = 0; i < json_array_size(list); i++)
		if (check_one(json_array_get(list, i), path, e) < 0)
			return -1;
	return 0;
}

int cert_load(const struct lesson *l, json_t **out, struct err *e)
{
	AUTO_FREE char *path = cert_path(l);
	*out = NULL;
	if (!file_exists(path))
		return 0;
	AUTO_JSON json_t *doc = json_read_file(path, e);
	if (!doc || check_document(doc, l, path, e) < 0)
		return -1;
	*out = json_incref(doc);
	return 0;
}

static json_t *list_of(const json_t *certs)
{
	return json_object_get(certs, "certificates");
}

json_t *cert_of_device(const json_t *certs, const char *device)
{
	for (size_t i = 0; i < json_array_size(list_of(certs)); i++) {
		json_t *one = json_array_get(list_of(certs), i);
		if (str_equal(json_text_or(one, "device", ""), device))
			return one;
	}
	return NULL;
}

/* The probe as it is now; "" when it can not be read, which is no certificate's digest. */
static struct digest probe_digest(const struct lesson *l)
{
	AUTO_FREE char *path = lesson_probe_path(l);
	struct digest digest = { "" };
	struct err ignored = { 0 };
	if (digest_file(path, &digest, &ignored) < 0)
		digest.hex[0] = 0;
	return digest;
}

static bool begins_version(const char *word)
{
	return isdigit((unsigned char)word[word[0] == 'V']);
}

/* "gcc (Debian 12.2.0-14) 12.2.0" -> "12.2.0": the last word that begins like one. */
static const char *version_of(const struct strv *words)
{
	for (size_t i = words->nr; i > 0; i--)
		if (begins_version(words->items[i - 1]))
			return words->items[i - 1] + (words->items[i - 1][0] == 'V');
	return NULL;
}

static size_t numbers_len(const char *version, size_t nr_numbers)
{
	size_t len = 0;
	for (size_t i = 0; i < nr_numbers; i++) {
		if (i && version[len] != '.')
			return len;
		len += i > 0;
		len += strspn(version + len, "0123456789");
	}
	return len;
}

/* "gcc 12"; of what tells no version all of it. */
static char *tool_key(const char *line, size_t nr_numbers)
{
	AUTO_STRV struct strv words = { 0 };
	strv_split(&words, line, " \t");
	const char *version = version_of(&words);
	if (!version)
		return xstrdup(line);
	const char *program = begins_version(words.items[0]) ? "" : words.items[0];
	return xasprintf("%s %.*s", program, (int)numbers_len(version, nr_numbers), version);
}

bool cert_is_same_tool(const char *then, const char *now, size_t nr_numbers)
{
	AUTO_FREE char *key_then = tool_key(then, nr_numbers);
	AUTO_FREE char *key_now = tool_key(now, nr_numbers);
	return str_equal(key_then, key_now);
}

/* Numbers of a version that count: those with which other code or another behaviour comes. A CUDA
 * release is 13.0; of all else it is the first number. */
static size_t compiler_numbers(const struct lesson *l)
{
	return kb_family_is_gpu(l->family) ? 2 : 1;
}

/* What changed since; false: nothing. */
static bool has_changed(const json_t *one, const struct lesson *l, const struct kb_device *device,
			struct str *why)
{
	const struct digest probe = probe_digest(l);
	const struct {
		const char *key;
		const char *now;
		const char *what;
		size_t nr_numbers; /* 0: it must be the same to the letter, and is not shown */
	} rows[] = {
		{ "compiler", device->compiler, "the compiler", compiler_numbers(l) },
		{ "driver", device->driver, "the driver", 1 },
		{ "lesson", l->digest.hex, "the lesson", 0 },
		{ "probe", probe.hex, "the probe", 0 },
	};
	size_t nr = 0;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *then = json_text_or(one, rows[i].key, "");
		const size_t numbers = rows[i].nr_numbers;
		if (numbers ? cert_is_same_tool(then, rows[i].now, numbers)
			    : str_equal(then, rows[i].now))
			continue;
		str_addf(why, "%s%s changed", nr++ ? "; " : "", rows[i].what);
		if (numbers)
			str_addf(why, " (%s, now %s)", then,
				 *rows[i].now ? rows[i].now : "unknown");
	}
	return nr > 0;
}

static enum lesson_state not_about(const struct lesson *l, const struct kb_device *machine,
				   struct str *why)
{
	const struct kb_device *device = kb_device_for(machine, l->family);
	if (str_equal(l->family, device->family))
		str_add(why, "this device is out of its scope");
	else
		str_addf(why, "it is about %s", l->family);
	if (kb_family_is_gpu(l->family) && machine->no_gpu)
		str_addf(why, ", and no GPU is seen here: %s", machine->no_gpu);
	return LESSON_not_applicable;
}

enum lesson_state cert_state(const json_t *certs, const struct lesson *l,
			     const struct kb_device *machine, struct str *why)
{
	if (!lesson_is_about(l, machine))
		return not_about(l, machine, why);
	const struct kb_device *device = kb_device_for(machine, l->family);
	const json_t *one = cert_of_device(certs, device->name);
	if (!one && !json_array_size(list_of(certs)))
		return LESSON_uncertified;
	if (!one) {
		const json_t *other = json_array_get(list_of(certs), 0);
		str_addf(why, "measured on %s only",
			 json_text_or(other, "device", "another device"));
		return LESSON_stale;
	}
	if (has_changed(one, l, device, why))
		return LESSON_stale;
	if (json_is_string(json_object_get(one, "why")))
		str_add(why, json_text_or(one, "why", ""));
	return said_by(one);
}

json_t *cert_with(const json_t *certs, const char *id, const json_t *certificate)
{
	const char *device = json_text_or(certificate, "device", "");
	json_t *list = json_array();
	for (size_t i = 0; i < json_array_size(list_of(certs)); i++) {
		json_t *one = json_array_get(list_of(certs), i);
		if (!str_equal(json_text_or(one, "device", ""), device))
			json_array_append_new(list, json_deep_copy(one));
	}
	json_array_append_new(list, json_deep_copy(certificate));
	return json_pack("{s:i, s:s, s:o}", "version", CERT_VERSION, "id", id, "certificates",
			 list);
}

int cert_put(const struct lesson *l, const json_t *certificate, struct err *e)
{
	AUTO_FREE char *path = cert_path(l);
	AUTO_JSON json_t *old = NULL;
	struct err ignored = { 0 };
	/* What can not be read is replaced: certifying again is the cure for it. */
	if (cert_load(l, &old, &ignored) < 0)
		old = NULL;
	AUTO_JSON json_t *now = cert_with(old, l->id, certificate);
	return json_write_file(path, now, e);
}
