/*
 * Lines no longer than people like them: breaks printed C behind commas and binary operators.
 */
#ifndef FORGE_TUNER_WRAP_H
#define FORGE_TUNER_WRAP_H

struct str;

/* Append the text to `out`. Preprocessor lines and lines with literals or
 * comments are left as they are. */
void wrap_lines(struct str *out, const char *text);

#endif
