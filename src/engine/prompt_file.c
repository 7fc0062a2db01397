#include "engine/prompt_file.h"

/* Two marks and no more: a prompt that needs a loop or a condition on a value wants another slot.
 */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

enum { MAX_SHOWN_NAME = 40 };

static const char slot_letters[] = "abcdefghijklmnopqrstuvwxyz_";

struct filling {
	const struct prompt_filling *f;
	struct str *out;
	struct strv *used;
	unsigned line;
	char *section; /* of the lines at hand; NULL: none */
	bool is_hidden;
};

long prompt_file_version(const char *path, const char *name, const char *text, struct err *e)
{
	AUTO_FREE char *head = xasprintf("<!-- %s, version ", name);
	char *end = NULL;
	long version = 0;
	if (str_starts(text, head))
		version = strtol(text + strlen(head), &end, 10);
	if (version >= 1 && str_starts(end, " -->\n"))
		return version;
	return err_set(e, ERR_INPUT, "%s:1: the first line must be \"%s1 -->\", or a later version",
		       path, head);
}

static int fail(const struct filling *k, const char *text, struct err *e)
{
	return err_set(e, ERR_INPUT, "%s:%u: %s", k->f->path, k->line, text);
}

static int fill_slot(struct filling *k, const char *name, struct str *out, struct err *e)
{
	if (!strv_has(k->used, name))
		strv_add(k->used, name);
	if (k->f->fill(k->f->ctx, name, out, e) == 0)
		return 0;
	return err_wrap(e, "%s:%u", k->f->path, k->line);
}

/* The name in "{{name}}" at `at`, yours; NULL: no slot's name stands there. */
static char *slot_at(const char *at)
{
	size_t len = strspn(at + 2, slot_letters);
	if (!len || len > MAX_SHOWN_NAME || !str_starts(at + 2 + len, "}}"))
		return NULL;
	return xstrndup(at + 2, len);
}

/* A line that is all mark: "{{?name}}" or "{{/name}}"; yours. */
static char *mark_of(const char *line, char kind)
{
	if (!str_starts(line, "{{") || line[2] != kind)
		return NULL;
	size_t len = strspn(line + 3, slot_letters);
	return len && str_equal(line + 3 + len, "}}") ? xstrndup(line + 3, len) : NULL;
}

static int open_section(struct filling *k, char **name, struct err *e)
{
	AUTO_STR struct str held = STR_INIT;
	if (k->section)
		return fail(k, "a section in a section; close the first one before", e);
	if (fill_slot(k, *name, &held, e) < 0)
		return -1;
	k->section = *name;
	k->is_hidden = held.len == 0;
	*name = NULL;
	return 0;
}

static int close_section(struct filling *k, const char *name, struct err *e)
{
	if (!str_equal(k->section, name))
		return fail(k, "this closes a section that was not opened before it", e);
	free(k->section);
	k->section = NULL;
	k->is_hidden = false;
	return 0;
}

/* A block brings its own line feed. */
static void end_line(struct str *out)
{
	if (!str_ends(out->text, "\n"))
		str_add_char(out, '\n');
}

static int fill_line(struct filling *k, const char *line, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	bool has_slots = false;
	for (const char *at; (at = strstr(line, "{{"));) {
		AUTO_FREE char *name = slot_at(at);
		if (!name)
			return fail(k, "{{ is not followed by a slot's name and }}", e);
		has_slots = true;
		str_add_len(&text, line, (size_t)(at - line));
		if (fill_slot(k, name, &text, e) < 0)
			return -1;
		line = at + strlen(name) + 4;
	}
	str_add(&text, line);
	if (has_slots && !text.len)
		return 0;
	if (text.len)
		end_line(&text);
	else
		str_add_char(&text, '\n');
	if (!k->is_hidden)
		str_add_len(k->out, text.text, text.len);
	return 0;
}

static int take_line(struct filling *k, const char *line, struct err *e)
{
	AUTO_FREE char *opens = mark_of(line, '?');
	AUTO_FREE char *closes = mark_of(line, '/');
	if (opens)
		return open_section(k, &opens, e);
	if (closes)
		return close_section(k, closes, e);
	return fill_line(k, line, e);
}

static int take_lines(struct filling *k, const char *text, struct err *e)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		AUTO_FREE char *line = xstrndup(text, len);
		k->line++;
		if (take_line(k, line, e) < 0)
			return -1;
		text += len + (text[len] == '\n');
	}
	return k->section ? fail(k, "a section is not closed", e) : 0;
}

int prompt_file_fill(const struct prompt_filling *f, const char *text, struct str *out,
		     struct strv *used, struct err *e)
{
	if (prompt_file_version(f->path, f->name, text, e) < 0)
		return -1;
	struct filling k = { .f = f, .out = out, .used = used, .line = 1 };
	int rc = take_lines(&k, strchr(text, '\n') + 1, e);
	free(k.section);
	return rc;
}
