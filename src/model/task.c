#include "model/task.h"

/* task.toml is read by one field table per TOML table (base/toml_fields.h): a key that no table
 * lists is an error, so a typing mistake can never be a silent default. Checks that need more than
 * the field itself follow in `check_*`. */

#include <ctype.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/toml.h"
#include "base/toml_fields.h"
#include "model/expr.h"
#include "model/language.h"
#include "model/leaderboard.h"
#include "model/task_agents.h"
#include "model/task_budget.h"
#include "model/task_cuda.h"
#include "model/task_judge.h"
#include "model/task_linear.h"

enum { MAX_NAME = 31 };

struct loader {
	struct task *task;
	struct toml_loader toml;
};

/* task.toml as written, before it becomes a struct task. */
struct raw_task {
	const char *name;
	const char *language;
	const char *entry;
	int64_t threads;
	const char **linear;
	size_t nr_linear;
};
struct raw_arg {
	const char *name;
	const char *role;
	const char *dtype;
	const char **shape;
	size_t nr_shape;
	const char *value;
};
struct raw_reference {
	const char *run;
	const char *language;
	const char *symbol;
	bool source;
	bool blackbox;
	const char *build;
	const char **deny;
	size_t nr_deny;
};

static const struct toml_field task_fields[] = {
	TOML_NEEDED("name", TEXT, raw_task, name),
	TOML_OPTION("language", TEXT, raw_task, language),
	TOML_NEEDED("entry", TEXT, raw_task, entry),
	TOML_OPTION("threads", INT, raw_task, threads),
	TOML_LIST("linear", raw_task, linear),
};
static const struct toml_field arg_fields[] = {
	TOML_NEEDED("name", TEXT, raw_arg, name),    TOML_NEEDED("role", TEXT, raw_arg, role),
	TOML_NEEDED("dtype", TEXT, raw_arg, dtype),  TOML_LIST("shape", raw_arg, shape),
	TOML_OPTION("value", VALUE, raw_arg, value),
};
static const struct toml_field work_fields[] = {
	TOML_OPTION("flops", TEXT, task, flops),
	TOML_OPTION("bytes", TEXT, task, bytes),
};
static const struct toml_field reference_fields[] = {
	TOML_NEEDED("run", TEXT, raw_reference, run),
	TOML_OPTION("language", TEXT, raw_reference, language),
	TOML_OPTION("source", BOOL, raw_reference, source),
	TOML_OPTION("blackbox", BOOL, raw_reference, blackbox),
	TOML_OPTION("symbol", TEXT, raw_reference, symbol),
	TOML_OPTION("build", TEXT, raw_reference, build),
	TOML_LIST("deny", raw_reference, deny),
};
/* Of the origin's reference; the table's other keys are leaderboard.c's. */
static const struct toml_field origin_fields[] = {
	TOML_NEEDED("run", TEXT, raw_reference, run),
	TOML_OPTION("source", BOOL, raw_reference, source),
	TOML_OPTION("build", TEXT, raw_reference, build),
	TOML_LIST("deny", raw_reference, deny),
	TOML_NESTED("name"),
	TOML_NESTED("origin"),
	TOML_NESTED("tolerance"),
	TOML_NESTED("timing"),
};
static const struct toml_field target_fields[] = {
	TOML_OPTION("ratio", REAL, task, ratio),
	TOML_OPTION("shape_loss", REAL, task, shape_loss),
};
static const struct toml_field top_fields[] = {
	TOML_NESTED("task"),      TOML_NESTED("arg"),         TOML_NESTED("work"),
	TOML_NESTED("reference"), TOML_NESTED("target"),      TOML_NESTED("budget"),
	TOML_NESTED("agents"),    TOML_NESTED("leaderboard"), TOML_NESTED("judge"),
	TOML_NESTED("cuda"),
};

static const struct toml_section top_section = TOML_SECTION("a task", top_fields);
static const struct toml_section task_section = TOML_SECTION("[task]", task_fields);
static const struct toml_section arg_section = TOML_SECTION("[[arg]]", arg_fields);
static const struct toml_section work_section = TOML_SECTION("[work]", work_fields);
static const struct toml_section reference_section = TOML_SECTION("[reference]", reference_fields);
static const struct toml_section origin_section = TOML_SECTION("[leaderboard]", origin_fields);
static const struct toml_section target_section = TOML_SECTION("[target]", target_fields);

static bool is_identifier(const char *name)
{
	if (!isalpha((unsigned char)name[0]) && name[0] != '_')
		return false;
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_')
			return false;
	return strlen(name) <= MAX_NAME;
}

static bool is_task_name(const char *name)
{
	if (!isalnum((unsigned char)name[0]) || strlen(name) > 2 * MAX_NAME)
		return false;
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_-.", *c))
			return false;
	return true;
}

static int check_language(struct loader *l, const struct toml *at, const char *language)
{
	AUTO_STR struct str known = STR_INIT;
	if (language_find(language))
		return 0;
	language_names(false, &known);
	return toml_fail_at(&l->toml, at, "unknown language \"%s\"; known: %s", language,
			    known.text);
}

static int check_task(struct loader *l, const struct toml *table, const struct raw_task *raw)
{
	if (!is_task_name(raw->name))
		return toml_fail_at(
			&l->toml, toml_get(table, "name"),
			"the name \"%s\" can not name a folder; use letters, digits, _ - .",
			raw->name);
	if (!is_identifier(raw->entry))
		return toml_fail_at(
			&l->toml, toml_get(table, "entry"),
			"the entry \"%s\" is not a C identifier of at most %d characters",
			raw->entry, MAX_NAME);
	if (raw->threads < 1 || raw->threads > TASK_MAX_THREADS)
		return toml_fail_at(&l->toml, toml_get(table, "threads"), "threads must be 1 to %d",
				    TASK_MAX_THREADS);
	return check_language(l, toml_get(table, "language"), raw->language);
}

static int load_task_table(struct loader *l, const struct toml *root)
{
	struct raw_task raw = { .language = "c", .threads = 1 };
	const struct toml *table = toml_get(root, "task");
	if (!table)
		return toml_fail_at(&l->toml, root, "no [task] table; add it with name and entry");
	if (toml_read_fields(&l->toml, &task_section, table, &raw) < 0 ||
	    check_task(l, table, &raw) < 0)
		return -1;
	l->task->name = raw.name;
	l->task->language = raw.language;
	l->task->entry = raw.entry;
	l->task->threads = (unsigned)raw.threads;
	l->task->linear = raw.linear;
	l->task->nr_linear = raw.nr_linear;
	return 0;
}

static void ignore_name(const char *name, void *ctx)
{
	(void)name;
	(void)ctx;
}

static int check_expression(struct loader *l, const struct toml *at, const char *text)
{
	struct err why = { 0 };
	if (expr_names(text, ignore_name, NULL, &why) < 0)
		return toml_fail_at(&l->toml, at, "%s", why.text);
	return 0;
}

static int parse_role(const char *name, enum arg_role *out)
{
	for (int i = ARG_IN; i <= ARG_WORKSPACE; i++) {
		if (strcmp(name, arg_role_name((enum arg_role)i)) == 0) {
			*out = (enum arg_role)i;
			return 0;
		}
	}
	return -1;
}

static int check_arg_words(struct loader *l, const struct toml *table, const struct raw_arg *raw,
			   struct arg *arg)
{
	if (!is_identifier(raw->name))
		return toml_fail_at(
			&l->toml, toml_get(table, "name"),
			"the argument \"%s\" is not a C identifier of at most %d characters",
			raw->name, MAX_NAME);
	if (parse_role(raw->role, &arg->role) < 0)
		return toml_fail_at(&l->toml, toml_get(table, "role"),
				    "unknown role \"%s\"; known: in out inout scalar workspace",
				    raw->role);
	if (dtype_parse(raw->dtype, &arg->dtype) < 0)
		return toml_fail_at(
			&l->toml, toml_get(table, "dtype"),
			"unknown dtype \"%s\"; known: f64 f32 f16 bf16 f8e4m3 f8e5m2 i64 i32 "
			"i8 u8 bool",
			raw->dtype);
	return 0;
}

static int check_tensor(struct loader *l, const struct toml *table, const struct raw_arg *raw)
{
	const struct toml *shape = toml_get(table, "shape");
	if (raw->nr_shape == 0)
		return toml_fail_at(&l->toml, table,
				    "argument %s has no shape; give one expression per extent, as "
				    "in shape = [\"rows\", \"cols\"]",
				    raw->name);
	if (raw->value)
		return toml_fail_at(&l->toml, toml_get(table, "value"),
				    "argument %s has a value; only scalars have one", raw->name);
	for (size_t i = 0; i < raw->nr_shape; i++)
		if (check_expression(l, shape->items[i], raw->shape[i]) < 0)
			return -1;
	return 0;
}

static int check_scalar(struct loader *l, const struct toml *table, const struct raw_arg *raw)
{
	if (toml_get(table, "shape"))
		return toml_fail_at(&l->toml, toml_get(table, "shape"),
				    "scalar %s has a shape; remove it", raw->name);
	return 0;
}

static int check_unique(struct loader *l, const struct toml *at, const char *name)
{
	const struct task *t = l->task;
	for (size_t i = 0; i < t->nr_args; i++)
		if (strcmp(t->args[i].name, name) == 0)
			return toml_fail_at(&l->toml, at,
					    "a second argument named %s (the first is on line %u)",
					    name, t->args[i].line);
	if (strcmp(name, t->entry) == 0)
		return toml_fail_at(&l->toml, at,
				    "argument %s has the name of the entry; rename it", name);
	return 0;
}

static int load_arg(struct loader *l, const struct toml *table, struct arg *arg)
{
	struct raw_arg raw = { 0 };
	if (toml_read_fields(&l->toml, &arg_section, table, &raw) < 0 ||
	    check_arg_words(l, table, &raw, arg) < 0 || check_unique(l, table, raw.name) < 0)
		return -1;
	arg->name = raw.name;
	arg->shape = raw.shape;
	arg->nr_shape = raw.nr_shape;
	arg->value = raw.value;
	arg->line = table->line;
	return arg->role == ARG_SCALAR ? check_scalar(l, table, &raw)
				       : check_tensor(l, table, &raw);
}

static int load_args(struct loader *l, const struct toml *root)
{
	struct task *t = l->task;
	const struct toml *list = toml_get(root, "arg");
	if (!list || list->type != TOML_ARRAY || list->nr_items == 0)
		return toml_fail_at(
			&l->toml, list ? list : root,
			"no arguments; write one [[arg]] table for each, in the entry's order");
	t->args = arena_array(&t->arena, list->nr_items, sizeof(*t->args));
	for (size_t i = 0; i < list->nr_items; i++) {
		if (load_arg(l, list->items[i], &t->args[t->nr_args]) < 0)
			return -1;
		t->nr_args++;
	}
	return 0;
}

static int load_work(struct loader *l, const struct toml *root)
{
	struct task *t = l->task;
	const struct toml *table = toml_get(root, "work");
	if (toml_read_fields(&l->toml, &work_section, table, t) < 0)
		return -1;
	if (t->flops && check_expression(l, toml_get(table, "flops"), t->flops) < 0)
		return -1;
	return t->bytes ? check_expression(l, toml_get(table, "bytes"), t->bytes) : 0;
}

/* The task is copied and hashed as a folder: what it names lies inside. */
static bool is_inner_path(const char *path)
{
	AUTO_STRV struct strv parts = { 0 };
	strv_split(&parts, path, "/");
	return path[0] != '/' && parts.nr > 0 && !strv_has(&parts, "..");
}

/* As an assembler takes it, and nothing that a tool's command line would. */
static bool is_symbol(const char *name)
{
	size_t len =
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$");
	return len > 0 && !name[len] && len < 256 && !isdigit((unsigned char)name[0]);
}

static int check_reference(struct loader *l, const struct toml *table,
			   const struct raw_reference *raw)
{
	if (raw->run && !is_inner_path(raw->run))
		return toml_fail_at(
			&l->toml, toml_get(table, "run"),
			"run = \"%s\" leaves the task's folder; put the reference inside",
			raw->run);
	if (raw->symbol && !is_symbol(raw->symbol))
		return toml_fail_at(&l->toml, toml_get(table, "symbol"),
				    "symbol = \"%s\" is not a name of a function", raw->symbol);
	if (raw->source && raw->blackbox)
		return toml_fail_at(&l->toml, table,
				    "source and blackbox exclude each other; keep one");
	return 0;
}

static int check_meeting(struct loader *l, const struct toml *table, const char *language)
{
	const struct toml *at = table ? toml_get(table, "language") : NULL;
	if (check_language(l, at, language) < 0)
		return -1;
	if (!language_can_meet(language_find(l->task->language), language_find(language)))
		return toml_fail_at(
			&l->toml, at,
			"a reference of language \"%s\" for kernels of language \"%s\" "
			"is not supported; it is of the kernels' language, or \"python\" "
			"for kernels of a GPU",
			language, l->task->language);
	return 0;
}

static int load_reference(struct loader *l, const struct toml *root)
{
	struct task *t = l->task;
	struct raw_reference raw = { .language = t->language };
	const struct toml *board = toml_get(root, "leaderboard");
	const struct toml *table = board ? board : toml_get(root, "reference");
	if (board && toml_get(root, "reference"))
		return toml_fail_at(&l->toml, board,
				    "[leaderboard] stands instead of [reference]; keep one");
	if (toml_read_fields(&l->toml, board ? &origin_section : &reference_section, table, &raw) <
		    0 ||
	    check_meeting(l, table, raw.language) < 0 || check_reference(l, table, &raw) < 0 ||
	    (board && leaderboard_load(&l->toml, board, t) < 0))
		return -1;
	t->reference_run = raw.run;
	t->reference_language = raw.language;
	t->reference_is_source = raw.source || !table;
	t->reference_build = raw.build ? raw.build : language_find(raw.language)->default_build;
	t->reference_symbol = raw.symbol;
	t->deny = raw.deny;
	t->nr_deny = raw.nr_deny;
	return 0;
}

static int load_settings(struct loader *l, const struct toml *root)
{
	struct task *t = l->task;
	const struct toml *target = toml_get(root, "target");
	t->ratio = 1.2;
	t->teacher = "tuner";
	t->student = "tuner";
	if (toml_read_fields(&l->toml, &target_section, target, t) < 0 ||
	    task_budget_load(&l->toml, toml_get(root, "budget"), &t->limits) < 0 ||
	    task_agents_load(&l->toml, toml_get(root, "agents"), t) < 0)
		return -1;
	if (!(t->ratio > 1 && t->ratio < 1e6))
		return toml_fail_at(&l->toml, toml_get(target, "ratio"),
				    "ratio must be above 1; it is how much faster the goal is");
	if (!(t->shape_loss >= 0 && t->shape_loss < 1))
		return toml_fail_at(&l->toml, toml_get(target, "shape_loss"),
				    "shape_loss must be from 0 to below 1; it is the share of its "
				    "speed that a single shape may lose");
	return 0;
}

static int load_parts(struct loader *l, const struct toml *root)
{
	if (toml_read_fields(&l->toml, &top_section, root, l->task) < 0 ||
	    load_task_table(l, root) < 0 || load_args(l, root) < 0 ||
	    task_linear_check(&l->toml, toml_get(toml_get(root, "task"), "linear"), l->task) < 0)
		return -1;
	if (load_work(l, root) < 0 || load_reference(l, root) < 0 ||
	    task_judge_load(&l->toml, toml_get(root, "judge"), l->task) < 0 ||
	    task_cuda_load(&l->toml, toml_get(root, "cuda"), l->task) < 0)
		return -1;
	return load_settings(l, root);
}

static int load_all(struct task *t, struct err *e)
{
	AUTO_FREE char *path = path_join(t->dir, "task.toml");
	AUTO_FREE char *shapes = path_join(t->dir, "shapes.json");
	AUTO_FREE char *judge = path_join(t->dir, "judge/judge.c");
	AUTO_FREE char *tolerances = path_join(t->dir, "judge/tolerances.json");
	struct loader l = { t, { path, &t->arena, e } };
	const struct toml *root = toml_read_file(path, &t->arena, e);
	if (!root || load_parts(&l, root) < 0)
		return -1;
	t->judge = file_exists(judge) ? "judge/judge.c" : NULL;
	t->tolerances = file_exists(tolerances) ? "judge/tolerances.json" : NULL;
	if (t->leaderboard && t->tolerances)
		return err_set(e, ERR_INPUT,
			       "%s:1:1: a leaderboard is judged by the origin's tolerances; remove "
			       "this file",
			       tolerances);
	return shapes_load(&t->shapes, shapes, &t->arena, e);
}

int task_load(struct task *t, const char *dir, struct err *e)
{
	*t = (struct task){ 0 };
	if (!file_is_dir(dir))
		return err_set(e, ERR_INPUT, "%s: %s; forge init %s makes a task there", dir,
			       file_exists(dir) ? "not a folder" : "there is no such folder", dir);
	t->dir = arena_strdup(&t->arena, dir);
	if (load_all(t, e) < 0) {
		task_release(t);
		return -1;
	}
	return 0;
}

bool task_is_generated(const struct task *t)
{
	return !t->reference_run;
}

bool task_expects_reference(const struct task *t)
{
	return t->leaderboard && !t->judge;
}

void task_release(struct task *t)
{
	shapes_release(&t->shapes);
	arena_release(&t->arena);
	*t = (struct task){ 0 };
}
