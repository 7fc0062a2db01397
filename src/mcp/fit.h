/*
 * Results of tools in the size that clients take: what is longer keeps head and tail of its long
 * texts, says how much was left out, and names the file that holds the whole.
 */
#ifndef FORGE_MCP_FIT_H
#define FORGE_MCP_FIT_H

#include <jansson.h>
#include <stddef.h>

/* Some 10000 tokens, which is what clients take from one call by default. */
enum { FIT_BYTES = 30000 };

/* A copy of the object that json_line writes in at most FIT_BYTES. Where something was left out its
 * members "left_out_bytes" and, when a file could be written below `dir`, "whole" say so. A new
 * reference. */
json_t *fit_result(const json_t *whole, const char *dir);
/* A JSON string of any text: bytes that are no UTF-8 and control characters are spelled out. */
json_t *fit_text(const char *text);

#endif
