#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/untrusted.h"

enum { MAX_JSON_BYTES = 256 * 1024 * 1024, ESCAPE_LEN = 6 /* of "\uXXXX" */ };

void auto_json_cleanup(json_t **slot)
{
	json_decref(*slot);
}

json_t *json_read_text(const char *text, size_t len, const char *name, struct err *e)
{
	json_error_t why;
	json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);
	if (!json)
		err_set(e, ERR_INPUT, "%s:%d:%d: %s", name, why.line, why.column, why.text);
	return json;
}

json_t *json_read_file(const char *path, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	if (file_read(path, MAX_JSON_BYTES, &text, e) < 0)
		return NULL;
	return json_read_text(text.text, text.len, path, e);
}

char *json_page(const json_t *json)
{
	AUTO_FREE char *text = json_dumps(json, JSON_INDENT(1) | JSON_SORT_KEYS | JSON_ENCODE_ANY);
	if (!text)
		BUG("value can not be written as JSON");
	AUTO_STR struct str page = STR_INIT;
	untrusted_json(&page, text);
	str_add(&page, "\n");
	return str_take(&page);
}

int json_write_file(const char *path, const json_t *json, struct err *e)
{
	AUTO_FREE char *text = json_dumps(json, JSON_INDENT(1) | JSON_SORT_KEYS | JSON_ENCODE_ANY);
	if (!text)
		return err_set(e, ERR_SYSTEM, "encode %s: value can not be written as JSON", path);
	AUTO_STR struct str page = STR_INIT;
	untrusted_json(&page, text);
	str_add(&page, "\n");
	return file_write_text(path, page.text, e);
}

char *json_line(const json_t *json)
{
	AUTO_FREE char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
	AUTO_STR struct str line = STR_INIT;
	if (!text)
		BUG("value can not be written as JSON");
	untrusted_json(&line, text);
	return str_take(&line);
}

/* Code of the "\uXXXX" at `at`, or -1. */
static long escape_at(const char *at, size_t left)
{
	char digits[5] = { 0 };
	if (left < ESCAPE_LEN || at[0] != '\\' || at[1] != 'u')
		return -1;
	memcpy(digits, at + 2, 4);
	return strspn(digits, "0123456789abcdefABCDEF") == 4 ? strtol(digits, NULL, 16) : -1;
}

static bool is_high_half(long code)
{
	return code >= 0xd800 && code < 0xdc00;
}

static bool is_low_half(long code)
{
	return code >= 0xdc00 && code < 0xe000;
}

/* A backslash and what belongs to it. Returns its length. */
static size_t mend_escape(struct str *out, const char *at, size_t left, bool keeps_nul)
{
	long code = escape_at(at, left);
	bool has_next = left > 1 && (unsigned char)at[1] < 0x80;
	size_t len = code >= 0 ? (size_t)ESCAPE_LEN : has_next ? 2 : 1;
	bool is_pair =
		is_high_half(code) && is_low_half(escape_at(at + ESCAPE_LEN, left - ESCAPE_LEN));
	bool is_lost = is_high_half(code) || is_low_half(code) || (code == 0 && !keeps_nul);
	if (is_pair)
		len *= 2;
	if (is_lost && !is_pair)
		str_add(out, "\\ufffd");
	else
		str_add_len(out, at, len);
	return len;
}

static size_t mend_character(struct str *out, const char *at, size_t left)
{
	uint32_t code;
	size_t len;
	if (char_kind_at(at, left, &code, &len) == CHAR_INVALID)
		str_add(out, "\xEF\xBF\xBD");
	else
		str_add_len(out, at, len);
	return len;
}

/* By runs of plain bytes: a line may be megabytes long. */
void json_mend(struct str *out, const char *text, size_t len, bool keeps_nul)
{
	size_t at = 0;
	while (at < len) {
		size_t run = at;
		while (run < len && (unsigned char)text[run] < 0x80 && text[run] != '\\')
			run++;
		str_add_len(out, text + at, run - at);
		at = run;
		if (at == len)
			return;
		at += text[at] == '\\' ? mend_escape(out, text + at, len - at, keeps_nul)
				       : mend_character(out, text + at, len - at);
	}
}

static const json_t *member(const json_t *obj, const char *key, const char *doc, struct err *e)
{
	const json_t *value = json_object_get(obj, key);
	if (!value)
		err_set(e, ERR_INPUT, "%s: no member \"%s\"", doc, key);
	return value;
}

static int wrong_type(const char *key, const char *doc, const char *want, struct err *e)
{
	return err_set(e, ERR_INPUT, "%s: member \"%s\" is not %s", doc, key, want);
}

int json_get_text(const json_t *obj, const char *key, const char *doc, const char **out,
		  struct err *e)
{
	const json_t *value = member(obj, key, doc, e);
	if (!value)
		return -1;
	if (!json_is_string(value))
		return wrong_type(key, doc, "a string", e);
	*out = json_string_value(value);
	return 0;
}

int json_get_int(const json_t *obj, const char *key, const char *doc, int64_t *out, struct err *e)
{
	const json_t *value = member(obj, key, doc, e);
	if (!value)
		return -1;
	if (!json_is_integer(value))
		return wrong_type(key, doc, "an integer", e);
	*out = json_integer_value(value);
	return 0;
}

static int real_of(const json_t *value, double *out)
{
	static const struct {
		const char *name;
		double value;
	} specials[] = { { "nan", NAN }, { "inf", INFINITY }, { "-inf", -INFINITY } };
	if (json_is_number(value)) {
		*out = json_number_value(value);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(specials); i++) {
		if (str_equal(json_string_value(value), specials[i].name)) {
			*out = specials[i].value;
			return 0;
		}
	}
	return -1;
}

int json_get_real(const json_t *obj, const char *key, const char *doc, double *out, struct err *e)
{
	const json_t *value = member(obj, key, doc, e);
	if (!value)
		return -1;
	return real_of(value, out) < 0 ? wrong_type(key, doc, "a number", e) : 0;
}

int json_get_bool(const json_t *obj, const char *key, const char *doc, bool *out, struct err *e)
{
	const json_t *value = member(obj, key, doc, e);
	if (!value)
		return -1;
	if (!json_is_boolean(value))
		return wrong_type(key, doc, "true or false", e);
	*out = json_is_true(value);
	return 0;
}

int json_get_object(const json_t *obj, const char *key, const char *doc, json_t **out,
		    struct err *e)
{
	if (!member(obj, key, doc, e))
		return -1;
	*out = json_object_get(obj, key);
	return json_is_object(*out) ? 0 : wrong_type(key, doc, "an object", e);
}

int json_get_array(const json_t *obj, const char *key, const char *doc, json_t **out, struct err *e)
{
	if (!member(obj, key, doc, e))
		return -1;
	*out = json_object_get(obj, key);
	return json_is_array(*out) ? 0 : wrong_type(key, doc, "an array", e);
}

const char *json_text_or(const json_t *obj, const char *key, const char *otherwise)
{
	const char *text = json_string_value(json_object_get(obj, key));
	return text ? text : otherwise;
}

int64_t json_int_or(const json_t *obj, const char *key, int64_t otherwise)
{
	const json_t *value = json_object_get(obj, key);
	return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

double json_real_or(const json_t *obj, const char *key, double otherwise)
{
	double value;
	return real_of(json_object_get(obj, key), &value) < 0 ? otherwise : value;
}

bool json_bool_or(const json_t *obj, const char *key, bool otherwise)
{
	const json_t *value = json_object_get(obj, key);
	return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

json_t *json_number(double value)
{
	if (isnan(value))
		return json_string("nan");
	if (isinf(value))
		return json_string(value > 0 ? "inf" : "-inf");
	return json_real(value);
}
