/*
 * From how a runner ended to what that means: wait status, reply page and region layout in, a
 * side_state out. Pure, for tests. Internal to src/sys.
 */
#ifndef FORGE_SYS_LAST_WORDS_H
#define FORGE_SYS_LAST_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct doorbell_reply;
struct side_state;

struct last_words {
	const struct doorbell_reply *reply; /* a copy: the page itself may change under us */
	int status;                         /* wait status */
	bool killed_by_us;                  /* at its deadline */
	bool lost_main; /* its main thread ended, the others were then killed by us */
	bool hit_memory;
	bool was_ready; /* only then has code of the object run */
	size_t nr_regions;
	const uint64_t *region_at;
	const uint64_t *region_len;
	const bool *region_writable;
};

/* True if it says something about the object; false: the runner itself failed, `out->text` says
 * how. */
bool last_words_read(const struct last_words *w, struct side_state *out);

#endif
