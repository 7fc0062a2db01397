/* The last fenced code block of a text in Markdown, for agents that answer in words. Pure. */
#ifndef FORGE_AGENT_FENCED_H
#define FORGE_AGENT_FENCED_H

#include <stddef.h>

/* Borrowed from `text`, without its fences; NULL: there is no whole one. */
const char *fenced_last(const char *text, size_t text_len, size_t *len);

#endif
