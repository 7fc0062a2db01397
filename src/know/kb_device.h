/*
 * The device that lessons are held against: what `forge-worker probe` says of a host's machine, in
 * the words of a certificate.
 */
#ifndef FORGE_KNOW_KB_DEVICE_H
#define FORGE_KNOW_KB_DEVICE_H

#include <jansson.h>

#include "base/mem.h"

struct kb_device {
	struct arena arena;
	const char *host;     /* kind of host: "local" */
	const char *family;   /* folder of hw_kb; "": none that is known */
	const char *name;     /* as `forge doctor` tells it */
	const char *features; /* words, separated by blanks */
	const char *compiler;
	const char *driver;
};

/* `machine` is the probe's answer; nothing of it is kept. */
void kb_device_read(struct kb_device *d, const char *host, const json_t *machine);
void kb_device_release(struct kb_device *d);
#define AUTO_KB_DEVICE __attribute__((cleanup(kb_device_release)))

#endif
