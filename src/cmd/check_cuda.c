#include "cmd/check_cuda.h"

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/share.h"
#include "base/table.h"
#include "build/backend.h"
#include "build/build.h"
#include "build/cuda_toolkit.h"
#include "cmd/hand.h"
#include "cmd/term.h"
#include "model/task.h"

/* Beside share/ in the source tree, below it when installed; yours. */
static char *find_kit(struct err *e)
{
	struct err ignored = { 0 };
	char *kit = share_path("include", &ignored);
	return kit ? kit : share_path("../include", e);
}

static void print_facts(const struct build *b)
{
	const char *name;
	json_t *value;
	AUTO_TABLE struct table t = { 0 };
	AUTO_STR struct str out = STR_INIT;
	table_init(&t, "lr");
	table_line(&t, "the reference, compiled\t");
	json_object_foreach(b->facts, name, value)
	{
		table_add(&t, name);
		table_addf(&t, "%g", json_number_value(value));
	}
	table_print(&t, "  ", &out);
	term_put(out.text);
}

static void tell(const char *dir, const struct build *b, const char *lack)
{
	if (b->verdict.state != VERDICT_NONE) {
		term_print("%s: error: the reference does not build: %s: %s\n", dir,
			   reason_name(b->verdict.reason), b->verdict.detail);
		term_put(b->log);
		return;
	}
	print_facts(b);
	term_print("%s: ok: the reference compiles (%s; %s) and passes the screens; judge and "
		   "reference were not run: %s\n",
		   dir, b->flags, b->compiler_version, lack);
}

static json_t *build_json(const struct build *b, const char *lack)
{
	json_t *json = json_pack("{s:s, s:s, s:O, s:s}", "compiler", b->compiler_version, "flags",
				 b->flags, "facts", b->facts, "not_run", lack);
	if (b->verdict.state != VERDICT_NONE)
		json_object_set_new(json, "verdict", verdict_to_json(&b->verdict));
	return json;
}

static int build_reference(const struct task *t, const char *work, struct build *b, struct err *e)
{
	AUTO_FREE char *kit = find_kit(e);
	AUTO_FREE char *source = path_join(t->dir, t->reference_run);
	const struct build_spec spec = {
		.task = t,
		.role = BUILD_REFERENCE,
		.source_path = source,
		.out_dir = work,
		.nr_layouts = 1,
		.default_build = t->reference_build,
		.kit_dir = kit,
		.accept_weak = true,
	};
	return kit ? build_run(b, &spec, e) : -1;
}

static int compile(const struct task *t, bool is_json, json_t *answer, bool *is_good, struct err *e)
{
	struct err lack = { 0 };
	AUTO_BUILD struct build b = { .lack = "" };
	AUTO_TEMP_DIR char *work = hand_temp_dir("check", e);
	if (!work || build_reference(t, work, &b, e) < 0)
		return -1;
	backend_runs_here(t, &lack);
	*is_good = b.verdict.state == VERDICT_NONE;
	json_object_set_new(answer, "build", build_json(&b, lack.text));
	if (!is_json)
		tell(t->dir, &b, lack.text);
	return 0;
}

/* NULL: everything is there to compile the reference; else what is missing. */
static const char *what_is_missing(const struct task *t, struct err *why)
{
	char arch[16];
	AUTO_FREE char *root = cuda_toolkit_find(why);
	if (task_is_generated(t))
		return "no reference of its own; a run asks the student for one";
	return root && cuda_toolkit_arch(t, arch, why) == 0 ? NULL : why->text;
}

int check_cuda(const char *dir, bool is_json, json_t *answer, bool *is_good, struct err *e)
{
	struct err why = { 0 };
	AUTO_TASK struct task task = { 0 };
	if (task_load(&task, dir, e) < 0)
		return -1;
	const char *missing = what_is_missing(&task, &why);
	if (!missing)
		return compile(&task, is_json, answer, is_good, e);
	json_object_set_new(answer, "build", json_pack("{s:s}", "skipped", missing));
	if (!is_json)
		term_print("%s: ok: lint only, nothing was compiled: %s\n", dir, missing);
	return 0;
}
