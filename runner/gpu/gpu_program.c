#include "runner/gpu/gpu_state.h"

/*
 * Programs of slots. Launches are checked as text from outside is, although the worker made them:
 * what they say goes to the driver. They are captured on a stream of their own, which gives the
 * driver's own graph for every kind of launch, and the graph is looked at before it may be timed.
 */

#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 1 << 16, MARK_STEP = 8 };

static void program_free(struct forge_gpu *g, struct gpu_program *p)
{
	if (p->exec)
		g->cuda.exec_free(p->exec);
	free(p);
}

void gpu_programs_drop(struct forge_gpu *g, int slot)
{
	struct gpu_program **at = &g->programs;
	while (*at) {
		struct gpu_program *p = *at;
		if (slot >= 0 && p->slot != slot) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		program_free(g, p);
	}
}

struct gpu_program *gpu_program_find(struct forge_gpu *g, int slot, unsigned first, unsigned calls)
{
	for (struct gpu_program *p = g->programs; p; p = p->next)
		if (p->slot == slot && p->first == first && p->calls == calls)
			return p;
	return NULL;
}

/* One that stands for the same sets is replaced. */
static void program_put(struct forge_gpu *g, struct gpu_program *p)
{
	struct gpu_program **at = &g->programs;
	while (*at) {
		struct gpu_program *old = *at;
		if (old->slot == p->slot && old->first == p->first && old->calls == p->calls) {
			*at = old->next;
			program_free(g, old);
		} else {
			at = &old->next;
		}
	}
	p->next = g->programs;
	g->programs = p;
}

static struct gpu_program *program_new(struct forge_gpu *g, int slot, unsigned first,
				       unsigned calls)
{
	struct gpu_program *p = NULL;
	if (slot < 0 || slot >= FORGE_GPU_NR_SLOTS || calls == 0 || first >= g->operands.nr_sets ||
	    calls > g->operands.nr_sets - first)
		gpu_fail(g, GPU_USAGE, "a program of %u calls from set %u on, of %u sets", calls,
			 first, g->operands.nr_sets);
	else if (!(p = calloc(1, sizeof(*p))))
		gpu_fail(g, GPU_SYSTEM, "no memory");
	else
		*p = (struct gpu_program){ .slot = slot, .first = first, .calls = calls };
	return p;
}

static int check_nodes(struct forge_gpu *g, void *const *nodes, size_t nr, unsigned allow)
{
	for (size_t i = 0; i < nr; i++) {
		int type = -1;
		if (gpu_check(g, g->cuda.graph_node_type(nodes[i], &type), "look at a graph") < 0)
			return -1;
		bool is_fine = type == CUDA_NODE_KERNEL || type == CUDA_NODE_MEMSET ||
			       (type == CUDA_NODE_MEMCPY && (allow & FORGE_GPU_ALLOW_COPIES));
		if (!is_fine)
			return gpu_fail(g, GPU_REFUSED,
					"the graph has a node of kind %d; kernels and memsets are "
					"what is replayed",
					type);
	}
	return 0;
}

static int inspect(struct forge_gpu *g, void *graph, unsigned allow, size_t *nr)
{
	*nr = 0;
	if (gpu_check(g, g->cuda.graph_nodes(graph, NULL, nr), "look at a graph") < 0)
		return -1;
	if (*nr == 0 || *nr > MAX_NODES)
		return gpu_fail(g, GPU_REFUSED,
				*nr ? "the graph has too many nodes" : "nothing was launched");
	void **nodes = calloc(*nr, sizeof(*nodes));
	if (!nodes)
		return gpu_fail(g, GPU_SYSTEM, "no memory");
	int rc = gpu_check(g, g->cuda.graph_nodes(graph, nodes, nr), "look at a graph");
	if (rc == 0)
		rc = check_nodes(g, nodes, *nr, allow);
	free(nodes);
	return rc;
}

/* Uploaded at once: the first replay must not do it while the stream is held. */
static int instantiate(struct forge_gpu *g, struct gpu_program *p, void *graph)
{
	if (gpu_check(g, g->cuda.graph_make(&p->exec, graph, 0), "make a graph") < 0 ||
	    gpu_check(g, g->cuda.graph_upload(p->exec, g->stream), "upload a graph") < 0)
		return -1;
	return gpu_check(g, g->cuda.stream_wait(g->stream), "upload a graph");
}

FOREIGN(int, forge_gpu_put_graph,
	(struct forge_gpu * g, int slot, unsigned first, unsigned calls, void *graph,
	 unsigned allow))
{
	struct gpu_program *p = program_new(g, slot, first, calls);
	if (!p)
		return -1;
	if (inspect(g, graph, allow, &p->nr_nodes) < 0 || instantiate(g, p, graph) < 0) {
		program_free(g, p);
		return -1;
	}
	program_put(g, p);
	return 0;
}

FOREIGN(int, forge_gpu_put_call,
	(struct forge_gpu * g, int slot, unsigned first, unsigned calls,
	 forge_gpu_enqueue_fn enqueue, void *ctx, unsigned how))
{
	struct gpu_program *p = program_new(g, slot, first, calls);
	if (!p)
		return -1;
	p->enqueue = enqueue;
	p->ctx = ctx;
	p->waits = (how & FORGE_GPU_WAITS) != 0;
	program_put(g, p);
	return 0;
}

/* A list of launches while it is played. */
struct play {
	struct forge_gpu *g;
	void *image;
	const struct gpu_launches *head;
	unsigned char *bytes;                        /* of the records, ours to change */
	unsigned char (*maps)[GPU_TENSOR_MAP_BYTES]; /* encoded, in order */
	size_t nr_maps;
	size_t nr_played;
};

static int function_of(struct play *p, const struct gpu_record *r, void **function)
{
	struct forge_gpu *g = p->g;
	const int code = g->cuda.module_function(function, p->image, r->name);
	if (code != CUDA_OK)
		return gpu_fail(g, GPU_REFUSED, "the image has no kernel %.200s", r->name);
	return 0;
}

static int refused(struct forge_gpu *g, int code, const char *what, const struct gpu_record *r)
{
	if (code == CUDA_OK)
		return 0;
	if (gpu_check(g, code, what) < 0 && g->is_lost)
		return -1;
	char why[300];
	snprintf(why, sizeof(why), "%.250s", g->error);
	return gpu_fail(g, GPU_REFUSED, "kernel %.120s: %s", r->name, why);
}

static int set_attributes(struct forge_gpu *g, const struct gpu_record *r, void *function)
{
	const struct gpu_launch *l = r->launch;
	if (l->max_shared_bytes &&
	    refused(g,
		    g->cuda.function_set(function, CUDA_FUNC_MAX_DYNAMIC_SHARED,
					 (int)l->max_shared_bytes),
		    "dynamic shared memory", r) < 0)
		return -1;
	if (l->carveout != GPU_LAUNCH_NO_CARVEOUT &&
	    refused(g, g->cuda.function_set(function, CUDA_FUNC_CARVEOUT, l->carveout), "carveout",
		    r) < 0)
		return -1;
	if (!l->non_portable_cluster)
		return 0;
	return refused(g, g->cuda.function_set(function, CUDA_FUNC_NON_PORTABLE_CLUSTER, 1),
		       "cluster size", r);
}

/* Marks of tensor maps become the maps. */
static void put_maps(struct play *p, const struct gpu_record *r)
{
	const uint32_t len = r->launch->param_bytes;
	for (uint32_t at = 0; p->nr_maps && at + GPU_TENSOR_MAP_BYTES <= len; at += MARK_STEP) {
		struct gpu_tensor_mark mark;
		memcpy(&mark, r->values + at, sizeof(mark));
		if (memcmp(mark.magic, p->head->magic, sizeof(mark.magic)) == 0 &&
		    mark.index < p->nr_maps)
			memcpy(r->values + at, p->maps[mark.index], GPU_TENSOR_MAP_BYTES);
	}
}

static unsigned put_launch_attributes(const struct gpu_launch *l,
				      struct cuda_launch_attribute out[2])
{
	unsigned nr = 0;
	if (l->cluster[0]) {
		out[nr] = (struct cuda_launch_attribute){ .id = CUDA_LAUNCH_CLUSTER };
		memcpy(out[nr++].value.sizes, l->cluster, sizeof(l->cluster));
	}
	if (l->flags & GPU_LAUNCH_COOPERATIVE) {
		out[nr] = (struct cuda_launch_attribute){ .id = CUDA_LAUNCH_COOPERATIVE };
		out[nr++].value.is_on = 1;
	}
	return nr;
}

static int play_kernel(struct play *p, const struct gpu_record *r)
{
	struct forge_gpu *g = p->g;
	void *function = NULL;
	void *params[GPU_LAUNCH_MAX_PARAMS];
	struct cuda_launch_attribute attributes[2];
	if (function_of(p, r, &function) < 0 || set_attributes(g, r, function) < 0)
		return -1;
	put_maps(p, r);
	for (uint32_t i = 0; i < r->launch->nr_params; i++)
		params[i] = r->values + r->params[i].offset;
	struct cuda_launch_config c = { .shared_bytes = r->launch->shared_bytes,
					.stream = g->capture,
					.attributes = attributes };
	memcpy(c.grid, r->launch->grid, sizeof(c.grid));
	memcpy(c.block, r->launch->block, sizeof(c.block));
	c.nr_attributes = put_launch_attributes(r->launch, attributes);
	p->nr_played++;
	return refused(g, g->cuda.launch(&c, function, params, NULL), "launch", r);
}

static int play_tensor(struct play *p, const struct gpu_record *r)
{
	struct forge_gpu *g = p->g;
	struct gpu_tensor t;
	_Alignas(64) unsigned char map[GPU_TENSOR_MAP_BYTES];
	if (!g->cuda.encode_tensor)
		return gpu_fail(g, GPU_REFUSED, "tensor maps are beyond this driver");
	memcpy(&t, r->values, sizeof(t));
	void *grown = realloc(p->maps, (p->nr_maps + 1) * sizeof(*p->maps));
	if (!grown)
		return gpu_fail(g, GPU_SYSTEM, "no memory");
	p->maps = grown;
	const int code = g->cuda.encode_tensor(map, (int)t.type, t.rank, t.at, t.size, t.stride + 1,
					       t.box, t.step, (int)t.interleave, (int)t.swizzle,
					       (int)t.promotion, (int)t.fill);
	if (code != CUDA_OK)
		return gpu_fail(g, GPU_REFUSED, "a tensor map that the driver refuses (%d)", code);
	memcpy(p->maps[p->nr_maps++], map, sizeof(map));
	return 0;
}

static int play_memset(struct play *p, const struct gpu_record *r)
{
	struct forge_gpu *g = p->g;
	p->nr_played++;
	return gpu_check(g,
			 g->cuda.set(r->launch->at, (unsigned char)r->launch->value,
				     r->launch->width, g->capture),
			 "memset");
}

static int play_record(struct play *p, const struct gpu_record *r)
{
	switch (r->launch->kind) {
	case GPU_LAUNCH_KERNEL:
		return play_kernel(p, r);
	case GPU_LAUNCH_MEMSET:
		return play_memset(p, r);
	default:
		return play_tensor(p, r);
	}
}

static int play_all(struct play *p)
{
	uint64_t at = 0;
	for (uint32_t i = 0; i < p->head->nr; i++) {
		struct gpu_record r;
		if (gpu_record_at(p->bytes, p->head->bytes, at, &r) < 0)
			return gpu_fail(p->g, GPU_USAGE, "launches: record %u is torn", i);
		if (play_record(p, &r) < 0)
			return -1;
		at += r.launch->bytes;
	}
	return 0;
}

static int capture(struct play *p, void **graph)
{
	struct forge_gpu *g = p->g;
	if (gpu_check(g, g->cuda.capture_begin(g->capture, CUDA_CAPTURE_RELAXED), "capture") < 0)
		return -1;
	int rc = play_all(p);
	char why[sizeof(g->error)];
	memcpy(why, g->error, sizeof(why));
	const int code = g->cuda.capture_end(g->capture, graph);
	if (rc < 0)
		memcpy(g->error, why, sizeof(why)); /* it is the cause */
	return rc < 0 ? -1 : gpu_check(g, code, "capture");
}

static int captured(struct play *p, int slot, unsigned first, unsigned calls)
{
	struct forge_gpu *g = p->g;
	void *graph = NULL;
	int rc = capture(p, &graph);
	if (rc == 0)
		rc = forge_gpu_put_graph(g, slot, first, calls, graph, 0);
	if (graph)
		g->cuda.graph_free(graph);
	if (rc == 0 && g->programs->nr_nodes != p->nr_played)
		return gpu_fail(g, GPU_REFUSED, "%zu launches became %zu nodes", p->nr_played,
				g->programs->nr_nodes);
	return rc;
}

FOREIGN(int, forge_gpu_put_launches,
	(struct forge_gpu * g, int slot, unsigned first, unsigned calls, const void *launches,
	 size_t bytes))
{
	struct gpu_launches head;
	if (slot < 0 || slot >= FORGE_GPU_NR_SLOTS || !g->images[slot])
		return gpu_fail(g, GPU_USAGE, "launches: the slot has no image");
	if (bytes < sizeof(head))
		return gpu_fail(g, GPU_USAGE, "launches: no head");
	memcpy(&head, launches, sizeof(head));
	if (head.bytes > bytes - sizeof(head))
		return gpu_fail(g, GPU_USAGE, "launches: records go beyond the end");
	struct play p = { .g = g, .image = g->images[slot], .head = &head };
	p.bytes = malloc(head.bytes + 1);
	if (!p.bytes)
		return gpu_fail(g, GPU_SYSTEM, "no memory");
	memcpy(p.bytes, (const unsigned char *)launches + sizeof(head), head.bytes);
	int rc = captured(&p, slot, first, calls);
	free(p.bytes);
	free(p.maps);
	return rc;
}

int gpu_launches(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r)
{
	uint64_t first = 0;
	uint64_t calls = 0;
	uint64_t from = 0;
	uint64_t bytes = 0;
	int slot = 0;
	unsigned char *at = NULL;
	if (gpu_slot(g, q, &slot) < 0 || gpu_number(g, q, "first", &first) < 0 ||
	    gpu_number(g, q, "calls", &calls) < 0 || gpu_number(g, q, "from", &from) < 0 ||
	    gpu_number(g, q, "bytes", &bytes) < 0 || gpu_shared(g, from, bytes, &at) < 0)
		return -1;
	if (forge_gpu_put_launches(g, slot, (unsigned)first, (unsigned)calls, at, bytes) < 0)
		return -1;
	gpu_say(r, " method=graph nodes=%zu", g->programs->nr_nodes);
	return 0;
}

int gpu_image(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r)
{
	int slot = 0;
	unsigned nr = 0;
	char *path = gpu_path(q, "path", NULL);
	if (gpu_slot(g, q, &slot) < 0 || !path) {
		free(path);
		return path ? -1 : gpu_fail(g, GPU_USAGE, "image: wants path=");
	}
	gpu_programs_drop(g, slot);
	if (g->images[slot])
		g->cuda.module_free(g->images[slot]);
	g->images[slot] = NULL;
	void *image = gpu_read_file(g, path);
	free(path);
	if (!image)
		return -1;
	int rc = gpu_check(g, g->cuda.module_load(&g->images[slot], image), "load machine code");
	free(image);
	if (rc < 0)
		return -1;
	if (g->cuda.module_count)
		g->cuda.module_count(&nr, g->images[slot]);
	gpu_say(r, " functions=%u", nr);
	return 0;
}

static int say_function(struct forge_gpu *g, struct gpu_reply *r, void *image, const char *name)
{
	static const int attributes[] = { CUDA_FUNC_REGISTERS,   CUDA_FUNC_SHARED,
					  CUDA_FUNC_LOCAL,       CUDA_FUNC_CONSTANT,
					  CUDA_FUNC_MAX_THREADS, CUDA_FUNC_MAX_DYNAMIC_SHARED,
					  CUDA_FUNC_BINARY };
	void *function = NULL;
	if (gpu_check(g, g->cuda.module_function(&function, image, name), name) < 0)
		return -1;
	gpu_say(r, " %s=", name);
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		int value = 0;
		if (gpu_check(g, g->cuda.function_get(&value, attributes[i], function), name) < 0)
			return -1;
		gpu_say(r, "%s%d", i ? ":" : "", value);
	}
	return 0;
}

int gpu_functions(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r)
{
	int slot = 0;
	const char *names = gpu_word(q, "names");
	if (gpu_slot(g, q, &slot) < 0)
		return -1;
	if (!names || !g->images[slot])
		return gpu_fail(g, GPU_USAGE, "functions: wants an image and names=");
	char *list = strdup(names);
	char *rest = list;
	int rc = list ? 0 : gpu_fail(g, GPU_SYSTEM, "no memory");
	for (char *name = strsep(&rest, ","); rc == 0 && name; name = strsep(&rest, ","))
		rc = say_function(g, r, g->images[slot], name);
	free(list);
	return rc;
}
