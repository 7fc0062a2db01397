/*
 * Settings of a user: NAME=value in the environment, or a line of local.env in the current
 * directory. The environment goes first; an empty value is none.
 */
#ifndef FORGE_BASE_LOCAL_ENV_H
#define FORGE_BASE_LOCAL_ENV_H

struct err;
struct strv;

#define LOCAL_ENV_NAME "local.env"

/* 0: *out is the value, yours, or NULL where there is none. -1: local.env can not be read. */
int local_env_find(const char *name, char **out, struct err *e);
/* What each line of local.env sets; "" where a line sets nothing. */
int local_env_names(struct strv *names, struct err *e);

#endif
