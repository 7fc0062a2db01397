/*
 * What agents are shown of texts that others wrote: kernels' comments, compilers' messages, agents'
 * answers, descriptions, a curriculum's words. Every string of a turn's data and of a tool's answer
 * goes through here, and the frame beside it says that it is data. What an agent makes of it can
 * cost a round and never change a verdict: the judge reads numbers.
 */
#ifndef FORGE_AGENT_FRAME_H
#define FORGE_AGENT_FRAME_H

#include <jansson.h>

/* The sentence that stands beside the data. */
extern const char frame_note[];
/* A copy in which every string and key is harmless (base/untrusted.h) and of bounded length; line
 * feeds stay. A new reference. */
json_t *frame_data(const json_t *data);

#endif
