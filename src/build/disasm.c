#include "build/disasm.h"
/*
 * One line of the listing is one instruction: "  6a:\tvmovss (%r12,%rbx,4),%xmm0\t6c: R_X86...
 * sym". Tabs part address, text and relocation. Lines that look otherwise are headings or labels,
 * or are skipped: a symbol name chosen to look like a line can add an instruction, never hide one.
 */

#include <ctype.h>
#include <inttypes.h>

#include "base/str.h"

static const char *const prefix_names[] = {
	"lock", "rep",    "repz",     "repe",     "repnz", "repne",  "notrack",
	"bnd",  "data16", "addr32",   "cs",       "ds",    "es",     "ss",
	"fs",   "gs",     "xacquire", "xrelease", "{vex}", "{vex3}", "{evex}",
};

static bool is_prefix(const char *word, size_t len)
{
	if (len >= 3 && memcmp(word, "rex", 3) == 0)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(prefix_names); i++) {
		if (strlen(prefix_names[i]) == len && memcmp(prefix_names[i], word, len) == 0)
			return true;
	}
	return false;
}

static void *grow(void *items, size_t nr, size_t *cap, size_t size)
{
	if (nr < *cap)
		return items;
	*cap = *cap ? 2 * *cap : 256;
	return xreallocarray(items, *cap, size);
}

static const char *trimmed(struct arena *a, const char *text, size_t len)
{
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	return arena_strndup(a, text, len);
}

/* Hexadecimal number at the start of the operands, when they are a plain branch target. */
static int64_t branch_target(const struct insn *in)
{
	bool is_branch = in->mnemonic[0] == 'j' || str_starts(in->mnemonic, "call") ||
			 str_starts(in->mnemonic, "loop") || str_equal(in->mnemonic, "xbegin");
	if (!is_branch || !isxdigit((unsigned char)in->operands[0]))
		return INSN_NO_TARGET;
	char *end = NULL;
	uint64_t addr = strtoull(in->operands, &end, 16);
	bool is_plain = *end == 0 || *end == ' ';
	return is_plain && addr < INT64_MAX ? (int64_t)addr : INSN_NO_TARGET;
}

/* "lock cmpxchg %ecx,(%rdx)   # comment" into its parts. */
static void insn_split(struct disasm *d, struct insn *in, const char *text, size_t len)
{
	const char *comment = memchr(text, '#', len);
	if (comment)
		len = (size_t)(comment - text);
	size_t at = 0;
	size_t word = 0;
	for (;;) {
		while (at < len && text[at] == ' ')
			at++;
		word = 0;
		while (at + word < len && !isspace((unsigned char)text[at + word]))
			word++;
		if (!word || !is_prefix(text + at, word))
			break;
		at += word;
	}
	in->prefixes = trimmed(&d->arena, text, at);
	in->mnemonic = arena_strndup(&d->arena, text + at, word);
	at += word;
	while (at < len && text[at] == ' ')
		at++;
	in->operands = trimmed(&d->arena, text + at, len - at);
	in->target = branch_target(in);
}

/* Symbol name in "6a: R_X86_64_PLT32\texpf-0x4"; NULL if the line has none. */
static const char *reloc_symbol(struct disasm *d, const char *rest, const char *eol)
{
	const char *mark = rest ? memmem(rest, (size_t)(eol - rest), "R_X86_64_", 9) : NULL;
	const char *tab = mark ? memchr(mark, '\t', (size_t)(eol - mark)) : NULL;
	if (!tab)
		return NULL;
	size_t len = (size_t)(eol - tab - 1);
	char *name = arena_strndup(&d->arena, tab + 1, len);
	char *tail = strrchr(name, '-');
	if (!tail)
		tail = strrchr(name, '+');
	if (tail && str_starts(tail + 1, "0x"))
		*tail = 0;
	return name;
}

static struct insn *insn_add(struct disasm *d)
{
	d->insns = grow(d->insns, d->nr_insns, &d->cap_insns, sizeof(*d->insns));
	struct insn *in = &d->insns[d->nr_insns++];
	*in = (struct insn){ .target = INSN_NO_TARGET };
	if (d->nr_functions) {
		in->function = (unsigned)(d->nr_functions - 1);
		d->functions[in->function].nr++;
	}
	return in;
}

static void function_add(struct disasm *d, const char *name, size_t len)
{
	d->functions =
		grow(d->functions, d->nr_functions, &d->cap_functions, sizeof(*d->functions));
	d->functions[d->nr_functions++] =
		(struct function){ .name = arena_strndup(&d->arena, name, len),
				   .first = d->nr_insns };
}

static void insn_line(struct disasm *d, unsigned section, const char *line, const char *eol)
{
	char *colon = NULL;
	uint64_t addr = strtoull(line, &colon, 16);
	if (colon == line || colon[0] != ':' || colon[1] != '\t')
		return;
	const char *text = colon + 2;
	const char *tab = memchr(text, '\t', (size_t)(eol - text));
	struct insn *in = insn_add(d);
	in->addr = addr;
	in->section = section;
	insn_split(d, in, text, (size_t)((tab ? tab : eol) - text));
	const char *symbol = reloc_symbol(d, tab, eol);
	if (symbol && in->target != INSN_NO_TARGET) {
		in->callee = symbol;
		in->target = INSN_NO_TARGET;
	}
}

static void line_take(struct disasm *d, unsigned *section, const char *line, const char *eol)
{
	static const char heading[] = "Disassembly of section ";
	size_t len = (size_t)(eol - line);
	const char *angle = memchr(line, '<', len);
	if (len > sizeof(heading) && memcmp(line, heading, sizeof(heading) - 1) == 0) {
		*section += 1;
	} else if (line[0] == ' ') {
		insn_line(d, *section, line, eol);
	} else if (angle && len > 2 && eol[-1] == ':' && eol[-2] == '>') {
		function_add(d, angle + 1, (size_t)(eol - 2 - angle - 1));
	}
}

void disasm_parse(struct disasm *d, const char *listing)
{
	*d = (struct disasm){ 0 };
	unsigned section = 0;
	for (const char *line = listing; *line;) {
		const char *eol = line + strcspn(line, "\n");
		line_take(d, &section, line, eol);
		line = *eol ? eol + 1 : eol;
	}
}

void disasm_release(struct disasm *d)
{
	free(d->insns);
	free(d->functions);
	arena_release(&d->arena);
}
