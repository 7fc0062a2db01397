#include "cmd/check_text.h"

/* How findings are said, in both forms of `forge check`. */

#include <stdio.h>

#include "cmd/term.h"
#include "model/task.h"

size_t check_count_errors(const struct findings *f)
{
	size_t nr = 0;
	for (size_t i = 0; i < f->nr; i++)
		nr += f->items[i].is_error;
	return nr;
}

void check_print_finding(const struct finding *f)
{
	const char *severity = f->is_error ? "error" : "warning";
	if (f->line)
		term_print("%s:%u: %s: %s\n", f->file, f->line, severity, f->text);
	else
		term_print("%s: %s: %s\n", f->file, severity, f->text);
}

json_t *check_findings_json(const struct findings *f)
{
	json_t *list = json_array();
	for (size_t i = 0; i < f->nr; i++) {
		const struct finding *one = &f->items[i];
		json_t *obj = json_object();
		json_object_set_new(obj, "file", json_string(one->file));
		json_object_set_new(obj, "line", json_integer(one->line));
		json_object_set_new(obj, "is_error", json_boolean(one->is_error));
		json_object_set_new(obj, "text", json_string(one->text));
		json_array_append_new(list, obj);
	}
	return list;
}

const char *check_plural(size_t nr)
{
	return nr == 1 ? "" : "s";
}
