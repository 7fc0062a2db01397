/*
 * Which model forge-llm asks and how its provider spells things: the JSON object of --settings
 * (docs/format/providers.md). forge makes it of share/providers.toml and the task; no key is in it.
 */
#ifndef FORGE_LLM_LLM_SETTINGS_H
#define FORGE_LLM_LLM_SETTINGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct err;
struct llm_format;

/* Texts are borrowed from `json`. */
struct llm_settings {
	json_t *json;
	const struct llm_format *format;
	const char *provider;
	const char *base_url;
	bool is_here; /* base_url is this machine: nothing leaves it, by no proxy either */
	const char *model;
	const char *key_env; /* name of the variable; NULL: no key */
	const char *effort;  /* NULL: the provider's */
	const char *effort_field;
	const char *max_tokens_field;
	const char *echo_reasoning; /* member that a message of the model's takes back, or NULL */
	bool has_stream_usage;      /* usage must be asked for */
	bool is_strict;             /* tools are marked strict */
	bool is_free;               /* costs nothing: a server of the user's own */
	bool must_call;             /* the server can be told that a tool is to be called */
	const json_t *extra_body;
	const json_t *extra_headers; /* ["Name: value"] */
	int64_t context_window;      /* tokens */
	int64_t max_output_tokens;
	int64_t max_attempts;
	double backoff_s; /* before the first repetition */
	double connect_s;
	double first_byte_s;
	double idle_s;
};

int llm_settings_parse(struct llm_settings *s, const char *text, struct err *e);
void llm_settings_release(struct llm_settings *s);

#endif
