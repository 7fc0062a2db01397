#include "runner/gpu/gpu_state.h"

/*
 * All slots use the same sets: an address can favour a round but no side. Every tensor begins at a
 * multiple of 256 bytes behind a gap of random length; the whole arena holds a pattern before
 * operands are put there, and what of it is no operand must hold it afterwards.
 */

#include <stdlib.h>
#include <string.h>

enum { GAP_BYTES = 4096, SHIFTS = 16, FIRST_SHIFTS = 256 };

static const char *const kind_names[GPU_NR_KINDS] = { "in", "out", "inout", "workspace", "scalar" };

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static uint64_t draw(uint64_t *state, uint64_t below)
{
	*state += 0x9e3779b97f4a7c15ULL;
	return mix(*state) % below;
}

uint64_t forge_gpu_fingerprint(const void *bytes, size_t len, uint64_t key)
{
	uint64_t sum = mix(len ^ key);
	for (size_t i = 0; i < (len + 7) / 8; i++) {
		uint64_t w = 0;
		size_t left = len - i * 8;
		memcpy(&w, (const unsigned char *)bytes + i * 8, left < 8 ? left : 8);
		sum += mix(w ^ mix(key + i + 1));
	}
	return sum;
}

static int parse_kind(const char *text, size_t len, enum gpu_kind *out)
{
	for (unsigned i = 0; i < GPU_NR_KINDS; i++)
		if (strlen(kind_names[i]) == len && strncmp(kind_names[i], text, len) == 0) {
			*out = (enum gpu_kind)i;
			return 0;
		}
	return -1;
}

/* "in:4096,out:64,scalar:0" */
static int parse_args(struct forge_gpu *g, const char *text, struct gpu_operands *o)
{
	while (*text && o->nr_args < GPU_MAX_ARGS) {
		struct gpu_arg *a = &o->args[o->nr_args];
		size_t len = strcspn(text, ":");
		char *end = NULL;
		if (parse_kind(text, len, &a->kind) < 0 || text[len] != ':')
			return gpu_fail(g, GPU_USAGE, "shape: args=%.60s: no such kind", text);
		a->bytes = strtoull(text + len + 1, &end, 10);
		if (end == text + len + 1 || (*end && *end != ','))
			return gpu_fail(g, GPU_USAGE, "shape: args=%.60s: no size", text);
		text = *end ? end + 1 : end;
		o->nr_args++;
	}
	return *text ? gpu_fail(g, GPU_USAGE, "shape: more than %d arguments", GPU_MAX_ARGS) : 0;
}

static bool is_tensor(const struct gpu_arg *a)
{
	return a->kind != GPU_SCALAR;
}

static bool is_input(const struct gpu_arg *a)
{
	return a->kind == GPU_IN || a->kind == GPU_INOUT;
}

static uint64_t up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static void lay_out_sets(struct gpu_operands *o, uint64_t seed)
{
	uint64_t at = GAP_BYTES * (1 + draw(&seed, FIRST_SHIFTS));
	for (unsigned s = 0; s < o->nr_sets; s++)
		for (unsigned a = 0; a < o->nr_args; a++) {
			if (!is_tensor(&o->args[a]))
				continue;
			at = up(at + GAP_BYTES + GPU_ALIGN * draw(&seed, SHIFTS), GPU_ALIGN);
			o->set_at[s * o->nr_args + a] = at;
			at += o->args[a].bytes;
		}
	o->arena_bytes = up(at + GAP_BYTES, 8);
	o->gap = mix(seed) | 1;
}

void gpu_operands_release(struct forge_gpu *g)
{
	struct gpu_operands *o = &g->operands;
	if (o->arena)
		g->cuda.mem_free(o->arena);
	free(o->set_at);
	free(o->elsewhere);
	*o = (struct gpu_operands){ 0 };
}

static int allocate(struct forge_gpu *g, struct gpu_operands *o)
{
	if (gpu_check(g, g->cuda.mem_alloc(&o->arena, o->arena_bytes), "memory for operands") < 0)
		return -1;
	if (gpu_fill(g, o->arena, o->arena_bytes, o->gap) < 0)
		return -1;
	return gpu_check(g, g->cuda.stream_wait(g->stream), "fill the operands");
}

static int parse_shape(struct forge_gpu *g, struct gpu_request *q, struct gpu_operands *o)
{
	uint64_t sets = 0;
	uint64_t contents = 0;
	const char *args = gpu_word(q, "args");
	if (gpu_number(g, q, "sets", &sets) < 0 || gpu_number(g, q, "contents", &contents) < 0)
		return -1;
	if (!args || !sets || sets > GPU_MAX_SETS || !contents || contents > GPU_MAX_CONTENTS)
		return gpu_fail(g, GPU_USAGE, "shape: wants args=, sets= and contents=");
	gpu_operands_release(g);
	o->nr_sets = (unsigned)sets;
	o->nr_contents = (unsigned)contents;
	return parse_args(g, args, o);
}

int gpu_shape(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r)
{
	uint64_t seed = 0;
	uint64_t store = 0;
	bool is_kept = false;
	struct gpu_operands *o = &g->operands;
	if (gpu_number(g, q, "seed", &seed) < 0 ||
	    (gpu_word(q, "store") && gpu_number(g, q, "store", &store) < 0))
		return -1;
	gpu_programs_drop(g, -1);
	if (parse_shape(g, q, o) < 0)
		return -1;
	const size_t nr = (size_t)o->nr_sets * (o->nr_args + 1);
	o->set_at = calloc(nr, sizeof(*o->set_at));
	o->elsewhere = calloc(FORGE_GPU_NR_SLOTS * nr, sizeof(*o->elsewhere));
	if (!o->set_at || !o->elsewhere)
		return gpu_fail(g, GPU_SYSTEM, "no memory");
	lay_out_sets(o, seed);
	if (gpu_store_take(g, o, store, &is_kept) < 0 || allocate(g, o) < 0)
		return -1;
	gpu_say(r, " bytes=%llu kept=%d", (unsigned long long)o->arena_bytes, is_kept ? 1 : 0);
	return 0;
}

uint64_t forge_gpu_address(const struct forge_gpu *g, unsigned set, unsigned arg)
{
	const struct gpu_operands *o = &g->operands;
	if (set >= o->nr_sets || arg >= o->nr_args || !is_tensor(&o->args[arg]))
		return 0;
	return o->arena + o->set_at[set * o->nr_args + arg];
}

uint64_t forge_gpu_bytes(const struct forge_gpu *g, unsigned arg)
{
	return arg < g->operands.nr_args ? g->operands.args[arg].bytes : 0;
}

unsigned forge_gpu_nr_sets(const struct forge_gpu *g)
{
	return g->operands.nr_sets;
}

unsigned forge_gpu_nr_args(const struct forge_gpu *g)
{
	return g->operands.nr_args;
}

static cuda_address *elsewhere(const struct forge_gpu *g, int slot, unsigned set, unsigned arg)
{
	const struct gpu_operands *o = &g->operands;
	return &o->elsewhere[((size_t)slot * o->nr_sets + set) * o->nr_args + arg];
}

cuda_address gpu_place(const struct forge_gpu *g, int slot, unsigned set, unsigned arg)
{
	cuda_address own = *elsewhere(g, slot, set, arg);
	return own ? own : forge_gpu_address(g, set, arg);
}

cuda_address gpu_content_place(const struct forge_gpu *g, unsigned content, unsigned arg)
{
	const struct gpu_store *s = g->operands.store;
	return s->at + content * s->content_bytes + s->offsets[arg];
}

int forge_gpu_put_output(struct forge_gpu *g, int slot, unsigned set, unsigned arg, uint64_t at)
{
	const struct gpu_operands *o = &g->operands;
	if (slot < 0 || slot >= FORGE_GPU_NR_SLOTS || set >= o->nr_sets || arg >= o->nr_args ||
	    (o->args[arg].kind != GPU_OUT && o->args[arg].kind != GPU_INOUT) || at % 8)
		return gpu_fail(g, GPU_USAGE, "not an output of a set, or not aligned");
	*elsewhere(g, slot, set, arg) = at;
	return 0;
}

int gpu_addresses(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r)
{
	uint64_t set = 0;
	uint64_t sets = 1;
	const struct gpu_operands *o = &g->operands;
	if (gpu_number(g, q, "set", &set) < 0 ||
	    (gpu_word(q, "sets") && gpu_number(g, q, "sets", &sets) < 0))
		return -1;
	if (set >= o->nr_sets || sets > o->nr_sets - set)
		return gpu_fail(g, GPU_USAGE, "addresses: there are %u sets", o->nr_sets);
	gpu_say(r, " at=");
	for (uint64_t s = 0; s < sets; s++)
		for (unsigned a = 0; a < o->nr_args; a++)
			gpu_say(r, "%s%llx", s || a ? "," : "",
				(unsigned long long)forge_gpu_address(g, (unsigned)(set + s), a));
	return 0;
}

int gpu_content(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r)
{
	uint64_t nr = 0;
	uint64_t arg = 0;
	uint64_t from = 0;
	unsigned char *bytes = NULL;
	const struct gpu_operands *o = &g->operands;
	(void)r;
	if (gpu_number(g, q, "nr", &nr) < 0 || gpu_number(g, q, "arg", &arg) < 0 ||
	    gpu_number(g, q, "from", &from) < 0)
		return -1;
	if (nr >= o->nr_contents || arg >= o->nr_args || !is_input(&o->args[arg]))
		return gpu_fail(g, GPU_USAGE, "content: no such input");
	if (gpu_shared(g, from, o->args[arg].bytes, &bytes) < 0)
		return -1;
	if (o->args[arg].bytes == 0)
		return 0;
	if (gpu_check(g,
		      g->cuda.to_device(gpu_content_place(g, (unsigned)nr, (unsigned)arg), bytes,
					o->args[arg].bytes, g->stream),
		      "upload") < 0)
		return -1;
	return gpu_check(g, g->cuda.stream_wait(g->stream), "upload");
}

int gpu_read(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r)
{
	uint64_t set = 0;
	uint64_t arg = 0;
	uint64_t to = 0;
	int slot = 0;
	unsigned char *bytes = NULL;
	const struct gpu_operands *o = &g->operands;
	(void)r;
	if (gpu_slot(g, q, &slot) < 0 || gpu_number(g, q, "set", &set) < 0 ||
	    gpu_number(g, q, "arg", &arg) < 0 || gpu_number(g, q, "to", &to) < 0)
		return -1;
	if (set >= o->nr_sets || arg >= o->nr_args || !is_tensor(&o->args[arg]))
		return gpu_fail(g, GPU_USAGE, "read: no such operand");
	if (gpu_shared(g, to, o->args[arg].bytes, &bytes) < 0)
		return -1;
	if (o->args[arg].bytes == 0)
		return 0;
	if (gpu_check(g,
		      g->cuda.to_host(bytes, gpu_place(g, slot, (unsigned)set, (unsigned)arg),
				      o->args[arg].bytes, g->stream),
		      "download") < 0)
		return -1;
	return gpu_check(g, g->cuda.stream_wait(g->stream), "download");
}

/* What lies before each tensor, in the order of the arena, and behind the last one; place i counts
 * what is wrong before tensor i. */
static int compare_gaps(struct forge_gpu *g, unsigned nr)
{
	const struct gpu_operands *o = &g->operands;
	uint64_t at = 0;
	unsigned place = 0;
	for (unsigned i = 0; i < o->nr_sets * o->nr_args; i++) {
		if (!is_tensor(&o->args[i % o->nr_args]))
			continue;
		if (gpu_compare(g, o->arena + at, o->set_at[i] - at, o->gap, place++) < 0)
			return -1;
		at = o->set_at[i] + o->args[i % o->nr_args].bytes;
	}
	if (gpu_compare(g, o->arena + at, o->arena_bytes - at, o->gap, place) < 0)
		return -1;
	return gpu_check(
		g, g->cuda.to_host(g->host_prints, g->prints, nr * sizeof(uint64_t), g->stream),
		"download");
}

static unsigned nr_tensors(const struct gpu_operands *o)
{
	unsigned nr = 0;
	for (unsigned a = 0; a < o->nr_args; a++)
		nr += is_tensor(&o->args[a]);
	return nr;
}

/* Argument of the n-th tensor of the arena. */
static unsigned arg_of_tensor(const struct gpu_operands *o, unsigned n)
{
	unsigned a = 0;
	n %= nr_tensors(o);
	while (!is_tensor(&o->args[a]) || n-- > 0)
		a++;
	return a;
}

int gpu_gaps(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r)
{
	const struct gpu_operands *o = &g->operands;
	const unsigned nr = o->nr_sets * nr_tensors(o) + 1;
	(void)q;
	if (nr > GPU_MAX_PRINTS || nr == 1)
		return gpu_fail(g, GPU_USAGE, "gaps: no operands, or too many");
	if (gpu_check(g, g->cuda.set(g->prints, 0, nr * sizeof(uint64_t), g->stream), "memset") <
		    0 ||
	    compare_gaps(g, nr) < 0 || gpu_check(g, g->cuda.stream_wait(g->stream), "gaps") < 0)
		return -1;
	int stray = -1;
	/* Most strays are behind a tensor: before the next one. */
	for (unsigned i = 0; stray < 0 && i < nr; i++)
		if (g->host_prints[i])
			stray = (int)arg_of_tensor(o, i ? i - 1 : 0);
	gpu_say(r, " stray=%d", stray);
	return 0;
}
