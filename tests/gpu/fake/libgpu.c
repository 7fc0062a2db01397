/* A fake libforge-gpu for tests of runner/gpu/runner.py: operands are memory of the host, and what it is
 * given is written to the file that FAKE_GPU_LOG names. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETS = 4, ARGS = 8, BYTES = 4096 };

struct forge_gpu {
	unsigned char memory[SETS][ARGS][BYTES];
	int (*enqueue)(void *ctx, void *stream);
	FILE *log;
};

struct forge_gpu *forge_gpu_new(void *shared, size_t bytes)
{
	struct forge_gpu *g = calloc(1, sizeof(*g));
	g->log = fopen(getenv("FAKE_GPU_LOG"), "w");
	fprintf(g->log, "new %s %zu\n", shared ? "shared" : "-", bytes);
	return g;
}

void forge_gpu_free(struct forge_gpu *g)
{
	free(g);
}

int forge_gpu_request(struct forge_gpu *g, const char *line, char *reply)
{
	fprintf(g->log, "request %s\n", line);
	strcpy(reply, "ok method=graph");
	if (strncmp(line, "sample slot=reference", 21) == 0 && g->enqueue)
		sprintf(reply, "ok method=direct rc=%d", g->enqueue(NULL, (void *)7));
	if (strncmp(line, "shape ", 6) == 0 && strstr(line, " again"))
		strcpy(reply, "ok method=graph kept=1");
	if (strncmp(line, "read ", 5) == 0)
		sprintf(reply, "ok first=%d", g->memory[0][1][0]);
	if (strncmp(line, "bad", 3) == 0)
		strcpy(reply, "error usage bad");
	fflush(g->log);
	return strncmp(line, "quit", 4) == 0 ? -1 : 1;
}

const char *forge_gpu_error(const struct forge_gpu *g)
{
	(void)g;
	return "the fake refuses it";
}

void *forge_gpu_stream(const struct forge_gpu *g)
{
	(void)g;
	return (void *)7;
}

unsigned forge_gpu_nr_sets(const struct forge_gpu *g)
{
	(void)g;
	return SETS;
}

uint64_t forge_gpu_address(const struct forge_gpu *g, unsigned set, unsigned arg)
{
	return (uint64_t)(uintptr_t)g->memory[set][arg];
}

int forge_gpu_put_output(struct forge_gpu *g, int slot, unsigned set, unsigned arg, uint64_t at)
{
	fprintf(g->log, "output %d %u %u %s\n", slot, set, arg, at ? "elsewhere" : "-");
	return 0;
}

int forge_gpu_put_graph(struct forge_gpu *g, int slot, unsigned first, unsigned calls, void *graph,
			unsigned allow)
{
	fprintf(g->log, "graph %d %u %u %d %u\n", slot, first, calls, (int)(uintptr_t)graph, allow);
	return getenv("FAKE_REFUSES") ? -1 : 0;
}

int forge_gpu_call_waits(struct forge_gpu *g, int (*enqueue)(void *ctx, void *stream), void *ctx)
{
	const char *waits = getenv("FAKE_WAITS");
	fprintf(g->log, "waits %d %s\n", enqueue(ctx, (void *)7), ctx ? "ctx" : "-");
	return waits ? atoi(waits) : 0;
}

int forge_gpu_put_call(struct forge_gpu *g, int slot, unsigned first, unsigned calls,
		       int (*enqueue)(void *ctx, void *stream), void *ctx, unsigned how)
{
	fprintf(g->log, "call %d %u %u %s %u\n", slot, first, calls, ctx ? "ctx" : "-", how);
	g->enqueue = enqueue;
	return 0;
}
