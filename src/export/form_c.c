/* Form c. The library holds two bodies: the kernel, as it was judged and timed, and the reference,
 * for every call that the kernel was not judged for. Both are the objects that the evidence names;
 * the function that chooses between them is ours, and nobody measured it. */

#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/digest.h"
#include "base/mem.h"
#include "build/toolbox.h"
#include "export/body.h"
#include "export/code_text.h"
#include "export/features.h"
#include "export/dest.h"
#include "export/shipment.h"
#include "export/slots.h"
#include "model/chain.h"
#include "sys/proc.h"

enum { TOOL_LOG_BYTES = 16 << 10, MAX_OBJECT_BYTES = 64 << 20 };

/* One library in the making, in a folder that goes away. */
struct library {
	const struct shipment *s;
	char *work; /* holds kernel/ and reference/ (builds), in/ and out/ (of the assembly) */
	char *in;
	char *out;
	struct body kernel;
	struct body reference; /* object NULL: none */
	struct strv kernel_needs;
	struct strv reference_needs;
	struct toolbox toolbox;
};

static void library_release(struct library *l)
{
	struct err ignored = { 0 };
	if (l->work)
		tree_remove(l->work, &ignored);
	body_release(&l->kernel);
	body_release(&l->reference);
	strv_release(&l->kernel_needs);
	strv_release(&l->reference_needs);
	toolbox_release(&l->toolbox);
	free(l->work);
	free(l->in);
	free(l->out);
}
#define AUTO_LIBRARY __attribute__((cleanup(library_release)))

static bool has_threads(const struct library *l)
{
	return l->kernel.has_threads || l->reference.has_threads;
}

static const char *libs_of(const struct library *l)
{
	return has_threads(l) ? "-fopenmp -lm" : "-lm";
}

static const char *entry_flags(const struct library *l)
{
	return l->kernel.has_threads ? "-O2 -std=gnu17 -fPIC -fopenmp" : "-O2 -std=gnu17 -fPIC";
}

static int build_one(struct library *l, enum build_role role, struct body *body, struct err *e)
{
	const bool is_kernel = role == BUILD_CANDIDATE;
	const struct shipment *s = l->s;
	const json_t *digests = json_object_get(s->claim.evidence, "digests");
	AUTO_FREE char *source =
		shipment_path(s, chain_link_path(is_kernel ? CHAIN_exported : CHAIN_reference));
	AUTO_FREE char *dir = path_join(l->work, is_kernel ? "kernel" : "reference");
	const struct body_spec spec = {
		.task = &s->task,
		.role = role,
		.name = is_kernel ? "kernel" : "reference",
		.source = source,
		.digest = is_kernel ? s->claim.chain.digests[CHAIN_object]
				    : json_text_or(digests, "reference_object", ""),
		.kit = s->kit,
		.dir = dir,
		.accept_weak = s->spec->accept_weak,
	};
	return body_make(body, &spec, e);
}

static int open_toolbox(struct library *l, struct err *e)
{
	l->in = path_join(l->work, "in");
	l->out = path_join(l->work, "out");
	const struct toolbox_spec spec = { .src_dir = l->in,
					   .out_dir = l->out,
					   .kit_dir = l->s->kit,
					   .accept_weak = l->s->spec->accept_weak };
	if (dir_make(l->in, e) < 0 || dir_make(l->out, e) < 0)
		return -1;
	return toolbox_init(&l->toolbox, &spec, e);
}

static int build_bodies(struct library *l, struct err *e)
{
	if (build_one(l, BUILD_CANDIDATE, &l->kernel, e) < 0 || open_toolbox(l, e) < 0 ||
	    features_of_build(&l->toolbox, &l->kernel.flags, &l->kernel_needs, e) < 0)
		return -1;
	if (!l->s->has_reference)
		return 0;
	if (build_one(l, BUILD_REFERENCE, &l->reference, e) < 0)
		return -1;
	return features_of_build(&l->toolbox, &l->reference.flags, &l->reference_needs, e);
}

/* ---- texts ---- */

static void set_otherwise(const struct library *l, struct slots *slots)
{
	const bool has_reference = l->reference.object;
	slots_set(slots, "OTHERWISE",
		  has_reference
			  ? "All other calls go to the reference, which is in the library, too."
			  : "The reference is sealed and not in here: all other calls are "
			    "refused.");
	slots_set(slots, "TEAM_NOTE",
		  l->kernel.has_threads ? ",\n * outside of parallel regions" : "");
}

static void set_reference_call(const struct library *l, const char *names, const char *params,
			       struct slots *slots)
{
	AUTO_STR struct str needs = STR_INIT;
	const char *entry = l->s->task.entry;
	features_check(&l->reference_needs, &needs);
	if (!l->reference.object) {
		slots_set(slots, "REFERENCE_DECL", "");
		slots_set(slots, "REFERENCE_CALL", "");
		return;
	}
	slots_setf(slots, "REFERENCE_DECL", "void forge_%s_reference(%s);\n", entry, params);
	slots_setf(
		slots, "REFERENCE_CALL",
		"\tif (%s) {\n\t\tforge_%s_reference(%s);\n\t\treturn FORGE_%s_REFERENCE;\n\t}\n",
		needs.text, entry, names, entry);
}

static void set_misaligned(const struct task *t, struct slots *slots)
{
	AUTO_STR struct str text = STR_INIT;
	for (size_t i = 0; i < t->nr_args; i++)
		if (t->args[i].role != ARG_SCALAR)
			str_addf(&text, "%s!is_aligned(%s)", text.len ? " || " : "",
				 t->args[i].name);
	slots_set(slots, "MISALIGNED", text.len ? text.text : "0");
}

static int set_judged(const struct shipment *s, struct slots *slots, struct err *e)
{
	AUTO_STR struct str code = STR_INIT;
	AUTO_STR struct str list = STR_INIT;
	AUTO_STR struct str groups = STR_INIT;
	if (code_judged(&s->task, s->has_held_out, &code, e) < 0 ||
	    code_judged_list(&s->task, s->has_held_out, &list, e) < 0)
		return -1;
	code_groups(&s->task, &groups);
	slots_set(slots, "JUDGED", code.text);
	slots_set(slots, "JUDGED_LIST", list.text);
	slots_set(slots, "GROUPS", groups.text);
	return 0;
}

static int set_team(const struct library *l, struct slots *slots, struct err *e)
{
	AUTO_STR struct str team = STR_INIT;
	const bool has_team = l->kernel.has_threads;
	if (slots_fill(slots, has_team ? "c/team.c" : "c/alone.c", &team, e) < 0)
		return -1;
	slots_set(slots, "TEAM", team.text);
	slots_setf(slots, "TEAM_WORDS", has_team ? "%u" : "none of its own; the task allows %u",
		   l->s->task.threads);
	slots_set(slots, "OMP_INCLUDE", has_team ? "#include <omp.h>\n" : "");
	return 0;
}

static void set_needs(const struct library *l, struct slots *slots)
{
	AUTO_STR struct str check = STR_INIT;
	AUTO_FREE char *list = strv_join(&l->kernel_needs, " ");
	features_check(&l->kernel_needs, &check);
	slots_set(slots, "KERNEL_NEEDS", check.text);
	slots_set(slots, "NEEDS", l->kernel_needs.nr ? list : "x86-64");
}

static void set_signature(const struct library *l, struct slots *slots)
{
	const struct task *t = &l->s->task;
	AUTO_STR struct str params = STR_INIT;
	AUTO_STR struct str names = STR_INIT;
	AUTO_STR struct str scalar_params = STR_INIT;
	AUTO_STR struct str scalar_names = STR_INIT;
	code_params(t, &params);
	code_names(t, &names);
	code_scalar_params(t, &scalar_params);
	code_scalar_names(t, &scalar_names);
	slots_set(slots, "PARAMS", params.text);
	slots_set(slots, "NAMES", names.text);
	slots_set(slots, "SCALAR_PARAMS", scalar_params.text);
	slots_set(slots, "SCALAR_NAMES", scalar_names.text);
	set_reference_call(l, names.text, params.text, slots);
}

/* Buffers and scalars of the first visible shape. */
static int set_example(const struct task *t, struct slots *slots, struct err *e)
{
	AUTO_STR struct str tensors = STR_INIT;
	AUTO_STR struct str values = STR_INIT;
	const struct dims *dims = &t->shapes.items[0].dims;
	for (size_t i = 0; i < t->nr_args; i++) {
		const struct arg *arg = &t->args[i];
		const char *type = dtype_ctype(arg->dtype);
		size_t nr = 0;
		str_add(&values, i ? ", " : "");
		if (arg->role == ARG_SCALAR) {
			if (code_literal(arg, dims, &values, e) < 0)
				return -1;
			continue;
		}
		if (arg_elements(arg, dims, &nr, e) < 0)
			return -1;
		str_add(&values, arg->name);
		str_addf(&tensors, "\t%s *%s = zeros(%zu * sizeof(%s));\n", type, arg->name, nr,
			 type);
	}
	slots_set(slots, "TENSORS", tensors.text);
	slots_set(slots, "VALUES", values.text);
	return 0;
}

/* As the measurement compiled it, for who builds anew; there every source is called kernel.c, which
 * stands in the object. */
static char *compile_line(const struct body *b, const char *name)
{
	AUTO_FREE char *flags = strv_join(&b->flags, " ");
	return xasprintf(
		"rm -rf build.tmp && mkdir build.tmp && cp src/%s.c build.tmp/kernel.c && "
		"cd build.tmp && \\\n\t  %s \\\n\t  -I../src/include -c -o ../src/%s.o kernel.c && "
		"cd .. && rm -rf build.tmp",
		name, flags, name);
}

static void set_make(const struct library *l, struct slots *slots)
{
	const char *entry = l->s->task.entry;
	const bool has_reference = l->reference.object;
	AUTO_FREE char *kernel = compile_line(&l->kernel, "kernel");
	slots_set(slots, "KERNEL_COMPILE", kernel);
	slots_set(slots, "LIBS", libs_of(l));
	slots_set(slots, "ENTRY_FLAGS", entry_flags(l));
	slots_set(slots, "REFERENCE_BODY", has_reference ? " reference_body.o" : "");
	slots_set(slots, "REFERENCE_PART", has_reference ? " reference_body" : "");
	slots_set(slots, "CHECK_REFERENCE", has_reference ? " src/reference.o" : "");
	slots_set(slots, "REFERENCE_ROW",
		  has_reference ? "| `src/reference.c`, `src/reference.o` | the reference and its "
				  "object, as measured |\n"
				: "");
	if (!has_reference) {
		slots_set(slots, "RENAME_REFERENCE", "");
		slots_set(slots, "REFERENCE_COMPILE", "");
		return;
	}
	AUTO_FREE char *reference = compile_line(&l->reference, "reference");
	slots_setf(slots, "REFERENCE_COMPILE", "\t%s\n", reference);
	slots_setf(slots, "RENAME_REFERENCE",
		   " && \\\n\t  objcopy --redefine-sym %s=forge_%s_reference \\\n\t  "
		   "--keep-global-symbol=forge_%s_reference reference.o new_reference_body.o",
		   entry, entry, entry);
}

static int set_slots(const struct library *l, struct slots *slots, struct err *e)
{
	const struct shipment *s = l->s;
	shipment_slots(s, slots);
	AUTO_STR struct str task = STR_INIT;
	code_comment(&task, s->task.name);
	slots_setf(slots, "SUMMARY", "the kernel of task %s, as measured and exported by forge.",
		   task.text);
	slots_set(slots, "EXAMPLE_NOTE", "needs a C compiler and make");
	set_otherwise(l, slots);
	set_signature(l, slots);
	set_misaligned(&s->task, slots);
	set_needs(l, slots);
	set_make(l, slots);
	if (set_judged(s, slots, e) < 0 || set_example(&s->task, slots, e) < 0)
		return -1;
	return set_team(l, slots, e);
}

/* ---- the archive ---- */

static void script_of(const struct library *l, struct str *out)
{
	const char *entry = l->s->task.entry;
	str_add(out, "set -e\n");
	str_addf(out,
		 "objcopy --redefine-sym %s=forge_%s_kernel --keep-global-symbol=forge_%s_kernel "
		 "kernel.o \"$1/kernel_body.o\"\n",
		 entry, entry, entry);
	if (l->reference.object)
		str_addf(out,
			 "objcopy --redefine-sym %s=forge_%s_reference "
			 "--keep-global-symbol=forge_%s_reference reference.o "
			 "\"$1/reference_body.o\"\n",
			 entry, entry, entry);
	str_addf(out,
		 "gcc %s -I. -c -o \"$1/entry.o\" entry.c\ncd \"$1\"\n"
		 "ar rcsD libforge_%s.a entry.o kernel_body.o%s\n",
		 entry_flags(l), entry, l->reference.object ? " reference_body.o" : "");
}

static int put_object(const struct library *l, const struct body *b, const char *name,
		      struct err *e)
{
	AUTO_STR struct str bytes = STR_INIT;
	if (!b->object)
		return 0;
	if (file_read(b->object, MAX_OBJECT_BYTES, &bytes, e) < 0)
		return -1;
	return toolbox_put(&l->toolbox, name, bytes.text, bytes.len, e);
}

static int put_text(const struct library *l, const struct slots *slots, const char *template,
		    const char *name, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	if (slots_fill(slots, template, &text, e) < 0)
		return -1;
	return toolbox_put(&l->toolbox, name, text.text, text.len, e);
}

static int check_body(const struct library *l, const struct body *b, const char *name,
		      struct err *e)
{
	AUTO_FREE char *renamed = path_join(l->out, name);
	return b->object ? body_check_same_code(b->object, renamed, e) : 0;
}

static int assemble(const struct library *l, const struct slots *slots, struct err *e)
{
	AUTO_STRV struct strv argv = { 0 };
	AUTO_STR struct str script = STR_INIT;
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	AUTO_FREE char *header = xasprintf("forge_%s.h", l->s->task.entry);
	script_of(l, &script);
	strv_split(&argv, "sh -c", " ");
	strv_add(&argv, script.text);
	strv_add(&argv, "sh");
	strv_add(&argv, l->toolbox.out);
	if (put_object(l, &l->kernel, "kernel.o", e) < 0 ||
	    put_object(l, &l->reference, "reference.o", e) < 0 ||
	    put_text(l, slots, "c/header.h", header, e) < 0 ||
	    put_text(l, slots, "c/entry.c", "entry.c", e) < 0 ||
	    toolbox_run(&l->toolbox, &argv, TOOL_LOG_BYTES, &r, e) < 0)
		return err_wrap(e, "make the library");
	if (!proc_result_is_ok(&r))
		return err_set(e, ERR_CHILD, "make the library: %.300s", r.err.text);
	if (check_body(l, &l->kernel, "kernel_body.o", e) < 0)
		return -1;
	return check_body(l, &l->reference, "reference_body.o", e);
}

/* ---- the folder ---- */

static int put_best(const struct shipment *s, const char *name, const char *dir, const char *as,
		    struct err *e)
{
	AUTO_FREE char *from = shipment_path(s, name);
	return dest_put(from, dir, as, e);
}

static int put_kit(const struct shipment *s, const char *dir, struct err *e)
{
	static const char *const names[] = { "forge/kernel.h", "forge/small_float.h" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTO_FREE char *from = path_join(s->kit, names[i]);
		AUTO_FREE char *to = xasprintf("src/include/%s", names[i]);
		if (dest_put(from, dir, to, e) < 0)
			return -1;
	}
	return 0;
}

static int put_sources(const struct library *l, const char *dir, struct err *e)
{
	const struct shipment *s = l->s;
	if (put_best(s, chain_link_path(CHAIN_exported), dir, "src/kernel.c", e) < 0 ||
	    dest_put(l->kernel.object, dir, "src/kernel.o", e) < 0 || put_kit(s, dir, e) < 0 ||
	    put_best(s, "evidence.json", dir, "evidence.json", e) < 0 ||
	    put_best(s, "chain.json", dir, "chain.json", e) < 0)
		return -1;
	if (!l->reference.object)
		return 0;
	if (put_best(s, chain_link_path(CHAIN_reference), dir, "src/reference.c", e) < 0)
		return -1;
	return dest_put(l->reference.object, dir, "src/reference.o", e);
}

static int put_texts(const struct library *l, const struct slots *slots, const char *dir,
		     struct err *e)
{
	const char *entry = l->s->task.entry;
	AUTO_FREE char *header = xasprintf("include/forge_%s.h", entry);
	AUTO_FREE char *package = xasprintf("lib/pkgconfig/forge_%s.pc", entry);
	const char *const rows[][2] = {
		{ "c/header.h", header },       { "c/entry.c", "src/entry.c" },
		{ "c/example.c", "example.c" }, { "c/Makefile", "Makefile" },
		{ "c/package.pc", package },    { "c/README.md", "README.md" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *path = path_join(dir, rows[i][1]);
		if (slots_write(slots, rows[i][0], path, e) < 0)
			return -1;
	}
	return 0;
}

static int put_library(const struct library *l, const char *dir, struct err *e)
{
	AUTO_FREE char *name = xasprintf("libforge_%s.a", l->s->task.entry);
	AUTO_FREE char *from = path_join(l->out, name);
	AUTO_FREE char *to = path_join("lib", name);
	return dest_put(from, dir, to, e);
}

static int put_sums(const char *dir, struct err *e)
{
	AUTO_STR struct str lines = STR_INIT;
	AUTO_FREE char *path = path_join(dir, "SHA256SUMS");
	return digest_list(dir, &lines, e) < 0 ? -1 : file_write_text(path, lines.text, e);
}

int form_c(const struct shipment *s, const char *dir, struct err *e)
{
	AUTO_LIBRARY struct library l = { .s = s };
	AUTO_SLOTS struct slots slots = { 0 };
	l.work = xasprintf("%s.work", dir);
	if (build_bodies(&l, e) < 0 || set_slots(&l, &slots, e) < 0 || assemble(&l, &slots, e) < 0)
		return -1;
	if (put_sources(&l, dir, e) < 0 || put_texts(&l, &slots, dir, e) < 0 ||
	    put_library(&l, dir, e) < 0)
		return -1;
	return put_sums(dir, e);
}
