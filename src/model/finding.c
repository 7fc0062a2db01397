#include "model/task.h"

/* The list that lints fill. A rule on a group that all shapes share fires once per shape; dropping
 * exact repetitions here keeps the rules simple. */

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

static bool has_finding(const struct findings *f, const char *file, unsigned line, const char *text)
{
	for (size_t i = 0; i < f->nr; i++)
		if (f->items[i].line == line && strcmp(f->items[i].file, file) == 0 &&
		    strcmp(f->items[i].text, text) == 0)
			return true;
	return false;
}

static struct finding *grow(struct findings *f)
{
	if (f->nr == f->cap) {
		f->cap = f->cap ? size_mul(f->cap, 2) : 16;
		f->items = xreallocarray(f->items, f->cap, sizeof(*f->items));
	}
	return &f->items[f->nr++];
}

/* Takes the text. */
static void add(struct findings *f, struct finding found)
{
	if (has_finding(f, found.file, found.line, found.text)) {
		free(found.file);
		free(found.text);
		return;
	}
	*grow(f) = found;
}

void finding_error(struct findings *f, const char *file, unsigned line, const char *fmt, ...)
{
	AUTO_STR struct str text = STR_INIT;
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	add(f, (struct finding){ xstrdup(file), line, true, str_take(&text) });
}

void finding_warning(struct findings *f, const char *file, unsigned line, const char *fmt, ...)
{
	AUTO_STR struct str text = STR_INIT;
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	add(f, (struct finding){ xstrdup(file), line, false, str_take(&text) });
}

void findings_release(struct findings *f)
{
	for (size_t i = 0; i < f->nr; i++) {
		free(f->items[i].file);
		free(f->items[i].text);
	}
	free(f->items);
	*f = (struct findings){ 0 };
}

int findings_refuse(const struct findings *f, const char *command, const char *what, struct err *e)
{
	for (size_t i = 0; i < f->nr; i++) {
		const struct finding *one = &f->items[i];
		if (one->is_error && one->line)
			return err_set(e, ERR_INPUT, "%s:%u: %s (%s %s shows all)", one->file,
				       one->line, one->text, command, what);
		if (one->is_error)
			return err_set(e, ERR_INPUT, "%s: %s", one->file, one->text);
	}
	return 0;
}

int task_refuse(const char *dir, struct err *e)
{
	AUTO_FINDINGS struct findings found = { 0 };
	task_lint(dir, &found);
	return findings_refuse(&found, "forge check", dir, e);
}
