/*
 * Certification: a lesson's probe is built and run on a host, and what it printed is held against
 * the lesson's claims. Where and how a probe runs is the caller's: this layer knows no hosts.
 */
#ifndef FORGE_KNOW_CERTIFY_H
#define FORGE_KNOW_CERTIFY_H

#include <jansson.h>

#include "know/cert.h"

struct err;
struct kb_device;
struct lesson;

/* Runs of a probe, each a process of its own; the median is held against the claim. */
enum { PROBE_RUNS = 3, PROBE_NOT_APPLICABLE = 77 };

struct probe_ops {
	/* Build the probe at `path` and run it PROBE_RUNS times: {"compiler", "built", "log",
	 * "runs": [{"exit", "how", "out", "err"}]}, a new reference. NULL: the place failed. */
	json_t *(*run)(void *ctx, const char *path, struct err *e);
	void *ctx;
};

/* Run it and make the certificate of the machine's device, dated `date`; a new reference. NULL: the
 * probe can not be read, does not build, fails, or does not print what is claimed: nothing is known
 * then. Nothing is written. */
json_t *certify(const struct lesson *l, const struct kb_device *machine, const char *date,
		const struct probe_ops *ops, struct err *e);
/* What the certificate says. */
enum lesson_state certify_state(const json_t *certificate);

#endif
