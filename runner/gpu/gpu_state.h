/*
 * Inside libforge-gpu: what its parts share. A request handler returns 0 with words added to
 * the reply, or -1 after gpu_fail.
 */
#ifndef FORGE_GPU_STATE_H
#define FORGE_GPU_STATE_H

#include <stdbool.h>

#include "runner/gpu/cuda_api.h"
#include "runner/gpu/forge_gpu.h"

enum {
	GPU_MAX_ARGS = 256,
	GPU_MAX_SETS = 1024,
	GPU_MAX_CONTENTS = 64,
	GPU_MAX_STORES = 64,
	GPU_ALIGN = 256
};

enum gpu_kind { GPU_IN, GPU_OUT, GPU_INOUT, GPU_WORKSPACE, GPU_SCALAR, GPU_NR_KINDS };

enum gpu_trouble { GPU_USAGE, GPU_SYSTEM, GPU_REFUSED, GPU_FAULT, GPU_TIMEOUT };

struct gpu_arg {
	enum gpu_kind kind;
	uint64_t bytes;
};

/* Operands of a shape: sets in one arena, contents in another, between the tensors of a set a
 * pattern. */
struct gpu_operands {
	struct gpu_arg args[GPU_MAX_ARGS];
	unsigned nr_args;
	unsigned nr_sets;
	unsigned nr_contents;
	cuda_address arena;
	uint64_t arena_bytes;
	uint64_t gap; /* pattern */
	struct gpu_store *store;
	uint64_t *set_at;        /* nr_sets x nr_args: offsets in the arena */
	cuda_address *elsewhere; /* FORGE_GPU_NR_SLOTS x nr_sets x nr_args, 0: in its set */
};

/* Contents of one shape. Those of a shape that comes back are kept, by the number that the worker
 * gave it; 0 is never kept. */
struct gpu_store {
	uint64_t nr;
	struct gpu_arg args[GPU_MAX_ARGS];
	unsigned nr_args;
	unsigned nr_contents;
	cuda_address at;
	uint64_t offsets[GPU_MAX_ARGS]; /* of inputs in a content */
	uint64_t content_bytes;
};

struct gpu_program {
	struct gpu_program *next;
	int slot;
	unsigned first;
	unsigned calls;
	void *exec; /* a graph's, or NULL */
	forge_gpu_enqueue_fn enqueue;
	void *ctx;
	bool waits; /* for the device, inside of enqueue */
	size_t nr_nodes;
};

struct gpu_own {
	void *module;
	void *fill;
	void *print;
	void *compare;
	void *hold;
	void *nothing;
};

struct forge_gpu {
	struct cuda_api cuda;
	struct nvml_api nvml;
	unsigned char *shared;
	size_t shared_bytes;
	bool is_open;
	bool is_lost;
	int device;
	void *context;
	void *stream;
	void *capture;   /* a stream of its own for that */
	void *events[3]; /* begin, end, printed */
	int nr_sm;
	uint64_t l2_bytes;
	struct gpu_own own;
	void *images[FORGE_GPU_NR_SLOTS];
	struct gpu_program *programs;
	struct gpu_operands operands;
	struct gpu_store stores[GPU_MAX_STORES];
	cuda_address flush; /* twice the second-level cache */
	cuda_address prints;
	uint64_t *host_prints;    /* pinned */
	volatile unsigned *flags; /* pinned and mapped, of the hold */
	cuda_address device_flags;
	unsigned ticket;
	enum gpu_trouble trouble;
	char error[512];
};

enum { GPU_EVENT_BEGIN, GPU_EVENT_END, GPU_EVENT_PRINTED };
/* Fingerprints of one sample: outputs, once more, inputs and their contents. */
enum { GPU_MAX_PRINTS = 1 << 14 };

/* Words of a request. */
struct gpu_request {
	const char *verb;
	struct {
		const char *key;
		const char *value;
		bool is_used;
	} words[32];
	unsigned nr;
};

struct gpu_reply {
	char *text;
	size_t len;
};

int gpu_fail(struct forge_gpu *g, enum gpu_trouble t, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* 0 for CUDA_OK; else -1 with a text that names the step; a fault marks the context as lost. */
int gpu_check(struct forge_gpu *g, int code, const char *step);

void gpu_say(struct gpu_reply *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* NULL when the request has no such word. */
const char *gpu_word(struct gpu_request *q, const char *key);
/* A path as heap memory, decoded; NULL: neither it nor `otherwise` is there. */
char *gpu_path(struct gpu_request *q, const char *key, const char *otherwise);
/* A number that must be there. */
int gpu_number(struct forge_gpu *g, struct gpu_request *q, const char *key, uint64_t *out);
int gpu_hex(struct forge_gpu *g, struct gpu_request *q, const char *key, uint64_t *out);
/* Number of the slot that is named. */
int gpu_slot(struct forge_gpu *g, struct gpu_request *q, int *out);
/* Next number of a comma list; false at its end. Moves *at. */
bool gpu_list_next(const char **at, uint64_t *out);
/* A place in the shared memory. */
int gpu_shared(struct forge_gpu *g, uint64_t offset, uint64_t bytes, unsigned char **out);

/* Functions that other languages call take plain arguments, however many. */
#define FOREIGN(type, name, params) type name params

/* gpu_open.c */
int gpu_open(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r);
int gpu_attributes(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r);
int gpu_clock(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r);
int gpu_ceilings(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r);
void gpu_close(struct forge_gpu *g);

/* gpu_operands.c */
int gpu_shape(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r);
int gpu_addresses(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r);
int gpu_content(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r);
int gpu_read(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r);
int gpu_gaps(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r);
void gpu_operands_release(struct forge_gpu *g);
void gpu_stores_release(struct forge_gpu *g);
/* gpu_store.c: the contents of the shape that is laid out; *is_kept: they are there already. */
int gpu_store_take(struct forge_gpu *g, struct gpu_operands *o, uint64_t nr, bool *is_kept);
cuda_address gpu_place(const struct forge_gpu *g, int slot, unsigned set, unsigned arg);
cuda_address gpu_content_place(const struct forge_gpu *g, unsigned content, unsigned arg);

/* gpu_program.c */
int gpu_image(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r);
int gpu_functions(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r);
int gpu_launches(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r);
void gpu_programs_drop(struct forge_gpu *g, int slot); /* -1: of all slots */
struct gpu_program *gpu_program_find(struct forge_gpu *g, int slot, unsigned first, unsigned calls);

/* gpu_sample.c */
int gpu_sample(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r);
int gpu_play(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r);
int gpu_null(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r);

/* gpu_own.c: the library's own, enqueued on its stream. */
int gpu_kernels_load(struct forge_gpu *g, const char *path);
int gpu_fill(struct forge_gpu *g, cuda_address at, uint64_t len, uint64_t pattern);
int gpu_print(struct forge_gpu *g, cuda_address at, uint64_t len, uint64_t key, unsigned place);
int gpu_compare(struct forge_gpu *g, cuda_address at, uint64_t len, uint64_t pattern,
		unsigned place);
int gpu_hold(struct forge_gpu *g);
void gpu_let_go(struct forge_gpu *g);
/* The stream is idle: was the last hold let go in time? */
bool gpu_was_held(const struct forge_gpu *g);
int gpu_nothing(struct forge_gpu *g);
/* A file of machine code as heap memory, or NULL. */
void *gpu_read_file(struct forge_gpu *g, const char *path);

#endif
