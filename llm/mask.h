/*
 * The key, taken out of text by its value: whatever leaves forge-llm (lines to forge, words on
 * stderr) goes through here. Pure.
 */
#ifndef FORGE_LLM_MASK_H
#define FORGE_LLM_MASK_H

#include "base/str.h"

/* Append `text` with every occurrence of `secret`, and of `secret` as JSON spells it, replaced by
 * "***". A NULL or very short secret replaces nothing. */
void mask_add(struct str *out, const char *text, const char *secret);

#endif
