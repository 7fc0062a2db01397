#include "tuner/cmacro.h"

/* Replaced lexemes carry the place of the macro's use, so that opaque text cut out of the source
 * still holds the macro as it was written. A macro is not replaced inside its own replacement. */

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

enum { MACRO_DEPTH = 8, MACRO_ARGS = 8, EXPANDED_MAX = 1 << 16, STEPS_MAX = 4096 };

const struct macro *macros_find(const struct macros *m, const char *name)
{
	for (size_t i = 0; i < m->nr; i++)
		if (strcmp(m->items[i].name, name) == 0)
			return &m->items[i];
	return NULL;
}

void macros_release(struct macros *m)
{
	for (size_t i = 0; i < m->nr; i++)
		lexemes_release(&m->items[i].body);
	free(m->items);
	*m = (struct macros){ 0 };
}

static struct macro *add_macro(struct macros *m, const char *name)
{
	if (m->nr == m->cap) {
		m->cap = m->cap ? 2 * m->cap : 16;
		m->items = xreallocarray(m->items, m->cap, sizeof(*m->items));
	}
	m->items[m->nr] = (struct macro){ .name = name };
	return &m->items[m->nr++];
}

/* A body that stands for a value: no statement, no directive, no pasting. */
static bool is_plain_body(const struct lexemes *body, size_t from)
{
	int depth = 0;
	for (size_t i = from; i < body->nr; i++) {
		const struct lexeme *l = &body->items[i];
		if (lexeme_is(l, "{") || lexeme_is(l, ";") || lexeme_is(l, "#") ||
		    lexeme_is(l, "##") || l->kind == LEXEME_DIRECTIVE)
			return false;
		depth += lexeme_is(l, "(") - lexeme_is(l, ")");
		if (depth < 0)
			return false;
	}
	return depth == 0 && body->nr > from;
}

/* "(a, b)" after the name; the index after it, or 0 when it is no plain list of names. */
static size_t take_params(struct macro *macro, const struct lexemes *line, size_t at,
			  struct arena *a)
{
	macro->params = arena_array(a, MACRO_ARGS, sizeof(*macro->params));
	for (size_t i = at + 1; i < line->nr; i++) {
		const struct lexeme *l = &line->items[i];
		if (lexeme_is(l, ")"))
			return i + 1;
		if (lexeme_is(l, ","))
			continue;
		if (l->kind != LEXEME_NAME || macro->nr_params == MACRO_ARGS)
			return 0;
		macro->params[macro->nr_params++] = l->text;
	}
	return 0;
}

static void define(struct macros *m, const struct lexemes *line, bool is_certain, struct arena *a)
{
	if (line->nr < 3 || line->items[2].kind != LEXEME_NAME)
		return;
	const struct lexeme *name = &line->items[2];
	bool is_known = macros_find(m, name->text) != NULL;
	struct macro *macro = add_macro(m, name->text);
	size_t from = 3;
	if (lexeme_is(&line->items[3], "(") && line->items[3].begin == name->end) {
		macro->is_function = true;
		from = take_params(macro, line, 3, a);
	}
	macro->is_plain = is_certain && !is_known && from && is_plain_body(line, from);
	if (is_known)
		for (size_t i = 0; i < m->nr; i++)
			if (strcmp(m->items[i].name, name->text) == 0)
				m->items[i].is_plain = false;
	for (size_t i = from; from && i < line->nr; i++)
		lexemes_add(&macro->body, line->items[i]);
}

/* The line's own lexemes: '#', then words. The leading '#' is made a space to lex it as code. */
static void scan_directive(struct macros *m, const char *text, int *depth, struct arena *a)
{
	AUTO_LEXEMES struct lexemes line = { 0 };
	struct err ignored = { 0 };
	char *copy = arena_printf(a, "_ %s", text + 1);
	if (clex_scan(&line, copy, a, &ignored) < 0 || line.nr < 2)
		return;
	const char *word = line.items[1].text;
	*depth += str_starts(word, "if");
	*depth -= strcmp(word, "endif") == 0;
	if (strcmp(word, "define") == 0)
		define(m, &line, *depth == 0, a);
	if (strcmp(word, "undef") == 0 && line.nr > 2)
		add_macro(m, line.items[2].text);
}

void macros_collect(struct macros *m, const struct lexemes *source, struct arena *a)
{
	int depth = 0;
	for (size_t i = 0; i < source->nr; i++)
		if (source->items[i].kind == LEXEME_DIRECTIVE)
			scan_directive(m, source->items[i].text, &depth, a);
	/* A name that was undefined anywhere has two meanings: leave it alone. */
	for (size_t i = 0; i < m->nr; i++)
		for (size_t j = 0; j < m->nr; j++)
			if (i != j && strcmp(m->items[i].name, m->items[j].name) == 0)
				m->items[i].is_plain = false;
}

struct expansion {
	const struct macros *macros;
	struct lexemes *out;
	const struct lexeme *use; /* the outermost macro name being replaced, or NULL */
	unsigned depth;
	unsigned nr_steps;             /* replacements so far: nested macros multiply */
	const char *open[MACRO_DEPTH]; /* macros being replaced */
};

struct span {
	const struct lexeme *items;
	size_t nr;
};

static void expand_span(struct expansion *x, struct span s);

static void put(struct expansion *x, struct lexeme l)
{
	if (x->use) {
		l.begin = x->use->begin;
		l.end = x->use->end;
		l.line = x->use->line;
	}
	if (x->out->nr < EXPANDED_MAX)
		lexemes_add(x->out, l);
}

static bool is_open(const struct expansion *x, const char *name)
{
	for (unsigned i = 0; i < x->depth; i++)
		if (strcmp(x->open[i], name) == 0)
			return true;
	return false;
}

/* Split "(a, b)" at s.items[0]; the number of lexemes taken, 0 when there are no such arguments. */
static size_t take_args(struct span s, struct span *args, size_t nr_args)
{
	int depth = 0;
	size_t nr = 0;
	size_t start = 1;
	for (size_t i = 0; i < s.nr; i++) {
		bool is_close = lexeme_is(&s.items[i], ")");
		depth += lexeme_is(&s.items[i], "(") - is_close;
		if (!(depth == 1 && lexeme_is(&s.items[i], ",")) && depth > 0)
			continue;
		if (nr == nr_args)
			return 0;
		args[nr++] = (struct span){ s.items + start, i - start };
		start = i + 1;
		if (depth == 0)
			return nr == nr_args ? i + 1 : 0;
	}
	return 0;
}

static void put_body(struct expansion *x, const struct macro *m, const struct span *args)
{
	AUTO_LEXEMES struct lexemes body = { 0 };
	for (size_t i = 0; i < m->body.nr; i++) {
		const struct lexeme *l = &m->body.items[i];
		size_t p = 0;
		while (p < m->nr_params && !lexeme_is(l, m->params[p]))
			p++;
		for (size_t j = 0; p < m->nr_params && j < args[p].nr && body.nr < EXPANDED_MAX;
		     j++)
			lexemes_add(&body, args[p].items[j]);
		if (p == m->nr_params)
			lexemes_add(&body, *l);
	}
	x->open[x->depth++] = m->name;
	expand_span(x, (struct span){ body.items, body.nr });
	x->depth--;
}

/* Try to replace the macro at s.items[0]; the number of lexemes it took, 0 when it is none. */
static size_t expand_one(struct expansion *x, struct span s)
{
	const struct macro *m =
		s.items[0].kind == LEXEME_NAME ? macros_find(x->macros, s.items[0].text) : NULL;
	struct span args[MACRO_ARGS + 1];
	size_t taken = 1;
	if (!m || !m->is_plain || x->depth == MACRO_DEPTH || is_open(x, m->name) ||
	    x->out->nr >= EXPANDED_MAX || x->nr_steps++ > STEPS_MAX)
		return 0;
	if (m->is_function) {
		size_t nr = take_args((struct span){ s.items + 1, s.nr - 1 }, args, m->nr_params);
		if (!nr)
			return 0;
		taken += nr;
	}
	const struct lexeme *outer = x->use;
	struct lexeme whole = s.items[0];
	whole.end = s.items[taken - 1].end;
	x->use = outer ? outer : &whole;
	put_body(x, m, args);
	x->use = outer;
	return taken;
}

static void expand_span(struct expansion *x, struct span s)
{
	for (size_t i = 0; i < s.nr;) {
		size_t taken = expand_one(x, (struct span){ s.items + i, s.nr - i });
		if (!taken)
			put(x, s.items[i]);
		i += taken ? taken : 1;
	}
}

void macros_expand(const struct macros *m, const struct lexemes *source, size_t from, size_t to,
		   struct lexemes *out)
{
	struct expansion x = { .macros = m, .out = out };
	expand_span(&x, (struct span){ source->items + from, to - from });
}
