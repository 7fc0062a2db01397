#include "runner/gpu/gpu_state.h"

#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 512, BLOCKS_PER_SM = 4, MAX_IMAGE_BYTES = 1 << 28 };

/* A sample is enqueued within microseconds, if its process has a core: where others take all of
 * them it may be without one for a second. Who holds the stream longer has been forgotten, or waits
 * for it. */
static const uint64_t hold_limit_ns = 5000000000;

void *gpu_read_file(struct forge_gpu *g, const char *path)
{
	FILE *f = fopen(path, "rbe");
	char *bytes = NULL;
	long len = -1;
	if (f && fseek(f, 0, SEEK_END) == 0)
		len = ftell(f);
	if (len > 0 && len < MAX_IMAGE_BYTES && fseek(f, 0, SEEK_SET) == 0)
		bytes = calloc(1, (size_t)len + 1);
	if (bytes && fread(bytes, 1, (size_t)len, f) != (size_t)len) {
		free(bytes);
		bytes = NULL;
	}
	if (f)
		fclose(f);
	if (!bytes)
		gpu_fail(g, GPU_SYSTEM, "read %.200s: it is not there or empty", path);
	return bytes;
}

static int find(struct forge_gpu *g, const char *name, void **out)
{
	return gpu_check(g, g->cuda.module_function(out, g->own.module, name), name);
}

int gpu_kernels_load(struct forge_gpu *g, const char *path)
{
	void *image = gpu_read_file(g, path);
	if (!image)
		return -1;
	int rc = gpu_check(g, g->cuda.module_load(&g->own.module, image),
			   "load the library's own kernels");
	free(image);
	if (rc < 0)
		return -1;
	return find(g, "forge_fill", &g->own.fill) < 0 ||
			       find(g, "forge_print", &g->own.print) < 0 ||
			       find(g, "forge_compare", &g->own.compare) < 0 ||
			       find(g, "forge_hold", &g->own.hold) < 0 ||
			       find(g, "forge_nothing", &g->own.nothing) < 0
		       ? -1
		       : 0;
}

static unsigned blocks_for(const struct forge_gpu *g, uint64_t items)
{
	const uint64_t most = (uint64_t)(g->nr_sm > 0 ? g->nr_sm : 1) * BLOCKS_PER_SM;
	const uint64_t wanted = (items + THREADS - 1) / THREADS;
	return (unsigned)(wanted < 1 ? 1 : wanted < most ? wanted : most);
}

static int launch(struct forge_gpu *g, void *function, unsigned blocks, unsigned threads,
		  void **params)
{
	const struct cuda_launch_config c = { .grid = { blocks, 1, 1 },
					      .block = { threads, 1, 1 },
					      .stream = g->stream };
	return gpu_check(g, g->cuda.launch(&c, function, params, NULL), "launch");
}

int gpu_fill(struct forge_gpu *g, cuda_address at, uint64_t len, uint64_t pattern)
{
	void *params[] = { &at, &len, &pattern };
	return len ? launch(g, g->own.fill, blocks_for(g, len / 8), THREADS, params) : 0;
}

int gpu_print(struct forge_gpu *g, cuda_address at, uint64_t len, uint64_t key, unsigned place)
{
	cuda_address out = g->prints + place * sizeof(uint64_t);
	void *params[] = { &at, &len, &key, &out };
	return launch(g, g->own.print, blocks_for(g, len / 8), THREADS, params);
}

int gpu_compare(struct forge_gpu *g, cuda_address at, uint64_t len, uint64_t pattern,
		unsigned place)
{
	cuda_address out = g->prints + place * sizeof(uint64_t);
	void *params[] = { &at, &len, &pattern, &out };
	return len ? launch(g, g->own.compare, blocks_for(g, len), THREADS, params) : 0;
}

int gpu_hold(struct forge_gpu *g)
{
	uint64_t limit = hold_limit_ns;
	g->ticket++;
	void *params[] = { &g->device_flags, &g->ticket, &limit };
	return launch(g, g->own.hold, 1, 1, params);
}

void gpu_let_go(struct forge_gpu *g)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	g->flags[1] = g->ticket;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

bool gpu_was_held(const struct forge_gpu *g)
{
	return g->flags[2] != g->ticket;
}

int gpu_nothing(struct forge_gpu *g)
{
	return launch(g, g->own.nothing, 1, 1, NULL);
}
