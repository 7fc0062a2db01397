#include "cmd/cmd.h"

/* A new task is the template of share/template with the name filled in: a small task that passes
 * `forge check` as it stands, so its owner edits from green to green. */

#include <ctype.h>
#include <stdio.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "cmd/share.h"

enum { MAX_TEMPLATE_BYTES = 1 << 20, MAX_DEPTH = 8 };

static const char placeholder[] = "@NAME@";

/* Folder names are often kebab-case and C names never are. */
static char *entry_name(const char *dir)
{
	AUTO_FREE char *trimmed = xstrdup(dir);
	for (size_t len = strlen(trimmed); len > 1 && trimmed[len - 1] == '/'; len--)
		trimmed[len - 1] = 0;
	char *name = xstrdup(path_base(trimmed));
	for (char *c = name; *c; c++)
		*c = *c == '-' ? '_' : *c;
	return name;
}

static bool is_identifier(const char *name)
{
	bool is_ok = isalpha((unsigned char)*name) || *name == '_';
	for (; *name; name++)
		is_ok = is_ok && (isalnum((unsigned char)*name) || *name == '_');
	return is_ok;
}

static void fill_in(const char *text, const char *name, struct str *out)
{
	for (const char *at; (at = strstr(text, placeholder)); text = at + strlen(placeholder)) {
		str_add_len(out, text, (size_t)(at - text));
		str_add(out, name);
	}
	str_add(out, text);
}

static int fill_file(const char *from, const char *to, const char *name, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	AUTO_STR struct str filled = STR_INIT;
	if (file_read(from, MAX_TEMPLATE_BYTES, &text, e) < 0)
		return -1;
	fill_in(text.text, name, &filled);
	return file_write_text(to, filled.text, e);
}

static int fill_tree(const char *from, const char *to, const char *name, int depth, struct err *e)
{
	AUTO_STRV struct strv names = { 0 };
	if (depth > MAX_DEPTH)
		return err_set(e, ERR_INPUT, "%s: folders too deep", from);
	if (dir_make(to, e) < 0 || dir_list(from, &names, e) < 0)
		return -1;
	for (size_t i = 0; i < names.nr; i++) {
		AUTO_FREE char *source = path_join(from, names.items[i]);
		AUTO_FREE char *target = path_join(to, names.items[i]);
		int code = file_is_dir(source) ? fill_tree(source, target, name, depth + 1, e)
					       : fill_file(source, target, name, e);
		if (code < 0)
			return -1;
	}
	return 0;
}

static int make_task(const char *dir, struct err *e)
{
	AUTO_FREE char *name = entry_name(dir);
	if (!is_identifier(name))
		return err_set(e, ERR_USAGE,
			       "init: '%s' can not name a C function; use letters, digits, _ and -",
			       path_base(dir));
	if (file_exists(dir))
		return err_set(e, ERR_CONFLICT, "init %s: it exists already", dir);
	AUTO_FREE char *template = share_path("template", e);
	if (!template)
		return -1;
	return fill_tree(template, dir, name, 0, e);
}

int cmd_init(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	AUTO_STRV struct strv rest = { 0 };
	const struct opt_table none = { 0 };
	if (!cmd_parse(call, &none, &rest, &code, e))
		return code;
	const char *dir = rest.items[0];
	if (make_task(dir, e) < 0)
		return -1;
	printf("made task %s\n"
	       "edit task.toml, description.md, shapes.json, reference/ and judge/ there, then:\n"
	       "  forge check %s\n"
	       "  forge run %s\n",
	       dir, dir, dir);
	return 0;
}
