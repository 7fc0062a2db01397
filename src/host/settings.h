/*
 * What the user says about hosts: the closed set of settings.def, read together so that a job and
 * forge doctor see the same.
 */
#ifndef FORGE_HOST_SETTINGS_H
#define FORGE_HOST_SETTINGS_H

#include <stddef.h>

struct err;

enum setting {
#define SETTING(name, option, text) SET_##name,
#include "host/settings.def"
#undef SETTING
	SET_NR
};

struct settings {
	char *value[SET_NR]; /* NULL: not set */
};

/* -1: local.env can not be read. */
int settings_load(struct settings *s, struct err *e);
/* A line of local.env that sets what begins like a setting and is none is ERR_INPUT: jobs would go
 * elsewhere than was meant. */
int settings_check(struct err *e);
void settings_release(struct settings *s);
#define AUTO_SETTINGS __attribute__((cleanup(settings_release)))

const char *setting_name(enum setting s);
/* "--partition=" for what sbatch takes as it is; else "". */
const char *setting_option(enum setting s);
/* The value, or `otherwise`. */
const char *setting_or(const struct settings *s, enum setting which, const char *otherwise);
/* ERR_INPUT that names the variable and what it is, where it is not set. */
int setting_need(const struct settings *s, enum setting which, const char *who, struct err *e);

#endif
