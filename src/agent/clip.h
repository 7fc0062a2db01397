/*
 * A long text for an agent to read: harmless (base/untrusted.h) and, where it is too long, its head
 * and its tail with how much is left out between them. Cuts fall between characters.
 */
#ifndef FORGE_AGENT_CLIP_H
#define FORGE_AGENT_CLIP_H

#include <stddef.h>

struct str;

/* Append at most about `max` bytes of the text. */
void clip_text(struct str *out, const char *text, size_t len, size_t max);

#endif
