#include "build/layout.h"
/*
 * pad<i>.s + leaf.o + shim.o -> layout<i>.so. The padding stands in .text.unlikely, which the
 * linker puts first, so everything after it moves. With copies, leaf and shim are first joined to
 * one object whose only global symbol is the entry, under another name in each copy, and copy k
 * stands k lines behind a multiple of 512. A version script exports the entries only: the candidate
 * can neither override a function of the process nor be overridden. Libraries are named (as needed)
 * so that imports bind to today's symbol versions, not to the oldest ones.
 */

#include "base/err.h"
#include "base/file.h"
#include "base/rng.h"
#include "build/cache.h"
#include "build/compile.h"
#include "build/toolbox.h"
#include "build/shim.h"
#include "model/task.h"
#include "sys/proc.h"

enum { LINK_LOG_BYTES = 16 << 10 };

/* Joins leaf and shim and takes copies: $1 is the folder, $2 how many. place<k>.o holds what stands
 * before copy k. */
static const char copy_script[] =
	"set -e\n"
	"ld -r -o \"$1/joined.o\" \"$1/" COMPILE_OBJECT_NAME "\" \"$1/shim.o\"\n"
	"k=0\n"
	"while [ $k -lt $2 ]; do\n"
	"	printf '.text\\n.balign 512\\n.fill %d,1,0xcc\\n"
	".section .note.GNU-stack,\"\",%%progbits\\n' $((512 + 64 * k)) >\"$1/place.s\"\n"
	"	as -o \"$1/place$k.o\" \"$1/place.s\"\n"
	"	name=" SHIM_ENTRY "\n"
	"	rename=\n"
	"	if [ $k -gt 0 ]; then name=" SHIM_ENTRY "$k; rename=\"--redefine-sym " SHIM_ENTRY
	"=$name\"; fi\n"
	"	objcopy $rename --keep-global-symbol=$name \"$1/joined.o\" \"$1/copy$k.o\"\n"
	"	k=$((k + 1))\n"
	"done\n";

static int exports_write(const struct layout_spec *s, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	str_add(&text, "{ global: " SHIM_ENTRY ";");
	for (unsigned k = 1; k < s->nr_copies; k++)
		str_addf(&text, " " SHIM_ENTRY "%u;", k);
	str_add(&text, " local: *; };\n");
	return toolbox_put(s->toolbox, "exports.map", text.text, text.len, e);
}

size_t layout_padding(uint64_t seed, unsigned i)
{
	struct rng r = { .seed = rng_derive(seed, "layout") };
	size_t order[LAYOUT_STEPS];
	rng_permute(&r, order, LAYOUT_STEPS);
	return order[i % LAYOUT_STEPS] * LAYOUT_STEP_BYTES;
}

static int source_write(const struct layout_spec *s, const char *name, const char *text,
			struct err *e)
{
	return toolbox_put(s->toolbox, name, text, strlen(text), e);
}

static int tool_run(const struct layout_spec *s, const struct strv *argv, struct verdict *v,
		    struct str *log, struct err *e)
{
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	if (toolbox_run(s->toolbox, argv, LINK_LOG_BYTES, &r, e) < 0)
		return err_wrap(e, "link");
	if (proc_result_is_ok(&r))
		return 0;
	size_t start = log->len;
	compile_log_add(s->toolbox, log, r.err.text);
	*v = verdict_make(REASON_compile_failed, "link: %.200s", log->text + start);
	return 0;
}

static void shim_argv(const struct layout_spec *s, struct strv *argv)
{
	static const char *const flags[] = { "-O2",
					     "-fPIC",
					     "-w",
					     "-fno-builtin",
					     "-fno-stack-protector",
					     "-fcf-protection=none",
					     "-falign-functions=64",
					     "-c",
					     "shim.c",
					     "-o" };
	strv_add(argv, compiler_name(s->compiler));
	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		strv_add(argv, flags[i]);
	strv_addf(argv, "%s/shim.o", s->toolbox->out);
}

int layout_shim(const struct layout_spec *s, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	if (shim_source(s->task, s->role, &text, e) < 0 ||
	    source_write(s, "shim.c", text.text, e) < 0)
		return -1;
	AUTO_STRV struct strv argv = { 0 };
	shim_argv(s, &argv);
	AUTO_STR struct str log = STR_INIT;
	struct verdict v = { 0 };
	if (tool_run(s, &argv, &v, &log, e) < 0)
		return -1;
	/* The shim is ours: when it does not compile, the candidate is not to blame. */
	if (v.state != VERDICT_NONE)
		return err_set(e, ERR_CHILD, "compile the call shim: %s", v.detail);
	return 0;
}

static int copies_make(const struct layout_spec *s, struct verdict *v, struct str *log,
		       struct err *e)
{
	AUTO_STRV struct strv argv = { 0 };
	strv_add(&argv, "sh");
	strv_add(&argv, "-c");
	strv_add(&argv, copy_script);
	strv_add(&argv, "sh");
	strv_add(&argv, s->toolbox->out);
	strv_addf(&argv, "%u", s->nr_copies);
	return tool_run(s, &argv, v, log, e);
}

static void objects_add(const struct layout_spec *s, struct strv *argv)
{
	const char *out = s->toolbox->out;
	if (s->nr_copies == 1) {
		strv_addf(argv, "%s/%s", out, COMPILE_OBJECT_NAME);
		strv_addf(argv, "%s/shim.o", out);
	}
	for (unsigned k = 0; s->nr_copies > 1 && k < s->nr_copies; k++) {
		strv_addf(argv, "%s/place%u.o", out, k);
		strv_addf(argv, "%s/copy%u.o", out, k);
	}
}

static void link_argv(const struct layout_spec *s, unsigned i, struct strv *argv)
{
	static const char *const flags[] = {
		"-shared", "-nostdlib", "-Wl,-z,now", "-Wl,-z,relro", "-Wl,-z,noexecstack",
		"-Wl,-z,text", "-Wl,-Bsymbolic", "-Wl,--build-id=none",
		"-Wl,--version-script=exports.map",
		/* DT_INIT and DT_FINI are never made, whatever symbols there are. */
		"-Wl,-init=forge_no_init", "-Wl,-fini=forge_no_fini", "-Wl,--as-needed"
	};
	strv_add(argv, compiler_name(s->compiler));
	for (size_t k = 0; k < ARRAY_LEN(flags); k++)
		strv_add(argv, flags[k]);
	if (!s->is_lent)
		strv_add(argv, "-Wl,-z,defs");
	strv_add(argv, "-o");
	strv_addf(argv, "%s/layout%u.so", s->toolbox->out, i);
	strv_addf(argv, "pad%u.s", i);
	objects_add(s, argv);
	static const char *const libs[] = { "-lmvec", "-lm", "-lc", "-lgcc" };
	for (size_t k = 0; k < ARRAY_LEN(libs); k++)
		strv_add(argv, libs[k]);
}

static int link_one(const struct layout_spec *s, unsigned i, struct verdict *v, struct str *log,
		    struct err *e)
{
	AUTO_STR struct str pad = STR_INIT;
	str_addf(&pad,
		 "\t.section .text.unlikely,\"ax\",@progbits\n\t.balign 64\n"
		 "\t.fill %zu, 1, 0xcc\n\t.section .note.GNU-stack,\"\",@progbits\n",
		 layout_padding(s->seed, i));
	AUTO_FREE char *name = xasprintf("pad%u.s", i);
	if (source_write(s, name, pad.text, e) < 0)
		return -1;
	AUTO_STRV struct strv argv = { 0 };
	link_argv(s, i, &argv);
	return tool_run(s, &argv, v, log, e);
}

/* The cached object of layout i, yours, or NULL. */
static char *cached_of(const struct layout_spec *s, unsigned i)
{
	const struct cache_layout which = { layout_padding(s->seed, i), s->nr_copies };
	return cache_layout_find(s->cache, &which);
}

static bool all_are_cached(const struct layout_spec *s)
{
	bool all = true;
	for (unsigned i = 0; all && i < s->nr_layouts; i++) {
		AUTO_FREE char *path = cached_of(s, i);
		all = path != NULL;
	}
	return all;
}

static int layout_one(const struct layout_spec *s, unsigned i, struct strv *so_paths,
		      struct verdict *v, struct str *log, struct err *e)
{
	const struct cache_layout which = { layout_padding(s->seed, i), s->nr_copies };
	AUTO_FREE char *cached = cached_of(s, i);
	if (cached) {
		strv_add(so_paths, cached);
		return 0;
	}
	AUTO_FREE char *path = xasprintf("%s/layout%u.so", s->toolbox->out_dir, i);
	if (link_one(s, i, v, log, e) < 0)
		return -1;
	if (v->state != VERDICT_NONE)
		return 0;
	cache_layout_store(s->cache, &which, path);
	strv_add(so_paths, path);
	return 0;
}

int layout_link(const struct layout_spec *s, struct strv *so_paths, struct verdict *v,
		struct str *log, struct err *e)
{
	*v = (struct verdict){ 0 };
	if (exports_write(s, e) < 0)
		return -1;
	if (s->nr_copies > 1 && !all_are_cached(s) && copies_make(s, v, log, e) < 0)
		return -1;
	for (unsigned i = 0; i < s->nr_layouts && v->state == VERDICT_NONE; i++) {
		if (layout_one(s, i, so_paths, v, log, e) < 0)
			return -1;
	}
	return 0;
}
