/*
 * JSON that strangers send, read as far as it can be: the last of several members of one name
 * counts; bytes that are no UTF-8, lone surrogates and NUL in strings become U+FFFD. Pure.
 */
#ifndef FORGE_LLM_LENIENT_H
#define FORGE_LLM_LENIENT_H

#include <jansson.h>
#include <stddef.h>

struct err;

/* A new reference, or NULL with "line L column C (byte B): why". */
json_t *lenient_json(const char *text, size_t len, struct err *e);

#endif
