#include "cmd/cmd.h"

/* A new task is the template of share/template (of another language: template-NAME) with the name
 * filled in: a small task that passes `forge check` as it stands, so its owner edits from green to
 * green. */

#include <ctype.h>
#include <stdio.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "cmd/template.h"
#include "cmd/term.h"
#include "model/language.h"

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

/* The folder of the language's template; yours. */
static char *template_of(const char *name, struct err *e)
{
	AUTO_STR struct str known = STR_INIT;
	const struct language *language = language_find(name);
	if (language && language->is_checked)
		return language_is(language, "c") ? xstrdup("template")
						  : xasprintf("template-%s", name);
	language_names(true, &known);
	err_set(e, ERR_USAGE, "init: no template for language '%s'; there are %s", name,
		known.text);
	return NULL;
}

static int make_task(const char *dir, const char *language, struct err *e)
{
	AUTO_FREE char *name = entry_name(dir);
	AUTO_FREE char *folder = template_of(language, e);
	if (!folder)
		return -1;
	if (!is_identifier(name))
		return err_set(e, ERR_USAGE,
			       "init: '%s' can not name a C function; use letters, digits, _ and -",
			       path_base(dir));
	if (file_exists(dir))
		return err_set(e, ERR_CONFLICT, "init %s: it exists already", dir);
	return template_make(dir, folder, name, e);
}

int cmd_init(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	AUTO_STRV struct strv rest = { 0 };
	const char *language = "c";
	const struct opt rows[] = {
		{ 0, "language", OPT_TEXT, "NAME", "of the kernel: c (the default), cuda or python",
		  &language },
	};
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	const char *dir = rest.items[0];
	if (make_task(dir, language, e) < 0)
		return -1;
	term_print("made task %s\n", dir);
	term_print("edit task.toml, description.md, shapes.json, reference/ and judge/ there, "
		   "then:\n");
	term_print("  forge check %s\n", dir);
	term_print("  forge run %s\n", dir);
	return 0;
}
