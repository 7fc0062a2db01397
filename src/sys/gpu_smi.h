/*
 * What nvidia-smi says of the GPU that programs of this machine see first: its name, its compute
 * capability and the version of the driver itself, which the driver's library does not tell.
 */
#ifndef FORGE_SYS_GPU_SMI_H
#define FORGE_SYS_GPU_SMI_H

struct err;

struct gpu_smi {
	char name[128];
	char driver[64]; /* "580.159.04" */
	int major;       /* compute capability */
	int minor;
};

/* 0 with *out filled, or -1: no such program, or it knows no device (ERR_SYSTEM, with the cure). */
int gpu_smi_ask(struct gpu_smi *out, struct err *e);

#endif
