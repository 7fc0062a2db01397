/*
 * The environment of a worker that runs a job: a short list, so that a result does not depend on
 * what a shell exports; OMP_* above all would change how candidates run.
 */
#ifndef FORGE_SYS_WORKER_ENV_H
#define FORGE_SYS_WORKER_ENV_H

struct strv;

struct worker_env {
	const char *cache_dir; /* FORGE_CACHE; NULL: as ours */
	const char *gpu;       /* CUDA_VISIBLE_DEVICES; NULL or "": as ours */
};

/* Append "NAME=value" lines. */
void worker_env_add(const struct worker_env *w, struct strv *env);

#endif
