/*
 * A profile of a provider of models (share/providers.toml, docs/format/providers.md): where it is,
 * which variable holds its key, and how it spells things. forge-llm gets it as one JSON object,
 * with what the task says over it; the key is no part of either.
 */
#ifndef FORGE_AGENT_PROVIDER_H
#define FORGE_AGENT_PROVIDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

struct agent_settings;
struct err;
struct strv;
struct toml;

struct provider {
	struct arena arena;
	const char *name;
	const char *format; /* the driver that speaks it: "openai-chat" or "anthropic" */
	const char *base_url;
	const char *key_env;  /* or NULL: it takes no key */
	const char *provider; /* as the table of prices names it; the profile's name otherwise */
	const char *model;    /* where the task names none; or NULL */
	const char *effort;
	const char *effort_field;
	const char *max_tokens_field;
	const char *echo_reasoning;
	bool stream_usage;
	bool strict_tools;
	bool must_call;
	bool free;
	int64_t context_window;
	int64_t max_output_tokens;
	double first_byte_s;
	double idle_s;
	const char **extra_headers;
	size_t nr_extra_headers;
	const struct toml *extra_body; /* or NULL */
};

/* The profile of that name: of the file that FORGE_PROVIDERS names or of
 * ~/.config/forge/providers.toml, else of share/providers.toml. */
int provider_load(struct provider *p, const char *name, struct err *e);
void provider_release(struct provider *p);
/* Names of all profiles of both files. */
int provider_names(struct strv *names, struct err *e);
#define AUTO_PROVIDER __attribute__((cleanup(provider_release)))

/* The profile that a driver takes where the task names none. */
const char *provider_default(const char *driver);
/* What forge-llm is started with, and the name of the key's variable that it may have (borrowed;
 * NULL: none). A base_url of the task gets no key. NULL when something is missing. */
json_t *provider_settings(const struct provider *p, const struct agent_settings *task,
			  const char **key_env, struct err *e);

#endif
