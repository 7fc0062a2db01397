#include "model/leak.h"

/* Three nets. Code by its looks: fences, statements, assignments to elements. Names: a word of the
 * text that the reference uses as a name, unless the interface has it or it is plain English (a
 * name with a digit, an underscore or a capital never is). Runs: five words of the source in a row,
 * which no prose has by chance unless it only lists arguments. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model/task.h"

enum { MIN_NAME = 4, MIN_RUN = 5 };

/* English that references also use as names. */
static const char english[] =
	" above accumulate accumulator actual added after again aligned along also alpha amount "
	"angle area around array average axis back band base batch been before beginning below "
	"best beta between bias binary bits blend block blocks both bottom bound boundary bounds "
	"broadcast bucket buffer build byte bytes call carry case cell cells center channel "
	"channels check child chunk class clear column columns combine compare compute constant "
	"copy core cores corner cost count counter cross current data decay degree delta "
	"denominator "
	"depth deviation difference digit dimension direction distance divide divisor done double "
	"down each edge edges element elements empty entries entry epsilon error even every exact "
	"factor feature features field fill filter final find first fixed flag flags floor from "
	"full gain gamma gate gather gradient grid group groups half halo have head heads height "
	"here high hold image index indices infinity init initial inner input inputs "
	"inside into inverse item items iteration join keep kernel key keys label lambda lane "
	"lanes "
	"large largest last layer layers left length less level limit line linear lines list local "
	"long loop lower main many map margin mark mask match matrix maximum mean measure median "
	"member merge middle minimum mode momentum more most move much multiply name near negative "
	"neighbor neighbour next node nodes none norm normal normalize number numerator offset "
	"offsets once only open order other outer output outputs outside over pack pad padding "
	"page "
	"pair pairs panel parent part partial parts pass patch path phase piece pieces pivot plane "
	"plus point points pool position positive power prefix previous probability product "
	"projection quarter query radius random range rank rate ratio reach read reciprocal reduce "
	"region register remainder residual rest result results right root rotate round rows same "
	"sample samples save scale scaled scan scatter score scores search second seed segment "
	"select sequence shape shift side sigma sign signal single size slice slot small smallest "
	"smooth some sort source space span sparse spread square squared squares stage "
	"start state step steps stop store stride strides strip sums swap table tail take target "
	"temperature temporary term terms test that then there these this threshold tile tiles "
	"time "
	"time total tree triangle turn type under unit units upper used value values "
	"variance vector vectors visit walk weight weights what when where while whole width "
	"window with word work worker write zero zeros ";

static bool is_english(const char *name)
{
	AUTO_FREE char *padded = xasprintf(" %s ", name);
	for (const char *c = name; *c; c++)
		if (!islower((unsigned char)*c))
			return false;
	return strstr(english, padded) != NULL;
}

static void add_interface(struct leak *l)
{
	struct cfunction fn;
	size_t at = 0;
	while (ctokens_next_function(&l->reference, &at, &fn)) {
		if (fn.is_static)
			continue;
		strv_add(&l->interface, fn.name);
		for (size_t i = 0; i < fn.nr_params; i++)
			strv_add(&l->interface, fn.params[i].name);
	}
}

void leak_init(struct leak *l, const char *reference_text, const char *file, struct findings *f)
{
	*l = (struct leak){ .has_reference = reference_text, .file = file, .findings = f };
	if (!reference_text)
		return;
	ctokens_scan(&l->reference, reference_text);
	add_interface(l);
}

void leak_release(struct leak *l)
{
	ctokens_release(&l->reference);
	strv_release(&l->interface);
}

/* An '=' that is no comparison, and an index somewhere on the line. */
static bool has_element_assignment(const char *line)
{
	if (!strchr(line, '['))
		return false;
	for (const char *c = strchr(line, '='); c; c = strchr(c + 1, '=')) {
		bool is_comparison = c[1] == '=' || (c > line && strchr("=<>!", c[-1]));
		if (!is_comparison)
			return true;
	}
	return false;
}

static bool ends_statement(const char *line)
{
	size_t len = strlen(line);
	while (len && isspace((unsigned char)line[len - 1]))
		len--;
	return len && line[len - 1] == ';';
}

const char *leak_code_in(const char *line)
{
	static const char *const marks[] = { "```",      "for (",   "for(",    "while (", "while(",
					     "#include", "#pragma", "#define", "+=",      "++",
					     "->",       "_mm256_", "_mm_",    "_mm512_" };
	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		if (strstr(line, marks[i]))
			return marks[i];
	if (ends_statement(line))
		return ";";
	return has_element_assignment(line) ? "=" : NULL;
}

static void check_code(const struct leak *l, unsigned line, const char *what, const char *text)
{
	AUTO_STRV struct strv lines = { 0 };
	strv_split(&lines, text, "\n");
	for (size_t i = 0; i < lines.nr; i++) {
		const char *mark = leak_code_in(lines.items[i]);
		if (mark)
			finding_error(l->findings, l->file, line,
				      "%s holds code (\"%s\"); say the decision in words", what,
				      mark);
	}
}

static bool is_reference_name(const struct leak *l, const char *name)
{
	for (size_t i = 0; i < l->reference.nr; i++) {
		const struct ctoken *token = &l->reference.items[i];
		if (token->kind == CTOKEN_NAME && ctoken_is(token, name))
			return true;
	}
	return false;
}

static bool is_anybodys(const struct leak *l, const char *name)
{
	return strlen(name) < MIN_NAME || ctoken_is_common(name) || is_english(name) ||
	       strv_has(&l->interface, name);
}

static bool is_foreign(const struct leak *l, const struct ctoken *word)
{
	return word->kind == CTOKEN_NAME && !is_anybodys(l, word->text) &&
	       is_reference_name(l, word->text);
}

char *leak_foreign_name(const struct leak *l, const char *text)
{
	AUTO_CTOKENS struct ctokens words = { 0 };
	ctokens_scan_prose(&words, text);
	for (size_t i = 0; i < words.nr; i++)
		if (is_foreign(l, &words.items[i]))
			return xstrdup(words.items[i].text);
	return NULL;
}

static void check_names(const struct leak *l, unsigned line, const char *what,
			const struct ctokens *words)
{
	for (size_t i = 0; i < words->nr; i++) {
		const struct ctoken *word = &words->items[i];
		if (is_foreign(l, word))
			finding_error(l->findings, l->file, line,
				      "%s names \"%s\", which is a name in the reference's source",
				      what, word->text);
	}
}

static size_t common_run(const struct ctokens *a, size_t i, const struct ctokens *b, size_t k)
{
	size_t len = 0;
	while (i + len < a->nr && k + len < b->nr &&
	       ctoken_is(&a->items[i + len], b->items[k + len].text))
		len++;
	return len;
}

static size_t longest_run(const struct leak *l, const struct ctokens *words, size_t at)
{
	size_t best = 0;
	for (size_t k = 0; k < l->reference.nr; k++) {
		size_t len = common_run(words, at, &l->reference, k);
		best = len > best ? len : best;
	}
	return best;
}

/* Only arguments, numbers, commas and parentheses: a list that the interface itself suggests. */
static bool is_plain_list(const struct leak *l, const struct ctokens *words, size_t at, size_t len)
{
	for (size_t i = at; i < at + len; i++) {
		const struct ctoken *word = &words->items[i];
		bool is_plain = word->kind == CTOKEN_NUMBER || strchr(",()", *word->text) ||
				strv_has(&l->interface, word->text);
		if (!is_plain)
			return false;
	}
	return true;
}

static char *run_text(const struct ctokens *words, size_t at, size_t len)
{
	AUTO_STR struct str s = STR_INIT;
	for (size_t i = at; i < at + len; i++)
		str_addf(&s, "%s%s", i > at ? " " : "", words->items[i].text);
	return str_take(&s);
}

static void check_runs(const struct leak *l, unsigned line, const char *what,
		       const struct ctokens *words)
{
	for (size_t at = 0; at < words->nr;) {
		size_t len = longest_run(l, words, at);
		if (len < MIN_RUN || is_plain_list(l, words, at, len)) {
			at++;
			continue;
		}
		AUTO_FREE char *run = run_text(words, at, len);
		finding_error(l->findings, l->file, line,
			      "%s repeats the reference's source: \"%.80s\"", what, run);
		at += len;
	}
}

void leak_check(const struct leak *l, unsigned line, const char *what, const char *text)
{
	AUTO_CTOKENS struct ctokens words = { 0 };
	if (!text)
		return;
	check_code(l, line, what, text);
	if (!l->has_reference)
		return;
	ctokens_scan_prose(&words, text);
	check_names(l, line, what, &words);
	check_runs(l, line, what, &words);
}
