#include "model/combine.h"

/* Names are changed word by word, headers come first, macros are put back behind each part by
 * push_macro and pop_macro, and a declaration in front of each part makes its entry static. What a
 * source hides from that (names that macros paste) the compiler refuses as a second definition. */

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/cscope.h"
#include "model/task.h"

struct combination {
	const struct combine_spec *spec;
	struct cscope *scopes; /* of each part */
	char *stem;            /* parts are called by it and their number */
	struct str *out;
	struct err *e;
};

static char *prefix_of(const struct combination *c, size_t part)
{
	return xasprintf("%s%zu_", c->stem, part + 1);
}

static bool is_stem_free(const struct combination *c, const char *stem)
{
	for (size_t i = 0; i < c->spec->nr_parts; i++)
		if (cscope_has_stem(&c->scopes[i], stem))
			return false;
	return true;
}

/* "part", or "part_a", "part_aa"...: a kernel may have been combined before. */
static void choose_stem(struct combination *c)
{
	c->stem = xstrdup("part");
	while (!is_stem_free(c, c->stem)) {
		bool is_first = str_equal(c->stem, "part");
		char *longer = xasprintf("%s%s", c->stem, is_first ? "_a" : "a");
		free(c->stem);
		c->stem = longer;
	}
}

static int check_entry(struct combination *c, size_t part)
{
	const char *entry = c->spec->task->entry;
	const char *name = c->spec->parts[part].name;
	if (c->scopes[part].is_too_large)
		return err_set(c->e, ERR_INPUT, "the source of %s declares more than %d names",
			       name, CSCOPE_MAX_NAMES);
	if (!strv_has(&c->scopes[part].names, entry))
		return err_set(c->e, ERR_INPUT, "the source of %s defines no %s in sight", name,
			       entry);
	return 0;
}

static int check_entries(struct combination *c)
{
	for (size_t i = 0; i < c->spec->nr_parts; i++)
		if (check_entry(c, i) < 0)
			return -1;
	return 0;
}

static bool is_key(const struct arg *arg)
{
	return arg->role == ARG_SCALAR && !dtype_is_float(arg->dtype);
}

static int key_value(const struct arg *arg, const struct shape *shape, int64_t *value,
		     struct err *e)
{
	unsigned char bytes[8];
	if (arg_scalar(arg, &shape->dims, bytes, e) < 0)
		return -1;
	*value = dtype_load_int(arg->dtype, bytes, 0);
	return 0;
}

/* Do the entry's integers differ at the two shapes? -1: they can not be evaluated. */
static int do_differ(struct combination *c, const struct shape *a, const struct shape *b)
{
	const struct task *t = c->spec->task;
	for (size_t i = 0; i < t->nr_args; i++) {
		int64_t x;
		int64_t y;
		if (!is_key(&t->args[i]))
			continue;
		if (key_value(&t->args[i], a, &x, c->e) < 0 ||
		    key_value(&t->args[i], b, &y, c->e) < 0)
			return -1;
		if (x != y)
			return 1;
	}
	return 0;
}

static int check_pair(struct combination *c, const struct shape *a, const struct shape *b)
{
	int differs = do_differ(c, a, b);
	if (differs == 0)
		return err_set(c->e, ERR_INPUT,
			       "the integers among the arguments are the same at %s and %s",
			       a->name, b->name);
	return differs < 0 ? -1 : 0;
}

static int check_keys(struct combination *c)
{
	const struct shapes *shapes = &c->spec->task->shapes;
	for (size_t i = 0; i < shapes->nr; i++)
		for (size_t j = 0; j < i; j++) {
			const struct shape *a = &shapes->items[j];
			const struct shape *b = &shapes->items[i];
			bool is_alike = c->spec->part_of[i] == c->spec->part_of[j];
			if (!is_alike && !a->held_out && !b->held_out && check_pair(c, a, b) < 0)
				return -1;
		}
	return 0;
}

static bool has_branch(const struct combination *c, size_t shape)
{
	return c->spec->part_of[shape] && !c->spec->task->shapes.items[shape].held_out;
}

static void add_head(const struct combination *c)
{
	const struct shapes *shapes = &c->spec->task->shapes;
	if (c->spec->build)
		str_addf(c->out, "/* forge-build: %s */\n", c->spec->build);
	str_add(c->out,
		"/* Made by forge of several kernels, each for the sizes at which it was the "
		"fastest:\n");
	for (size_t part = 0; part < c->spec->nr_parts; part++) {
		str_addf(c->out, " *   %s%zu_ is %s:", c->stem, part + 1,
			 c->spec->parts[part].name);
		if (part == 0)
			str_add(c->out, " all other sizes");
		for (size_t i = 0; part && i < shapes->nr; i++)
			if (has_branch(c, i) && c->spec->part_of[i] == part)
				str_addf(c->out, " %s", shapes->items[i].name);
		str_add(c->out, "\n");
	}
	str_add(c->out, " */\n#include <forge/kernel.h>\n");
}

/* In front of all parts: what a header defines must not fall to a part's pop_macro. */
static void add_includes(const struct combination *c)
{
	AUTO_STRV struct strv seen = { 0 };
	strv_add(&seen, "#include <forge/kernel.h>");
	for (size_t part = 0; part < c->spec->nr_parts; part++)
		for (size_t i = 0; i < c->scopes[part].includes.nr; i++) {
			const char *line = c->scopes[part].includes.items[i];
			if (strv_has(&seen, line))
				continue;
			strv_add(&seen, line);
			str_addf(c->out, "%s\n", line);
		}
}

/* Options that a source sets for the rest of its file end with its part. */
static bool sets_options(const struct cscope *scope)
{
	for (size_t i = 0; i + 1 < scope->nr; i++)
		if (scope->words[i].is_directive && cword_is(&scope->words[i], "GCC") &&
		    (cword_is(&scope->words[i + 1], "optimize") ||
		     cword_is(&scope->words[i + 1], "target")))
			return true;
	return false;
}

static void add_macros(const struct combination *c, const struct cscope *scope, const char *verb)
{
	for (size_t i = 0; i < scope->macros.nr; i++)
		str_addf(c->out, "#pragma %s_macro(\"%s\")\n", verb, scope->macros.items[i]);
}

/* The prototype under another name. */
static void add_prototype(const struct combination *c, const char *prefix)
{
	AUTO_STR struct str text = STR_INIT;
	static const char returns[] = "void ";
	task_prototype(c->spec->task, &text);
	str_addf(c->out, "static %s%s%s;\n", returns, prefix, text.text + strlen(returns));
}

static void add_part(const struct combination *c, size_t part)
{
	const struct cscope *scope = &c->scopes[part];
	bool has_options = sets_options(scope);
	AUTO_FREE char *prefix = prefix_of(c, part);
	str_addf(c->out, "\n/* %s: %s */\n", prefix, c->spec->parts[part].name);
	add_macros(c, scope, "push");
	str_add(c->out, has_options ? "#pragma GCC push_options\n" : "");
	add_prototype(c, prefix);
	cscope_print(scope, prefix, "forge-build:", c->out);
	str_add(c->out, "\n");
	str_add(c->out, has_options ? "#pragma GCC pop_options\n" : "");
	add_macros(c, scope, "pop");
}

static int add_condition(const struct combination *c, const struct shape *shape)
{
	const struct task *t = c->spec->task;
	const char *joint = "";
	for (size_t i = 0; i < t->nr_args; i++) {
		int64_t value;
		if (!is_key(&t->args[i]))
			continue;
		if (key_value(&t->args[i], shape, &value, c->e) < 0)
			return -1;
		str_addf(c->out, "%s%s == %lld", joint, t->args[i].name, (long long)value);
		joint = " && ";
	}
	return 0;
}

static void add_call(const struct combination *c, size_t part)
{
	const struct task *t = c->spec->task;
	AUTO_FREE char *prefix = prefix_of(c, part);
	str_addf(c->out, "\t\t%s%s(", prefix, t->entry);
	for (size_t i = 0; i < t->nr_args; i++)
		str_addf(c->out, "%s%s", i ? ", " : "", t->args[i].name);
	str_add(c->out, ");\n");
}

static int add_entry(const struct combination *c)
{
	const struct task *t = c->spec->task;
	const char *otherwise = "\t";
	str_add(c->out, "\n");
	task_prototype(t, c->out);
	str_add(c->out, "\n{\n");
	for (size_t i = 0; i < t->shapes.nr; i++) {
		if (!has_branch(c, i))
			continue;
		str_addf(c->out, "%sif (", otherwise);
		if (add_condition(c, &t->shapes.items[i]) < 0)
			return -1;
		str_addf(c->out, ") /* %s */\n", t->shapes.items[i].name);
		add_call(c, c->spec->part_of[i]);
		otherwise = "\telse ";
	}
	str_add(c->out, "\telse\n");
	add_call(c, 0);
	str_add(c->out, "}\n");
	return 0;
}

static int write_all(struct combination *c)
{
	if (check_entries(c) < 0 || check_keys(c) < 0)
		return -1;
	choose_stem(c);
	add_head(c);
	add_includes(c);
	for (size_t i = 0; i < c->spec->nr_parts; i++)
		add_part(c, i);
	return add_entry(c);
}

int combine_write(const struct combine_spec *spec, struct str *out, struct err *e)
{
	struct combination c = { .spec = spec,
				 .scopes = xcalloc(spec->nr_parts, sizeof(*c.scopes)),
				 .out = out,
				 .e = e };
	for (size_t i = 0; i < spec->nr_parts; i++)
		cscope_read(&c.scopes[i], spec->parts[i].source);
	int rc = write_all(&c);
	for (size_t i = 0; i < spec->nr_parts; i++)
		cscope_release(&c.scopes[i]);
	free(c.scopes);
	free(c.stem);
	return rc;
}
