/*
 * The devices that lessons are held against: what `forge-worker probe` says of a host's machine, in
 * the words of a certificate. A machine is its processor, and the GPU in it if there is one;
 * whoever asks what a lesson is worth there passes the machine.
 */
#ifndef FORGE_KNOW_KB_DEVICE_H
#define FORGE_KNOW_KB_DEVICE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/mem.h"

struct kb_device {
	struct arena arena;
	const char *host;     /* kind of host: "local" */
	const char *family;   /* folder of hw_kb; "": none that is known */
	const char *name;     /* as `forge doctor` tells it */
	const char *features; /* words, separated by blanks */
	const char *compiler;
	const char *driver;
	struct kb_device *gpu; /* the first of the same machine, or NULL */
	const char *no_gpu;    /* why there is none, in words, or NULL */
};

/* `machine` is the probe's answer; nothing of it is kept. */
void kb_device_read(struct kb_device *d, const char *host, const json_t *machine);
void kb_device_release(struct kb_device *d);
/* The part of the machine that lessons of a family are about: its GPU if that is of the family. */
const struct kb_device *kb_device_for(const struct kb_device *machine, const char *family);
bool kb_family_is_gpu(const char *family);
#define AUTO_KB_DEVICE __attribute__((cleanup(kb_device_release)))

#endif
