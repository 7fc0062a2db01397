/*
 * The record of one turn for people: every line in both directions with its time. Best effort:
 * a record that can not be written never stops a run.
 */
#ifndef FORGE_AGENT_TRANSCRIPT_H
#define FORGE_AGENT_TRANSCRIPT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct transcript {
	FILE *file; /* NULL: nothing is kept */
	uint64_t start_ns;
};

/* `path` NULL keeps nothing. `goes_on`: behind what an earlier session wrote of the same turn. */
void transcript_open(struct transcript *t, const char *path, bool goes_on);
/* direction: "to" or "from". */
void transcript_add(struct transcript *t, const char *direction, const char *line);
void transcript_close(struct transcript *t);
#define AUTO_TRANSCRIPT __attribute__((cleanup(transcript_close)))

#endif
