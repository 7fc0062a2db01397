#include "base/toml.h"

/* The TOML reader's upper half: keys, tables and who may add to which table. Every table remembers
 * how it came to be (FLAG_*), because the specification forbids adding to a table from two places;
 * the rules are in `enter_header`, `enter_dotted` and `define_*` and nowhere else. */

#include <ctype.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/toml_scan.h"

enum { MAX_DEPTH = 128, MAX_BYTES = 1024 * 1024 };

enum {
	FLAG_DEFINED = 1, /* by its own [header]; further keys only right below it */
	FLAG_DOTTED = 2,  /* by a dotted key; [header] may not name it */
	FLAG_CLOSED = 4,  /* an inline table or an array in brackets: complete */
	FLAG_TABLES = 8,  /* an array of [[tables]] */
};

/* One part of a dotted key. */
struct key {
	const char *text;
	size_t len;
	unsigned line;
	unsigned col;
	const char *at;
};

struct key_path {
	struct key parts[MAX_DEPTH];
	size_t nr;
};

static int parse_value(struct toml_scan *s, struct toml **out);

static struct toml *new_value(struct toml_scan *s, enum toml_type type, unsigned flags)
{
	struct toml *value = arena_alloc(s->arena, sizeof(*value));
	value->type = type;
	value->flags = flags;
	value->line = s->line;
	value->col = toml_col(s, s->at);
	return value;
}

/* A table or array of tables that a key makes stands where the key stands. */
static struct toml *new_at(const struct key *key, struct toml *value)
{
	value->line = key->line;
	value->col = key->col;
	return value;
}

static struct toml *new_table(struct toml_scan *s, const struct key *key, unsigned flags)
{
	return new_at(key, new_value(s, TOML_TABLE, flags));
}

static void *grow(struct toml_scan *s, void *old, size_t nr, size_t *cap, size_t size)
{
	if (nr < *cap)
		return old;
	*cap = *cap ? size_mul(*cap, 2) : 4;
	void *items = arena_array(s->arena, *cap, size);
	if (nr)
		memcpy(items, old, size_mul(nr, size));
	return items;
}

static void add_item(struct toml_scan *s, struct toml *array, struct toml *item)
{
	array->items = grow(s, array->items, array->nr_items, &array->cap, sizeof(item));
	array->items[array->nr_items++] = item;
}

static struct toml *add_member(struct toml_scan *s, struct toml *table, const struct key *key,
			       struct toml *value)
{
	table->members =
		grow(s, table->members, table->nr_members, &table->cap, sizeof(*table->members));
	table->members[table->nr_members++] = (struct toml_member){
		.key = key->text,
		.key_len = key->len,
		.line = key->line,
		.col = key->col,
		.value = value,
	};
	return value;
}

static struct toml *find(const struct toml *table, const char *key, size_t len)
{
	for (size_t i = 0; i < table->nr_members; i++) {
		const struct toml_member *m = &table->members[i];
		if (m->key_len == len && memcmp(m->key, key, len) == 0)
			return m->value;
	}
	return NULL;
}

static bool is_bare(int c)
{
	return c >= 0 && c < 0x80 && (isalnum(c) || c == '_' || c == '-');
}

static int parse_quoted_key(struct toml_scan *s, struct key *key)
{
	AUTO_STR struct str text = STR_INIT;
	if (toml_scan_string(s, true, &text) < 0)
		return -1;
	key->text = arena_strndup(s->arena, text.text, text.len);
	key->len = text.len;
	return 0;
}

static int parse_key_part(struct toml_scan *s, struct key *key)
{
	*key = (struct key){ .line = s->line, .col = toml_col(s, s->at), .at = s->at };
	if (toml_peek(s) == '"' || toml_peek(s) == '\'')
		return parse_quoted_key(s, key);
	while (is_bare(toml_peek(s)))
		s->at++;
	key->len = (size_t)(s->at - key->at);
	key->text = arena_strndup(s->arena, key->at, key->len);
	return key->len ? 0 : toml_fail(s, s->at, "expected a key; other characters need quotes");
}

static int parse_key_path(struct toml_scan *s, struct key_path *path)
{
	path->nr = 0;
	do {
		toml_skip_blanks(s);
		if (path->nr == MAX_DEPTH)
			return toml_fail(s, s->at, "more than %d parts in a key", MAX_DEPTH);
		if (parse_key_part(s, &path->parts[path->nr++]) < 0)
			return -1;
		toml_skip_blanks(s);
	} while (toml_peek(s) == '.' && s->at++);
	return 0;
}

static int fail_key(struct toml_scan *s, const struct key *key, const char *why)
{
	return toml_fail(s, key->at, "%s %s", key->len ? key->text : "\"\"", why);
}

/* One step of a [header] towards its last part. */
static int enter_header(struct toml_scan *s, struct toml **table, const struct key *key)
{
	struct toml *next = find(*table, key->text, key->len);
	if (!next)
		next = add_member(s, *table, key, new_table(s, key, 0));
	if (next->flags & FLAG_TABLES)
		next = next->items[next->nr_items - 1];
	if (next->type != TOML_TABLE)
		return fail_key(s, key, "is not a table");
	if (next->flags & FLAG_CLOSED)
		return fail_key(s, key, "is an inline table; it can not be added to");
	*table = next;
	return 0;
}

/* One step of a dotted key towards its last part. */
static int enter_dotted(struct toml_scan *s, struct toml **table, const struct key *key)
{
	struct toml *next = find(*table, key->text, key->len);
	if (!next)
		next = add_member(s, *table, key, new_table(s, key, FLAG_DOTTED));
	if (next->type != TOML_TABLE)
		return fail_key(s, key, "is not a table");
	if (!(next->flags & FLAG_DOTTED))
		return fail_key(s, key, "was defined elsewhere; a dotted key can not add to it");
	*table = next;
	return 0;
}

/* [a.b.c]: the last part is new, or stands only because a deeper header passed through it. */
static int define_table(struct toml_scan *s, struct toml **table, const struct key *key)
{
	struct toml *old = find(*table, key->text, key->len);
	if (!old) {
		*table = add_member(s, *table, key, new_table(s, key, FLAG_DEFINED));
		return 0;
	}
	if (old->type != TOML_TABLE || old->flags)
		return fail_key(s, key, "is already defined");
	old->flags = FLAG_DEFINED;
	old->line = key->line;
	old->col = key->col;
	*table = old;
	return 0;
}

/* [[a.b.c]]: one more table of an array that only such headers made. */
static int define_item(struct toml_scan *s, struct toml **table, const struct key *key)
{
	struct toml *array = find(*table, key->text, key->len);
	if (!array)
		array = add_member(s, *table, key,
				   new_at(key, new_value(s, TOML_ARRAY, FLAG_TABLES)));
	if (!(array->flags & FLAG_TABLES))
		return fail_key(s, key, "is already defined, and not by [[...]]");
	*table = new_table(s, key, FLAG_DEFINED);
	add_item(s, array, *table);
	return 0;
}

static int parse_header_path(struct toml_scan *s, bool is_item, struct key_path *path)
{
	const char *close = is_item ? "]]" : "]";
	s->at += strlen(close);
	if (parse_key_path(s, path) < 0)
		return -1;
	if (!toml_looking_at(s, close))
		return toml_fail(s, s->at, "expected %s", close);
	s->at += strlen(close);
	return 0;
}

static int parse_header(struct toml_scan *s, struct toml *root, struct toml **current)
{
	struct key_path path;
	struct toml *table = root;
	bool is_item = toml_looking_at(s, "[[");
	if (parse_header_path(s, is_item, &path) < 0)
		return -1;
	for (size_t i = 0; i + 1 < path.nr; i++)
		if (enter_header(s, &table, &path.parts[i]) < 0)
			return -1;
	const struct key *last = &path.parts[path.nr - 1];
	int rc = is_item ? define_item(s, &table, last) : define_table(s, &table, last);
	*current = table;
	return rc;
}

static int parse_pair(struct toml_scan *s, struct toml *table)
{
	struct key_path path;
	struct toml *value;
	if (parse_key_path(s, &path) < 0)
		return -1;
	if (toml_peek(s) != '=')
		return toml_fail(s, s->at, "expected '=' after the key");
	for (size_t i = 0; i + 1 < path.nr; i++)
		if (enter_dotted(s, &table, &path.parts[i]) < 0)
			return -1;
	const struct key *last = &path.parts[path.nr - 1];
	if (find(table, last->text, last->len))
		return fail_key(s, last, "is already defined");
	s->at++;
	toml_skip_blanks(s);
	if (parse_value(s, &value) < 0)
		return -1;
	add_member(s, table, last, value);
	return 0;
}

static int parse_string(struct toml_scan *s, struct toml *value)
{
	AUTO_STR struct str text = STR_INIT;
	if (toml_scan_string(s, false, &text) < 0)
		return -1;
	value->type = TOML_STRING;
	value->text = arena_strndup(s->arena, text.text, text.len);
	value->len = text.len;
	return 0;
}

static int parse_array(struct toml_scan *s, struct toml *array)
{
	array->type = TOML_ARRAY;
	array->flags = FLAG_CLOSED;
	s->at++;
	for (;;) {
		struct toml *item;
		if (toml_skip_lines(s) < 0)
			return -1;
		if (toml_peek(s) == ']')
			break;
		if (parse_value(s, &item) < 0 || toml_skip_lines(s) < 0)
			return -1;
		add_item(s, array, item);
		if (toml_peek(s) == ']')
			break;
		if (toml_peek(s) != ',')
			return toml_fail(s, s->at, "expected ',' or ']' in the array");
		s->at++;
	}
	s->at++;
	return 0;
}

/* The members of an inline table up to its brace; neither newlines nor a last comma. */
static int parse_inline_pairs(struct toml_scan *s, struct toml *table)
{
	do {
		if (parse_pair(s, table) < 0)
			return -1;
		toml_skip_blanks(s);
	} while (toml_peek(s) == ',' && s->at++);
	return 0;
}

static int parse_inline_table(struct toml_scan *s, struct toml *table)
{
	table->type = TOML_TABLE;
	s->at++;
	toml_skip_blanks(s);
	if (toml_peek(s) != '}' && parse_inline_pairs(s, table) < 0)
		return -1;
	if (toml_peek(s) != '}')
		return toml_fail(s, s->at, "expected ',' or '}' in the inline table");
	s->at++;
	table->flags = FLAG_CLOSED;
	return 0;
}

static int parse_any(struct toml_scan *s, struct toml *value)
{
	switch (toml_peek(s)) {
	case '"':
	case '\'':
		return parse_string(s, value);
	case '[':
		return parse_array(s, value);
	case '{':
		return parse_inline_table(s, value);
	default:
		return toml_scan_scalar(s, value);
	}
}

static int parse_value(struct toml_scan *s, struct toml **out)
{
	if (++s->depth > MAX_DEPTH)
		return toml_fail(s, s->at, "nested more than %d levels deep", MAX_DEPTH);
	*out = new_value(s, TOML_STRING, 0);
	int rc = parse_any(s, *out);
	s->depth--;
	return rc;
}

static int parse_line(struct toml_scan *s, struct toml *root, struct toml **current)
{
	int rc = 0;
	toml_skip_blanks(s);
	if (toml_peek(s) == '[')
		rc = parse_header(s, root, current);
	else if (s->at < s->end && !strchr("#\r\n", *s->at))
		rc = parse_pair(s, *current);
	return rc < 0 ? -1 : toml_end_line(s);
}

struct toml *toml_parse(const char *text, size_t len, const char *name, struct arena *a,
			struct err *e)
{
	struct toml_scan s = { .at = text, .end = text + len, .line = 1, .name = name };
	s.arena = a;
	s.e = e;
	if (toml_looking_at(&s, "\xEF\xBB\xBF")) /* a byte order mark says nothing in UTF-8 */
		s.at += 3;
	s.line_start = s.at;
	struct toml *root = new_value(&s, TOML_TABLE, FLAG_DEFINED);
	struct toml *current = root;
	if (toml_check_bytes(&s) < 0)
		return NULL;
	while (s.at < s.end)
		if (parse_line(&s, root, &current) < 0)
			return NULL;
	return root;
}

struct toml *toml_read_file(const char *path, struct arena *a, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	if (file_read(path, MAX_BYTES, &text, e) < 0)
		return NULL;
	return toml_parse(text.text, text.len, arena_strdup(a, path), a, e);
}

const struct toml *toml_get(const struct toml *table, const char *key)
{
	return table->type == TOML_TABLE ? find(table, key, strlen(key)) : NULL;
}

const char *toml_type_name(enum toml_type type)
{
	static const char *const names[] = {
		[TOML_STRING] = "a string",
		[TOML_INTEGER] = "an integer",
		[TOML_FLOAT] = "a float",
		[TOML_BOOL] = "a boolean",
		[TOML_OFFSET_DATETIME] = "a date and time with offset",
		[TOML_LOCAL_DATETIME] = "a date and time",
		[TOML_LOCAL_DATE] = "a date",
		[TOML_LOCAL_TIME] = "a time",
		[TOML_ARRAY] = "an array",
		[TOML_TABLE] = "a table",
	};
	return names[type];
}
