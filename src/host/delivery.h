/*
 * The sender's side of a delivery (docs/format/delivery.md): the folder that goes to a host, and
 * the way back of what the worker made there. Drivers that copy share it.
 */
#ifndef FORGE_HOST_DELIVERY_H
#define FORGE_HOST_DELIVERY_H

#include <stdbool.h>

struct err;
struct host_spec;
struct host_status;
struct settings;
struct str;

/* "r0007-screen-0123456789abcdef": the same for the same bundle folder of the same machine, or the
 * same asker of a probe, so that who comes back finds what he left, and nobody else's. Letters,
 * digits, '-', '_' and '.' only. Yours. */
char *delivery_name(const struct host_spec *spec);

struct delivery_spec {
	const struct host_spec *host;
	const struct settings *settings;
	const char *ask; /* of the order; NULL: none */
	bool has_kit;    /* the worker and what it needs go with it */
};
/* Make the folder: order.json, bundle/ and the kit. What was there goes. */
int delivery_make(const char *dir, const struct delivery_spec *spec, struct err *e);
/* order.json alone. */
int delivery_save_order(const char *dir, const struct delivery_spec *spec, struct err *e);
/* What runs kernels of a GPU travels with jobs of such, and lies in a kit that others share. */
enum kit_for { KIT_FOR_BUNDLE, KIT_FOR_ALL };
/* kit/: bin/forge-worker, bin/forge-runner and the headers that sources include, as an installation
 * has them. */
int delivery_make_kit(const char *dir, const struct host_spec *spec, enum kit_for whom,
		      struct err *e);
/* Are the programs of the kit that serves all jobs those that this forge would put there? */
bool delivery_kit_is_whole(const char *dir, const struct host_spec *spec);
/* Is there a delivery of this very bundle? */
bool delivery_is_of(const char *dir, const struct host_spec *spec);

/* Read the answer below `dir`, hold every file against its digest, and bring the files into the
 * bundle, result.json last. Says in `st` what the end was. False: the answer is not whole, `why`
 * says what is wrong and nothing was brought. */
bool delivery_take(const char *dir, const struct host_spec *spec, struct host_status *st,
		   struct str *why);

#endif
