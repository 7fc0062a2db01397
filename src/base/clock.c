#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

static uint64_t read_clock(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t clock_mono_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t clock_wall_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

void clock_format_wall(uint64_t wall_ns, char out[32])
{
	time_t seconds = (time_t)(wall_ns / NS_PER_S);
	unsigned ms = (unsigned)(wall_ns % NS_PER_S / NS_PER_MS);
	struct tm tm;
	gmtime_r(&seconds, &tm);
	char day[24];
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out, 32, "%s.%03uZ", day, ms);
}

void clock_sleep_ns(uint64_t ns)
{
	struct timespec t = { (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}
