#include "export/slots.h"

/* A slot that nobody fills would reach the user's compiler as text, so it is an error here. */

#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/share.h"

enum { MAX_TEMPLATE_BYTES = 1 << 20 };

void slots_release(struct slots *s)
{
	strv_release(&s->names);
	strv_release(&s->values);
}

void slots_set(struct slots *s, const char *name, const char *value)
{
	strv_add(&s->names, name);
	strv_add(&s->values, value);
}

void slots_setf(struct slots *s, const char *name, const char *fmt, ...)
{
	AUTO_STR struct str value = STR_INIT;
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(&value, fmt, ap);
	va_end(ap);
	slots_set(s, name, value.text);
}

static const char *find(const struct slots *s, const char *name)
{
	for (size_t i = s->names.nr; i-- > 0;)
		if (str_equal(s->names.items[i], name))
			return s->values.items[i];
	return NULL;
}

/* Length of NAME in "@NAME@" at `at`; 0: none begins here. */
static size_t slot_len(const char *at)
{
	if (*at != '@')
		return 0;
	size_t len = strspn(at + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
	return at[1 + len] == '@' ? len : 0;
}

int slots_fill_text(const struct slots *s, const char *text, const char *doc, struct str *out,
		    struct err *e)
{
	for (const char *at = text; *at;) {
		size_t len = slot_len(at);
		if (!len) {
			str_add_char(out, *at++);
			continue;
		}
		AUTO_FREE char *name = xstrndup(at + 1, len);
		const char *value = find(s, name);
		if (!value)
			return err_set(e, ERR_SYSTEM, "%s: nothing fills its slot @%s@", doc, name);
		str_add(out, value);
		at += len + 2;
	}
	return 0;
}

int slots_fill(const struct slots *s, const char *name, struct str *out, struct err *e)
{
	AUTO_FREE char *below = xasprintf("export/%s", name);
	AUTO_FREE char *path = share_path(below, e);
	AUTO_STR struct str text = STR_INIT;
	if (!path || file_read(path, MAX_TEMPLATE_BYTES, &text, e) < 0)
		return -1;
	return slots_fill_text(s, text.text, path, out, e);
}

int slots_write(const struct slots *s, const char *name, const char *path, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	AUTO_FREE char *folder = path_dir(path);
	if (slots_fill(s, name, &text, e) < 0 || dir_make(folder, e) < 0)
		return -1;
	return file_write(path, text.text, text.len, e);
}
