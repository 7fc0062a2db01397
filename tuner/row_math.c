#include "tuner/kernel.h"

/* Calls of the math library in terms of cheaper ones, by tables: identities as C text with x for
 * the argument, and functions without branches that a compiler keeps inside a vector loop, where a
 * library call would end it. */

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "tuner/cparse.h"
#include "tuner/ir.h"
#include "tuner/rewrite.h"
#include "tuner/row.h"
#include "tuner/walk.h"

/* name(x) is value; name(x, power) where power is not NAN. */
static const struct identity {
	const char *name;
	const char *power; /* NULL: one argument */
	const char *value;
} identities[] = {
	{ "tanhf", NULL, "1.0f - 2.0f / (1.0f + expf(2.0f * x))" },
	{ "tanh", NULL, "1.0 - 2.0 / (1.0 + exp(2.0 * x))" },
	{ "exp2f", NULL, "expf(0.693147181f * x)" },
	{ "exp10f", NULL, "expf(2.30258509f * x)" },
	{ "coshf", NULL, "0.5f * (expf(x) + expf(-x))" },
	{ "sinhf", NULL, "0.5f * (expf(x) - expf(-x))" },
	{ "powf", "1", "x" },
	{ "powf", "2", "x * x" },
	{ "powf", "3", "x * x * x" },
	{ "powf", "4", "x * x * (x * x)" },
	{ "powf", "0.5", "sqrtf(x)" },
	{ "powf", "1.5", "x * sqrtf(x)" },
	{ "powf", "-0.5", "1.0f / sqrtf(x)" },
	{ "powf", "-1", "1.0f / x" },
	{ "powf", "-2", "1.0f / (x * x)" },
	{ "pow", "2", "x * x" },
	{ "pow", "3", "x * x * x" },
	{ "pow", "0.5", "sqrt(x)" },
	{ "pow", "-0.5", "1.0 / sqrt(x)" },
	{ "pow", "-1", "1.0 / x" },
};

static const char exp_text[] =
	"/* 2^n * exp(r) with |r| <= ln(2)/2, the power added to the exponent's bits. */\n"
	"static inline float forge_expf(float x)\n{\n"
	"	float c = x < -87.3365f ? -87.3365f : x;\n"
	"	c = c > 88.7228f ? 88.7228f : c;\n"
	"	float n = rintf(1.44269504f * c);\n"
	"	float r = c - n * 0.693359375f + n * 2.12194440e-4f;\n"
	"	float p = 1.9875691500e-4f;\n"
	"	p = p * r + 1.3981999507e-3f;\n"
	"	p = p * r + 8.3334519073e-3f;\n"
	"	p = p * r + 4.1665795894e-2f;\n"
	"	p = p * r + 1.6666665459e-1f;\n"
	"	p = p * r + 5.0000001201e-1f;\n"
	"	union {\n		float value;\n		uint32_t bits;\n	} y = { p "
	"* (r * r) + r + 1.0f "
	"};\n"
	"	y.bits += (uint32_t)(int32_t)n << 23;\n"
	"	float low = x < -87.3365f ? 0.0f : y.value;\n"
	"	return x > 88.7228f ? INFINITY : low;\n}\n";

static const char tanh_text[] =
	"/* A polynomial near zero, where 1 - 2 / (1 + exp(2x)) loses digits. */\n"
	"static inline float forge_tanhf(float x)\n{\n"
	"	float z = x * x;\n"
	"	float p = -5.70498872745e-3f;\n"
	"	p = p * z + 2.06390887954e-2f;\n"
	"	p = p * z - 5.37397155531e-2f;\n"
	"	p = p * z + 1.33314422036e-1f;\n"
	"	p = p * z - 3.33332819422e-1f;\n"
	"	float far = 1.0f - 2.0f / (1.0f + forge_expf(2.0f * x));\n"
	"	return fabsf(x) < 0.625f ? p * z * x + x : far;\n}\n";

static const char erf_text[] =
	"/* A polynomial below one; above it Abramowitz and Stegun 7.1.26. */\n"
	"static inline float forge_erff(float x)\n{\n"
	"	float z = x * x;\n"
	"	float p = 7.853861353153693e-5f;\n"
	"	p = p * z - 8.010193625184903e-4f;\n"
	"	p = p * z + 5.188327685732524e-3f;\n"
	"	p = p * z - 2.685381193529856e-2f;\n"
	"	p = p * z + 1.128358514861418e-1f;\n"
	"	p = p * z - 3.761262582423300e-1f;\n"
	"	p = p * z + 1.128379165726710f;\n"
	"	float t = 1.0f / (1.0f + 0.3275911f * fabsf(x));\n"
	"	float q = 1.061405429f;\n"
	"	q = q * t - 1.453152027f;\n"
	"	q = q * t + 1.421413741f;\n"
	"	q = q * t - 0.284496736f;\n"
	"	q = q * t + 0.254829592f;\n"
	"	float far = copysignf(1.0f - q * t * forge_expf(-z), x);\n"
	"	return fabsf(x) < 1.0f ? p * x : far;\n}\n";

/* Functions that take the place of calls; the first serves the others. */
static const struct replacement {
	const char *name;
	const char *by;
	const char *text;
} replacements[] = {
	{ "expf", "forge_expf", exp_text },
	{ "erff", "forge_erff", erf_text },
	{ "tanhf", "forge_tanhf", tanh_text },
};

struct math {
	struct kernel *k;
	bool is_inline; /* replacements too */
	bool is_accurate;
	bool is_used[ARRAY_LEN(replacements)];
	bool is_changed;
};

/* The expression of an identity, from C text. */
static struct expr *parse_value(struct arena *a, const char *text)
{
	struct unit unit;
	struct err e = { 0 };
	const char *source = arena_printf(a, "void value(float x)\n{\n	x = %s;\n}\n", text);
	if (unit_parse(&unit, source, "value", a, &e) < 0)
		BUG("%s: %s", text, e.text);
	return unit.entry.body->items[0]->expr->items[1];
}

struct argument {
	struct arena *a;
	const struct expr *value;
	unsigned nr; /* uses */
};

static struct expr *put_argument(void *ctx, struct expr *e)
{
	struct argument *arg = ctx;
	if (!expr_is_name(e, "x"))
		return e;
	arg->nr++;
	return expr_clone(arg->a, arg->value);
}

/* Cheap to compute twice, and without effects. */
static bool is_simple(const struct expr *e)
{
	bool is_sum = e->kind == EXPR_BINARY && strchr("+-*", e->text[0]) && !e->text[1];
	bool is_minus = e->kind == EXPR_UNARY && strcmp(e->text, "-") == 0;
	if (e->kind == EXPR_NAME || e->kind == EXPR_NUMBER)
		return true;
	for (size_t i = 0; i < e->nr; i++)
		if (!is_simple(e->items[i]))
			return false;
	return is_sum || is_minus || e->kind == EXPR_INDEX;
}

static bool is_power(const struct expr *e, const char *power)
{
	AUTO_STR struct str text = STR_INIT;
	bool is_minus = e->kind == EXPR_UNARY && strcmp(e->text, "-") == 0;
	const struct expr *number = is_minus ? e->items[0] : e;
	char *end;
	if (number->kind != EXPR_NUMBER)
		return false;
	str_addf(&text, "%s%s", is_minus ? "-" : "", number->text);
	double value = strtod(text.text, &end);
	return (!*end || strcmp(end, "f") == 0 || strcmp(end, "F") == 0) &&
	       value == strtod(power, NULL);
}

static const struct identity *find_identity(const struct expr *e)
{
	for (size_t i = 0; i < ARRAY_LEN(identities); i++) {
		const struct identity *id = &identities[i];
		if (expr_is_name(e->items[0], id->name) && e->nr == (id->power ? 3 : 2) &&
		    (!id->power || is_power(e->items[2], id->power)))
			return id;
	}
	return NULL;
}

static struct expr *apply_identity(void *ctx, struct expr *e)
{
	struct math *m = ctx;
	const struct identity *id = e->kind == EXPR_CALL ? find_identity(e) : NULL;
	if (!id || (m->is_accurate && strcmp(id->name, "tanhf") == 0))
		return e;
	struct argument arg = { .a = m->k->a, .value = e->items[1] };
	struct expr *value = expr_rewrite(parse_value(m->k->a, id->value), put_argument, &arg);
	if (arg.nr > 1 && !is_simple(e->items[1]))
		return e;
	m->is_changed = true;
	return value;
}

static struct expr *apply_replacement(void *ctx, struct expr *e)
{
	struct math *m = ctx;
	for (size_t i = 0; e->kind == EXPR_CALL && i < ARRAY_LEN(replacements); i++) {
		if (!expr_is_name(e->items[0], replacements[i].name))
			continue;
		e->items[0] = expr_name(m->k->a, replacements[i].by);
		m->is_used[0] = m->is_used[i] = m->is_changed = true;
	}
	return e;
}

/* A source that was written by this row has the functions already. */
static bool is_free(const struct kernel *k, const struct replacement *r)
{
	return strstr(k->unit.before, r->text) || !text_has_name(k->source, r->by);
}

static void add_functions(const struct math *m)
{
	for (size_t i = 0; i < ARRAY_LEN(replacements); i++)
		if (m->is_used[i])
			kernel_need_text(m->k, replacements[i].text);
}

static int parse_choice(const struct row *row, const char *key, const char *const *words,
			bool *is_second, struct err *e)
{
	const char *value = row_get(row, key);
	*is_second = value && strcmp(value, words[1]) == 0;
	if (value && !*is_second && strcmp(value, words[0]) != 0)
		return err_set(e, ERR_INPUT, "%s must be %s or %s", key, words[0], words[1]);
	return 0;
}

static bool is_own(const struct kernel *k, const char *name)
{
	return strstr(k->unit.before, arena_printf(k->a, " %s(float", name)) != NULL;
}

/* A function of the source with such a name is none of the library's. */
static bool has_own(const struct kernel *k)
{
	for (size_t i = 0; i < ARRAY_LEN(identities); i++)
		if (is_own(k, identities[i].name))
			return true;
	for (size_t i = 0; i < ARRAY_LEN(replacements); i++)
		if (is_own(k, replacements[i].name) || !is_free(k, &replacements[i]))
			return true;
	return false;
}

int row_math(struct kernel *k, const struct row *row, struct err *e)
{
	static const char *const exp_words[] = { "library", "inline" };
	static const char *const tanh_words[] = { "exp", "accurate" };
	struct math m = { .k = k };
	if (parse_choice(row, "exp", exp_words, &m.is_inline, e) < 0 ||
	    parse_choice(row, "tanh", tanh_words, &m.is_accurate, e) < 0)
		return -1;
	if (k->unread)
		return err_set(e, ERR_INPUT, "the source was not read: %s", k->unread);
	if (!strstr(k->unit.before, "<math.h>") || has_own(k))
		return err_set(e, ERR_INPUT, "its functions are not those of the library");
	for (size_t i = 0; i < k->nr_variants; i++) {
		stmt_rewrite(k->variants[i].body, apply_identity, &m);
		if (m.is_inline)
			stmt_rewrite(k->variants[i].body, apply_replacement, &m);
	}
	add_functions(&m);
	return m.is_changed ? 0
			    : err_set(e, ERR_INPUT, "it calls no function that has a table row");
}
