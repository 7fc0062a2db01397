#include "build/backend.h"

/* gcc and clang from the system, any layout, screens.def on the object. */

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "build/compile.h"
#include "build/disasm.h"
#include "build/facts.h"
#include "build/leaf.h"
#include "build/listing.h"
#include "build/screen.h"
#include "model/task.h"

static char *program(const struct toolbox *t, enum compiler c)
{
	(void)t;
	return xstrdup(compiler_name(c));
}

static const char *version_line(const char *text)
{
	return text;
}

static int compile(const struct toolbox *t, const struct directive *d, const char *arch,
		   struct verdict *v, struct str *log, struct err *e)
{
	(void)arch;
	return compile_run(t, d, v, log, e);
}

static void judge(const struct backend_object *o, const struct disasm *d)
{
	const struct task *t = o->spec->task;
	bool is_candidate = o->spec->role == BUILD_CANDIDATE;
	struct screen_input in = { .object = o->leaf,
				   .disasm = d,
				   .entry = t->entry,
				   .threads = o->threads,
				   .deny = (const char *const *)t->deny,
				   .nr_deny = is_candidate ? t->nr_deny : 0 };
	*o->verdict = screen_run(&in);
	if (o->verdict->state == VERDICT_NONE)
		*o->facts = facts_of(o->leaf, d);
}

static int examine(const struct backend_object *o, struct err *e)
{
	bool is_whole = false;
	AUTO_STR struct str listing = STR_INIT;
	if (listing_read(o->toolbox, &listing, &is_whole, e) < 0)
		return -1;
	if (!is_whole) {
		*o->verdict = verdict_make(REASON_compile_failed, "the object has too much code");
		return 0;
	}
	AUTO_DISASM struct disasm d;
	disasm_parse(&d, listing.text);
	judge(o, &d);
	return 0;
}

const struct backend_ops backend_c = {
	.language = "c",
	.source_name = COMPILE_SOURCE_NAME,
	.default_build = "gcc -O2",
	.program = program,
	.version_line = version_line,
	.compile = compile,
	.examine = examine,
	.has_layouts = true,
};
