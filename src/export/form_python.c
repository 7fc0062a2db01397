/* Form python: the module as it was judged, behind a function of ours that asks for what it was
 * judged for. Expressions over sizes are Python's but for the division. */

#include <string.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/untrusted.h"
#include "export/code_text.h"
#include "export/dest.h"
#include "export/shipment.h"
#include "export/slots.h"
#include "export/torch_args.h"
#include "model/chain.h"

enum { MAX_NAME_BYTES = 120 };

static void add_expression(struct str *out, const char *text)
{
	for (; *text; text++)
		str_add(out, *text == '/' ? "//" : (char[]){ *text, 0 });
}

static void add_name(struct str *out, const char *name, const char *value)
{
	str_addf(out, "%s%s%s%s", out->len ? ", " : "", name, value ? "=" : "", value ? value : "");
}

/* What has a value of its own stands last: Python wants it so. */
static void add_params(const struct task *t, struct str *out)
{
	for (size_t i = 0; i < t->nr_args; i++)
		if (torch_is_given(&t->args[i]) ||
		    (torch_is_asked(t, &t->args[i]) && !t->args[i].value))
			add_name(out, t->args[i].name, NULL);
	for (size_t i = 0; i < torch_dims(t)->nr; i++)
		if (torch_is_untold(t, torch_dims(t)->items[i].name))
			add_name(out, torch_dims(t)->items[i].name, NULL);
	for (size_t i = 0; i < t->nr_args; i++)
		if (torch_is_asked(t, &t->args[i]) && t->args[i].value)
			add_name(out, t->args[i].name, t->args[i].value);
	str_add(out, ", *, unjudged=False");
}

static void add_sizes(const struct task *t, struct str *out)
{
	for (size_t i = 0; i < torch_dims(t)->nr; i++) {
		AUTO_STR struct str size = STR_INIT;
		const char *dim = torch_dims(t)->items[i].name;
		if (torch_size(t, dim, &size))
			str_addf(out, "    %s = %s\n", dim, size.text);
	}
	for (size_t i = 0; i < t->nr_args; i++) {
		const struct arg *arg = &t->args[i];
		if (arg->role != ARG_SCALAR || !arg->value || torch_is_number(arg->value))
			continue;
		str_addf(out, "    %s = ", arg->name);
		add_expression(out, arg->value);
		str_add_char(out, '\n');
	}
}

/* "(rows, cols)", "(n,)". */
static void add_shape(const struct arg *arg, struct str *out)
{
	str_add_char(out, '(');
	for (size_t k = 0; k < arg->nr_shape; k++) {
		str_add(out, k ? " " : "");
		add_expression(out, arg->shape[k]);
		str_add_char(out, ',');
	}
	str_add_char(out, ')');
}

static void add_tensors(const struct task *t, struct str *checks, struct str *outputs)
{
	for (size_t i = 0; i < t->nr_args; i++) {
		const struct arg *arg = &t->args[i];
		if (arg->role == ARG_SCALAR)
			continue;
		const char *type = torch_type(arg->dtype)->python;
		if (torch_is_given(arg)) {
			str_addf(checks, "    _check(%s, \"%s\", torch.%s, device, ", arg->name,
				 arg->name, type);
			add_shape(arg, checks);
			str_add(checks, ")\n");
			continue;
		}
		str_addf(outputs, "    %s = torch.empty(", arg->name);
		add_shape(arg, outputs);
		str_addf(outputs, ", dtype=torch.%s, device=device)\n", type);
	}
}

static void add_values(const struct task *t, struct str *values, struct str *key)
{
	for (size_t i = 0; i < t->nr_args; i++) {
		const struct arg *arg = &t->args[i];
		add_name(values, arg->name, arg->name);
		if (arg->role == ARG_SCALAR && dtype_is_float(arg->dtype))
			str_addf(key, "_is(%s, torch.%s), ", arg->name,
				 torch_type(arg->dtype)->python);
		else if (arg->role == ARG_SCALAR)
			str_addf(key, "%s, ", arg->name);
	}
}

static void add_return(const struct task *t, struct str *out)
{
	size_t nr = 0;
	for (size_t i = 0; i < t->nr_args; i++)
		if (t->args[i].role == ARG_OUT)
			str_addf(out, "%s%s", nr++ ? ", " : "", t->args[i].name);
	if (!nr)
		str_add(out, "None");
	if (nr < 2)
		return;
	AUTO_FREE char *all = xasprintf("(%s)", out->text);
	str_clear(out);
	str_add(out, all);
}

/* "    (1024, float.fromhex("0x1.4f8b58p-17"), ),  # 1024x512". */
static int add_judged(const struct shipment *s, struct str *out, struct err *e)
{
	const struct task *t = &s->task;
	for (size_t i = 0; i < t->shapes.nr; i++) {
		const struct shape *shape = &t->shapes.items[i];
		if (shape->held_out && !s->has_held_out)
			continue;
		str_add(out, "    (");
		for (size_t k = 0; k < t->nr_args; k++) {
			unsigned char bytes[8] = { 0 };
			const struct arg *arg = &t->args[k];
			if (arg->role != ARG_SCALAR)
				continue;
			if (arg_scalar(arg, &shape->dims, bytes, e) < 0)
				return -1;
			if (dtype_is_float(arg->dtype))
				str_addf(out, "float.fromhex(\"%a\"), ",
					 dtype_load(arg->dtype, bytes, 0));
			else
				str_addf(out, "%lld, ",
					 (long long)dtype_load_int(arg->dtype, bytes, 0));
		}
		str_add(out, "),  # ");
		untrusted_line(out, shape->name, MAX_NAME_BYTES);
		str_add_char(out, '\n');
	}
	return 0;
}

static int set_slots(const struct shipment *s, struct slots *slots, struct err *e)
{
	enum {
		PARAMS,
		SIZES,
		CHECKS,
		OUTPUTS,
		VALUES,
		KEY,
		RETURN,
		JUDGED,
		LIST,
		TENSORS,
		CALL,
		NR
	};
	static const char *const names[NR] = { "PY_PARAMS",   "SIZES",      "CHECKS", "OUTPUTS",
					       "VALUES",      "JUDGED_KEY", "RETURN", "JUDGED",
					       "JUDGED_LIST", "PY_TENSORS", "PY_CALL" };
	const struct task *t = &s->task;
	struct str text[NR];
	for (size_t i = 0; i < NR; i++)
		str_init(&text[i]);
	add_params(t, &text[PARAMS]);
	add_sizes(t, &text[SIZES]);
	add_tensors(t, &text[CHECKS], &text[OUTPUTS]);
	add_values(t, &text[VALUES], &text[KEY]);
	add_return(t, &text[RETURN]);
	int rc = add_judged(s, &text[JUDGED], e);
	rc = rc < 0 ? rc : code_judged_list(t, s->has_held_out, &text[LIST], e);
	rc = rc < 0 ? rc : torch_example(t, &text[TENSORS], &text[CALL], e);
	for (size_t i = 0; i < NR; i++) {
		slots_set(slots, names[i], text[i].text);
		str_release(&text[i]);
	}
	slots_set(slots, "FIRST", torch_first(t)->name);
	shipment_slots(s, slots);
	return rc;
}

static int put_files(const struct shipment *s, const struct slots *slots, const char *dir,
		     struct err *e)
{
	AUTO_FREE char *module = xasprintf("forge_%s.py", s->task.entry);
	const char *const copies[][2] = {
		{ chain_link_path(CHAIN_exported), "kernel.py" },
		{ "evidence.json", "evidence.json" },
		{ "chain.json", "chain.json" },
	};
	const char *const texts[][2] = {
		{ "python/module.py", module },
		{ "python/example.py", "example.py" },
		{ "python/README.md", "README.md" },
	};
	for (size_t i = 0; i < ARRAY_LEN(copies); i++) {
		AUTO_FREE char *from = shipment_path(s, copies[i][0]);
		if (dest_put(from, dir, copies[i][1], e) < 0)
			return -1;
	}
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		AUTO_FREE char *path = path_join(dir, texts[i][1]);
		if (slots_write(slots, texts[i][0], path, e) < 0)
			return -1;
	}
	return 0;
}

int form_python(const struct shipment *s, const char *dir, struct err *e)
{
	AUTO_SLOTS struct slots slots = { 0 };
	AUTO_STR struct str lines = STR_INIT;
	AUTO_FREE char *sums = path_join(dir, "SHA256SUMS");
	if (!torch_first(&s->task))
		return err_set(e, ERR_INPUT, "%s: form python needs a tensor that goes in",
			       s->spec->from);
	if (set_slots(s, &slots, e) < 0 || put_files(s, &slots, dir, e) < 0 ||
	    digest_list(dir, &lines, e) < 0)
		return -1;
	return file_write_text(sums, lines.text, e);
}
