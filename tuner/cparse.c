#include "tuner/cparse.h"

/* The top level: find the entry's definition between the other things of a file, collect typedef
 * names and macros on the way, expand macros inside the function only. */

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "tuner/clex.h"
#include "tuner/cmacro.h"
#include "tuner/cnormal.h"
#include "tuner/cparse_in.h"
#include "tuner/ir.h"

enum { PARAMS_MAX = 64 };

const struct lexeme *parser_peek(const struct parser *p)
{
	return &p->lexemes->items[p->at < p->lexemes->nr ? p->at : p->lexemes->nr];
}

bool parser_is(const struct parser *p, const char *text)
{
	return lexeme_is(parser_peek(p), text);
}

bool parser_take(struct parser *p, const char *text)
{
	bool is_next = parser_is(p, text);
	p->at += is_next;
	return is_next;
}

const char *parser_text(const struct parser *p, size_t from)
{
	size_t last = p->at <= p->lexemes->nr ? p->at - 1 : p->lexemes->nr - 1;
	size_t begin = p->lexemes->items[from].begin;
	size_t end = p->lexemes->items[last].end;
	return arena_strndup(p->a, p->source + begin, end > begin ? end - begin : 0);
}

/* Index of the bracket that closes the one at `from`; nr when there is none. */
static size_t find_close(const struct lexemes *t, size_t from)
{
	int depth = 0;
	for (size_t i = from; i < t->nr; i++) {
		const struct lexeme *l = &t->items[i];
		depth += lexeme_is(l, "(") || lexeme_is(l, "{") || lexeme_is(l, "[");
		depth -= lexeme_is(l, ")") || lexeme_is(l, "}") || lexeme_is(l, "]");
		if (depth == 0)
			return i;
	}
	return t->nr;
}

/* One thing at the top level: lexemes [from, end); a function definition has a body. */
struct top {
	size_t from;
	size_t end;
	size_t name; /* of a function; 0: none */
	size_t body;
};

static bool is_function_name(const struct lexemes *t, size_t i)
{
	return t->items[i].kind == LEXEME_NAME && i + 1 < t->nr &&
	       lexeme_is(&t->items[i + 1], "(") && !lexeme_is(&t->items[i], "__attribute__");
}

static struct top next_top(const struct lexemes *t, size_t from)
{
	struct top top = { .from = from, .end = from };
	if (t->items[from].kind == LEXEME_DIRECTIVE) {
		top.end = from + 1;
		return top;
	}
	for (size_t i = from; i < t->nr; i++) {
		bool is_brace = lexeme_is(&t->items[i], "{");
		if (!top.name && is_function_name(t, i))
			top.name = i;
		if (is_brace || lexeme_is(&t->items[i], "(") || lexeme_is(&t->items[i], "[")) {
			bool is_body =
				is_brace && top.name && i && lexeme_is(&t->items[i - 1], ")");
			top.body = is_body ? i : top.body;
			i = find_close(t, i);
			top.end = i + 1;
			if (is_body)
				return top;
		}
		if (i < t->nr && lexeme_is(&t->items[i], ";")) {
			top.end = i + 1;
			return top;
		}
	}
	top.end = t->nr;
	return top;
}

static void note_typedef(const struct lexemes *t, const struct top *top, struct strv *types)
{
	if (!lexeme_is(&t->items[top->from], "typedef"))
		return;
	size_t last = top->end - 1;
	while (last > top->from && t->items[last].kind != LEXEME_NAME)
		last--;
	if (last > top->from)
		strv_add(types, t->items[last].text);
}

static bool is_entry(const struct lexemes *t, const struct top *top, const char *entry)
{
	return top->body && lexeme_is(&t->items[top->name], entry);
}

/* Depth of #if nesting after a directive. */
static int count_if(const struct lexeme *l, int depth)
{
	if (l->kind != LEXEME_DIRECTIVE)
		return depth;
	const char *word = l->text + 1;
	word += strspn(word, " \t");
	return depth + str_starts(word, "if") - str_starts(word, "endif");
}

static int find_entry(const struct lexemes *t, const char *entry, struct strv *types,
		      struct top *out, struct err *e)
{
	int depth = 0;
	bool is_found = false;
	for (size_t i = 0; i < t->nr;) {
		struct top top = next_top(t, i);
		depth = count_if(&t->items[i], depth);
		note_typedef(t, &top, types);
		if (is_entry(t, &top, entry) && (is_found || depth))
			return err_set(e, ERR_INPUT, "%s is defined more than once or under #if",
				       entry);
		if (is_entry(t, &top, entry)) {
			*out = top;
			is_found = true;
		}
		i = top.end > i ? top.end : i + 1;
	}
	return is_found ? 0 : err_set(e, ERR_INPUT, "no definition of %s", entry);
}

static int check_body(const struct lexemes *t, const struct top *top, const char *entry,
		      struct err *e)
{
	for (size_t i = top->from; i < top->end; i++)
		if (t->items[i].text[0] == '#' && !lexeme_is_hint(&t->items[i]))
			return err_set(e, ERR_INPUT, "line %u: a preprocessor line inside %s",
				       t->items[i].line, entry);
	return 0;
}

/* One parameter in lexemes [p->at, end). */
static struct param parse_param(struct parser *p, size_t end)
{
	struct param param = { .name = "", .stars = "", .type = "" };
	size_t from = p->at;
	const char *type = parse_type(p);
	const char *stars = parse_stars(p);
	if (parser_at_name(p)) {
		param.name = parser_peek(p)->text;
		p->at++;
	}
	bool is_array = parser_is(p, "[") && lexeme_is(&p->lexemes->items[end - 1], "]");
	bool is_flat = is_array && find_close(p->lexemes, p->at) == end - 1;
	param.is_plain = type && *param.name && (p->at == end || (is_flat && !*stars)) &&
			 strchr(stars, '*') == strrchr(stars, '*');
	param.is_pointer = is_array || *stars || !param.is_plain;
	param.type = type ? type : "";
	param.stars = is_array ? "*" : stars;
	p->at = end;
	param.text = parser_text(p, from);
	return param;
}

static int parse_params(struct parser *p, struct function *f, struct err *e)
{
	size_t close = find_close(p->lexemes, p->at);
	f->params = arena_array(p->a, PARAMS_MAX, sizeof(*f->params));
	p->at++;
	if (p->at == close || (p->at + 1 == close && parser_is(p, "void")))
		return err_set(e, ERR_INPUT, "%s has no parameters", f->name);
	int depth = 0;
	for (size_t i = p->at; i <= close; i++) {
		const struct lexeme *l = &p->lexemes->items[i];
		depth += lexeme_is(l, "(") || lexeme_is(l, "[");
		depth -= i < close && (lexeme_is(l, ")") || lexeme_is(l, "]"));
		if (i < close && (depth || !lexeme_is(l, ",")))
			continue;
		if (f->nr_params == PARAMS_MAX || i == p->at)
			return err_set(e, ERR_INPUT, "parameters of %s", f->name);
		f->params[f->nr_params] = parse_param(p, i);
		if (!*f->params[f->nr_params++].name)
			return err_set(e, ERR_INPUT, "a parameter of %s without a name", f->name);
		p->at = i + 1;
	}
	return 0;
}

static int parse_entry(struct parser *p, struct function *f, size_t name, struct err *e)
{
	f->name = p->lexemes->items[name].text;
	p->at = 0;
	if (!parser_take(p, "void") || p->at != name)
		return err_set(e, ERR_INPUT, "%s is not a plain void function", f->name);
	p->at++;
	if (parse_params(p, f, e) < 0)
		return -1;
	f->body = parse_block(p);
	if (!f->body || parser_peek(p)->kind != LEXEME_END)
		return err_set(e, ERR_INPUT, "the body of %s: brackets do not match", f->name);
	return 0;
}

/* Everything that is collected from the whole file before the function is parsed. */
struct context {
	struct lexemes whole;
	struct lexemes body;
	struct macros macros;
	struct strv types;
};

static void context_release(struct context *c)
{
	lexemes_release(&c->whole);
	lexemes_release(&c->body);
	macros_release(&c->macros);
	strv_release(&c->types);
}

static int parse_with(struct context *c, struct unit *u, const char *entry, struct arena *a,
		      struct err *e)
{
	struct top top = { 0 };
	if (clex_scan(&c->whole, u->source, a, e) < 0 ||
	    find_entry(&c->whole, entry, &c->types, &top, e) < 0 ||
	    check_body(&c->whole, &top, entry, e) < 0)
		return -1;
	size_t begin = c->whole.items[top.from].begin;
	size_t end = c->whole.items[top.end - 1].end;
	u->before = arena_strndup(a, u->source, begin);
	u->after = arena_strdup(a, u->source + end);
	u->text = arena_strndup(a, u->source + begin, end - begin);
	u->name_at = c->whole.items[top.name].begin - begin;
	macros_collect(&c->macros, &c->whole, a);
	macros_expand(&c->macros, &c->whole, top.from, top.end, &c->body);
	if (!c->body.nr)
		return err_set(e, ERR_INPUT, "%s: nothing is left after its macros", entry);
	struct parser p = { .lexemes = &c->body,
			    .a = a,
			    .source = u->source,
			    .macros = &c->macros,
			    .types = &c->types };
	if (parse_entry(&p, &u->entry, top.name - top.from, e) < 0)
		return -1;
	return function_normalise(&u->entry, a, e);
}

int unit_parse(struct unit *u, const char *source, const char *entry, struct arena *a,
	       struct err *e)
{
	struct context c = { 0 };
	*u = (struct unit){ .source = source };
	int rc = parse_with(&c, u, entry, a, e);
	context_release(&c);
	return rc;
}
