/*
 * The way out of this machine, as the user's environment (or local.env) describes it: proxies,
 * hosts that need none, and whose certificates are taken. An agent whose box has the network gets
 * all of it and sees the files that it names; nobody else does. A proxy's address may hold a
 * password.
 */
#ifndef FORGE_AGENT_NETWORK_ENV_H
#define FORGE_AGENT_NETWORK_ENV_H

#include <stdbool.h>

struct mask;
struct strv;

/* Is it a variable of these? */
bool network_env_has(const char *name);
/* "NAME=value" of those that are set and not in `env` yet. */
void network_env_add(struct strv *env);
/* The files and folders that they name: those that are there and are not the system's. */
void network_env_paths(struct strv *paths);
/* Secrets in them. */
void network_env_learn(struct mask *m);

#endif
