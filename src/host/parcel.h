/*
 * A delivery on its way to a place and back: the folders beside the bundle while it travels, and
 * whether something of it may still lie there. What the drivers that copy have in common.
 */
#ifndef FORGE_HOST_PARCEL_H
#define FORGE_HOST_PARCEL_H

#include <stdbool.h>

#include "host/host.h"
#include "host/place.h"
#include "host/settings.h"

struct parcel {
	struct settings settings;
	struct place place;
	struct host_spec spec;
	char *name; /* in the work folder of the place */
	char *bundle;
	char *sent; /* the delivery, beside the bundle */
	char *back;
	struct str why; /* of the last trouble */
	bool is_there;  /* something of ours may lie at the place */
};

/* Builds the delivery; asks nobody. Release it in both cases. */
int parcel_open(struct parcel *p, const struct host_spec *spec, enum setting remote_if,
		struct err *e);
void parcel_release(struct parcel *p);

/* The steps; trouble goes to `st`, true: done. */
bool parcel_put(struct parcel *p, struct host_status *st);
/* Brings what was made, so that the folder of the place is gone after it. `answer` NULL: the digest
 * of answer.json is not known. */
bool parcel_get(struct parcel *p, const struct digest *answer, struct host_status *st);
/* Nothing is left behind, or a warning says so. */
void parcel_remove(struct parcel *p);
bool parcel_is_stopped(const struct parcel *p);

#endif
