/*
 * forge_@ENTRY@: @SUMMARY@
 *
 * Made by forge @VERSION@. A machine wrote the kernel; README.md says which, and what was measured.
 *
 *     int forge_@ENTRY@(the arguments of @ENTRY@)
 *
 * computes what @ENTRY@ computes and says which body did it. The measured kernel serves the sizes and
 * scalars that it was judged at, on a processor that has what it was compiled for@TEAM_NOTE@.
 * @OTHERWISE@
 *
 * Every pointer must be aligned to 64 bytes (aligned_alloc does), and arguments may not overlap:
 * that is the contract under which the kernel was judged. Alignment is checked, overlap is not.
 *
 * Judged at:
@JUDGED_LIST@
 * with these kinds of input:
@GROUPS@
 */
#ifndef FORGE_@ENTRY@_H
#define FORGE_@ENTRY@_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	FORGE_@ENTRY@_KERNEL = 0,      /* the kernel that was judged and timed */
	FORGE_@ENTRY@_REFERENCE = 1,   /* the reference: right, and no faster than it ever was */
	FORGE_@ENTRY@_MISALIGNED = -1, /* nothing was computed: a pointer is not aligned */
	FORGE_@ENTRY@_REFUSED = -2,    /* nothing was computed: no body in here may serve this call */
};

int forge_@ENTRY@(@PARAMS@);

/* Was the kernel judged at these scalars? */
int forge_@ENTRY@_is_judged(@SCALAR_PARAMS@);

/* Has this processor what the kernel was compiled for? */
int forge_@ENTRY@_is_supported(void);

/* A program that calls @ENTRY@ gets this one: compile it with -DFORGE_DROP_IN and this header. */
#ifdef FORGE_DROP_IN
#define @ENTRY@ forge_@ENTRY@
#endif

#ifdef __cplusplus
}
#endif

#endif
