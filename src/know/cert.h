/*
 * What a probe has shown: ID.cert.json beside the lesson, the newest certificate of each device.
 * Whether it still counts follows from the device, the compiler, the driver and the files as they
 * are now; a certificate is never believed for what it says of itself alone.
 */
#ifndef FORGE_KNOW_CERT_H
#define FORGE_KNOW_CERT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct err;
struct kb_device;
struct lesson;
struct str;

enum lesson_state {
#define LESSON_STATE(name, text) LESSON_##name,
#include "know/lesson_states.def"
#undef LESSON_STATE
	LESSON_NR_STATES
};

const char *lesson_state_name(enum lesson_state state);
const char *lesson_state_text(enum lesson_state state);

/* Path of a lesson's certificates; yours. */
char *cert_path(const struct lesson *l);
/* Its document, a new reference; *out is NULL where there is none. */
int cert_load(const struct lesson *l, json_t **out, struct err *e);
/* What the lesson is worth on the machine. `certs` may be NULL; `why` gets a reason in words, or
 * nothing where the state says it all. */
enum lesson_state cert_state(const json_t *certs, const struct lesson *l,
			     const struct kb_device *machine, struct str *why);
/* Do two lines that tell a compiler or a driver mean the same one: the same program, and the first
 * `nr_numbers` numbers of its version (docs/decision/0019)? */
bool cert_is_same_tool(const char *then, const char *now, size_t nr_numbers);
/* Of that device, borrowed, or NULL. */
json_t *cert_of_device(const json_t *certs, const char *device);
/* Put `certificate` in the place of that of the same device, or beside the others; atomic. */
int cert_put(const struct lesson *l, const json_t *certificate, struct err *e);
/* As cert_put, for a document without certificates (NULL) or with some: a new one, yours. */
json_t *cert_with(const json_t *certs, const char *id, const json_t *certificate);

#endif
