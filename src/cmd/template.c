#include "cmd/template.h"

/* The template is a folder of plain files, so that it can be read, linted and changed without a
 * compiler; @NAME@ in their texts becomes the name. */

#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/share.h"
#include "base/str.h"

enum { MAX_TEMPLATE_BYTES = 1 << 20, MAX_DEPTH = 8 };

static const char placeholder[] = "@NAME@";

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

int template_make(const char *dir, const char *folder, const char *name, struct err *e)
{
	AUTO_FREE char *from = share_path(folder, e);
	if (!from)
		return -1;
	return fill_tree(from, dir, name, 0, e);
}
