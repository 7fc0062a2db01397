#include "sys/cpu.h"

/* The parts of cpu.h that are instructions, one variant per architecture. Flushing works on
 * addresses, so the worker can evict a page that only runners compute on: a candidate can not skip
 * it. Cost on an EPYC of 2021: 0.03 ms per MiB, 35 times less than streaming twice the L3. */

#include <stdint.h>

#if defined(__x86_64__)

#include <cpuid.h>
#include <x86intrin.h>

enum { LINE_BYTES = 64, LEAF_EXTENDED = 7, BIT_CLFLUSHOPT = 1 << 23 };

__attribute__((target("clflushopt"))) static void flush_lines_opt(const char *at, const char *end)
{
	for (; at < end; at += LINE_BYTES)
		/* The intrinsic takes void * but changes nothing. */
		_mm_clflushopt((void *)(uintptr_t)at);
	_mm_mfence();
}

static void flush_lines(const char *at, const char *end)
{
	for (; at < end; at += LINE_BYTES)
		_mm_clflush(at);
	_mm_mfence();
}

/* cpuid costs a VM exit (5 us): ask once. */
static bool has_clflushopt(void)
{
	static int known = -1;
	unsigned r[4] = { 0 };
	if (known < 0)
		known = __get_cpuid_count(LEAF_EXTENDED, 0, &r[0], &r[1], &r[2], &r[3]) &&
			(r[1] & BIT_CLFLUSHOPT);
	return known;
}

void cpu_flush(const void *ptr, size_t len)
{
	const char *start = ptr;
	const char *at = start - ((uintptr_t)start % LINE_BYTES);
	if (has_clflushopt())
		flush_lines_opt(at, start + len);
	else
		flush_lines(at, start + len);
}

bool cpu_can_flush(void)
{
	return true;
}

uint64_t cpu_ticks(void)
{
	unsigned aux = 0;
	return __rdtscp(&aux);
}

#elif defined(__aarch64__)

enum { LINE_BYTES = 64 };

void cpu_flush(const void *ptr, size_t len)
{
	const char *start = ptr;
	const char *at = start - ((uintptr_t)start % LINE_BYTES);
	for (; at < start + len; at += LINE_BYTES)
		__asm__ volatile("dc civac, %0" ::"r"(at) : "memory");
	__asm__ volatile("dsb ish" ::: "memory");
}

bool cpu_can_flush(void)
{
	return true;
}

uint64_t cpu_ticks(void)
{
	uint64_t ticks = 0;
	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

#else

void cpu_flush(const void *ptr, size_t len)
{
	(void)ptr;
	(void)len;
}

bool cpu_can_flush(void)
{
	return false;
}

uint64_t cpu_ticks(void)
{
	return 0;
}

#endif
