#include "tuner/kernel.h"

/* Parameters go with the task's arguments by position: the source may call them anything. */

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "tuner/ir.h"
#include "tuner/row.h"
#include "tuner/ttask.h"
#include "tuner/walk.h"

static const char *describe_mismatch(const struct kernel *k)
{
	const struct function *f = &k->unit.entry;
	if (f->nr_params != k->task->nr_args)
		return arena_printf(k->a, "%s has %zu parameters, the task %zu arguments", f->name,
				    f->nr_params, k->task->nr_args);
	for (size_t i = 0; i < f->nr_params; i++)
		if (f->params[i].is_pointer == k->task->args[i].is_scalar)
			return arena_printf(k->a, "parameter %s and argument %s differ in kind",
					    f->params[i].name, k->task->args[i].name);
	return NULL;
}

/* Parameters that the task calls sizes and the body never changes. */
static struct dims find_sizes(const struct kernel *k)
{
	const struct function *f = &k->unit.entry;
	struct dims sizes = { .items = arena_array(k->a, f->nr_params + 1, sizeof(struct dim)) };
	for (size_t i = 0; i < f->nr_params; i++)
		if (k->task->args[i].is_size && !stmt_changes(f->body, f->params[i].name))
			sizes.items[sizes.nr++] = (struct dim){ f->params[i].name, 0 };
	return sizes;
}

static void add_general(struct kernel *k)
{
	k->variants = arena_alloc(k->a, sizeof(*k->variants));
	k->nr_variants = 1;
	k->variants[0] = (struct variant){
		.a = k->a,
		.body = k->unit.entry.body,
		.view = { .f = &k->unit.entry, .body = k->unit.entry.body, .sizes = find_sizes(k) },
	};
}

void kernel_init(struct kernel *k, const char *source, const struct tuner_task *task,
		 struct arena *a)
{
	struct err why = { 0 };
	*k = (struct kernel){ .a = a, .task = task, .source = source, .cc = "gcc" };
	strv_add(&k->flags, "-O2");
	if (unit_parse(&k->unit, source, task->entry, a, &why) < 0)
		k->unread = arena_strdup(a, why.text);
	else
		k->unread = describe_mismatch(k);
	if (!k->unread)
		add_general(k);
}

void kernel_release(struct kernel *k)
{
	strv_release(&k->flags);
	strv_release(&k->texts);
	strv_release(&k->taken);
}

void kernel_need_text(struct kernel *k, const char *text)
{
	if (!strv_has(&k->texts, text) && !strstr(k->source, text))
		strv_add(&k->texts, text);
}

void kernel_forget_texts(struct kernel *k, size_t nr)
{
	while (k->texts.nr > nr) {
		free(k->texts.items[--k->texts.nr]);
		k->texts.items[k->texts.nr] = NULL;
	}
}

struct stmt *kernel_loop_below(struct stmt *s, const char *label)
{
	if (s->loop && strcmp(s->loop->label, label) == 0)
		return s;
	for (size_t i = 0; i < s->nr; i++) {
		struct stmt *found = kernel_loop_below(s->items[i], label);
		if (found)
			return found;
	}
	return NULL;
}

struct stmt *kernel_loop(const struct variant *v, const char *label)
{
	return kernel_loop_below(v->body, label);
}

int kernel_need_loop(const struct kernel *k, const struct row *row, struct err *e)
{
	const char *label = row_get(row, "loop");
	if (k->unread)
		return err_set(e, ERR_INPUT, "the source was not read: %s", k->unread);
	for (size_t i = 0; i < k->nr_variants; i++)
		if (kernel_loop(&k->variants[i], label))
			return 0;
	return err_set(e, ERR_INPUT, "there is no loop %s that counts up to a fixed bound", label);
}

static bool see_threads(void *ctx, const struct stmt *s)
{
	bool *is_found = ctx;
	*is_found = *is_found || (s->loop && s->loop->threads);
	return !*is_found;
}

static bool see_simd(void *ctx, const struct stmt *s)
{
	bool *is_found = ctx;
	*is_found = *is_found || (s->loop && s->loop->is_simd);
	return !*is_found;
}

static bool any_loop(const struct kernel *k, bool (*see)(void *ctx, const struct stmt *s))
{
	bool is_found = false;
	for (size_t i = 0; i < k->nr_variants; i++)
		walk_stmt(&(struct walk){ &is_found, NULL, see }, k->variants[i].body);
	return is_found;
}

bool kernel_has_threads(const struct kernel *k)
{
	return any_loop(k, see_threads);
}

bool kernel_has_simd(const struct kernel *k)
{
	return any_loop(k, see_simd);
}
