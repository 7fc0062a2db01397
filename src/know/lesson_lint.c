#include "know/lesson_lint.h"

/* Each rule is one function over one lesson. Texts of the table (title, applies_when, means) are
 * held to the rules for prose, too; they have one line each as far as messages go. */

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/share.h"
#include "base/str.h"
#include "know/certify.h"
#include "know/kb.h"
#include "know/prose.h"
#include "model/task.h"

enum { MAX_WORDS_BYTES = 1 << 16, MAX_TITLE = 100 };

static const char *const fence_languages[] = { "c", "cuda", "ptx", "asm", "python", "text" };
static const char *const paraphrases[] = {
#define PARAPHRASE(words) words,
#include "know/paraphrase.def"
#undef PARAPHRASE
};

enum lesson_rule {
#define LESSON_RULE(name, text) RULE_##name,
#include "know/lesson_rules.def"
#undef LESSON_RULE
};
static const char *const rule_names[] = {
#define LESSON_RULE(name, text) #name,
#include "know/lesson_rules.def"
#undef LESSON_RULE
};

/* A lesson under the lint. */
struct subject {
	const struct lesson_lint *lint;
	const struct lesson *l;
	const json_t *certs;
	const struct prose *prose;
	unsigned title_line; /* where the table's texts stand */
	unsigned applies_line;
};

#define ERROR_AT(s, line, rule, fmt, ...)                                                          \
	finding_error((s)->lint->findings, (s)->l->path, line, "%s: " fmt, rule_names[rule],       \
		      __VA_ARGS__)

/* All words as one expression, each a whole word in any case. */
static int compile_words(regex_t *out, const char *text, const char *path, struct err *e)
{
	AUTO_STRV struct strv words = { 0 };
	strv_split(&words, text, "\n");
	AUTO_FREE char *all = strv_join(&words, "|");
	AUTO_FREE char *pattern = xasprintf("(^|[^[:alnum:]_])(%s)($|[^[:alnum:]_])", all);
	int rc = regcomp(out, pattern, REG_EXTENDED | REG_ICASE | REG_NEWLINE);
	if (rc == 0)
		return 0;
	char why[120];
	regerror(rc, out, why, sizeof(why));
	return err_set(e, ERR_INPUT, "%s: %s; one extended regular expression a line", path, why);
}

int lesson_lint_init(struct lesson_lint *lint, const char *references, struct findings *f,
		     struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	*lint = (struct lesson_lint){ .findings = f };
	leak_init(&lint->references, references, "", f);
	AUTO_FREE char *path = share_path("kb/operator-words", e);
	if (!path || file_read(path, MAX_WORDS_BYTES, &text, e) < 0 ||
	    compile_words(&lint->operators, text.text, path, e) < 0)
		return -1;
	lint->has_operators = true;
	return 0;
}

void lesson_lint_release(struct lesson_lint *lint)
{
	if (lint->has_operators)
		regfree(&lint->operators);
	leak_release(&lint->references);
	*lint = (struct lesson_lint){ .has_operators = false };
}

/* --- format --- */

static bool is_among(const char *name, size_t len, const char *const *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (strlen(list[i]) == len && strncmp(list[i], name, len) == 0)
			return true;
	return false;
}

static void check_names(const struct subject *s)
{
	const struct lesson *l = s->l;
	AUTO_FREE char *file = xasprintf("%s.md", l->id);
	if (!lesson_is_id(l->id))
		ERROR_AT(s, 2, RULE_format,
			 "\"%s\" is no id: lower-case letters, digits and -, a letter first",
			 l->id);
	if (!str_equal(path_base(l->path), file))
		ERROR_AT(s, 2, RULE_format,
			 "the id %s belongs into a file %s; rename one of the two", l->id, file);
	if (!lesson_is_family(l->family))
		ERROR_AT(s, 2, RULE_format, "there is no device family \"%s\"", l->family);
}

static void check_lists(const struct subject *s)
{
	const struct lesson *l = s->l;
	if (!l->nr_languages)
		ERROR_AT(s, 2, RULE_format, "%s", "languages are missing; list c, cuda or python");
	if (!l->nr_topics)
		ERROR_AT(s, 2, RULE_format, "%s",
			 "topics are missing; docs/format/lesson.md lists them");
	for (size_t i = 0; i < l->nr_languages; i++)
		if (!lesson_is_language(l->languages[i]))
			ERROR_AT(s, 2, RULE_format, "\"%s\" is no language: c, cuda or python",
				 l->languages[i]);
	for (size_t i = 0; i < l->nr_topics; i++)
		if (!lesson_is_topic(l->topics[i]))
			ERROR_AT(s, 2, RULE_format,
				 "there is no topic \"%s\"; docs/format/lesson.md lists them",
				 l->topics[i]);
}

static void check_texts(const struct subject *s)
{
	size_t len = strlen(s->l->title);
	if (!len || len > MAX_TITLE || s->l->title[len - 1] == '.')
		ERROR_AT(s, s->title_line, RULE_format,
			 "the title is one sentence of at most %d characters without a full stop",
			 MAX_TITLE);
	if (!prose_has_text(s->prose))
		ERROR_AT(s, s->l->body_line, RULE_format, "%s",
			 "there is no paragraph; say what follows for a kernel");
}

static bool is_probe_name(const struct lesson *l)
{
	AUTO_FREE char *c = xasprintf("%s.probe.c", l->id);
	AUTO_FREE char *cu = xasprintf("%s.probe.cu", l->id);
	return str_equal(l->probe, c) || str_equal(l->probe, cu);
}

static void check_probe(const struct subject *s)
{
	AUTO_FREE char *path = lesson_probe_path(s->l);
	AUTO_STR struct str text = STR_INIT;
	struct err why = { 0 };
	if (!is_probe_name(s->l))
		ERROR_AT(s, 2, RULE_format, "the probe must be called %s.probe.c or %s.probe.cu",
			 s->l->id, s->l->id);
	else if (file_read(path, PROBE_MAX_BYTES, &text, &why) < 0)
		ERROR_AT(s, 2, RULE_format, "its probe can not be read: %s; write it", why.text);
}

static void check_claim(const struct subject *s, const struct claim *c)
{
	if (!lesson_is_unit(c->unit, strlen(c->unit), false))
		ERROR_AT(s, c->line, RULE_format,
			 "\"%s\" is no unit that a probe prints; docs/format/lesson.md lists them",
			 c->unit);
	if (isnan(c->low) && isnan(c->high))
		ERROR_AT(s, c->line, RULE_format,
			 "the claim %s has no bound; give low, high or both", c->value);
	if (c->low > c->high)
		ERROR_AT(s, c->line, RULE_format, "the claim %s has low above high", c->value);
}

static void check_format(const struct subject *s)
{
	check_names(s);
	check_lists(s);
	check_texts(s);
	check_probe(s);
	if (!s->l->nr_claims)
		ERROR_AT(s, 2, RULE_format, "%s", "it claims nothing; write [[claim]]");
	for (size_t i = 0; i < s->l->nr_claims; i++)
		check_claim(s, &s->l->claims[i]);
}

/* --- names --- */

static void find_operators(const struct subject *s, const char *text, const char *file)
{
	regmatch_t m[3];
	const char *at = text;
	while (regexec(&s->lint->operators, at, 3, m, at > text ? REG_NOTBOL : 0) == 0) {
		const char *word = at + m[2].rm_so;
		unsigned line = 1;
		for (const char *c = text; c < word; c++)
			line += *c == '\n';
		finding_error(s->lint->findings, file, line,
			      "%s: \"%.*s\" names an operator; lessons serve all of them: say it "
			      "by what the hardware does",
			      rule_names[RULE_operator_name], (int)(m[2].rm_eo - m[2].rm_so), word);
		at = word + (m[2].rm_eo - m[2].rm_so);
	}
}

static void check_operators(const struct subject *s)
{
	AUTO_FREE char *path = lesson_probe_path(s->l);
	AUTO_STR struct str probe = STR_INIT;
	struct err ignored = { 0 };
	find_operators(s, s->l->text, s->l->path);
	if (file_read(path, PROBE_MAX_BYTES, &probe, &ignored) == 0)
		find_operators(s, probe.text, path);
}

static void check_reference_names(const struct subject *s)
{
	for (size_t i = 0; i < s->prose->nr; i++) {
		const struct prose_line *line = &s->prose->items[i];
		AUTO_FREE char *name = leak_foreign_name(&s->lint->references, line->text);
		if (name)
			ERROR_AT(s, line->number, RULE_reference_identifier,
				 "\"%s\" is a name in a task's reference; use another", name);
	}
}

/* --- prose --- */

static void check_fences(const struct subject *s)
{
	for (size_t i = 0; i < s->prose->nr; i++) {
		const struct prose_line *line = &s->prose->items[i];
		if (line->kind != PROSE_FENCE || !line->info)
			continue;
		size_t len = strcspn(line->info, " ");
		if (!is_among(line->info, len, fence_languages, ARRAY_LEN(fence_languages)))
			ERROR_AT(
				s, line->number, RULE_code_outside_fence,
				"a fence of \"%s\"; write c, cuda, ptx, asm, python or text behind "
				"the backticks",
				line->info);
	}
	if (s->prose->open_fence)
		ERROR_AT(s, s->prose->open_fence, RULE_code_outside_fence, "%s",
			 "nothing closes this fence");
}

static void find_code(const struct subject *s, const char *plain, unsigned line)
{
	const char *found = leak_code_in(plain);
	if (found)
		ERROR_AT(s, line, RULE_code_outside_fence,
			 "prose holds code (\"%s\"); put it into a fence, or a name of it into "
			 "backticks",
			 found);
}

/* Lower case, every blank a single one: phrases go on over the end of a line. */
static char *flat(const char *text, const char *next)
{
	AUTO_STR struct str out = STR_INIT;
	AUTO_FREE char *both = xasprintf("%s %s", text, next);
	for (const char *c = both; *c; c++) {
		char one = (char)(isspace((unsigned char)*c) ? ' ' : tolower((unsigned char)*c));
		if (one != ' ' || (out.len && out.text[out.len - 1] != ' '))
			str_add_char(&out, one);
	}
	return str_take(&out);
}

static bool is_whole(const char *text, const char *at, size_t len)
{
	bool begins = at == text || !isalnum((unsigned char)at[-1]);
	return begins && !isalnum((unsigned char)at[len]);
}

/* A phrase that stands wholly in the next line is that line's. */
static void find_paraphrase(const struct subject *s, const char *plain, const char *next,
			    unsigned line)
{
	AUTO_FREE char *text = flat(plain, next);
	AUTO_FREE char *own = flat(plain, "");
	for (size_t i = 0; i < ARRAY_LEN(paraphrases); i++) {
		const char *at = strstr(text, paraphrases[i]);
		if (at && (size_t)(at - text) < strlen(own) &&
		    is_whole(text, at, strlen(paraphrases[i])))
			ERROR_AT(s, line, RULE_paraphrase,
				 "\"%s\" retells somebody; say what was measured, and where it is "
				 "from "
				 "in docs/kb-provenance/",
				 paraphrases[i]);
	}
}

static void find_numbers(const struct subject *s, const char *plain, const char *next,
			 unsigned line)
{
	size_t at = 0;
	for (;;) {
		AUTO_FREE char *number = prose_bare_number(plain, next, &at);
		if (!number)
			return;
		ERROR_AT(s, line, RULE_number_without_unit,
			 "\"%s\" has no unit behind it; write of what, or a small count as a word",
			 number);
	}
}

static void check_passage(const struct subject *s, const char *plain, const char *next,
			  unsigned line)
{
	find_code(s, plain, line);
	find_paraphrase(s, plain, next, line);
	find_numbers(s, plain, next, line);
}

static void check_table_text(const struct subject *s, const char *text, unsigned line)
{
	AUTO_ARENA struct arena a = { 0 };
	check_passage(s, prose_plain(&a, text), "", line);
}

static void check_prose(const struct subject *s)
{
	for (size_t i = 0; i < s->prose->nr; i++) {
		const struct prose_line *line = &s->prose->items[i];
		const struct prose_line *next = i + 1 < s->prose->nr ? line + 1 : NULL;
		bool goes_on = next && next->kind == PROSE_TEXT;
		if (line->kind == PROSE_TEXT)
			check_passage(s, line->plain, goes_on ? next->plain : "", line->number);
	}
	check_table_text(s, s->l->title, s->title_line);
	check_table_text(s, s->l->applies_when, s->applies_line);
	for (size_t i = 0; i < s->l->nr_claims; i++)
		check_table_text(s, s->l->claims[i].means, s->l->claims[i].line);
	check_fences(s);
}

/* --- claims and certificates --- */

static void check_scope(const struct subject *s)
{
	if (!s->l->nr_devices)
		ERROR_AT(s, 2, RULE_no_scope, "%s",
			 "which devices is it about? write [scope] with devices = [\"*\"] for all "
			 "of "
			 "the family");
}

static bool bounds_agree(double now, const json_t *then)
{
	bool is_none = !json_is_number(then);
	return isnan(now) ? is_none : !is_none && !(fabs(now - json_number_value(then)) > 0);
}

static const json_t *certified_claim(const json_t *certificate, const struct claim *c)
{
	size_t i;
	json_t *one;
	json_array_foreach(json_object_get(certificate, "claims"), i, one)
	{
		if (str_equal(json_text_or(one, "value", ""), c->value) &&
		    bounds_agree(c->low, json_object_get(one, "low")) &&
		    bounds_agree(c->high, json_object_get(one, "high")))
			return one;
	}
	return NULL;
}

static void check_certified_claim(const struct subject *s, const json_t *certificate,
				  const struct claim *c)
{
	const json_t *one = certified_claim(certificate, c);
	const char *device = json_text_or(certificate, "device", "");
	if (!one)
		ERROR_AT(s, c->line, RULE_not_certified,
			 "certified on %s, but not this claim of %s; certify again", device,
			 c->value);
	else if (!claim_holds(c, json_real_or(one, "measured", NAN)))
		ERROR_AT(s, c->line, RULE_not_certified,
			 "certified on %s, where %s was measured as %g; certify again", device,
			 c->value, json_real_or(one, "measured", NAN));
}

/* A certificate of another version of the lesson is stale, and no lie. */
static void check_certificate(const struct subject *s, const json_t *certificate)
{
	if (certify_state(certificate) != LESSON_certified ||
	    !str_equal(json_text_or(certificate, "lesson", ""), s->l->digest.hex))
		return;
	for (size_t i = 0; i < s->l->nr_claims; i++)
		check_certified_claim(s, certificate, &s->l->claims[i]);
}

static void check_certificates(const struct subject *s)
{
	AUTO_FREE char *probe = lesson_probe_path(s->l);
	size_t i;
	json_t *one;
	json_array_foreach(json_object_get(s->certs, "certificates"), i, one)
	{
		check_certificate(s, one);
	}
	if (s->certs && !file_exists(probe))
		ERROR_AT(s, 2, RULE_not_certified,
			 "it has certificates and no probe (%s); put the probe back or remove them",
			 s->l->probe);
}

static void check_claims_say_something(const struct subject *s)
{
	for (size_t i = 0; i < s->l->nr_claims; i++) {
		const struct claim *c = &s->l->claims[i];
		if (!s->l->is_negative && str_equal(c->unit, "ratio") && claim_holds(c, 1.0))
			finding_warning(
				s->lint->findings, s->l->path, c->line,
				"%s: the interval of %s holds 1: it does not say which side "
				"is the better; move low or high, or set negative = true",
				rule_names[RULE_vague_claim], c->value);
	}
}

static unsigned line_of_key(const struct lesson *l, const char *key)
{
	unsigned line = 1;
	size_t len = strlen(key);
	for (const char *c = l->text; c && line < l->body_line; c = strchr(c, '\n')) {
		c += *c == '\n';
		if (strncmp(c, key, len) == 0 && strchr(" =", c[len]))
			return line;
		line++;
	}
	return 2;
}

void lesson_lint(const struct lesson_lint *lint, const struct kb_entry *entry)
{
	AUTO_PROSE struct prose prose;
	const struct lesson *l = &entry->lesson;
	prose_cut(&prose, l->body, l->body_line);
	const struct subject s = { .lint = lint,
				   .l = l,
				   .certs = entry->certs,
				   .prose = &prose,
				   .title_line = line_of_key(l, "title"),
				   .applies_line = line_of_key(l, "applies_when") };
	check_format(&s);
	check_operators(&s);
	check_reference_names(&s);
	check_scope(&s);
	check_prose(&s);
	check_certificates(&s);
	check_claims_say_something(&s);
}

/* A draft may lie anywhere, a lesson of the base only there. */
static void check_folder(const struct lesson_lint *lint, const struct lesson *l)
{
	AUTO_FREE char *dir = path_dir(l->path);
	if (!str_equal(path_base(dir), l->family))
		finding_error(lint->findings, l->path, 2,
			      "%s: family %s lies in the folder %s; move the file",
			      rule_names[RULE_format], l->family, path_base(dir));
}

static void check_twice(const struct lesson_lint *lint, const struct kb *kb, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (str_equal(kb->items[i].lesson.id, kb->items[at].lesson.id))
			finding_error(
				lint->findings, kb->items[at].lesson.path, 2,
				"%s: the id %s is that of %s; curricula cite by the id alone: "
				"choose another",
				rule_names[RULE_format], kb->items[at].lesson.id,
				kb->items[i].lesson.path);
}

void lesson_lint_base(const struct lesson_lint *lint, const struct kb *kb)
{
	for (size_t i = 0; i < kb->nr; i++) {
		lesson_lint(lint, &kb->items[i]);
		check_folder(lint, &kb->items[i].lesson);
		check_twice(lint, kb, i);
	}
}
