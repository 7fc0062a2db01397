#include "runner/gpu/gpu_state.h"

/* Inputs are drawn on the host, and sending them takes longer than a replicate is timed: a shape
 * that comes back finds its contents. */

#include <string.h>

static bool fits(const struct gpu_store *s, const struct gpu_operands *o, uint64_t nr)
{
	if (!s->at || s->nr != nr || nr == 0 || s->nr_args != o->nr_args ||
	    s->nr_contents != o->nr_contents)
		return false;
	for (unsigned a = 0; a < o->nr_args; a++)
		if (s->args[a].kind != o->args[a].kind || s->args[a].bytes != o->args[a].bytes)
			return false;
	return true;
}

static void drop(struct forge_gpu *g, struct gpu_store *s)
{
	if (s->at)
		g->cuda.mem_free(s->at);
	*s = (struct gpu_store){ 0 };
}

void gpu_stores_release(struct forge_gpu *g)
{
	for (unsigned i = 0; i < GPU_MAX_STORES; i++)
		drop(g, &g->stores[i]);
}

/* An unused one, or the one of that number; when all are used, all go. */
static struct gpu_store *room(struct forge_gpu *g, uint64_t nr)
{
	struct gpu_store *unused = NULL;
	for (unsigned i = 0; i < GPU_MAX_STORES; i++) {
		if (g->stores[i].at && g->stores[i].nr == nr) {
			drop(g, &g->stores[i]);
			return &g->stores[i];
		}
		if (!g->stores[i].at && !unused)
			unused = &g->stores[i];
	}
	if (unused)
		return unused;
	gpu_stores_release(g);
	return &g->stores[0];
}

static void lay_out(struct gpu_store *s, const struct gpu_operands *o, uint64_t nr)
{
	*s = (struct gpu_store){ .nr = nr, .nr_args = o->nr_args, .nr_contents = o->nr_contents };
	memcpy(s->args, o->args, sizeof(s->args));
	for (unsigned a = 0; a < o->nr_args; a++) {
		s->offsets[a] = s->content_bytes;
		if (o->args[a].kind == GPU_IN || o->args[a].kind == GPU_INOUT)
			s->content_bytes +=
				(o->args[a].bytes + GPU_ALIGN - 1) / GPU_ALIGN * GPU_ALIGN;
	}
}

/* Once more without what other shapes keep, when there is no memory. */
static int allocate(struct forge_gpu *g, struct gpu_store **s)
{
	struct gpu_store wanted = **s;
	const uint64_t bytes = wanted.content_bytes * wanted.nr_contents;
	const size_t len = bytes ? bytes : GPU_ALIGN;
	if (g->cuda.mem_alloc(&(*s)->at, len) == CUDA_OK)
		return 0;
	(*s)->at = 0;
	gpu_stores_release(g);
	*s = &g->stores[0];
	**s = wanted;
	return gpu_check(g, g->cuda.mem_alloc(&(*s)->at, len), "memory for inputs");
}

int gpu_store_take(struct forge_gpu *g, struct gpu_operands *o, uint64_t nr, bool *is_kept)
{
	*is_kept = false;
	for (unsigned i = 0; !*is_kept && i < GPU_MAX_STORES; i++)
		if (fits(&g->stores[i], o, nr)) {
			o->store = &g->stores[i];
			*is_kept = true;
		}
	if (*is_kept)
		return 0;
	struct gpu_store *s = room(g, nr);
	lay_out(s, o, nr);
	if (allocate(g, &s) < 0)
		return -1;
	o->store = s;
	return 0;
}
