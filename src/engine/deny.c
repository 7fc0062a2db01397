#include "engine/deny.h"

/* The first part says what its sandbox does not hold (turn_data.c and the drivers' mounts), the
 * second what the screens of a candidate's build refuse; src/build/imports.def is an allow list, so
 * only names on it need an entry here. */

#include "base/str.h"
#include "engine/start.h"
#include "model/task.h"

static void add_reference(const struct task *t, struct strv *out)
{
	if (task_is_generated(t))
		return;
	if (!t->reference_is_source) {
		strv_addf(out, "the reference (%s): sealed; its key, its text and its object code",
			  t->reference_run);
		return;
	}
	if (!start_is_granted(t))
		strv_add(out, "the source of the reference");
}

static const char *page_of(const char *language)
{
	return str_equal(language, "cuda")     ? "kernel-cuda.md"
	       : str_equal(language, "python") ? "kernel-python.md"
					       : "kernel.md";
}

void deny_list(const struct task *t, struct strv *out)
{
	add_reference(t, out);
	strv_add(out, "held-out shapes, hidden inputs, expected outputs, tolerances");
	strv_add(out, "the judge's source");
	strv_add(out, "other runs, keys, network");
	strv_addf(out, "%s outside the allow list of docs/format/%s, system calls, clocks",
		  str_equal(t->language, "python") ? "modules and names" : "symbols",
		  page_of(t->language));
	for (size_t i = 0; i < t->nr_deny; i++)
		strv_addf(out, "%s (the task's deny list)", t->deny[i]);
}
