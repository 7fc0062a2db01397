#include "build/sass.h"

/* A line with an instruction begins with its address in a comment, then come a predicate, the word
 * of opcode and modifiers, operands, a semicolon. Both tools write it so. The encoding, which
 * cuobjdump adds, stands behind or in lines whose comment begins with a blank. */

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static const struct metric {
	const char *name;
	const char *opcode;
	const char *modifier;
} metrics[] = {
#define SASS(metric, opcode, modifier, text) { metric, opcode, modifier },
#include "build/sass_metrics.def"
#undef SASS
};

struct span {
	const char *at;
	const char *end;
};

static void skip_blanks(struct span *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
		s->at++;
}

/* The address in its comment. */
static bool skip_address(struct span *s)
{
	skip_blanks(s);
	if (s->end - s->at < 5 || s->at[0] != '/' || s->at[1] != '*')
		return false;
	s->at += 2;
	const char *from = s->at;
	while (s->at < s->end && isxdigit((unsigned char)*s->at))
		s->at++;
	if (s->at == from || s->end - s->at < 2 || s->at[0] != '*' || s->at[1] != '/')
		return false;
	s->at += 2;
	return true;
}

/* "@!P0", "@UP1". */
static void skip_predicate(struct span *s)
{
	skip_blanks(s);
	while (s->at < s->end && (*s->at == '@' || *s->at == '{')) {
		while (s->at < s->end && *s->at != ' ' && *s->at != '\t')
			s->at++;
		skip_blanks(s);
	}
}

static bool is_word(char c)
{
	return isupper((unsigned char)c) || isdigit((unsigned char)c) || c == '.' || c == '_';
}

bool sass_line(const char *line, size_t len, struct sass_insn *out)
{
	struct span s = { line, line + len };
	if (!skip_address(&s))
		return false;
	skip_predicate(&s);
	*out = (struct sass_insn){ .word = s.at };
	while (s.at < s.end && is_word(*s.at))
		s.at++;
	out->word_len = (size_t)(s.at - out->word);
	const char *dot = memchr(out->word, '.', out->word_len);
	out->opcode_len = dot ? (size_t)(dot - out->word) : out->word_len;
	skip_blanks(&s);
	const char *semicolon = memchr(s.at, ';', (size_t)(s.end - s.at));
	out->operands = s.at;
	out->operands_len = semicolon ? (size_t)(semicolon - s.at) : 0;
	return out->opcode_len > 0 && semicolon;
}

/* A '*' in the pattern stands for any letters. */
static bool fits(const char *pattern, const char *text, size_t len)
{
	const char *star = strchr(pattern, '*');
	size_t head = star ? (size_t)(star - pattern) : strlen(pattern);
	size_t tail = star ? strlen(star + 1) : 0;
	if (len < head + tail || (!star && len != head))
		return false;
	return memcmp(text, pattern, head) == 0 &&
	       (!star || memcmp(text + len - tail, star + 1, tail) == 0);
}

static bool has_modifier(const struct sass_insn *in, const char *modifier)
{
	size_t len = strlen(modifier);
	for (size_t at = in->opcode_len; at + len < in->word_len; at++) {
		char behind = at + 1 + len < in->word_len ? in->word[at + 1 + len] : '.';
		if (in->word[at] == '.' && behind == '.' &&
		    memcmp(in->word + at + 1, modifier, len) == 0)
			return true;
	}
	return false;
}

bool sass_is(const struct sass_insn *in, const char *opcode, const char *modifier)
{
	return fits(opcode, in->word, in->opcode_len) && (!modifier || has_modifier(in, modifier));
}

/* Calls `take` for every instruction until it says stop. */
static void walk(const char *listing, bool (*take)(const struct sass_insn *in, void *ctx),
		 void *ctx)
{
	struct sass_insn in;
	for (const char *line = listing; *line;) {
		size_t len = strcspn(line, "\n");
		if (sass_line(line, len, &in) && !take(&in, ctx))
			return;
		line += len + (line[len] == '\n');
	}
}

struct counts {
	uint64_t all;
	uint64_t of[ARRAY_LEN(metrics)];
};

static bool count(const struct sass_insn *in, void *ctx)
{
	struct counts *c = ctx;
	c->all++;
	for (size_t i = 0; i < ARRAY_LEN(metrics); i++)
		c->of[i] += sass_is(in, metrics[i].opcode, metrics[i].modifier);
	return true;
}

void sass_facts(const char *listing, json_t *facts)
{
	struct counts c = { .all = 0 };
	walk(listing, count, &c);
	if (!c.all)
		return;
	json_object_set_new(facts, "sass_instructions", json_integer((json_int_t)c.all));
	for (size_t i = 0; i < ARRAY_LEN(metrics); i++)
		json_object_set_new(facts, metrics[i].name, json_integer((json_int_t)c.of[i]));
}

struct found {
	const char *at;
	size_t len;
};

static bool has_text(const struct sass_insn *in, const char *text)
{
	return memmem(in->operands, in->operands_len, text, strlen(text)) != NULL;
}

static bool look_for_clock(const struct sass_insn *in, void *ctx)
{
	struct found *f = ctx;
	if (!has_text(in, "SR_CLOCK") && !has_text(in, "SR_GLOBALTIMER"))
		return true;
	f->at = in->word;
	f->len = (size_t)(in->operands + in->operands_len - in->word);
	return false;
}

bool sass_reads_clock(const char *listing, const char **at, size_t *len)
{
	struct found f = { .at = NULL };
	walk(listing, look_for_clock, &f);
	*at = f.at;
	*len = f.len;
	return f.at != NULL;
}
