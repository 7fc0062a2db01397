/*
 * What is being exported, loaded and held: the claim, its task, and of a run directory what its log
 * says. Forms only read it.
 */
#ifndef FORGE_EXPORT_SHIPMENT_H
#define FORGE_EXPORT_SHIPMENT_H

#include <jansson.h>
#include <stdbool.h>

#include "engine/claim_check.h"
#include "export/export.h"
#include "model/task.h"
#include "store/fold.h"

struct err;
struct slots;
struct str;
struct strv;

struct shipment {
	const struct export_spec *spec;
	char *best;
	const char *run; /* the run directory; NULL: the claim alone */
	char *kit;       /* the folder that holds forge/kernel.h */
	struct claim claim;
	struct task task;
	struct run_state state; /* of a run */
	bool has_reference;     /* its source may be read */
	bool has_held_out;      /* held-out shapes were judged, too */
};

/* -1: ERR_CONFLICT for a claim that does not hold. Release in both cases. */
int shipment_load(struct shipment *s, const struct export_spec *spec, struct err *e);
void shipment_release(struct shipment *s);
#define AUTO_SHIPMENT __attribute__((cleanup(shipment_release)))
/* Path below best/; yours. */
char *shipment_path(const struct shipment *s, const char *name);
/* A text or an object of evidence.json; "-" and NULL when it is not there. */
const char *shipment_fact(const struct shipment *s, const char *name);
const json_t *shipment_machine(const struct shipment *s);
/* The GPU of a machine that evidence names; NULL: none. */
const char *machine_gpu(const json_t *machine);
/* What a module of Python ran on, of an object that says so: "torch 2.11.0, python 3.12.3". */
void python_versions(const json_t *python, struct str *out);
/* Who made it: "student tuner: forge-tuner 0.1.0, teacher ...". */
void shipment_maker(const struct shipment *s, struct str *out);
/* Is the report of its run beside the claim? */
bool shipment_has_report(const struct shipment *s);
/* "gcc -O2", or that and on what a module of Python ran. */
void shipment_reference_build(const struct shipment *s, struct str *out);
/* "Intel Xeon, 2 cores, virtual machine". */
void shipment_device(const struct shipment *s, struct str *out);
/* "1.52x [1.48, 1.55] over the reference, faster, K=16, confirmed". */
void shipment_headline(const struct shipment *s, struct str *out);
/* What weakens the number, a Markdown item a line; empty: nothing. */
void shipment_caveats(const struct shipment *s, struct str *out);
/* The table per shape in Markdown. */
void shipment_shapes(const struct shipment *s, struct str *out);
/* Slots that all templates share. */
void shipment_slots(const struct shipment *s, struct slots *slots);

/* The forms: fill the folder `dir`. */
#define FORM(id, language, suffix, needs_run, text)                                                \
	int form_##id(const struct shipment *s, const char *dir, struct err *e);
#include "export/forms.def"
#undef FORM
/* PLACE.tar beside a folder of form review. */
int form_review_tar(const char *place, struct strv *made, struct err *e);
/* KERNELS/DEVICE/TASK; yours. */
char *kernels_place(const char *kernels, const char *language, const json_t *machine,
		    const char *task);

#endif
