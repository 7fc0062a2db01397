#include "base/toml_fields.h"

/* Members are written through byte offsets with memcpy, which is the one way that is right for
 * every member type. */

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/toml.h"

int toml_fail_at(struct toml_loader *l, const struct toml *at, const char *fmt, ...)
{
	AUTO_STR struct str why = STR_INIT;
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(&why, fmt, ap);
	va_end(ap);
	return err_set(l->e, ERR_INPUT, "%s:%u:%u: %s", l->path, at->line, at->col, why.text);
}

/* A string without NUL inside, which the rest of the program could not tell from a shorter one. */
static bool is_text(const struct toml *value)
{
	return value->type == TOML_STRING && strlen(value->text) == value->len;
}

static int wrong_type(struct toml_loader *l, const struct toml_field *field,
		      const struct toml *value, const char *want)
{
	bool has_nul = value->type == TOML_STRING && !is_text(value);
	return toml_fail_at(l, value, "%s must be %s, not %s", field->key, want,
			    has_nul ? "a string with NUL in it" : toml_type_name(value->type));
}

static int read_texts(struct toml_loader *l, const struct toml_field *field,
		      const struct toml *value, char *base)
{
	if (value->type != TOML_ARRAY)
		return wrong_type(l, field, value, "an array of strings");
	const char **items = arena_array(l->arena, value->nr_items + 1, sizeof(*items));
	for (size_t i = 0; i < value->nr_items; i++) {
		if (!is_text(value->items[i]))
			return wrong_type(l, field, value->items[i], "an array of strings");
		items[i] = value->items[i]->text;
	}
	memcpy(base + field->offset, &items, sizeof(items));
	memcpy(base + field->nr_offset, &value->nr_items, sizeof(value->nr_items));
	return 0;
}

static const char *value_text(struct toml_loader *l, const struct toml *value)
{
	if (value->type == TOML_INTEGER)
		return arena_printf(l->arena, "%lld", (long long)value->integer);
	if (value->type == TOML_FLOAT)
		return arena_printf(l->arena, "%.17g", value->real);
	if (value->type == TOML_BOOL)
		return value->boolean ? "1" : "0";
	return is_text(value) ? value->text : NULL;
}

static int read_text(struct toml_loader *l, const struct toml_field *field,
		     const struct toml *value, char *base)
{
	bool is_any = field->type == TOML_FIELD_VALUE;
	const char *text = is_any ? value_text(l, value) : is_text(value) ? value->text : NULL;
	if (!text)
		return wrong_type(l, field, value, is_any ? "a number or a string" : "a string");
	memcpy(base + field->offset, &text, sizeof(text));
	return 0;
}

static int read_real(struct toml_loader *l, const struct toml_field *field,
		     const struct toml *value, char *base)
{
	double real = value->type == TOML_INTEGER ? (double)value->integer : value->real;
	if (value->type != TOML_INTEGER && value->type != TOML_FLOAT)
		return wrong_type(l, field, value, "a number");
	memcpy(base + field->offset, &real, sizeof(real));
	return 0;
}

static int read_int(struct toml_loader *l, const struct toml_field *field, const struct toml *value,
		    char *base)
{
	if (value->type != TOML_INTEGER)
		return wrong_type(l, field, value, "an integer");
	memcpy(base + field->offset, &value->integer, sizeof(value->integer));
	return 0;
}

static int read_bool(struct toml_loader *l, const struct toml_field *field,
		     const struct toml *value, char *base)
{
	if (value->type != TOML_BOOL)
		return wrong_type(l, field, value, "true or false");
	memcpy(base + field->offset, &value->boolean, sizeof(value->boolean));
	return 0;
}

static int read_field(struct toml_loader *l, const struct toml_field *field,
		      const struct toml *value, char *base)
{
	switch (field->type) {
	case TOML_FIELD_TEXT:
	case TOML_FIELD_VALUE:
		return read_text(l, field, value, base);
	case TOML_FIELD_TEXTS:
		return read_texts(l, field, value, base);
	case TOML_FIELD_INT:
		return read_int(l, field, value, base);
	case TOML_FIELD_REAL:
		return read_real(l, field, value, base);
	case TOML_FIELD_BOOL:
		return read_bool(l, field, value, base);
	case TOML_FIELD_NESTED:
		return 0;
	}
	BUG("no such field type");
}

static const struct toml_field *find_field(const struct toml_section *section,
					   const struct toml_member *member)
{
	bool has_nul = strlen(member->key) != member->key_len;
	for (size_t i = 0; i < section->nr_fields && !has_nul; i++)
		if (strcmp(section->fields[i].key, member->key) == 0)
			return &section->fields[i];
	return NULL;
}

static int unknown_key(struct toml_loader *l, const struct toml_section *section,
		       const struct toml_member *member)
{
	const struct toml at = { .line = member->line, .col = member->col };
	AUTO_STR struct str known = STR_INIT;
	for (size_t i = 0; i < section->nr_fields; i++)
		str_addf(&known, " %s", section->fields[i].key);
	return toml_fail_at(l, &at, "unknown key %s in %s; the keys are%s", member->key,
			    section->name, known.text);
}

static int check_required(struct toml_loader *l, const struct toml_section *section,
			  const struct toml *table)
{
	for (size_t i = 0; i < section->nr_fields; i++) {
		const struct toml_field *field = &section->fields[i];
		if (field->is_required && !toml_get(table, field->key))
			return toml_fail_at(l, table, "%s has no %s; add it", section->name,
					    field->key);
	}
	return 0;
}

int toml_read_fields(struct toml_loader *l, const struct toml_section *section,
		     const struct toml *table, void *out)
{
	if (!table)
		return 0;
	if (table->type != TOML_TABLE)
		return toml_fail_at(l, table, "%s must be a table", section->name);
	for (size_t i = 0; i < table->nr_members; i++) {
		const struct toml_member *member = &table->members[i];
		const struct toml_field *field = find_field(section, member);
		if (!field)
			return unknown_key(l, section, member);
		if (read_field(l, field, member->value, out) < 0)
			return -1;
	}
	return check_required(l, section, table);
}
