#include "build/directive.h"
/*
 * Only comments count: a small lexer walks the first 20 lines and knows comments, strings and
 * character constants, so that a string that says "forge-build:" is just a string. A second
 * directive is refused rather than ignored, because the author clearly expected it to matter. Lines
 * are joined first where the compiler joins them, so that both see the same comments.
 */

#include "base/mem.h"
#include "build/source_text.h"

enum { DIRECTIVE_LINES = 20, DIRECTIVE_FLAGS_MAX = 40 };

static const char directive_mark[] = "forge-build:";

enum { GCC = 1, CLANG = 2, BOTH = 3, NVCC = 4 };

static const struct flag_row {
	const char *text;
	unsigned compilers; /* GCC, CLANG or both, or NVCC */
	bool needs_threads;
} flag_rows[] = {
#define FLAG(text, compilers, needs_threads) { text, compilers, needs_threads },
#include "build/flags.def"
#undef FLAG
};

static const struct {
	const char *name;
	unsigned bit;
} compilers[] = {
	[COMPILER_GCC] = { "gcc", GCC },
	[COMPILER_CLANG] = { "clang", CLANG },
	[COMPILER_NVCC] = { "nvcc", NVCC },
};

const char *compiler_name(enum compiler c)
{
	return compilers[c].name;
}

/* Where the lexer stands: `end` of a comment is what closes it. */
enum lex { LEX_CODE, LEX_LINE, LEX_BLOCK, LEX_STRING, LEX_CHAR };

static enum lex lex_code_step(const char **p)
{
	const char *at = *p;
	if (at[0] == '/' && (at[1] == '/' || at[1] == '*')) {
		*p += 1;
		return at[1] == '/' ? LEX_LINE : LEX_BLOCK;
	}
	if (*at == '"')
		return LEX_STRING;
	return *at == '\'' ? LEX_CHAR : LEX_CODE;
}

static enum lex lex_quoted_step(const char **p, enum lex state)
{
	char quote = state == LEX_STRING ? '"' : '\'';
	if (**p == '\\' && (*p)[1])
		*p += 1;
	else if (**p == quote || **p == '\n')
		return LEX_CODE;
	return state;
}

/* Takes the character at *p (or two, when they belong together) and says where we are then. */
static enum lex lex_step(const char **p, enum lex state)
{
	switch (state) {
	case LEX_CODE:
		return lex_code_step(p);
	case LEX_LINE:
		return **p == '\n' ? LEX_CODE : LEX_LINE;
	case LEX_BLOCK:
		if (str_starts(*p, "*/")) {
			*p += 1;
			return LEX_CODE;
		}
		return LEX_BLOCK;
	case LEX_STRING:
	case LEX_CHAR:
		return lex_quoted_step(p, state);
	}
	return LEX_CODE;
}

/* Text of the first directive at or after *p, up to the end of line or comment; yours. NULL when
 * there is none. *p, *line and *state move past it. */
static char *directive_next(const char **p, unsigned *line, enum lex *state)
{
	for (; **p; ++*p) {
		bool in_comment = *state == LEX_LINE || *state == LEX_BLOCK;
		if (in_comment && str_starts(*p, directive_mark)) {
			*p += sizeof(directive_mark) - 1;
			size_t len = strcspn(*p, "\r\n");
			const char *end = *state == LEX_BLOCK ? strstr(*p, "*/") : NULL;
			if (end && (size_t)(end - *p) < len)
				len = (size_t)(end - *p);
			char *text = xstrndup(*p, len);
			*p += len;
			return text;
		}
		if (**p == '\n')
			*line += 1;
		*state = lex_step(p, *state);
	}
	return NULL;
}

/* The row of this compiler, else that of another. */
static const struct flag_row *flag_find(const char *text, unsigned bit)
{
	const struct flag_row *other = NULL;
	for (size_t i = 0; i < ARRAY_LEN(flag_rows); i++) {
		if (!str_equal(flag_rows[i].text, text))
			continue;
		if (flag_rows[i].compilers & bit)
			return &flag_rows[i];
		other = &flag_rows[i];
	}
	return other;
}

static struct verdict flag_check(const char *flag, enum compiler compiler, unsigned threads)
{
	const struct flag_row *row = flag_find(flag, compilers[compiler].bit);
	if (!row)
		return verdict_make(REASON_forbidden_flag, "flag %.80s is not on the allow list",
				    flag);
	if (!(row->compilers & compilers[compiler].bit))
		return verdict_make(REASON_forbidden_flag, "flag %s is not for %s", flag,
				    compiler_name(compiler));
	if (row->needs_threads && threads < 2)
		return verdict_make(REASON_forbidden_flag, "flag %s: the task allows one thread",
				    flag);
	return (struct verdict){ 0 };
}

static bool is_cuda(const char *build)
{
	return str_equal(build, "nvcc") || str_starts(build, "nvcc ");
}

/* The compiler of that name among those of the language. */
static bool compiler_find(const char *name, bool wants_cuda, enum compiler *out)
{
	for (size_t i = 0; i < ARRAY_LEN(compilers); i++) {
		if ((compilers[i].bit == NVCC) != wants_cuda || !str_equal(compilers[i].name, name))
			continue;
		*out = (enum compiler)i;
		return true;
	}
	return false;
}

static struct verdict compiler_check(struct directive *d, const struct strv *words, bool wants_cuda)
{
	if (!words->nr)
		return verdict_make(REASON_forbidden_flag, "forge-build: names no compiler");
	if (words->nr > DIRECTIVE_FLAGS_MAX)
		return verdict_make(REASON_forbidden_flag, "more than %d flags",
				    DIRECTIVE_FLAGS_MAX);
	if (!compiler_find(words->items[0], wants_cuda, &d->compiler))
		return verdict_make(REASON_forbidden_flag, "compiler %.80s is not %s",
				    words->items[0], wants_cuda ? "nvcc" : "gcc or clang");
	return (struct verdict){ 0 };
}

/* What the words of a directive are held to. */
struct rules {
	bool wants_cuda;
	unsigned threads;
};

static struct verdict words_take(struct directive *d, const char *text, const struct rules *rules)
{
	AUTO_STRV struct strv words = { 0 };
	strv_split(&words, text, " \t");
	struct verdict v = compiler_check(d, &words, rules->wants_cuda);
	for (size_t i = 1; i < words.nr && v.state == VERDICT_NONE; i++) {
		v = flag_check(words.items[i], d->compiler, rules->threads);
		strv_add(&d->flags, words.items[i]);
	}
	return v;
}

struct verdict directive_parse(struct directive *d, const char *source, const char *otherwise,
			       unsigned threads)
{
	*d = (struct directive){ 0 };
	AUTO_STR struct str head = STR_INIT;
	source_text_joined(source, DIRECTIVE_LINES, &head);
	const char *p = head.text;
	unsigned line = 1;
	enum lex state = LEX_CODE;
	AUTO_FREE char *text = directive_next(&p, &line, &state);
	AUTO_FREE char *second = text ? directive_next(&p, &line, &state) : NULL;
	if (second)
		return verdict_make(REASON_forbidden_flag, "line %u: a second forge-build comment",
				    line);
	const struct rules rules = { .wants_cuda = is_cuda(otherwise), .threads = threads };
	d->is_default = !text;
	return words_take(d, text ? text : otherwise, &rules);
}

void directive_release(struct directive *d)
{
	strv_release(&d->flags);
}

char *directive_text(const struct directive *d)
{
	AUTO_STR struct str s = STR_INIT;
	str_add(&s, compiler_name(d->compiler));
	for (size_t i = 0; i < d->flags.nr; i++)
		str_addf(&s, " %s", d->flags.items[i]);
	return str_take(&s);
}

bool directive_has(const struct directive *d, const char *flag)
{
	return strv_has(&d->flags, flag);
}
