#include "build/listing.h"
/*
 * objdump names things in angle brackets behind an address and in relocations. The first are cut
 * off, the second never printed. An instruction whose text holds anything that no operand is
 * written with is withheld whole: a symbol can be called what its author likes.
 */

#include "base/err.h"
#include "base/file.h"
#include "build/build.h"
#include "build/compile.h"
#include "build/disasm.h"
#include "build/import.h"
#include "build/toolbox.h"
#include "sys/proc.h"

enum { LISTING_MAX_BYTES = 64 << 20 };

/* An object may be too much for objdump: its limits are the toolbox's. bwrap says 128 + signal. */
static bool was_cut_short(const struct proc_result *r)
{
	return r->timed_out || r->signal || r->exit_code > 128;
}

int listing_read(const struct toolbox *t, struct str *out, bool *is_whole, struct err *e)
{
	static const char *const words[] = { "objdump", "-drwz", "--no-show-raw-insn" };
	AUTO_STRV struct strv argv = { 0 };
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		strv_add(&argv, words[i]);
	strv_addf(&argv, "%s/%s", t->out, COMPILE_OBJECT_NAME);
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	if (toolbox_run(t, &argv, LISTING_MAX_BYTES, &r, e) < 0)
		return err_wrap(e, "objdump");
	*is_whole = !r.truncated && !was_cut_short(&r);
	if (*is_whole && !proc_result_is_ok(&r))
		return err_set(e, ERR_CHILD, "objdump: %.200s", r.err.text);
	str_add_len(out, r.out.text, r.out.len);
	return 0;
}

static bool is_plain(const char *text, size_t len)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789%$,()*.-+:{}[] ";
	for (size_t i = 0; i < len; i++)
		if (!strchr(allowed, text[i]))
			return false;
	return true;
}

static void add_callee(const struct disasm *d, const char *name, struct str *line)
{
	for (size_t i = 0; i < d->nr_functions; i++) {
		if (str_equal(d->functions[i].name, name)) {
			str_addf(line, " f%zu", i);
			return;
		}
	}
	str_addf(line, " %s", import_kind_of(name) == IMPORT_FORBIDDEN ? "elsewhere" : name);
}

static void add_insn(const struct disasm *d, const struct insn *in, struct str *line)
{
	size_t len = strcspn(in->operands, "<");
	while (len && in->operands[len - 1] == ' ')
		len--;
	str_addf(line, "%6llx: ", (unsigned long long)in->addr);
	if (!is_plain(in->operands, len) || !is_plain(in->mnemonic, strlen(in->mnemonic))) {
		str_add(line, "(withheld)\n");
		return;
	}
	str_addf(line, "%s%s%s", in->prefixes, *in->prefixes ? " " : "", in->mnemonic);
	if (in->callee)
		add_callee(d, in->callee, line);
	else if (len)
		str_addf(line, " %.*s", (int)len, in->operands);
	str_add_char(line, '\n');
}

static bool is_first_of(const struct disasm *d, size_t at)
{
	unsigned f = d->insns[at].function;
	return d->nr_functions && d->functions[f].first == at;
}

void listing_print(const struct disasm *d, size_t from, size_t max_bytes, struct listing *out)
{
	*out = (struct listing){ .text = STR_INIT, .nr = d->nr_insns, .next = from };
	for (; out->next < out->nr; out->next++) {
		AUTO_STR struct str line = STR_INIT;
		if (is_first_of(d, out->next))
			str_addf(&line, "f%u:\n", d->insns[out->next].function);
		add_insn(d, &d->insns[out->next], &line);
		if (out->text.len + line.len > max_bytes)
			return;
		str_add_len(&out->text, line.text, line.len);
	}
}

int listing_of_build(const struct build_spec *s, size_t from, size_t max_bytes, struct listing *out,
		     struct err *e)
{
	AUTO_FREE char *src = path_join(s->out_dir, "src");
	AUTO_FREE char *obj = path_join(s->out_dir, "obj");
	const struct toolbox_spec spec = {
		.src_dir = src, .out_dir = obj, .kit_dir = s->kit_dir, .accept_weak = s->accept_weak
	};
	AUTO_TOOLBOX struct toolbox t;
	AUTO_STR struct str text = STR_INIT;
	bool is_whole = false;
	*out = (struct listing){ .text = STR_INIT };
	if (toolbox_init(&t, &spec, e) < 0 || listing_read(&t, &text, &is_whole, e) < 0)
		return -1;
	AUTO_DISASM struct disasm d;
	disasm_parse(&d, text.text);
	listing_print(&d, from, max_bytes, out);
	return 0;
}

void listing_release(struct listing *l)
{
	str_release(&l->text);
}
