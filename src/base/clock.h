/*
 * Clocks. Monotonic nanoseconds for durations and deadlines, wall time for records. Pure code
 * (model, stats, judge) never includes this: it takes times as arguments.
 */
#ifndef FORGE_BASE_CLOCK_H
#define FORGE_BASE_CLOCK_H

#include <stdint.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)

uint64_t clock_mono_ns(void);
uint64_t clock_wall_ns(void);
/* "2026-11-29T15:04:05.123Z" from wall nanoseconds; `out` holds at least 32 bytes. */
void clock_format_wall(uint64_t wall_ns, char out[32]);
void clock_sleep_ns(uint64_t ns);

#endif
