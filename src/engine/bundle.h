/*
 * A job bundle on disk (docs/format/job.md): the one thing that travels to where it is measured.
 */
#ifndef FORGE_ENGINE_BUNDLE_H
#define FORGE_ENGINE_BUNDLE_H

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
};

int bundle_make(const struct bundle_spec *spec, struct err *e);

#endif
