/*
 * A job bundle on disk (docs/format/job.md): the one thing that travels to where it is measured.
 */
#ifndef FORGE_ENGINE_BUNDLE_H
#define FORGE_ENGINE_BUNDLE_H

#include <jansson.h>

struct err;
struct job;

struct bundle_spec {
	const struct job *job;
	const char *dir;        /* emptied and made */
	const char *task_dir;   /* copied whole, so that its judge never meets another task */
	const char *reference;  /* source path */
	const char *candidate;  /* source path, or NULL */
	const char *judge;      /* source path, or NULL */
	const char *tolerances; /* path, or NULL */
	const json_t *ask;      /* what an inspect job is asked, or NULL */
};

/* "kernel.c", or as the language of the task in that folder has it; yours. A task that does not
 * load is the worker's to tell. */
char *bundle_kernel_name(const char *task_dir);
/* Sealed sources arrive opened: a bundle is closed as soon as its job is over. */
int bundle_make(const struct bundle_spec *spec, struct err *e);
/* After the job, however it ended: what came from a sealed file is sealed again, and what a killed
 * worker left of its scratch folder goes. A missing bundle is fine. */
int bundle_close(const char *dir, const char *reference, const char *candidate, struct err *e);

#endif
