/*
 * What a C candidate is compiled against; the one public header.
 *
 * A kernel is one C file that defines the task's entry function. It is compiled by the worker to a
 * leaf object: it may call the math and memory functions of the C library, malloc and free, and the
 * OpenMP runtime when the task allows more than one thread; it may keep no state between calls.
 * Every pointer argument is aligned to FORGE_ALIGN bytes and arguments never overlap. Inputs are
 * mapped read-only. f16, bf16 and f8 travel as raw bits.
 *
 * Compiler and flags are part of the source: a comment in its first 20 lines,
 *     forge-build: gcc -O3 -march=native
 * chooses them from the allow list (docs/format/kernel.md); without one it is gcc -O2.
 */
#ifndef FORGE_KERNEL_H
#define FORGE_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#define FORGE_ALIGN 64

/* Tell the compiler what the contract promises about a pointer argument. */
#define FORGE_ALIGNED(p) ((__typeof__(p))__builtin_assume_aligned((p), FORGE_ALIGN))

#endif
