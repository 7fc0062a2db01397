#include "runner/gpu/gpu_state.h"

/* The table of requests, and one line in, one line out. */

#include <stdlib.h>
#include <string.h>

typedef int (*handler_fn)(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r);

static const struct {
	const char *verb;
	handler_fn handle;
	bool is_first; /* works before `open` */
} rows[] = {
	{ "open", gpu_open, true },
	{ "attributes", gpu_attributes, false },
	{ "clock", gpu_clock, false },
	{ "ceilings", gpu_ceilings, false },
	{ "shape", gpu_shape, false },
	{ "addresses", gpu_addresses, false },
	{ "content", gpu_content, false },
	{ "read", gpu_read, false },
	{ "gaps", gpu_gaps, false },
	{ "image", gpu_image, false },
	{ "functions", gpu_functions, false },
	{ "launches", gpu_launches, false },
	{ "sample", gpu_sample, false },
	{ "play", gpu_play, false },
	{ "null", gpu_null, false },
};

enum { NR_ROWS = sizeof(rows) / sizeof(rows[0]), MAX_LINE = 1 << 16 };

int forge_gpu_version(void)
{
	return FORGE_GPU_VERSION;
}

struct forge_gpu *forge_gpu_new(void *shared, size_t shared_bytes)
{
	struct forge_gpu *g = calloc(1, sizeof(*g));
	if (!g)
		return NULL;
	g->shared = shared;
	g->shared_bytes = shared_bytes;
	return g;
}

void forge_gpu_free(struct forge_gpu *g)
{
	if (!g)
		return;
	gpu_close(g);
	free(g);
}

const char *forge_gpu_error(const struct forge_gpu *g)
{
	return g->error;
}

void *forge_gpu_stream(const struct forge_gpu *g)
{
	return g->stream;
}

/* Takes the line apart in place. */
static int split(struct forge_gpu *g, char *line, struct gpu_request *q)
{
	char *rest = line;
	q->verb = strsep(&rest, " ");
	for (char *word = strsep(&rest, " "); word; word = strsep(&rest, " ")) {
		char *equals = strchr(word, '=');
		if (!equals || q->nr == sizeof(q->words) / sizeof(q->words[0]))
			return gpu_fail(g, GPU_USAGE, "%.40s: %.60s: not KEY=VALUE", q->verb, word);
		*equals = 0;
		q->words[q->nr].key = word;
		q->words[q->nr++].value = equals + 1;
	}
	return 0;
}

static int handle(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r)
{
	for (unsigned i = 0; i < NR_ROWS; i++) {
		if (strcmp(rows[i].verb, q->verb) != 0)
			continue;
		if (!g->is_open && !rows[i].is_first)
			return gpu_fail(g, GPU_USAGE, "%s: the device is not open", q->verb);
		if (rows[i].handle(g, q, r) < 0)
			return -1;
		for (unsigned k = 0; k < q->nr; k++)
			if (!q->words[k].is_used)
				return gpu_fail(g, GPU_USAGE, "%s knows no %.40s=", q->verb,
						q->words[k].key);
		return 0;
	}
	return gpu_fail(g, GPU_USAGE, "no request %.40s", q->verb);
}

static void say_trouble(const struct forge_gpu *g, struct gpu_reply *r)
{
	static const char *const names[] = { [GPU_USAGE] = "usage",
					     [GPU_SYSTEM] = "system",
					     [GPU_REFUSED] = "refused",
					     [GPU_FAULT] = "fault",
					     [GPU_TIMEOUT] = "timeout" };
	r->len = 0;
	gpu_say(r, "error %s %s", names[g->trouble], g->error);
}

int forge_gpu_request(struct forge_gpu *g, const char *line, char *reply)
{
	struct gpu_request q = { 0 };
	struct gpu_reply r = { .text = reply };
	gpu_say(&r, "ok");
	if (strcmp(line, "quit") == 0)
		return -1;
	char *copy = strlen(line) < MAX_LINE ? strdup(line) : NULL;
	int rc = copy ? split(g, copy, &q) : gpu_fail(g, GPU_USAGE, "the request is too long");
	if (rc == 0)
		rc = handle(g, &q, &r);
	free(copy);
	if (rc < 0)
		say_trouble(g, &r);
	return g->is_lost ? 0 : 1;
}
