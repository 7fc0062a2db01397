/*
 * JSON, by jansson. This header adds files, errors that name what they miss, and typed getters;
 * otherwise use jansson's own calls. Every getter takes the name of the document for its message.
 */
#ifndef FORGE_BASE_JSON_H
#define FORGE_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct err;
struct str;

void auto_json_cleanup(json_t **slot);
#define AUTO_JSON __attribute__((cleanup(auto_json_cleanup)))

/* A new reference, or NULL. Duplicate keys and trailing text are refused; errors have line:column.
 */
json_t *json_read_file(const char *path, struct err *e);
json_t *json_read_text(const char *text, size_t len, const char *name, struct err *e);
/* Atomic, durable, sorted keys, indented; ends with a newline. */
int json_write_file(const char *path, const json_t *json, struct err *e);
/* The text that json_write_file writes, yours. */
char *json_page(const json_t *json);
/* One line, sorted keys, no spaces, yours (free). NaN and infinities never enter JSON: see
 * json_number. Both write control, bidirectional and invisible characters as \uXXXX. */
char *json_line(const json_t *json);

/* Append text of JSON that somebody else wrote so that it parses: bytes that are no UTF-8 and
 * halves of surrogate pairs read U+FFFD, and so does \u0000 unless `keeps_nul`. What is sound stays
 * as it is, byte for byte. */
void json_mend(struct str *out, const char *text, size_t len, bool keeps_nul);

/* Required members: absent or of another type is ERR_INPUT that names `doc` and the key. */
int json_get_text(const json_t *obj, const char *key, const char *doc, const char **out,
		  struct err *e);
int json_get_int(const json_t *obj, const char *key, const char *doc, int64_t *out, struct err *e);
int json_get_real(const json_t *obj, const char *key, const char *doc, double *out, struct err *e);
int json_get_bool(const json_t *obj, const char *key, const char *doc, bool *out, struct err *e);
int json_get_object(const json_t *obj, const char *key, const char *doc, json_t **out,
		    struct err *e);
int json_get_array(const json_t *obj, const char *key, const char *doc, json_t **out,
		   struct err *e);
/* Optional members: absent, null or of another type gives the default. */
const char *json_text_or(const json_t *obj, const char *key, const char *otherwise);
int64_t json_int_or(const json_t *obj, const char *key, int64_t otherwise);
double json_real_or(const json_t *obj, const char *key, double otherwise);
bool json_bool_or(const json_t *obj, const char *key, bool otherwise);
/* A real; NaN and infinities become the strings "nan", "inf", "-inf" (json_get_real reads them). */
json_t *json_number(double value);

#endif
