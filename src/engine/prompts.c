#include "engine/prompts.h"

/* Texts that others wrote stand in fences that no text can close, and behind the frame that says
 * what they are (docs/format/agent-wire.md). What stands outside of a fence is forge's own, or a
 * number or name that was checked where the task was read. */

#include <string.h>

#include "agent/frame.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/share.h"
#include "base/str.h"
#include "base/untrusted.h"
#include "engine/prompt_file.h"
#include "model/task.h"

/* A text above this would be most of what a model can read; kernels and descriptions take some
 * KiB. */
enum { MAX_PROMPT_BYTES = 1 << 20, MAX_SHOWN_BYTES = 256 << 10 };
/* 0.95 is told as 0.95. */
enum { SHOWN_DIGITS = 15 };

/* Short on purpose: the rules of an answer are checked by code, and what is checked need not be
 * begged for. */
static const char *const sentences[] = {
	[TURN_JUDGE] =
		"Write the judge of this task: one C file that defines the task's entry with the "
		"same argument order, every floating-point type replaced by double, integers kept. "
		"Compute the result from description.md alone, in the most accurate way you can; "
		"speed does not matter. If `errors` is not empty, `previous` was refused for these "
		"reasons: repair it.",
	[TURN_RECONNAISSANCE] =
		"Find out by measurement what the reference spends its time on and what the levers "
		"are worth that you would write into a course: `tools` says what you may have "
		"measured. Answer with findings, one a line.",
	[TURN_CURRICULUM] =
		"Write the curriculum of this task as TOML (docs/format/curriculum.md): milestone "
		"M0 "
		"settles the structure, M1 and later tune inside it. One decision a row, each with "
		"value or range, why, wrong_when, needs and a mechanism or why none shows it. "
		"Decisions and parameters "
		"only: no code, no statement, no identifier of the reference. If `errors` is not "
		"empty, `previous` was refused for these reasons: repair it.",
	[TURN_REVISION] =
		"The loop came back to you, `trigger` says why. `digest` holds what was measured, "
		"rearranged and not interpreted, `tools` what you may have measured before you "
		"answer; `curriculum` is the version in force. Publish the "
		"next version: change the earliest decision that the measurements refute, keep "
		"what "
		"they support, or give up when no change is worth its rounds.",
	[TURN_ROUND] =
		"Apply one decision, `row`, to the kernel in `base` (or `start` when there is no "
		"base) and submit the whole file. You may tune inside the row's range. Change "
		"nothing that the row does not ask for; if you think the structure is wrong, hand "
		"back with your reason. `feedback` is what your last candidate measured.",
	[TURN_ABLATION] =
		"Take one decision, `row`, out of the kernel in `base` and leave every other "
		"decision in `rows` as it is; submit the whole file. It is measured to learn what "
		"the decision is worth and becomes nobody's base. Hand back with your reason if "
		"the others can not stand without it.",
	[TURN_GOAL] =
		"Make this kernel faster: reach the speed-up over the reference that `goal` asks "
		"for, and then go beyond it. Submit one whole C file; it is judged and timed, and "
		"you are asked again until the budget is used up. `base` is your newest correct "
		"candidate, `feedback` what the last one measured. Give up when you have nothing "
		"left to try.",
	[TURN_GENERATE] =
		"There is no kernel yet. Write the first one: one C file that defines the task's "
		"entry and computes what description.md says, correct for every shape and every "
		"kind of input; it becomes what later ones are measured against. If `errors` is "
		"not empty, `previous` was refused for these reasons: repair it.",
};

const char *prompt_sentence(enum turn_kind kind)
{
	return sentences[kind];
}

struct rendering {
	const struct task *task;
	const json_t *data; /* harmless (agent/frame.h); NULL: the files are only checked */
	const char *prompt;
};

struct slot {
	const char *prompt;
	const char *name;
	int (*fill)(const struct rendering *r, const char *name, struct str *out, struct err *e);
	bool is_needed;
};

static const json_t *value_of(const struct rendering *r, const char *name)
{
	const json_t *value = json_object_get(r->data, name);
	bool is_empty = json_is_null(value) ||
			(json_is_string(value) && !json_string_length(value)) ||
			(json_is_array(value) && !json_array_size(value)) ||
			(json_is_object(value) && !json_object_size(value));
	return is_empty ? NULL : value;
}

static void fence(struct str *out, const char *info, const char *text)
{
	untrusted_fence(out, info, text, MAX_SHOWN_BYTES);
}

static int fenced_member(const struct rendering *r, const char *name, const char *info,
			 struct str *out)
{
	const char *text = json_string_value(value_of(r, name));
	if (text)
		fence(out, info, text);
	return 0;
}

static int fill_text(const struct rendering *r, const char *name, struct str *out, struct err *e)
{
	(void)e;
	return fenced_member(r, name, "text", out);
}

static int fill_c(const struct rendering *r, const char *name, struct str *out, struct err *e)
{
	(void)e;
	return fenced_member(r, name, "c", out);
}

static int fill_toml(const struct rendering *r, const char *name, struct str *out, struct err *e)
{
	(void)e;
	return fenced_member(r, name, "toml", out);
}

static int fill_list(const struct rendering *r, const char *name, struct str *out, struct err *e)
{
	const json_t *list = value_of(r, name);
	AUTO_STR struct str text = STR_INIT;
	(void)e;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *item = json_string_value(json_array_get(list, i));
		str_addf(&text, "%s\n", item ? item : "");
	}
	if (text.len)
		fence(out, "text", text.text);
	return 0;
}

static void add_compact(struct str *out, const json_t *value)
{
	AUTO_FREE char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY |
							 JSON_REAL_PRECISION(SHOWN_DIGITS));
	str_add(out, text ? text : "null");
}

/* A line for each member or item, in the order they were made in: nested ones would cost a model
 * more than they show it. */
static void add_json(struct str *out, const json_t *value)
{
	const char *key;
	json_t *member;
	const char *before = "\n";
	if (!json_is_object(value) && !json_is_array(value)) {
		add_compact(out, value);
		return;
	}
	str_add(out, json_is_object(value) ? "{" : "[");
	json_object_foreach((json_t *)(uintptr_t)value, key, member)
	{
		AUTO_JSON json_t *name = json_string(key);
		str_add(out, before);
		add_compact(out, name);
		str_add(out, ": ");
		add_compact(out, member);
		before = ",\n";
	}
	for (size_t i = 0; i < json_array_size(value); i++) {
		str_add(out, before);
		add_compact(out, json_array_get(value, i));
		before = ",\n";
	}
	str_add(out, json_is_object(value) ? "\n}" : "\n]");
}

static int fill_json(const struct rendering *r, const char *name, struct str *out, struct err *e)
{
	const json_t *value = value_of(r, name);
	AUTO_STR struct str text = STR_INIT;
	(void)e;
	if (!value)
		return 0;
	add_json(&text, value);
	fence(out, "json", text.text);
	return 0;
}

/* One of forge's own words. */
static int fill_word(const struct rendering *r, const char *name, struct str *out, struct err *e)
{
	const char *text = json_string_value(value_of(r, name));
	(void)e;
	if (text)
		untrusted_line(out, text, 0);
	return 0;
}

static int fill_frame(const struct rendering *r, const char *name, struct str *out, struct err *e)
{
	(void)r;
	(void)name;
	(void)e;
	str_add(out, frame_note);
	return 0;
}

/* Those that are offered, and how often. */
static int fill_tools(const struct rendering *r, const char *name, struct str *out, struct err *e)
{
	const json_t *tools = value_of(r, name);
	const json_t *names = json_object_get(tools, "names");
	int64_t left = json_int_or(tools, "left", 0);
	(void)e;
	if (!json_array_size(names) || left <= 0)
		return 0;
	for (size_t i = 0; i < json_array_size(names); i++)
		str_addf(out, "%s`%s`", i ? ", " : "", json_string_value(json_array_get(names, i)));
	str_addf(out, "; %lld calls are left in this run", (long long)left);
	return 0;
}

/* Whole, in a fence each: those that the row cites. */
static int fill_lessons(const struct rendering *r, const char *name, struct str *out, struct err *e)
{
	const json_t *lessons = value_of(r, name);
	(void)e;
	for (size_t i = 0; i < json_array_size(lessons); i++)
		fence(out, "text", json_text_or(json_array_get(lessons, i), "text", ""));
	return 0;
}

static void add_catalogue_row(struct str *out, const json_t *lesson)
{
	const json_t *claims = json_object_get(lesson, "claims");
	str_addf(out, "%s: %s%s", json_text_or(lesson, "id", ""), json_text_or(lesson, "title", ""),
		 json_bool_or(lesson, "negative", false) ? " (what does not help)" : "");
	for (size_t i = 0; i < json_array_size(claims); i++)
		str_addf(out, "; %s", json_string_value(json_array_get(claims, i)));
	str_addf(out, "; when %s\n", json_text_or(lesson, "applies_when", ""));
}

/* A line for each: what a course may cite. */
static int fill_catalogue(const struct rendering *r, const char *name, struct str *out,
			  struct err *e)
{
	const json_t *lessons = value_of(r, name);
	AUTO_STR struct str text = STR_INIT;
	(void)e;
	for (size_t i = 0; i < json_array_size(lessons); i++)
		add_catalogue_row(&text, json_array_get(lessons, i));
	if (text.len)
		fence(out, "text", text.text);
	return 0;
}

static void add_signature(struct str *out, const char *prototype)
{
	AUTO_FREE char *line = xasprintf("%s;", prototype);
	fence(out, "c", line);
}

static int fill_signature(const struct rendering *r, const char *name, struct str *out,
			  struct err *e)
{
	AUTO_STR struct str prototype = STR_INIT;
	(void)name;
	(void)e;
	task_prototype(r->task, &prototype);
	add_signature(out, prototype.text);
	return 0;
}

static int fill_judge_signature(const struct rendering *r, const char *name, struct str *out,
				struct err *e)
{
	AUTO_STR struct str prototype = STR_INIT;
	(void)name;
	(void)e;
	task_judge_prototype(r->task, &prototype);
	add_signature(out, prototype.text);
	return 0;
}

static int fill_threads(const struct rendering *r, const char *name, struct str *out, struct err *e)
{
	(void)name;
	(void)e;
	if (r->task->threads > 1)
		str_addf(out, "%u", r->task->threads);
	return 0;
}

static const struct {
	const char *text;
	unsigned compilers; /* index into `only` */
	bool needs_threads;
} flags[] = {
#define GCC 1
#define CLANG 2
#define BOTH 3
#define NVCC 4
#define FLAG(text, compilers, needs_threads) { text, compilers, needs_threads },
#include "build/flags.def"
#undef FLAG
#undef NVCC
#undef BOTH
#undef CLANG
#undef GCC
};

static int fill_flags(const struct rendering *r, const char *name, struct str *out, struct err *e)
{
	static const char *const only[] = { "", " (gcc)", " (clang)", "", "" };
	const bool is_cuda = str_equal(r->prompt, "kit_cuda");
	bool is_first = true;
	(void)name;
	(void)e;
	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		if ((flags[i].needs_threads && r->task->threads < 2) ||
		    (flags[i].compilers == 4) != is_cuda)
			continue;
		str_addf(out, "%s`%s`%s", is_first ? "" : ", ", flags[i].text,
			 only[flags[i].compilers]);
		is_first = false;
	}
	return 0;
}

static const struct {
	const char *name;
	bool needs_threads;
} functions[] = {
#define MATH(name) { #name, false },
#define MEMORY(name) { #name, false },
#define HELPER(name)
#define THREADS(name) { #name, true },
#include "build/imports.def"
#undef MATH
#undef MEMORY
#undef HELPER
#undef THREADS
};

/* What a compiler or a macro of a header calls by itself need not be told. */
static bool is_told(const char *name, bool needs_threads)
{
	if (needs_threads)
		return str_starts(name, "omp_");
	return !str_starts(name, "_");
}

static int fill_functions(const struct rendering *r, const char *name, struct str *out,
			  struct err *e)
{
	bool is_first = true;
	(void)name;
	(void)e;
	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
		if (!is_told(functions[i].name, functions[i].needs_threads) ||
		    (functions[i].needs_threads && r->task->threads < 2))
			continue;
		str_addf(out, "%s`%s`", is_first ? "" : ", ", functions[i].name);
		is_first = false;
	}
	return 0;
}

static int render_file(const struct rendering *r, struct str *out, struct err *e);

static int fill_part(const struct rendering *r, const char *name, struct str *out, struct err *e)
{
	const struct rendering part = { .task = r->task, .data = r->data, .prompt = name };
	return render_file(&part, out, e);
}

/* What a kernel is written with depends on its language. */
static int fill_kernel_kit(const struct rendering *r, const char *name, struct str *out,
			   struct err *e)
{
	if (str_equal(r->task->language, "cuda"))
		name = "kit_cuda";
	if (str_equal(r->task->language, "python"))
		name = "kit_python";
	return fill_part(r, name, out, e);
}

static int add_strategy(const char *dir, const char *name, struct str *out, struct err *e)
{
	AUTO_FREE char *path = path_join(dir, name);
	AUTO_FREE char *stem = xstrndup(name, strlen(name) - strlen(".md"));
	AUTO_STR struct str text = STR_INIT;
	if (file_read(path, MAX_PROMPT_BYTES, &text, e) < 0 ||
	    prompt_file_version(path, stem, text.text, e) < 0)
		return -1;
	str_addf(out, "%s%s", out->len ? "\n" : "", strchr(text.text, '\n') + 1);
	return 0;
}

static int fill_strategy(const struct rendering *r, const char *name, struct str *out,
			 struct err *e)
{
	(void)r;
	(void)name;
	AUTO_STRV struct strv names = { 0 };
	AUTO_FREE char *dir = share_path("strategy", e);
	if (!dir || dir_list(dir, &names, e) < 0)
		return -1;
	for (size_t i = 0; i < names.nr; i++)
		if (str_ends(names.items[i], ".md") &&
		    add_strategy(dir, names.items[i], out, e) < 0)
			return -1;
	return 0;
}

static const struct slot slots[] = {
#define NEEDED true
#define OPTIONAL false
#define PROMPT_SLOT(prompt, name, how, need) { #prompt, #name, fill_##how, need },
#include "engine/prompt_slots.def"
#undef PROMPT_SLOT
#undef OPTIONAL
#undef NEEDED
};

static int refuse_slot(const char *prompt, const char *name, struct err *e)
{
	AUTO_STR struct str known = STR_INIT;
	for (size_t i = 0; i < ARRAY_LEN(slots); i++)
		if (str_equal(slots[i].prompt, prompt))
			str_addf(&known, " %s", slots[i].name);
	return err_set(e, ERR_INPUT, "there is no slot \"%s\" here; those of this prompt:%s", name,
		       known.text);
}

static int fill_slot(void *ctx, const char *name, struct str *out, struct err *e)
{
	const struct rendering *r = ctx;
	for (size_t i = 0; i < ARRAY_LEN(slots); i++)
		if (str_equal(slots[i].prompt, r->prompt) && str_equal(slots[i].name, name))
			return slots[i].fill(r, name, out, e);
	return refuse_slot(r->prompt, name, e);
}

static int check_used(const char *path, const char *prompt, const struct strv *used, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(slots); i++)
		if (slots[i].is_needed && str_equal(slots[i].prompt, prompt) &&
		    !strv_has(used, slots[i].name))
			return err_set(e, ERR_INPUT,
				       "%s: the slot {{%s}} is missing; write it where its text "
				       "belongs",
				       path, slots[i].name);
	return 0;
}

static int render_file(const struct rendering *r, struct str *out, struct err *e)
{
	AUTO_FREE char *file = xasprintf("prompts/%s.md", r->prompt);
	AUTO_FREE char *path = share_path(file, e);
	AUTO_STR struct str text = STR_INIT;
	AUTO_STRV struct strv used = { 0 };
	struct rendering mine = *r;
	const struct prompt_filling filling = {
		.path = path, .name = r->prompt, .ctx = &mine, .fill = fill_slot
	};
	if (!path || file_read(path, MAX_PROMPT_BYTES, &text, e) < 0 ||
	    prompt_file_fill(&filling, text.text, out, &used, e) < 0)
		return -1;
	return check_used(path, r->prompt, &used, e);
}

int prompt_render(const struct task *t, enum turn_kind kind, const json_t *data, struct str *out,
		  struct err *e)
{
	AUTO_JSON json_t *shown = frame_data(data);
	const struct rendering r = { .task = t, .data = shown, .prompt = turn_kind_name(kind) };
	return render_file(&r, out, e);
}

int prompts_check(const struct task *t, struct err *e)
{
	for (int kind = TURN_JUDGE; kind <= TURN_GENERATE; kind++) {
		AUTO_STR struct str ignored = STR_INIT;
		const struct rendering r = { .task = t,
					     .prompt = turn_kind_name((enum turn_kind)kind) };
		if (render_file(&r, &ignored, e) < 0)
			return -1;
	}
	return 0;
}
