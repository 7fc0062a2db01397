#include "build/ptxas_report.h"

/*
 * ptxas info    : Compiling entry function 'NAME' for 'sm_90a'
 * ptxas info    : Function properties for NAME
 *     16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
 * ptxas info    : Used 40 registers, used 1 barriers, 16 bytes cumulative stack size, 64 bytes smem
 *
 * Properties also stand for functions that a kernel calls; what they spill, the kernel spills.
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

enum { MAX_KERNELS = 4096 };

static const char mark[] = "ptxas info";
static const char entry_mark[] = "Compiling entry function '";

/* The number in "12 bytes smem" that stands before `what`; 0 when nobody speaks of it. */
static uint64_t number_before(const char *line, size_t len, const char *what)
{
	const char *at = memmem(line, len, what, strlen(what));
	while (at && at > line && at[-1] == ' ')
		at--;
	const char *end = at;
	while (at && at > line && isdigit((unsigned char)at[-1]))
		at--;
	return at && at < end ? strtoull(at, NULL, 10) : 0;
}

static bool has(const char *line, size_t len, const char *what)
{
	return memmem(line, len, what, strlen(what)) != NULL;
}

const struct ptxas_kernel *ptxas_report_find(const struct ptxas_report *r, const char *name)
{
	for (size_t i = 0; i < r->nr; i++)
		if (str_equal(r->kernels[i].name, name))
			return &r->kernels[i];
	return NULL;
}

static int kernel_add(struct ptxas_report *r, const char *name, size_t len, struct err *e)
{
	const char *copy = arena_strndup(&r->arena, name, len);
	if (ptxas_report_find(r, copy))
		return err_set(e, ERR_INPUT, "ptxas report: kernel %.200s stands twice", copy);
	if (r->nr == MAX_KERNELS)
		return err_set(e, ERR_INPUT, "ptxas report: more than %d kernels", MAX_KERNELS);
	if (r->nr == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 16;
		r->kernels = xreallocarray(r->kernels, r->cap, sizeof(*r->kernels));
	}
	r->kernels[r->nr++] = (struct ptxas_kernel){ .name = copy };
	return 0;
}

static void properties_take(struct ptxas_kernel *k, const char *line, size_t len)
{
	uint64_t stack = number_before(line, len, "bytes stack frame");
	k->stack_bytes = stack > k->stack_bytes ? stack : k->stack_bytes;
	k->spill_store_bytes += number_before(line, len, "bytes spill stores");
	k->spill_load_bytes += number_before(line, len, "bytes spill loads");
}

static int usage_take(struct ptxas_kernel *k, const char *line, size_t len, struct err *e)
{
	if (k->has_usage)
		return err_set(e, ERR_INPUT, "ptxas report: kernel %.200s is counted twice",
			       k->name);
	k->has_usage = true;
	k->registers = number_before(line, len, "registers");
	k->barriers = number_before(line, len, "barriers");
	k->shared_bytes = number_before(line, len, "bytes smem");
	return 0;
}

static int line_take(struct ptxas_report *r, const char *line, size_t len, struct err *e)
{
	struct ptxas_kernel *last = r->nr ? &r->kernels[r->nr - 1] : NULL;
	bool is_info = len > sizeof(mark) && memcmp(line, mark, sizeof(mark) - 1) == 0;
	const char *entry = is_info ? memmem(line, len, entry_mark, sizeof(entry_mark) - 1) : NULL;
	if (entry) {
		const char *name = entry + sizeof(entry_mark) - 1;
		const char *quote = memchr(name, '\'', len - (size_t)(name - line));
		return quote ? kernel_add(r, name, (size_t)(quote - name), e) : 0;
	}
	if (last && is_info && has(line, len, ": Used ") && has(line, len, " registers"))
		return usage_take(last, line, len, e);
	if (last && is_info && has(line, len, "instructions are serialized"))
		last->is_serialized = true;
	if (last && !is_info && line[0] == ' ' && has(line, len, " bytes stack frame"))
		properties_take(last, line, len);
	return 0;
}

static int check_whole(const struct ptxas_report *r, struct err *e)
{
	for (size_t i = 0; i < r->nr; i++)
		if (!r->kernels[i].has_usage)
			return err_set(e, ERR_INPUT, "ptxas report: kernel %.200s is not counted",
				       r->kernels[i].name);
	return 0;
}

int ptxas_report_parse(struct ptxas_report *r, const char *text, struct err *e)
{
	*r = (struct ptxas_report){ .nr = 0 };
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");
		if (line_take(r, line, len, e) < 0)
			return -1;
		line += len + (line[len] == '\n');
	}
	return check_whole(r, e);
}

void ptxas_report_release(struct ptxas_report *r)
{
	free(r->kernels);
	arena_release(&r->arena);
	*r = (struct ptxas_report){ .nr = 0 };
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void put(json_t *facts, const char *name, uint64_t value)
{
	json_object_set_new(facts, name, json_integer((json_int_t)value));
}

void ptxas_report_facts(const struct ptxas_report *r, json_t *facts)
{
	struct ptxas_kernel all = { .name = "" };
	uint64_t nr_serialized = 0;
	for (size_t i = 0; i < r->nr; i++) {
		const struct ptxas_kernel *k = &r->kernels[i];
		all.registers = larger(all.registers, k->registers);
		all.barriers = larger(all.barriers, k->barriers);
		all.shared_bytes = larger(all.shared_bytes, k->shared_bytes);
		all.stack_bytes = larger(all.stack_bytes, k->stack_bytes);
		all.spill_store_bytes += k->spill_store_bytes;
		all.spill_load_bytes += k->spill_load_bytes;
		nr_serialized += k->is_serialized;
	}
	put(facts, "registers", all.registers);
	put(facts, "barriers", all.barriers);
	put(facts, "static_shared_bytes", all.shared_bytes);
	put(facts, "stack_bytes", all.stack_bytes);
	put(facts, "spill_store_bytes", all.spill_store_bytes);
	put(facts, "spill_load_bytes", all.spill_load_bytes);
	put(facts, "serialized_kernels", nr_serialized);
}
