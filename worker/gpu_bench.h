/*
 * What a job keeps of the GPU: for each party its machine code and a device process of its own, in
 * which it is judged alone; and how a party is put onto a device, there and where it is timed.
 */
#ifndef FORGE_WORKER_GPU_BENCH_H
#define FORGE_WORKER_GPU_BENCH_H

#include "sys/device_lock.h"
#include "worker/gpu_device.h"
#include "worker/gpu_image.h"
#include "worker/gpu_recorded.h"
#include "worker/gpu_roofline.h"

enum { GPU_PARTIES = 2 }; /* reference and candidate */

struct gpu_bench {
	struct device_lock lock; /* of the device, while nr_holds > 0 */
	unsigned nr_holds;
	struct gpu_image images[GPU_PARTIES];
	bool has_image[GPU_PARTIES];
	bool has_facts[GPU_PARTIES]; /* the driver was asked about its kernels */
	struct gpu_device *devices[GPU_PARTIES];
	/* Where they are timed, side by side: kept from trial to trial. */
	struct gpu_device *timing;
	double copy_bytes_per_s;
	bool is_warm; /* its clock has risen */
	bool has_rates;
	struct gpu_rates rates; /* the stored ceilings */
};

/* Do kernels of this job run on a GPU? */
bool gpu_is_used(const struct worker *w);
/* Made at its first use. */
struct gpu_bench *gpu_bench_of(struct worker *w);
void gpu_bench_free(struct gpu_bench **b);

/* What runs kernels or takes times holds the device: jobs of a machine take turns there, and build,
 * start processes and judge beside each other. Holds nest. */
int gpu_bench_hold(struct worker *w, struct err *e);
void gpu_bench_let_go(struct worker *w);
/* Within a hold: others may have the device until it is taken back. After an error of that the hold
 * has still to be let go, as ever. */
void gpu_bench_lend(struct worker *w);
int gpu_bench_take_back(struct worker *w, struct err *e);

/* The device on which a party is alone. */
struct gpu_device *gpu_bench_alone(struct worker *w, enum party p, struct err *e);
/* The device on which all slots are timed; borrowed, w->gpu holds its facts. */
int gpu_bench_timing(struct worker *w, struct gpu_device **out, struct err *e);
/* gpu_rates_take, once a job. */
struct gpu_rates gpu_bench_rates(struct worker *w);
/* Bytes that the shared memory of a device process needs for the task's largest operand. */
int gpu_shared_bytes(const struct worker *w, size_t *out, struct err *e);
/* Load the code of a party into a slot. */
int gpu_side_load(struct worker *w, struct gpu_device *d, enum party p, const char *slot,
		  struct err *e);

/* What a party launches at one shape. */
struct gpu_side_spec {
	enum party party;
	struct gpu_device *device; /* where the party is loaded already */
	const char *slot;
	const struct footprint *fp;
	uint64_t call_deadline_ns;
};
int gpu_side_record(struct worker *w, const struct gpu_side_spec *s, struct gpu_recorded *out,
		    struct verdict *v, struct err *e);
/* Make its program for `calls` sets from `first` on, of the shape that is laid out. */
struct gpu_binding {
	const struct gpu_recorded *recorded;
	unsigned first;
	unsigned calls;
};
int gpu_side_bind(struct worker *w, const struct gpu_side_spec *s, const struct gpu_binding *b,
		  struct verdict *v, struct err *e);

/* Lay out operands at places that follow from the seed. */
struct gpu_shape_spec {
	const struct footprint *fp;
	unsigned sets;
	unsigned contents;
	uint64_t seed;
	bool is_kept; /* contents stay on the device for when the shape comes back */
};
/* *has_contents: they are there already. */
int gpu_shape_put(struct worker *w, struct gpu_device *d, const struct gpu_shape_spec *s,
		  bool *has_contents, struct err *e);
/* Upload the inputs of one content as number `nr`. */
struct content;
int gpu_content_put(struct worker *w, struct gpu_device *d, const struct content *c, unsigned nr,
		    struct err *e);
/* Copy an operand of a set out. */
int gpu_operand_read(struct worker *w, const struct gpu_side_spec *s, unsigned set, size_t arg,
		     void *to, struct err *e);
/* Argument beside whose memory somebody has written, NULL: none. */
int gpu_stray_write(struct worker *w, struct gpu_device *d, const struct footprint *fp,
		    const char **out, struct err *e);
/* The poison pattern of a salt, as a request says it. */
uint64_t gpu_poison(uint64_t salt);

#endif
