#include "model/task_linear.h"

/* `linear` of task.toml: what may be scaled. An item names one argument, or several joined by "+"
 * that are scaled together. */

#include <string.h>

#include "base/str.h"
#include "base/toml.h"
#include "base/toml_fields.h"
#include "model/task.h"

static const struct arg *find_arg(const struct task *t, const char *name)
{
	for (size_t i = 0; i < t->nr_args; i++)
		if (str_equal(t->args[i].name, name))
			return &t->args[i];
	return NULL;
}

static int check_name(struct toml_loader *l, const struct toml *at, const struct task *t,
		      const char *name)
{
	const struct arg *arg = find_arg(t, name);
	if (!arg)
		return toml_fail_at(l, at, "linear names \"%s\", which is no argument", name);
	if (arg->role == ARG_SCALAR || !arg_is_input(arg) || !dtype_is_float(arg->dtype))
		return toml_fail_at(
			l, at, "linear names %s, which is no input tensor of a float type", name);
	return 0;
}

static int check_item(struct toml_loader *l, const struct toml *at, const struct task *t,
		      const char *item)
{
	AUTO_STRV struct strv names = { 0 };
	strv_split(&names, item, "+");
	if (names.nr == 0)
		return toml_fail_at(l, at, "linear has an empty item");
	for (size_t i = 0; i < names.nr; i++)
		if (check_name(l, at, t, names.items[i]) < 0)
			return -1;
	return 0;
}

int task_linear_check(struct toml_loader *l, const struct toml *list, const struct task *t)
{
	for (size_t i = 0; i < t->nr_args; i++)
		if (t->nr_linear && arg_is_output(&t->args[i]) && !dtype_is_float(t->args[i].dtype))
			return toml_fail_at(l, list, "linear, but output %s is of type %s",
					    t->args[i].name, dtype_name(t->args[i].dtype));
	for (size_t i = 0; i < t->nr_linear; i++)
		if (check_item(l, list->items[i], t, t->linear[i]) < 0)
			return -1;
	return 0;
}

bool task_linear_has(const char *item, const char *arg)
{
	AUTO_STRV struct strv names = { 0 };
	strv_split(&names, item, "+");
	return strv_has(&names, arg);
}
