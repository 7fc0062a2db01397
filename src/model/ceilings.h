/*
 * What a GPU was once seen to reach (docs/format/ceilings.md): bytes copied and operations of its
 * units in a second. Measured once a kind of device by the worker or by forge doctor
 * (build/gpu_measure.h), kept in a file; they give profiles their place below the roofline and the
 * physical floor its bounds. They are rates of the hardware, not what any kernel should reach.
 */
#ifndef FORGE_MODEL_CEILINGS_H
#define FORGE_MODEL_CEILINGS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/mem.h"

struct err;

struct ceilings {
	const char *fingerprint; /* of the kind of device (sys/gpu.h) */
	const char *device;
	const char *arch;          /* what the measuring program was compiled for */
	const char *compiler;      /* line of its --version */
	const char *date;          /* UTC */
	int driver;                /* highest CUDA version it served, 13000: 13.0 */
	double copy_bytes_per_s;   /* read and written, large, device to device */
	double matrix_flops_per_s; /* matrix units, bf16 operands, f32 sums */
	const char *matrix_method; /* instruction: "wgmma", "mma.sync" */
	double f32_flops_per_s;    /* fused multiply-add, two operations each */
};

/* Text lives in the arena. `doc` stands in messages. */
int ceilings_parse(struct ceilings *c, const json_t *json, const char *doc, struct arena *a,
		   struct err *e);
json_t *ceilings_to_json(const struct ceilings *c);
/* The file of a kind of device: $FORGE_CEILINGS, or ceilings/ in the user's data folder; yours, or
 * NULL when there is no place. */
char *ceilings_path(const char *fingerprint);
/* 0 and *is_there false when there is no such file. */
int ceilings_load(struct ceilings *c, const char *fingerprint, struct arena *a, bool *is_there,
		  struct err *e);
int ceilings_save(const struct ceilings *c, struct err *e);

/* Where a call stands below the roofline: what it does in a second of the most that its bytes and
 * operations allow. `flops_rate` is that of the units which do its arithmetic. */
struct roofline_place {
	double intensity; /* operations a byte; 0: one of them is unknown */
	double ridge;     /* intensity at which both ceilings meet */
	double share;     /* of the lower ceiling, a fraction; 0: unknown */
};
struct roofline_place ceilings_place(double bytes_rate, double flops_rate, double bytes,
				     double flops, double call_ns);

#endif
