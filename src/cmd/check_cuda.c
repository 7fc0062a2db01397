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
#include "sys/proc.h"

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
	table_line(&t, "the reference\t");
	json_object_foreach(b->facts, name, value)
	{
		table_add(&t, name);
		table_addf(&t, "%g", json_number_value(value));
	}
	table_print(&t, "  ", &out);
	term_put(out.text);
}

static bool is_fine(const char *dir, const char *what, const struct build *b, bool is_json)
{
	if (b->verdict.state == VERDICT_NONE)
		return true;
	if (!is_json) {
		term_print("%s: error: the %s does not build: %s: %s\n", dir, what,
			   reason_name(b->verdict.reason), b->verdict.detail);
		term_put(b->log);
	}
	return false;
}

static void tell(const struct task *t, const struct build *b, const char *lack)
{
	print_facts(b);
	term_print("%s: ok: the reference %s%s%s%s) and passes the screens; %sreference and judge "
		   "were not run: %s\n",
		   t->dir, b->flags[0] ? "compiles (" : "parses (", b->flags,
		   b->flags[0] ? "; " : "", b->compiler_version,
		   t->judge ? "the judge compiles; " : "",
		   lack[0] ? lack : "forge judge does that on the device here");
}

static json_t *build_json(const struct build *b, const char *lack)
{
	json_t *json = json_pack("{s:s, s:s, s:O, s:s}", "compiler", b->compiler_version, "flags",
				 b->flags, "facts", b->facts, "not_run", lack);
	if (b->verdict.state != VERDICT_NONE)
		json_object_set_new(json, "verdict", verdict_to_json(&b->verdict));
	return json;
}

/* Of the reference, or of the judge when it is C. */
static int build_side(const struct task *t, enum build_role role, const char *work, struct build *b,
		      struct err *e)
{
	const bool is_reference = role == BUILD_REFERENCE;
	AUTO_FREE char *kit = find_kit(e);
	AUTO_FREE char *source = path_join(t->dir, is_reference ? t->reference_run : t->judge);
	const struct build_spec spec = {
		.task = t,
		.role = role,
		.source_path = source,
		.out_dir = work,
		.nr_layouts = 1,
		.default_build = is_reference ? t->reference_build : NULL,
		.kit_dir = kit,
		.accept_weak = true,
	};
	return kit ? build_run(b, &spec, e) : -1;
}

static int check_c_judge(const struct task *t, bool is_json, json_t *answer, bool *is_good,
			 struct err *e)
{
	AUTO_BUILD struct build b = { .lack = "" };
	AUTO_TEMP_DIR char *work = hand_temp_dir("check", e);
	if (!t->judge)
		return 0;
	if (!work || build_side(t, BUILD_ORACLE, work, &b, e) < 0)
		return -1;
	if (!is_fine(t->dir, "judge", &b, is_json)) {
		*is_good = false;
		json_object_set_new(answer, "judge", build_json(&b, ""));
	}
	return 0;
}

static int compile(const struct task *t, bool is_json, json_t *answer, bool *is_good, struct err *e)
{
	struct err lack = { 0 };
	AUTO_BUILD struct build b = { .lack = "" };
	AUTO_TEMP_DIR char *work = hand_temp_dir("check", e);
	if (!work || build_side(t, BUILD_REFERENCE, work, &b, e) < 0)
		return -1;
	backend_runs_here(t, &lack);
	*is_good = is_fine(t->dir, "reference", &b, is_json);
	json_object_set_new(answer, "build", build_json(&b, lack.text));
	if (check_c_judge(t, is_json, answer, is_good, e) < 0)
		return -1;
	if (*is_good && !is_json)
		tell(t, &b, lack.text);
	return 0;
}

/* NULL: everything is there to compile the reference; else what is missing. */
static const char *what_is_missing(const struct task *t, struct err *why)
{
	char arch[16];
	if (task_is_generated(t))
		return "no reference of its own; a run asks the student for one";
	if (str_equal(t->reference_language, "python")) {
		AUTO_FREE char *python = proc_find("python3");
		return python ? NULL : "this machine has no python3";
	}
	AUTO_FREE char *root = cuda_toolkit_find(why);
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
