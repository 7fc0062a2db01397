#include "know/lesson.h"

/* The table between the lines "+++" is TOML and read by field tables; to it the first line is an
 * empty one, so that its line numbers are those of the file. */

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "base/toml.h"
#include "base/toml_fields.h"
#include "know/kb_device.h"

static const char mark[] = "+++";

static const struct toml_field lesson_fields[] = {
	TOML_NEEDED("id", TEXT, lesson, id),
	TOML_NEEDED("title", TEXT, lesson, title),
	TOML_NEEDED("family", TEXT, lesson, family),
	TOML_LIST("languages", lesson, languages),
	TOML_LIST("topics", lesson, topics),
	TOML_NEEDED("applies_when", TEXT, lesson, applies_when),
	TOML_OPTION("negative", BOOL, lesson, is_negative),
	TOML_NEEDED("probe", TEXT, lesson, probe),
	TOML_LIST("sources", lesson, sources),
	TOML_NESTED("version"),
	TOML_NESTED("scope"),
	TOML_NESTED("claim"),
};
static const struct toml_field scope_fields[] = {
	TOML_LIST("devices", lesson, devices),
	TOML_LIST("features", lesson, features),
};
static const struct toml_field claim_fields[] = {
	TOML_NEEDED("value", TEXT, claim, value), TOML_OPTION("low", REAL, claim, low),
	TOML_OPTION("high", REAL, claim, high),   TOML_NEEDED("unit", TEXT, claim, unit),
	TOML_NEEDED("means", TEXT, claim, means),
};
static const struct toml_section lesson_section = TOML_SECTION("the lesson", lesson_fields);
static const struct toml_section scope_section = TOML_SECTION("[scope]", scope_fields);
static const struct toml_section claim_section = TOML_SECTION("[[claim]]", claim_fields);

static const char *const topics[] = {
#define TOPIC(name, text) #name,
#include "model/topics.def"
#undef TOPIC
#define LESSON_TOPIC(name, text) #name,
#include "know/lesson_topics.def"
#undef LESSON_TOPIC
};

static const char *const families[] = {
#define FAMILY(name, arch) name,
#include "know/families.def"
#undef FAMILY
};

static const char *const languages[] = { "c", "cuda", "python" };

static const struct {
	const char *name;
	bool is_measured;
} units[] = {
#define MEASURED(unit) { unit, true },
#define COUNTED(word) { word, false },
#include "know/units.def"
#undef MEASURED
#undef COUNTED
};

static bool is_in(const char *name, const char *const *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (str_equal(list[i], name))
			return true;
	return false;
}

bool lesson_is_topic(const char *name)
{
	return is_in(name, topics, ARRAY_LEN(topics));
}

bool lesson_is_language(const char *name)
{
	return is_in(name, languages, ARRAY_LEN(languages));
}

bool lesson_is_family(const char *name)
{
	return is_in(name, families, ARRAY_LEN(families));
}

bool lesson_is_id(const char *text)
{
	return islower((unsigned char)text[0]) &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(text);
}

bool lesson_is_unit(const char *unit, size_t len, bool is_prose)
{
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if ((units[i].is_measured || is_prose) && strlen(units[i].name) == len &&
		    memcmp(units[i].name, unit, len) == 0)
			return true;
	return false;
}

static int read_version(struct toml_loader *l, const struct toml *root)
{
	const struct toml *version = toml_get(root, "version");
	if (!version)
		return err_set(l->e, ERR_INPUT, "%s:2: version is missing; write version = 1",
			       l->path);
	if (version->type != TOML_INTEGER || version->integer != 1)
		return toml_fail_at(l, version, "version must be 1");
	return 0;
}

static int read_claim(struct toml_loader *l, const struct toml *table, struct claim *c)
{
	*c = (struct claim){ .low = NAN, .high = NAN, .line = table->line };
	if (table->type != TOML_TABLE)
		return toml_fail_at(l, table, "a claim is a table: write [[claim]]");
	return toml_read_fields(l, &claim_section, table, c);
}

static int read_claims(struct toml_loader *l, const struct toml *list, struct lesson *out)
{
	if (!list)
		return 0;
	if (list->type != TOML_ARRAY)
		return toml_fail_at(l, list, "claims are a list of tables: write [[claim]]");
	out->claims = arena_array(&out->arena, list->nr_items + 1, sizeof(*out->claims));
	out->nr_claims = list->nr_items;
	for (size_t i = 0; i < list->nr_items; i++)
		if (read_claim(l, list->items[i], &out->claims[i]) < 0)
			return -1;
	return 0;
}

static int read_scope(struct toml_loader *l, const struct toml *scope, struct lesson *out)
{
	if (scope && scope->type != TOML_TABLE)
		return toml_fail_at(l, scope, "scope is a table: write [scope]");
	return toml_read_fields(l, &scope_section, scope, out);
}

static int read_table(struct lesson *l, const char *toml, size_t len, struct err *e)
{
	struct toml_loader loader = { .path = l->path, .arena = &l->arena, .e = e };
	const struct toml *root = toml_parse(toml, len, l->path, &l->arena, e);
	if (!root || read_version(&loader, root) < 0 ||
	    toml_read_fields(&loader, &lesson_section, root, l) < 0 ||
	    read_scope(&loader, toml_get(root, "scope"), l) < 0)
		return -1;
	return read_claims(&loader, toml_get(root, "claim"), l);
}

/* A line that is the mark and nothing else, at or after `from`; NULL: none. */
static const char *find_mark(const char *from)
{
	for (const char *line = from; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		size_t len = strcspn(line, "\n");
		if (len == strlen(mark) && strncmp(line, mark, len) == 0)
			return line;
	}
	return NULL;
}

static unsigned count_lines(const char *from, const char *to)
{
	unsigned nr = 0;
	for (; from < to; from++)
		nr += *from == '\n';
	return nr;
}

int lesson_parse(struct lesson *l, const char *text, const char *path, struct err *e)
{
	*l = (struct lesson){ .digest = digest_text(text) };
	l->path = arena_strdup(&l->arena, path);
	l->text = arena_strdup(&l->arena, text);
	if (!str_starts(l->text, mark) || l->text[strlen(mark)] != '\n')
		return err_set(e, ERR_INPUT,
			       "%s:1: a lesson begins with a line %s, its table and another %s",
			       path, mark, mark);
	const char *toml = l->text + strlen(mark);
	const char *end = find_mark(toml);
	if (!end)
		return err_set(e, ERR_INPUT, "%s:1: the table has no end; close it by a line %s",
			       path, mark);
	l->body = end + strlen(mark);
	l->body += *l->body == '\n';
	l->body_line = count_lines(l->text, l->body) + 1;
	return read_table(l, toml, (size_t)(end - toml), e);
}

int lesson_load(struct lesson *l, const char *path, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	*l = (struct lesson){ 0 };
	if (file_read(path, LESSON_MAX_BYTES, &text, e) < 0)
		return -1;
	if (memchr(text.text, 0, text.len))
		return err_set(e, ERR_INPUT, "%s: holds a zero byte; a lesson is text", path);
	return lesson_parse(l, text.text, path, e);
}

void lesson_release(struct lesson *l)
{
	arena_release(&l->arena);
	*l = (struct lesson){ 0 };
}

char *lesson_probe_path(const struct lesson *l)
{
	AUTO_FREE char *dir = path_dir(l->path);
	return path_join(dir, l->probe);
}

/* '*' stands for any text. The last one that was passed is the only one to go back to. */
static bool fits(const char *pattern, const char *text)
{
	const char *star = NULL;
	const char *again = text;
	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			again = text;
		} else if (*pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++again;
		} else {
			return false;
		}
	}
	return !pattern[strspn(pattern, "*")];
}

static bool has_features(const struct lesson *l, const char *features)
{
	AUTO_STRV struct strv words = { 0 };
	strv_split(&words, features, " ");
	for (size_t i = 0; i < l->nr_features; i++)
		if (!strv_has(&words, l->features[i]))
			return false;
	return true;
}

bool lesson_is_about(const struct lesson *l, const struct kb_device *machine)
{
	const struct kb_device *device = kb_device_for(machine, l->family);
	if (!str_equal(l->family, device->family) || !has_features(l, device->features))
		return false;
	for (size_t i = 0; i < l->nr_devices; i++)
		if (fits(l->devices[i], device->name))
			return true;
	return false;
}

bool lesson_has_language(const struct lesson *l, const char *language)
{
	return is_in(language, l->languages, l->nr_languages);
}

bool lesson_has_topic(const struct lesson *l, const char *topic)
{
	return is_in(topic, l->topics, l->nr_topics);
}

bool claim_holds(const struct claim *c, double value)
{
	return isfinite(value) && (isnan(c->low) || value >= c->low) &&
	       (isnan(c->high) || value <= c->high);
}
