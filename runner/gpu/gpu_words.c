#include "runner/gpu/gpu_state.h"

/* Requests come from the worker and are checked all the same: what is wrong is named. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int gpu_fail(struct forge_gpu *g, enum gpu_trouble t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(g->error, sizeof(g->error), fmt, ap);
	va_end(ap);
	for (char *c = g->error; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
	g->trouble = t;
	return -1;
}

static bool is_fault(int code)
{
	return code == CUDA_ILLEGAL_ADDRESS || code == CUDA_LAUNCH_TIMEOUT || code == CUDA_ASSERT ||
	       (code >= CUDA_FIRST_FAULT && code <= CUDA_LAST_FAULT);
}

int gpu_check(struct forge_gpu *g, int code, const char *step)
{
	const char *name = NULL;
	const char *text = NULL;
	if (code == CUDA_OK)
		return 0;
	g->cuda.error_name(code, &name);
	g->cuda.error_text(code, &text);
	if (is_fault(code)) {
		g->is_lost = true;
		return gpu_fail(g, GPU_FAULT, "%d %s", code, text ? text : "the kernel faulted");
	}
	return gpu_fail(g, GPU_SYSTEM, "%s: %s (%s)", step, text ? text : "unknown error",
			name ? name : "?");
}

void gpu_say(struct gpu_reply *r, const char *fmt, ...)
{
	va_list ap;
	const size_t room = FORGE_GPU_REPLY_BYTES - r->len;
	va_start(ap, fmt);
	int len = vsnprintf(r->text + r->len, room, fmt, ap);
	va_end(ap);
	if (len > 0)
		r->len += (size_t)len < room ? (size_t)len : room - 1;
}

const char *gpu_word(struct gpu_request *q, const char *key)
{
	for (unsigned i = 0; i < q->nr; i++)
		if (strcmp(q->words[i].key, key) == 0) {
			q->words[i].is_used = true;
			return q->words[i].value;
		}
	return NULL;
}

static int parse(struct forge_gpu *g, struct gpu_request *q, const char *key, int base,
		 uint64_t *out)
{
	char *end = NULL;
	const char *text = gpu_word(q, key);
	if (!text)
		return gpu_fail(g, GPU_USAGE, "%s wants %s=", q->verb, key);
	errno = 0;
	*out = strtoull(text, &end, base);
	if (errno || end == text || *end || *text == '-')
		return gpu_fail(g, GPU_USAGE, "%s: %s=%.60s is no number", q->verb, key, text);
	return 0;
}

int gpu_number(struct forge_gpu *g, struct gpu_request *q, const char *key, uint64_t *out)
{
	return parse(g, q, key, 10, out);
}

int gpu_hex(struct forge_gpu *g, struct gpu_request *q, const char *key, uint64_t *out)
{
	return parse(g, q, key, 16, out);
}

int gpu_slot(struct forge_gpu *g, struct gpu_request *q, int *out)
{
	static const char *const names[FORGE_GPU_NR_SLOTS] = {
		[FORGE_GPU_REFERENCE] = "reference",
		[FORGE_GPU_CANDIDATE] = "candidate",
		[FORGE_GPU_REFERENCE_AGAIN] = "reference_again",
	};
	const char *text = gpu_word(q, "slot");
	for (int i = 0; text && i < FORGE_GPU_NR_SLOTS; i++)
		if (strcmp(names[i], text) == 0) {
			*out = i;
			return 0;
		}
	return gpu_fail(g, GPU_USAGE, "%s: slot=%.40s is none", q->verb, text ? text : "");
}

/* "%20" and the like. */
char *gpu_path(struct gpu_request *q, const char *key, const char *otherwise)
{
	const char *word = gpu_word(q, key);
	const char *text = word ? word : otherwise;
	char *out = text ? calloc(1, strlen(text) + 1) : NULL;
	char *to = out;
	for (const char *c = text; out && *c; c++) {
		char hex[3] = { c[0] == '%' ? c[1] : 0, c[0] == '%' && c[1] ? c[2] : 0, 0 };
		*to++ = hex[0] && hex[1] ? (char)strtoul(hex, NULL, 16) : *c;
		c += hex[0] && hex[1] ? 2 : 0;
	}
	return out;
}

bool gpu_list_next(const char **at, uint64_t *out)
{
	char *end = NULL;
	if (!**at)
		return false;
	*out = strtoull(*at, &end, 10);
	if (end == *at)
		return false;
	*at = *end == ',' ? end + 1 : end;
	return true;
}

int gpu_shared(struct forge_gpu *g, uint64_t offset, uint64_t bytes, unsigned char **out)
{
	if (offset > g->shared_bytes || bytes > g->shared_bytes - offset)
		return gpu_fail(g, GPU_USAGE, "%llu bytes at %llu are not within the %zu shared",
				(unsigned long long)bytes, (unsigned long long)offset,
				g->shared_bytes);
	*out = g->shared + offset;
	return 0;
}
