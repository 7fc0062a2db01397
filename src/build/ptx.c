#include "build/ptx.h"

/* A statement ends in ';' and may stand over several lines; labels and predicates come before it.
 * Braces part, too: bodies of functions, and operands that are vectors, which are no instructions.
 * Directives (".reg", ".visible .entry") begin with a dot and are no instructions, but a special
 * register is one wherever it is named. */

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

enum { SHOWN_BYTES = 120 };

static const struct metric {
	const char *name;
	const char *start;
	const char *part;
} metrics[] = {
#define PTX(metric, start, part, text) { metric, start, part },
#include "build/ptx_metrics.def"
#undef PTX
};

/* Special registers that tell of time, and what stops a kernel. */
static const char *const registers[] = { "%clock", "%globaltimer", "%pm" };
static const char *const instructions[] = { "brkpt", "pmevent" };

/* The text without comments; strings are kept, they hold file names at most. */
static void strip_comments(const char *text, struct str *out)
{
	while (*text) {
		size_t plain = strcspn(text, "/");
		str_add_len(out, text, plain);
		text += plain;
		if (str_starts(text, "//")) {
			text += strcspn(text, "\n");
		} else if (str_starts(text, "/*")) {
			const char *end = strstr(text + 2, "*/");
			text = end ? end + 2 : text + strlen(text);
			str_add_char(out, ' ');
		} else if (*text) {
			str_add_char(out, *text++);
		}
	}
}

/* Past blanks, "LABEL:" and "@!%p1". */
static const char *statement_start(const char *p, const char *end)
{
	for (;;) {
		while (p < end && (isspace((unsigned char)*p)))
			p++;
		const char *word = p;
		if (p < end && *p == '@') {
			while (p < end && !isspace((unsigned char)*p))
				p++;
			continue;
		}
		while (p < end && (isalnum((unsigned char)*p) || strchr("_$%", *p)))
			p++;
		if (p == end || *p != ':' || p == word || p[1] == ':')
			return word;
		p++;
	}
}

typedef bool (*take_fn)(const char *statement, size_t len, void *ctx);

static void walk(const char *text, take_fn take, void *ctx)
{
	for (const char *p = text; *p;) {
		const char *end = p + strcspn(p, ";{}");
		const char *start = statement_start(p, end);
		if (start < end && !take(start, (size_t)(end - start), ctx))
			return;
		p = *end ? end + 1 : end;
	}
}

static bool begins(const char *statement, size_t len, const char *with)
{
	return len >= strlen(with) && memcmp(statement, with, strlen(with)) == 0;
}

/* %pm0 and %clock64, but not a register that is called %pmax. */
static bool names_register(const char *statement, size_t len, const char *name)
{
	const size_t name_len = strlen(name);
	for (const char *at = statement;
	     (at = memmem(at, len - (size_t)(at - statement), name, name_len)); at++) {
		const char *rest = at + name_len;
		while (rest < statement + len && isdigit((unsigned char)*rest))
			rest++;
		bool is_end =
			rest == statement + len || (!isalnum((unsigned char)*rest) && *rest != '$');
		if (is_end)
			return true;
	}
	return false;
}

static bool is_forbidden(const char *statement, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(registers); i++)
		if (names_register(statement, len, registers[i]))
			return true;
	for (size_t i = 0; i < ARRAY_LEN(instructions); i++)
		if (begins(statement, len, instructions[i]))
			return true;
	return false;
}

static bool look_for_forbidden(const char *statement, size_t len, void *ctx)
{
	struct str *what = ctx;
	if (!is_forbidden(statement, len))
		return true;
	str_add_len(what, statement, len < SHOWN_BYTES ? len : SHOWN_BYTES);
	return false;
}

bool ptx_is_forbidden(const char *text, struct str *what)
{
	AUTO_STR struct str plain = STR_INIT;
	const size_t before = what->len;
	strip_comments(text, &plain);
	walk(plain.text, look_for_forbidden, what);
	return what->len > before;
}

struct counts {
	uint64_t all;
	uint64_t of[ARRAY_LEN(metrics)];
};

static bool count(const char *statement, size_t len, void *ctx)
{
	struct counts *c = ctx;
	size_t word = 0;
	while (word < len && !isspace((unsigned char)statement[word]))
		word++;
	if (!isalpha((unsigned char)*statement))
		return true;
	c->all++;
	for (size_t i = 0; i < ARRAY_LEN(metrics); i++) {
		const char *part = metrics[i].part;
		bool is_one = begins(statement, word, metrics[i].start) &&
			      (!part || memmem(statement, word, part, strlen(part)));
		c->of[i] += is_one;
	}
	return true;
}

void ptx_facts(const char *text, json_t *facts)
{
	struct counts c = { .all = 0 };
	AUTO_STR struct str plain = STR_INIT;
	strip_comments(text, &plain);
	walk(plain.text, count, &c);
	if (!c.all)
		return;
	for (size_t i = 0; i < ARRAY_LEN(metrics); i++)
		json_object_set_new(facts, metrics[i].name, json_integer((json_int_t)c.of[i]));
}
