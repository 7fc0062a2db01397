/* Form review: what somebody needs who has to say yes or no to the kernel. That a machine wrote it
 * is the first line. Texts of agents, compilers and kernels are strangers' and go through the
 * page's printer. */

#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "export/shipment.h"
#include "model/chain.h"
#include "model/language.h"
#include "report/page.h"
#include "report/text.h"
#include "report/view.h"
#include "sys/proc.h"

enum { MAX_SOURCE_BYTES = 4 << 20, MAX_PATCH_BYTES = 8 << 20 };
#define TOOL_DEADLINE_NS (60 * NS_PER_S)

/* ---- the patch ---- */

/* The reference's own name, so that the patch applies where the reference lies. */
static const char *name_of(const struct shipment *s)
{
	return s->task.reference_run ? path_base(s->task.reference_run) : "kernel.c";
}

/* As its compiler expects it; the claim calls every kernel kernel.c. Yours. */
static char *kernel_name(const struct shipment *s)
{
	const struct language *l = language_find(s->task.language);
	return xasprintf("kernel%s", l ? l->suffix : ".c");
}

static int write_patch(const struct shipment *s, const char *dir, struct err *e)
{
	AUTO_FREE char *reference = shipment_path(s, chain_link_path(CHAIN_reference));
	AUTO_FREE char *kernel = shipment_path(s, chain_link_path(CHAIN_exported));
	AUTO_FREE char *from = xasprintf("a/%s", name_of(s));
	AUTO_FREE char *to = xasprintf("b/%s", name_of(s));
	AUTO_FREE char *path = path_join(dir, "kernel.patch");
	const char *const argv[] = { "diff", "-u",      "--label", from, "--label",
				     to,     reference, kernel,    NULL };
	const struct proc_spec spec = { .argv = argv,
					.deadline_ns = TOOL_DEADLINE_NS,
					.max_output = MAX_PATCH_BYTES };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	if (proc_run(&r, &spec, e) < 0)
		return err_wrap(e, "make the patch");
	/* 1: they differ. */
	if (r.exit_code < 0 || r.exit_code > 1 || r.truncated)
		return err_set(e, ERR_CHILD, "make the patch: diff: %.200s", r.err.text);
	return file_write(path, r.out.text, r.out.len, e);
}

/* ---- the page ---- */

static void add_row(struct table *t, const char *what, const char *value)
{
	table_add(t, what);
	table_add(t, value && *value ? value : "-");
}

static void add_disclosure(const struct shipment *s, struct page *p)
{
	AUTO_STR struct str maker = STR_INIT;
	AUTO_STR struct str caveats = STR_INIT;
	shipment_maker(s, &maker);
	shipment_caveats(s, &caveats);
	page_add(p, BLOCK_ALERT,
		 "A machine wrote this kernel: %s. No person has to have read it before you. What "
		 "speaks "
		 "for it is measurement: it was judged against an independent oracle in double "
		 "precision and timed in pairs against the reference.",
		 maker.text);
	AUTO_STRV struct strv lines = { 0 };
	strv_split(&lines, caveats.text, "\n");
	for (size_t i = 0; i < lines.nr; i++)
		page_add(p, BLOCK_ALERT, "%s", lines.items[i] + strlen("- "));
}

static void add_result(const struct shipment *s, struct page *p)
{
	AUTO_STR struct str headline = STR_INIT;
	shipment_headline(s, &headline);
	page_add(p, BLOCK_RESULT, "%s", headline.text);
	page_add(p, BLOCK_TEXT,
		 "Reference time divided by kernel time, geometric mean over the shapes below. "
		 "Noise floor "
		 "%.2f %%, confidence that the sign is right %.6g, measured %s.",
		 100 * s->claim.estimate.floor, s->claim.estimate.confidence,
		 shipment_fact(s, "date"));
	page_add(p, BLOCK_HEADING, "Per shape");
	struct table *t =
		page_table(p, "lrrrll", "shape\treference\tkernel\tspeed-up\tinterval\tcall");
	for (size_t i = 0; i < s->claim.estimate.nr_shapes; i++)
		text_shape_cells(&s->claim.estimate.shapes[i], t);
}

static void add_judged(const struct shipment *s, struct page *p)
{
	const struct task *t = &s->task;
	AUTO_STRV struct strv seen = { 0 };
	page_add(p, BLOCK_HEADING, "What it was judged for");
	page_add(p, BLOCK_TEXT,
		 "The sizes above, with these kinds of input. Other sizes and scalars were "
		 "not judged; exports to build with refuse them or pass them to the "
		 "reference.");
	for (size_t i = 0; i < t->shapes.nr; i++)
		for (size_t k = 0; k < t->shapes.items[i].nr_groups; k++) {
			const struct group *g = &t->shapes.items[i].groups[k];
			if (strv_has(&seen, g->name))
				continue;
			strv_add(&seen, g->name);
			page_add(p, BLOCK_ITEM, "%s: %s", g->name, g->purpose ? g->purpose : "-");
		}
}

/* Of a side in Python. */
static void add_libraries(const struct shipment *s, struct table *t)
{
	const char *name;
	json_t *version;
	AUTO_STR struct str text = STR_INIT;
	json_object_foreach(json_object_get(s->claim.evidence, "python"), name, version)
		str_addf(&text, "%s%s %s", text.len ? ", " : "", name,
			 json_is_string(version) ? json_string_value(version) : "?");
	if (text.len)
		add_row(t, "libraries", text.text);
}

static void add_environment(const struct shipment *s, struct page *p)
{
	const json_t *digests = json_object_get(s->claim.evidence, "digests");
	AUTO_STR struct str device = STR_INIT;
	AUTO_STR struct str reference = STR_INIT;
	shipment_device(s, &device);
	shipment_reference_build(s, &reference);
	page_add(p, BLOCK_HEADING, "Environment and provenance");
	struct table *t = page_table(p, "ll", "what\twhich");
	add_row(t, "device", device.text);
	add_libraries(s, t);
	add_row(t, "instruction set", json_text_or(shipment_machine(s), "isa", "-"));
	add_row(t, "kernel of the system", json_text_or(shipment_machine(s), "kernel", "-"));
	add_row(t, "kernel built by", shipment_fact(s, "build"));
	add_row(t, "reference built by", reference.text);
	add_row(t, "method", shipment_fact(s, "method"));
	add_row(t, "forge", shipment_fact(s, "forge"));
	add_row(t, "task", s->task.name);
	add_row(t, "decision", shipment_fact(s, "decision"));
	add_row(t, "source", json_text_or(digests, "source", "-"));
	add_row(t, "object", json_text_or(digests, "object", "-"));
	add_row(t, "reference", json_text_or(digests, "reference", "-"));
	add_row(t, "head of the chain", chain_head(&s->claim.chain));
}

/* ---- what was tried and not taken ---- */

static bool is_rejected(const struct run_state *s, const struct state_round *r)
{
	const enum decision_fate fate = round_fate(s, r);
	return fate == FATE_ROLLED_BACK || fate == FATE_KEPT_SLOWER || fate == FATE_NO_CANDIDATE;
}

static void add_why(struct table *t, const struct state_round *r)
{
	AUTO_STR struct str speedup = STR_INIT;
	if (r->verdict.state == VERDICT_NONE) {
		table_addf(t, "%s: %s", r->absent ? r->absent : "no candidate",
			   r->absent_text ? r->absent_text : "-");
		return;
	}
	if (r->verdict.state != VERDICT_PASS) {
		table_addf(t, "%s: %s", reason_name(r->verdict.reason),
			   *r->verdict.detail ? r->verdict.detail : reason_text(r->verdict.reason));
		return;
	}
	text_speedup(state_round_estimate(r), &speedup);
	table_addf(t, "correct and slower than what it was applied to: %s", speedup.text);
}

static void add_rejected(const struct shipment *s, struct page *p)
{
	size_t nr = 0;
	page_add(p, BLOCK_HEADING, "Ideas that were rejected");
	if (!s->run) {
		page_add(p, BLOCK_TEXT, "%s",
			 shipment_has_report(s)
				 ? "`evidence/report.md` tells of all rounds of its run; this "
				   "bundle was made without the run directory."
				 : "Not known: this bundle was made without the run directory.");
		return;
	}
	for (size_t i = 0; i < s->state.nr_rounds; i++)
		nr += is_rejected(&s->state, &s->state.rounds[i]);
	page_add(p, BLOCK_TEXT, "%zu of %zu rounds.", nr, s->state.nr_rounds);
	if (!nr)
		return;
	struct table *t = page_table(p, "rlll", "round\tdecision\tidea\twhy");
	for (size_t i = 0; i < s->state.nr_rounds; i++) {
		const struct state_round *r = &s->state.rounds[i];
		if (!is_rejected(&s->state, r))
			continue;
		table_addf(t, "%u", r->number);
		table_add(t, r->decision ? r->decision : "-");
		table_addf(t, "%s%s%s", r->what ? r->what : "-", r->value && *r->value ? " = " : "",
			   r->value ? r->value : "");
		add_why(t, r);
	}
}

static void add_commands(const struct shipment *s, struct page *p)
{
	page_add(p, BLOCK_HEADING, "Measure it again");
	page_add(p, BLOCK_TEXT,
		 "In this folder; needs forge and nothing else of the run. Another machine "
		 "gives other numbers and says so.");
	page_add(p, BLOCK_CODE, "forge verify evidence");
	if (!s->has_reference)
		return;
	page_add(p, BLOCK_TEXT, "The patch applies in the folder that holds the reference:");
	page_add(p, BLOCK_CODE, "patch -p1 < kernel.patch");
}

static bool is_in_another_language(const struct task *t)
{
	return t->reference_language && !str_equal(t->reference_language, t->language);
}

static void add_change(const struct shipment *s, struct page *p)
{
	AUTO_FREE char *kernel = kernel_name(s);
	page_add(p, BLOCK_HEADING, "What it changes");
	if (s->has_reference)
		page_add(p, BLOCK_TEXT, "`kernel.patch` against the reference, `%s` as a whole.",
			 kernel);
	else
		page_add(p, BLOCK_TEXT, "`%s`; the reference %s, so there is no patch.", kernel,
			 is_in_another_language(&s->task) ? "is in another language"
							  : "is sealed or has no source");
}

static int write_page(const struct shipment *s, const char *dir, struct err *e)
{
	AUTO_PAGE struct page p;
	AUTO_STR struct str text = STR_INIT;
	AUTO_FREE char *path = path_join(dir, "REVIEW.md");
	page_init(&p, "");
	str_addf(&p.title, "For review: a kernel for %s", s->task.name);
	add_disclosure(s, &p);
	add_result(s, &p);
	add_change(s, &p);
	add_judged(s, &p);
	add_environment(s, &p);
	add_rejected(s, &p);
	add_commands(s, &p);
	page_print_markdown(&p, &text);
	return file_write(path, text.text, text.len, e);
}

int form_review(const struct shipment *s, const char *dir, struct err *e)
{
	AUTO_FREE char *evidence = path_join(dir, "evidence");
	AUTO_FREE char *from = shipment_path(s, chain_link_path(CHAIN_exported));
	AUTO_FREE char *name = kernel_name(s);
	AUTO_FREE char *to = path_join(dir, name);
	if (tree_copy(s->best, evidence, e) < 0 || file_copy(from, to, e) < 0)
		return -1;
	if (s->has_reference && write_patch(s, dir, e) < 0)
		return -1;
	return write_page(s, dir, e);
}

/* The same bytes for the same folder: names in order, no owner, no time. */
int form_review_tar(const char *place, struct strv *made, struct err *e)
{
	AUTO_FREE char *parent = path_dir(place);
	AUTO_FREE char *path = xasprintf("%s.tar", place);
	AUTO_FREE char *draft = xasprintf("%s.tar.new", place);
	const char *const argv[] = { "tar",
				     "--sort=name",
				     "--mtime=@0",
				     "--owner=0",
				     "--group=0",
				     "--numeric-owner",
				     "--format=ustar",
				     "-C",
				     parent,
				     "-cf",
				     draft,
				     "--",
				     path_base(place),
				     NULL };
	const struct proc_spec spec = { .argv = argv, .deadline_ns = TOOL_DEADLINE_NS };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct err ignored = { 0 };
	if (proc_run(&r, &spec, e) < 0)
		return err_wrap(e, "make %s", path);
	if (proc_result_is_ok(&r) && rename(draft, path) == 0) {
		strv_add(made, path);
		return 0;
	}
	if (proc_result_is_ok(&r))
		err_errno(e, ERR_SYSTEM, "rename %s to %s", draft, path);
	else
		err_set(e, ERR_CHILD, "make %s: tar: %.200s", path, r.err.text);
	tree_remove(draft, &ignored);
	return -1;
}
