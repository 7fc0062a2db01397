/*
 * What the timed loop needs from the processor, inline: ticks, floating-point modes, a fence for
 * streaming stores, a polite spin.
 */
#ifndef FORGE_RUNNER_MACHINE_H
#define FORGE_RUNNER_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)

#include <x86intrin.h>

/* Power-on values: round to nearest, all exceptions masked, no flush to zero; of the older unit,
 * which long double is computed with, also its full precision. */
enum { FP_MODES = 0x1f80, FP_STATUS_BITS = 0x3f, X87_MODES = 0x037f };

static inline uint64_t machine_ticks(void)
{
	unsigned aux = 0;
	uint64_t ticks = __rdtscp(&aux);
	_mm_lfence();
	return ticks;
}

static inline void machine_relax(void)
{
	_mm_pause();
}

static inline void machine_reset_fp(void)
{
	_mm_setcsr(FP_MODES);
}

/* Did somebody change the modes? Sticky status bits do not count. */
static inline bool machine_fp_changed(void)
{
	uint16_t x87 = 0;
	__asm__ volatile("fnstcw %0" : "=m"(x87));
	return (_mm_getcsr() & ~(unsigned)FP_STATUS_BITS) != FP_MODES || x87 != X87_MODES;
}

/* After somebody did. Too slow for every call. */
static inline void machine_restore_fp(void)
{
	__asm__ volatile("fninit");
	machine_reset_fp();
}

/* Streaming stores may linger in write buffers that no ordinary release store waits for. */
static inline void machine_drain_stores(void)
{
	_mm_sfence();
}

static inline void machine_flush_line(const void *at)
{
	_mm_clflush(at);
}

#elif defined(__aarch64__)

static inline uint64_t machine_ticks(void)
{
	uint64_t ticks = 0;
	__asm__ volatile("isb; mrs %0, cntvct_el0; isb" : "=r"(ticks)::"memory");
	return ticks;
}

static inline void machine_relax(void)
{
	__asm__ volatile("yield");
}

static inline void machine_reset_fp(void)
{
	__asm__ volatile("msr fpcr, %0" ::"r"(UINT64_C(0)));
}

static inline void machine_restore_fp(void)
{
	machine_reset_fp();
}

static inline bool machine_fp_changed(void)
{
	uint64_t fpcr = 0;
	__asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
	return fpcr != 0;
}

static inline void machine_drain_stores(void)
{
	__asm__ volatile("dmb ish" ::: "memory");
}

static inline void machine_flush_line(const void *at)
{
	__asm__ volatile("dc civac, %0" ::"r"(at) : "memory");
}

#else
#error "forge-runner knows x86-64 and aarch64"
#endif

#endif
