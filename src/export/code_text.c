#include "export/code_text.h"

/* Scalars are compared by their value as the kernel got it when it was judged, so floats are
 * written in hexadecimal: every bit counts. */

#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/untrusted.h"
#include "model/language.h"
#include "model/task.h"

enum { MAX_COMMENT_BYTES = 200 };

void code_params(const struct task *t, struct str *out)
{
	AUTO_STR struct str whole = STR_INIT;
	task_prototype(t, &whole);
	const char *from = strchr(whole.text, '(');
	const char *to = strrchr(whole.text, ')');
	if (!from || !to)
		BUG("a prototype without parentheses: %s", whole.text);
	str_add_len(out, from + 1, (size_t)(to - from - 1));
}

void code_names(const struct task *t, struct str *out)
{
	for (size_t i = 0; i < t->nr_args; i++)
		str_addf(out, "%s%s", i ? ", " : "", t->args[i].name);
}

void code_scalar_params(const struct task *t, struct str *out)
{
	const size_t start = out->len;
	const struct language *language = language_find(t->language);
	for (size_t i = 0; i < t->nr_args; i++)
		if (t->args[i].role == ARG_SCALAR)
			str_addf(out, "%s%s %s", out->len > start ? ", " : "",
				 language_ctype(language, t->args[i].dtype), t->args[i].name);
	if (out->len == start)
		str_add(out, "void");
}

void code_scalar_names(const struct task *t, struct str *out)
{
	const size_t start = out->len;
	for (size_t i = 0; i < t->nr_args; i++)
		if (t->args[i].role == ARG_SCALAR)
			str_addf(out, "%s%s", out->len > start ? ", " : "", t->args[i].name);
}

static void add_real(struct str *out, double value, const char *suffix)
{
	if (isnan(value))
		str_add(out, "__builtin_nan(\"\")");
	else if (isinf(value))
		str_addf(out, "%s__builtin_inf()", value < 0 ? "-" : "");
	else
		str_addf(out, "%a%s", value, suffix);
}

int code_literal(const struct arg *arg, const struct dims *dims, struct str *out, struct err *e)
{
	unsigned char bytes[8] = { 0 };
	if (arg_scalar(arg, dims, bytes, e) < 0)
		return -1;
	if (arg->dtype == DTYPE_F64 || arg->dtype == DTYPE_F32)
		add_real(out, dtype_load(arg->dtype, bytes, 0), arg->dtype == DTYPE_F32 ? "f" : "");
	else if (dtype_is_float(arg->dtype)) /* raw bits */
		str_addf(out, "%u", bytes[0] | (unsigned)bytes[1] << 8);
	else
		str_addf(out, "%lld", (long long)dtype_load_int(arg->dtype, bytes, 0));
	return 0;
}

static bool is_judged(const struct shape *s, bool with_held_out)
{
	return with_held_out || !s->held_out;
}

static int add_condition(const struct task *t, const struct shape *s, struct str *out,
			 struct err *e)
{
	const size_t start = out->len;
	for (size_t i = 0; i < t->nr_args; i++) {
		const struct arg *arg = &t->args[i];
		if (arg->role != ARG_SCALAR)
			continue;
		str_addf(out, "%s%s == ", out->len > start ? " && " : "", arg->name);
		if (code_literal(arg, &s->dims, out, e) < 0)
			return -1;
	}
	if (out->len == start)
		str_add(out, "1");
	return 0;
}

int code_judged(const struct task *t, bool with_held_out, struct str *out, struct err *e)
{
	for (size_t i = 0; i < t->shapes.nr; i++) {
		const struct shape *s = &t->shapes.items[i];
		if (!is_judged(s, with_held_out))
			continue;
		str_add(out, "\tif (");
		if (add_condition(t, s, out, e) < 0)
			return -1;
		str_add(out, ")\n\t\treturn 1; /* ");
		code_comment(out, s->name);
		str_add(out, " */\n");
	}
	return 0;
}

int code_judged_list(const struct task *t, bool with_held_out, struct str *out, struct err *e)
{
	for (size_t i = 0; i < t->shapes.nr; i++) {
		const struct shape *s = &t->shapes.items[i];
		AUTO_STR struct str line = STR_INIT;
		if (!is_judged(s, with_held_out))
			continue;
		for (size_t k = 0; k < t->nr_args; k++) {
			if (t->args[k].role != ARG_SCALAR)
				continue;
			str_addf(&line, "%s%s = ", line.len ? ", " : "", t->args[k].name);
			if (code_literal(&t->args[k], &s->dims, &line, e) < 0)
				return -1;
		}
		str_addf(out, "%s *   ", i ? "\n" : "");
		code_comment(out, s->name);
		str_addf(out, ": %s%s", line.text, s->held_out ? " (held out)" : "");
	}
	return 0;
}

void code_groups(const struct task *t, struct str *out)
{
	AUTO_STRV struct strv seen = { 0 };
	for (size_t i = 0; i < t->shapes.nr; i++) {
		const struct shape *s = &t->shapes.items[i];
		for (size_t k = 0; k < s->nr_groups; k++) {
			const struct group *g = &s->groups[k];
			if (strv_has(&seen, g->name))
				continue;
			str_addf(out, "%s *   ", seen.nr ? "\n" : "");
			code_comment(out, g->name);
			str_add(out, ": ");
			code_comment(out, g->purpose ? g->purpose : "-");
			strv_add(&seen, g->name);
		}
	}
}

void code_comment(struct str *out, const char *text)
{
	AUTO_STR struct str line = STR_INIT;
	untrusted_line(&line, text, MAX_COMMENT_BYTES);
	for (const char *at = line.text; *at; at++) {
		const bool is_border =
			(at[0] == '*' && at[1] == '/') || (at[0] == '/' && at[1] == '*');
		str_add_char(out, *at);
		if (is_border)
			str_add_char(out, ' ');
	}
}
