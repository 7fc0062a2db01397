#include "base/toml_print.h"

/* At the first level values come before tables, since a value after a header would belong to that
 * table. Depth is bounded by the parser's. */

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/toml.h"

static bool is_bare(const char *key, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)key[i]) && key[i] != '_' && key[i] != '-')
			return false;
	return len > 0;
}

static void add_quoted(const char *text, size_t len, struct str *out)
{
	str_add_char(out, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c == '"' || c == '\\')
			str_addf(out, "\\%c", c);
		else if (c < ' ' || c == 0x7f)
			str_addf(out, "\\u%04x", c);
		else
			str_add_char(out, (char)c);
	}
	str_add_char(out, '"');
}

static void add_key(const struct toml_member *m, struct str *out)
{
	if (is_bare(m->key, m->key_len))
		str_add_len(out, m->key, m->key_len);
	else
		add_quoted(m->key, m->key_len, out);
}

/* 17 digits bring back the same double; a point keeps it a float. */
static void add_real(double value, struct str *out)
{
	char text[40];
	if (isnan(value)) {
		str_add(out, "nan");
		return;
	}
	if (isinf(value)) {
		str_add(out, value < 0 ? "-inf" : "inf");
		return;
	}
	snprintf(text, sizeof(text), "%.15g", value);
	if (strtod(text, NULL) != value)
		snprintf(text, sizeof(text), "%.17g", value);
	str_add(out, text);
	if (!strpbrk(text, ".e"))
		str_add(out, ".0");
}

static void add_value(const struct toml *v, struct str *out);

static void add_array(const struct toml *v, struct str *out)
{
	str_add(out, "[");
	for (size_t i = 0; i < v->nr_items; i++) {
		str_add(out, i ? ", " : "");
		add_value(v->items[i], out);
	}
	str_add(out, "]");
}

static void add_inline_table(const struct toml *v, struct str *out)
{
	str_add(out, v->nr_members ? "{ " : "{");
	for (size_t i = 0; i < v->nr_members; i++) {
		str_add(out, i ? ", " : "");
		add_key(&v->members[i], out);
		str_add(out, " = ");
		add_value(v->members[i].value, out);
	}
	str_add(out, v->nr_members ? " }" : "}");
}

static void add_value(const struct toml *v, struct str *out)
{
	switch (v->type) {
	case TOML_STRING:
		add_quoted(v->text, v->len, out);
		return;
	case TOML_INTEGER:
		str_addf(out, "%lld", (long long)v->integer);
		return;
	case TOML_FLOAT:
		add_real(v->real, out);
		return;
	case TOML_BOOL:
		str_add(out, v->boolean ? "true" : "false");
		return;
	case TOML_OFFSET_DATETIME:
	case TOML_LOCAL_DATETIME:
	case TOML_LOCAL_DATE:
	case TOML_LOCAL_TIME:
		str_add_len(out, v->text, v->len);
		return;
	case TOML_ARRAY:
		add_array(v, out);
		return;
	case TOML_TABLE:
		add_inline_table(v, out);
		return;
	}
}

static void add_line(const struct toml_member *m, struct str *out)
{
	add_key(m, out);
	str_add(out, " = ");
	add_value(m->value, out);
	str_add(out, "\n");
}

static bool is_table_list(const struct toml *v)
{
	for (size_t i = 0; v->type == TOML_ARRAY && i < v->nr_items; i++)
		if (v->items[i]->type != TOML_TABLE)
			return false;
	return v->type == TOML_ARRAY && v->nr_items > 0;
}

static void add_table(const struct toml_member *m, const struct toml *table, bool is_item,
		      struct str *out)
{
	str_add(out, out->len ? "\n" : "");
	str_add(out, is_item ? "[[" : "[");
	add_key(m, out);
	str_add(out, is_item ? "]]\n" : "]\n");
	for (size_t i = 0; i < table->nr_members; i++)
		add_line(&table->members[i], out);
}

static void add_section(const struct toml_member *m, struct str *out)
{
	if (m->value->type == TOML_TABLE)
		add_table(m, m->value, false, out);
	for (size_t i = 0; is_table_list(m->value) && i < m->value->nr_items; i++)
		add_table(m, m->value->items[i], true, out);
}

void toml_print(const struct toml *root, struct str *out)
{
	for (size_t i = 0; i < root->nr_members; i++)
		if (root->members[i].value->type != TOML_TABLE &&
		    !is_table_list(root->members[i].value))
			add_line(&root->members[i], out);
	for (size_t i = 0; i < root->nr_members; i++)
		add_section(&root->members[i], out);
}

static struct toml *new_value(enum toml_type type, struct arena *a)
{
	struct toml *v = arena_alloc(a, sizeof(*v));
	v->type = type;
	return v;
}

struct toml *toml_new_text(const char *text, struct arena *a)
{
	struct toml *v = new_value(TOML_STRING, a);
	v->text = arena_strdup(a, text);
	v->len = strlen(text);
	return v;
}

struct toml *toml_new_real(double value, struct arena *a)
{
	struct toml *v = new_value(TOML_FLOAT, a);
	v->real = value;
	return v;
}

struct toml *toml_new_bool(bool value, struct arena *a)
{
	struct toml *v = new_value(TOML_BOOL, a);
	v->boolean = value;
	return v;
}

struct toml *toml_new_table(struct arena *a)
{
	return new_value(TOML_TABLE, a);
}

static struct toml_member *find(struct toml *table, const char *key)
{
	for (size_t i = 0; i < table->nr_members; i++)
		if (str_equal(table->members[i].key, key))
			return &table->members[i];
	return NULL;
}

static void append(struct toml *table, const char *key, struct toml *value, struct arena *a)
{
	size_t nr = table->nr_members;
	struct toml_member *wider = arena_array(a, nr + 1, sizeof(*wider));
	if (nr)
		memcpy(wider, table->members, nr * sizeof(*wider));
	wider[nr] = (struct toml_member){ .key = arena_strdup(a, key),
					  .key_len = strlen(key),
					  .value = value };
	table->members = wider;
	table->nr_members = table->cap = nr + 1;
}

void toml_set(struct toml *table, const char *key, struct toml *value, struct arena *a)
{
	struct toml_member *m = find(table, key);
	if (m && value) {
		m->value = value;
	} else if (m) {
		size_t at = (size_t)(m - table->members);
		memmove(m, m + 1, (table->nr_members - at - 1) * sizeof(*m));
		table->nr_members--;
	} else if (value) {
		append(table, key, value, a);
	}
}

struct toml *toml_subtable(struct toml *root, const char *key, struct arena *a)
{
	struct toml_member *m = find(root, key);
	if (m && m->value->type == TOML_TABLE)
		return m->value;
	struct toml *table = toml_new_table(a);
	toml_set(root, key, table, a);
	return table;
}
