#include "model/promote.h"

/* A scanner, not a parser: C's tokens are enough to tell where float stands. Names of the maths
 * library are a closed list, so that a function of the source's own that ends in f keeps its name.
 * What this can not see (a hand-written bit pattern, a copy by a number of bytes) makes a judge
 * that disagrees with its reference, and alignment stops the run. */

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

static const char *const math_names[] = {
	"acos",      "acosh",  "asin",      "asinh",    "atan",  "atan2", "atanh",
	"cbrt",      "ceil",   "copysign",  "cos",      "cosh",  "erf",   "erfc",
	"exp",       "exp2",   "exp10",     "expm1",    "fabs",  "fdim",  "floor",
	"fma",       "fmax",   "fmin",      "fmod",     "frexp", "hypot", "ilogb",
	"ldexp",     "lgamma", "llrint",    "llround",  "log",   "log10", "log1p",
	"log2",      "logb",   "lrint",     "lround",   "modf",  "nan",   "nearbyint",
	"nextafter", "pow",    "remainder", "remquo",   "rint",  "round", "roundeven",
	"scalbln",   "scalbn", "sin",       "sincos",   "sinh",  "sqrt",  "tan",
	"tanh",      "tgamma", "trunc",     "huge_val", "inf",
};

static const char *const limit_names[] = {
	"FLT_MAX",        "FLT_MIN",        "FLT_EPSILON",     "FLT_TRUE_MIN",
	"FLT_DIG",        "FLT_MANT_DIG",   "FLT_MIN_EXP",     "FLT_MAX_EXP",
	"FLT_MIN_10_EXP", "FLT_MAX_10_EXP", "FLT_DECIMAL_DIG", "FLT_HAS_SUBNORM",
};

/* Names after which a token-wise promotion would be wrong, and prefixes of such names. */
static const char *const refused_names[] = {
	"union",    "asm",    "__asm",  "__asm__",  "vector_size", "__vector_size__",
	"_Float16", "__fp16", "__bf16", "_Complex", "complex",
};
static const char *const refused_prefixes[] = {
	"_mm", "__m128", "__m256", "__m512", "float16x", "float32x", "svfloat", "__builtin_ia32",
};

struct scan {
	const char *at;
	const char *name;
	unsigned line;
	struct str *out;
};

static void copy(struct scan *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		s->line += s->at[i] == '\n';
	str_add_len(s->out, s->at, len);
	s->at += len;
}

static int copy_comment(struct scan *s, struct err *e)
{
	if (s->at[1] == '/') {
		copy(s, strcspn(s->at, "\n"));
		return 0;
	}
	const char *end = strstr(s->at + 2, "*/");
	if (!end)
		return err_set(e, ERR_INPUT, "%s:%u: comment without an end", s->name, s->line);
	copy(s, (size_t)(end - s->at) + 2);
	return 0;
}

static int copy_literal(struct scan *s, struct err *e)
{
	char quote = s->at[0];
	size_t len = 1;
	while (s->at[len] && s->at[len] != quote && s->at[len] != '\n')
		len += s->at[len] == '\\' && s->at[len + 1] ? 2 : 1;
	if (s->at[len] != quote)
		return err_set(e, ERR_INPUT, "%s:%u: literal without an end", s->name, s->line);
	copy(s, len + 1);
	return 0;
}

static bool starts_number(const char *at)
{
	return isdigit((unsigned char)at[0]) || (at[0] == '.' && isdigit((unsigned char)at[1]));
}

/* C's pp-number. */
static size_t number_len(const char *at)
{
	size_t len = 1;
	while (isalnum((unsigned char)at[len]) || at[len] == '.' || at[len] == '_' ||
	       ((at[len] == '+' || at[len] == '-') && strchr("eEpP", at[len - 1])))
		len++;
	return len;
}

static bool is_float_number(const char *at, size_t len)
{
	bool is_hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
	if (at[len - 1] != 'f' && at[len - 1] != 'F')
		return false;
	return !is_hex || memchr(at, 'p', len) || memchr(at, 'P', len);
}

static void promote_number(struct scan *s)
{
	size_t len = number_len(s->at);
	bool is_float = is_float_number(s->at, len);
	copy(s, is_float ? len - 1 : len);
	s->at += is_float;
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool is_among(const char *word, const char *const *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (strcmp(word, list[i]) == 0)
			return true;
	}
	return false;
}

static bool is_refused(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(refused_prefixes); i++) {
		if (str_starts(word, refused_prefixes[i]))
			return true;
	}
	return is_among(word, refused_names, ARRAY_LEN(refused_names));
}

/* sqrtf and __builtin_sqrtf. */
static bool has_float_suffix(const char *word)
{
	const char *base = str_starts(word, "__builtin_") ? word + strlen("__builtin_") : word;
	size_t len = strlen(base);
	if (len < 2 || base[len - 1] != 'f')
		return false;
	AUTO_FREE char *wide = xstrndup(base, len - 1);
	return is_among(wide, math_names, ARRAY_LEN(math_names));
}

static void add_promoted(struct scan *s, const char *word)
{
	if (strcmp(word, "float") == 0)
		str_add(s->out, "double");
	else if (strcmp(word, "HUGE_VALF") == 0)
		str_add(s->out, "HUGE_VAL");
	else if (is_among(word, limit_names, ARRAY_LEN(limit_names)))
		str_addf(s->out, "DBL%s", word + strlen("FLT"));
	else
		str_add_len(s->out, word, strlen(word) - has_float_suffix(word));
}

static int promote_name(struct scan *s, struct err *e)
{
	size_t len = 1;
	while (is_name_char(s->at[len]))
		len++;
	AUTO_FREE char *word = xstrndup(s->at, len);
	if (is_refused(word))
		return err_set(e, ERR_INPUT, "%s:%u: can not promote a source with \"%s\"", s->name,
			       s->line, word);
	add_promoted(s, word);
	s->at += len;
	return 0;
}

/* #include <float.h> is not a type. */
static bool is_include(const char *at)
{
	at += 1 + strspn(at + 1, " \t");
	return str_starts(at, "include");
}

static int step(struct scan *s, struct err *e)
{
	char c = s->at[0];
	if (c == '/' && (s->at[1] == '/' || s->at[1] == '*'))
		return copy_comment(s, e);
	if (c == '"' || c == '\'')
		return copy_literal(s, e);
	if (isalpha((unsigned char)c) || c == '_')
		return promote_name(s, e);
	if (starts_number(s->at))
		promote_number(s);
	else if (c == '#' && is_include(s->at))
		copy(s, strcspn(s->at, "\n"));
	else
		copy(s, 1);
	return 0;
}

int promote_source(const char *source, const char *name, struct str *out, struct err *e)
{
	struct scan s = { .at = source, .name = name, .line = 1, .out = out };
	while (*s.at) {
		if (step(&s, e) < 0)
			return -1;
	}
	return 0;
}
