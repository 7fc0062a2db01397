#include "tuner/vtype.h"

/* The helpers are loops over lanes: gcc and clang make single instructions of them, each with the
 * exact meaning of the C expression in it, on machines of any width; and of functions of math.h
 * calls of libmvec, where the flags allow it. */

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tuner/ir.h"
#include "tuner/kernel.h"
#include "tuner/walk.h"

#define VTYPE(element, lanes, suffix)                                                              \
	{                                                                                          \
		element, "forge_v" suffix, "forge_u" suffix, suffix, lanes                         \
	}
static const struct vtype types[] = { VTYPE("float", 16, "16f"), VTYPE("float", 8, "8f"),
				      VTYPE("float", 4, "4f"),   VTYPE("double", 8, "8d"),
				      VTYPE("double", 4, "4d"),  VTYPE("double", 2, "2d") };
#undef VTYPE

/* What a lane of the first argument becomes, @ standing for the suffix of math functions. */
static const struct helper {
	const char *name;
	const char *args;
	const char *lane;
} helpers[] = {
	{ "max", "ab", "a[i] > b[i] ? a[i] : b[i]" },
	{ "min", "ab", "a[i] < b[i] ? a[i] : b[i]" },
	{ "fmax", "ab", "__builtin_fmax@(a[i], b[i])" },
	{ "fmin", "ab", "__builtin_fmin@(a[i], b[i])" },
#define FUNCTION(name)                                                                             \
	{                                                                                          \
#name, "a", "__builtin_" #name "@(a[i])"                                           \
	}
	FUNCTION(fabs),
	FUNCTION(sqrt),
	FUNCTION(floor),
	FUNCTION(ceil),
	FUNCTION(trunc),
	FUNCTION(rint),
	FUNCTION(exp),
	FUNCTION(exp2),
	FUNCTION(expm1),
	FUNCTION(log),
	FUNCTION(log2),
	FUNCTION(log1p),
	FUNCTION(sin),
	FUNCTION(cos),
	FUNCTION(tanh),
	FUNCTION(erf),
#undef FUNCTION
	{ "pow", "ab", "__builtin_pow@(a[i], b[i])" },
	{ "if_greater", "xyab", "a[i] > b[i] ? x[i] : y[i]" },
	{ "if_less", "xyab", "a[i] < b[i] ? x[i] : y[i]" },
	{ "if_at_least", "xyab", "a[i] >= b[i] ? x[i] : y[i]" },
	{ "if_at_most", "xyab", "a[i] <= b[i] ? x[i] : y[i]" },
	{ "if_equal", "xyab", "a[i] == b[i] ? x[i] : y[i]" },
	{ "if_unequal", "xyab", "a[i] != b[i] ? x[i] : y[i]" },
};

static unsigned bytes_of(const struct vtype *t)
{
	return t->lanes * (strcmp(t->element, "float") == 0 ? 4 : 8);
}

bool vtype_fit(struct vtype *out, enum etype element, unsigned bits, int64_t trips)
{
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		const struct vtype *t = &types[i];
		if (etype_named(t->element) != element || bytes_of(t) * 8 > bits ||
		    trips % t->lanes != 0)
			continue;
		*out = *t;
		return true;
	}
	return false;
}

bool vtype_in_cast(struct vtype *out, const char *cast)
{
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		if (!text_has_name(cast, types[i].loose))
			continue;
		*out = types[i];
		return true;
	}
	return false;
}

void vtype_declare(const struct vtype *t, struct kernel *k)
{
	AUTO_STR struct str text = STR_INIT;
	str_addf(&text, "typedef __attribute__((vector_size(%u))) %s %s;\n", bytes_of(t),
		 t->element, t->name);
	str_addf(&text, "typedef __attribute__((vector_size(%u), aligned(%u), may_alias)) %s %s;\n",
		 bytes_of(t), bytes_of(t) / t->lanes, t->element, t->loose);
	kernel_need_text(k, text.text);
}

static void add_head(struct str *out, const struct vtype *t, const char *helper)
{
	str_addf(out, "static inline __attribute__((always_inline)) %s forge_%s_%s(", t->name,
		 helper, t->suffix);
}

static void write_all(struct str *out, const struct vtype *t)
{
	add_head(out, t, "all");
	str_addf(out, "%s x)\n{\n\treturn (%s){ ", t->element, t->name);
	for (unsigned i = 0; i < t->lanes; i++)
		str_add(out, i ? ", x" : "x");
	str_add(out, " };\n}\n");
}

static void write_lane(struct str *out, const struct vtype *t, const char *lane)
{
	const char *suffix = strcmp(t->element, "float") == 0 ? "f" : "";
	for (; *lane; lane++) {
		if (*lane == '@')
			str_add(out, suffix);
		else
			str_add_char(out, *lane);
	}
}

static void write_loop(struct str *out, const struct vtype *t, const struct helper *h)
{
	const char *args = h->args;
	add_head(out, t, h->name);
	for (size_t i = 0; args[i]; i++)
		str_addf(out, "%s%s %c", i ? ", " : "", t->name, args[i]);
	str_addf(out, ")\n{\n\tfor (int i = 0; i < %u; i++)\n\t\t%c[i] = ", t->lanes, *args);
	write_lane(out, t, h->lane);
	str_addf(out, ";\n\treturn %c;\n}\n", *args);
}

/* Each compiler has a way of its own to ask for it. */
static void write_stream(struct str *out, const struct vtype *t)
{
	static const struct {
		unsigned bytes;
		const char *machine;
		const char *suffix;
	} stores[] = { { 16, "__SSE2__", "" },
		       { 32, "__AVX__", "256" },
		       { 64, "__AVX512F__", "512" } };
	const char *kind = strcmp(t->element, "float") == 0 ? "ps" : "pd";
	size_t at = 0;
	while (stores[at].bytes < bytes_of(t))
		at++;
	str_addf(out,
		 "static inline __attribute__((always_inline)) void forge_stream_%s(%s *p, %s "
		 "x)\n{\n#if defined(__clang__)\n\t__builtin_nontemporal_store(x, (%s *)p);\n",
		 t->suffix, t->element, t->name, t->name);
	str_addf(out, "#elif defined(%s)\n\t__builtin_ia32_movnt%s%s(p, x);\n", stores[at].machine,
		 kind, stores[at].suffix);
	str_addf(out, "#else\n\t*(%s *)p = x;\n#endif\n}\n", t->loose);
}

/* A function that another row wrote is long: clang does not unroll a loop over it, and takes lanes
 * of a variable one by one then. A loop over an array it runs in lanes. */
static void write_own(struct str *out, const struct vtype *t, const char *name)
{
	add_head(out, t, name);
	str_addf(out, "%s a)\n{\n\t%s x[%u];\n\t*(%s *)x = a;\n", t->name, t->element, t->lanes,
		 t->loose);
	str_addf(out, "\tfor (int i = 0; i < %u; i++)\n\t\tx[i] = forge_%s(x[i]);\n", t->lanes,
		 name);
	str_addf(out, "\treturn *(%s *)x;\n}\n", t->loose);
}

/* x[i] becomes x[0] + ... + x[i]: in each step what stands a power of two before is added. */
static void write_sums(struct str *out, const struct vtype *t)
{
	str_addf(out, "static inline __attribute__((always_inline)) void forge_sums_%s(%s *x)\n{\n",
		 t->suffix, t->element);
	str_addf(out, "\tconst %s zero = { 0 };\n\t%s a = *(const %s *)x;\n", t->name, t->name,
		 t->loose);
	for (unsigned by = 1; by < t->lanes; by *= 2) {
		str_add(out, "\ta += __builtin_shufflevector(zero, a");
		for (unsigned i = 0; i < t->lanes; i++)
			str_addf(out, ", %u", i < by ? i : t->lanes + i - by);
		str_add(out, ");\n");
	}
	str_addf(out, "\t*(%s *)x = a;\n}\n", t->loose);
}

/* What is not in the table is a function that another row wrote. */
static void write_helper(struct str *out, const struct vtype *t, const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(helpers); i++)
		if (strcmp(helpers[i].name, name) == 0) {
			write_loop(out, t, &helpers[i]);
			return;
		}
	write_own(out, t, name);
}

static void need_helper(const struct vtype *t, struct kernel *k, const char *helper)
{
	AUTO_STR struct str text = STR_INIT;
	vtype_declare(t, k);
	if (strcmp(helper, "all") == 0)
		write_all(&text, t);
	else if (strcmp(helper, "stream") == 0)
		write_stream(&text, t);
	else if (strcmp(helper, "sums") == 0)
		write_sums(&text, t);
	else
		write_helper(&text, t, helper);
	kernel_need_text(k, text.text);
}

size_t vtype_function_args(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(helpers); i++)
		if (strcmp(helpers[i].name, name) == 0 && str_starts(helpers[i].lane, "__builtin"))
			return strlen(helpers[i].args);
	return 0;
}

struct expr *vtype_call(const struct vtype *t, struct kernel *k, const char *helper,
			struct expr *const *args, size_t nr)
{
	struct expr *call = expr_new(k->a, EXPR_CALL, NULL, nr + 1);
	need_helper(t, k, helper);
	call->items[0] = expr_name(k->a, arena_printf(k->a, "forge_%s_%s", helper, t->suffix));
	for (size_t i = 0; i < nr; i++)
		call->items[i + 1] = args[i];
	return call;
}

static struct expr *unary(struct arena *a, enum expr_kind kind, const char *text, struct expr *of)
{
	struct expr *e = expr_new(a, kind, text, 1);
	e->items[0] = of;
	return e;
}

struct expr *vtype_place(const struct vtype *t, struct arena *a, struct expr *element,
			 bool is_written)
{
	const char *cast = arena_printf(a, "%s%s *", is_written ? "" : "const ", t->loose);
	struct expr *address = unary(a, EXPR_UNARY, "&", element);
	return unary(a, EXPR_UNARY, "*", unary(a, EXPR_CAST, cast, address));
}

static bool is_unary(const struct expr *e, const char *op)
{
	return e->kind == EXPR_UNARY && strcmp(e->text, op) == 0;
}

const struct expr *vtype_element(const struct expr *e, struct vtype *out)
{
	if (!is_unary(e, "*") || e->items[0]->kind != EXPR_CAST)
		return NULL;
	const struct expr *cast = e->items[0];
	if (!is_unary(cast->items[0], "&") || !vtype_in_cast(out, cast->text))
		return NULL;
	return cast->items[0]->items[0];
}
