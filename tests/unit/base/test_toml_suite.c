#include "base/toml.h"

/* Holds the reader to the public toml-test suite, version 1.0.0 of the language: every valid file
 * decodes to its tagged JSON, every invalid file is refused. */

#include <math.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

static char *suite_dir(void)
{
	const char *shared = getenv("FORGE_SHARED");
	return xasprintf("%s/data/toml-test/tests", shared && *shared ? shared : "../shared");
}

static void list_files(struct strv *files)
{
	struct err e = { 0 };
	AUTO_STR struct str list = STR_INIT;
	AUTO_FREE char *dir = suite_dir();
	AUTO_FREE char *path = path_join(dir, "files-toml-1.0.0");
	if (!file_exists(path))
		SKIP("the toml-test suite is not here (set FORGE_SHARED)");
	CHECK_OK(file_read(path, 1 << 20, &list, &e));
	strv_split(files, list.text, "\n");
}

static const char *tag_of(enum toml_type type)
{
	static const char *const tags[] = {
		[TOML_STRING] = "string",
		[TOML_INTEGER] = "integer",
		[TOML_FLOAT] = "float",
		[TOML_BOOL] = "bool",
		[TOML_OFFSET_DATETIME] = "datetime",
		[TOML_LOCAL_DATETIME] = "datetime-local",
		[TOML_LOCAL_DATE] = "date-local",
		[TOML_LOCAL_TIME] = "time-local",
		[TOML_ARRAY] = "array",
		[TOML_TABLE] = "table",
	};
	return tags[type];
}

/* Seconds fractions compare as numbers: ".6" is ".600". */
static bool is_same_date(const char *a, const char *b)
{
	const char *frac_a = strchr(a, '.');
	const char *frac_b = strchr(b, '.');
	if (!frac_a || !frac_b)
		return strcmp(a, b) == 0;
	char *end_a;
	char *end_b;
	double value_a = strtod(frac_a, &end_a);
	double value_b = strtod(frac_b, &end_b);
	return frac_a - a == frac_b - b && strncmp(a, b, (size_t)(frac_a - a)) == 0 &&
	       fabs(value_a - value_b) < 1e-9 && strcmp(end_a, end_b) == 0;
}

static bool is_same_float(double got, const char *want)
{
	double number = strtod(want, NULL);
	return (isnan(got) && isnan(number)) || got == number;
}

static bool is_same_scalar(const struct toml *got, const json_t *want)
{
	const char *type = json_text_or(want, "type", "");
	const json_t *value = json_object_get(want, "value");
	const char *text = json_string_value(value);
	if (strcmp(type, tag_of(got->type)) != 0)
		return false;
	if (got->type == TOML_STRING)
		return json_string_length(value) == got->len &&
		       memcmp(text, got->text, got->len) == 0;
	if (got->type == TOML_INTEGER)
		return strtoll(text, NULL, 10) == got->integer;
	if (got->type == TOML_FLOAT)
		return is_same_float(got->real, text);
	if (got->type == TOML_BOOL)
		return got->boolean == (strcmp(text, "true") == 0);
	return is_same_date(got->text, text);
}

static bool is_tagged_scalar(const json_t *want)
{
	return json_object_size(want) == 2 && json_is_string(json_object_get(want, "type")) &&
	       json_is_string(json_object_get(want, "value"));
}

static bool is_same(const struct toml *got, const json_t *want);

/* jansson takes NUL in values but not in keys, and one file has the key "\u0000": its JSON is read
 * with a stand-in for that key. */
#define NUL_KEY "(the key that is one NUL)"

static json_t *load_expected(const char *path)
{
	static const char nul[] = "\"\\u0000\":";
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_STR struct str changed = STR_INIT;
	CHECK_OK(file_read(path, 1 << 20, &text, &e));
	const char *at = text.text;
	for (const char *hit; (hit = strstr(at, nul)); at = hit + strlen(nul)) {
		str_add_len(&changed, at, (size_t)(hit - at));
		str_add(&changed, "\"" NUL_KEY "\":");
	}
	str_add(&changed, at);
	return json_loadb(changed.text, changed.len, JSON_ALLOW_NUL, NULL);
}

static const json_t *expected_member(const json_t *want, const struct toml_member *m)
{
	if (m->key_len == 1 && m->key[0] == 0)
		return json_object_get(want, NUL_KEY);
	return json_object_getn(want, m->key, m->key_len);
}

static bool is_same_table(const struct toml *got, const json_t *want)
{
	if (!json_is_object(want) || json_object_size(want) != got->nr_members)
		return false;
	for (size_t i = 0; i < got->nr_members; i++) {
		const struct toml_member *m = &got->members[i];
		const json_t *value = expected_member(want, m);
		if (!value || !is_same(m->value, value))
			return false;
	}
	return true;
}

static bool is_same(const struct toml *got, const json_t *want)
{
	if (got->type == TOML_TABLE)
		return is_same_table(got, want);
	if (got->type != TOML_ARRAY)
		return is_tagged_scalar(want) && is_same_scalar(got, want);
	if (!json_is_array(want) || json_array_size(want) != got->nr_items)
		return false;
	for (size_t i = 0; i < got->nr_items; i++)
		if (!is_same(got->items[i], json_array_get(want, i)))
			return false;
	return true;
}

/* NULL when the file decodes as its JSON says, else what is wrong; yours. */
static char *check_valid(const char *path)
{
	struct err e = { 0 };
	AUTO_ARENA struct arena a = { 0 };
	AUTO_FREE char *stem = xstrndup(path, strlen(path) - strlen(".toml"));
	AUTO_FREE char *json_path = xasprintf("%s.json", stem);
	AUTO_JSON json_t *want = load_expected(json_path);
	if (!want)
		return xstrdup("its JSON does not load");
	const struct toml *got = toml_read_file(path, &a, &e);
	if (!got)
		return xstrdup(e.text);
	return is_same(got, want) ? NULL : xstrdup("decodes to another value");
}

TEST(every_valid_file_of_the_suite_decodes_to_its_value)
{
	unsigned nr = 0;
	unsigned nr_wrong = 0;
	AUTO_STRV struct strv files = { 0 };
	AUTO_FREE char *dir = suite_dir();
	list_files(&files);
	for (size_t i = 0; i < files.nr; i++) {
		if (!str_starts(files.items[i], "valid/") || !str_ends(files.items[i], ".toml"))
			continue;
		AUTO_FREE char *path = path_join(dir, files.items[i]);
		AUTO_FREE char *why = check_valid(path);
		nr++;
		if (why)
			printf("# %s: %s\n", files.items[i], why);
		nr_wrong += why != NULL;
	}
	printf("# toml-test valid: %u of %u\n", nr - nr_wrong, nr);
	CHECK(nr > 100);
	CHECK_INT(nr_wrong, 0);
}

TEST(every_invalid_file_of_the_suite_is_refused_with_its_place)
{
	unsigned nr = 0;
	unsigned nr_wrong = 0;
	AUTO_STRV struct strv files = { 0 };
	AUTO_FREE char *dir = suite_dir();
	list_files(&files);
	for (size_t i = 0; i < files.nr; i++) {
		if (!str_starts(files.items[i], "invalid/") || !str_ends(files.items[i], ".toml"))
			continue;
		struct err e = { 0 };
		AUTO_ARENA struct arena a = { 0 };
		AUTO_FREE char *path = path_join(dir, files.items[i]);
		unsigned line = 0;
		unsigned col = 0;
		bool is_refused = !toml_read_file(path, &a, &e);
		bool has_place = is_refused && str_starts(e.text, path) &&
				 sscanf(e.text + strlen(path), ":%u:%u: ", &line, &col) == 2;
		nr++;
		nr_wrong += !has_place;
		if (!has_place)
			printf("# %s: accepted, or no place in \"%s\"\n", files.items[i], e.text);
		if (getenv("FORGE_TEST_VERBOSE"))
			printf("# %s\n", e.text + strlen(dir) + 1);
	}
	printf("# toml-test invalid: %u of %u refused\n", nr - nr_wrong, nr);
	CHECK(nr > 300);
	CHECK_INT(nr_wrong, 0);
}

TEST_MAIN()
