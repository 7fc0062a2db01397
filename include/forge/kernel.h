/*
 * What a candidate is compiled against, in C and in CUDA C++.
 *
 * A kernel is one C file that defines the task's entry function. It is compiled by the worker to a
 * leaf object: it may call the math and memory functions of the C library, malloc and free, and the
 * OpenMP runtime when the task allows more than one thread; it may keep no state between calls.
 * Every pointer argument is aligned to FORGE_ALIGN bytes and arguments never overlap. Inputs are
 * mapped read-only. f16, bf16 and f8 travel as raw bits (forge/small_float.h converts them).
 *
 * Compiler and flags are part of the source: a comment in its first 20 lines,
 *     forge-build: gcc -O3 -march=native
 * chooses them from the allow list (docs/format/kernel.md); without one it is gcc -O2.
 *
 * A CUDA kernel is one .cu file that defines the entry as
 *     extern "C" void NAME(the task's arguments, cudaStream_t stream)
 * It enqueues its __global__ functions on that stream and returns; it waits for nothing, allocates
 * nothing and calls no library. Pointers are the device's; f16, bf16 and f8 have CUDA's own types
 * (__half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2). Without a directive it is nvcc -O3.
 */
#ifndef FORGE_KERNEL_H
#define FORGE_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
/* What an allocation of device memory is aligned to. */
#define FORGE_ALIGN 256
#else
#define FORGE_ALIGN 64
#endif

/* Tell the compiler what the contract promises about a pointer argument. */
#define FORGE_ALIGNED(p) ((__typeof__(p))__builtin_assume_aligned((p), FORGE_ALIGN))

#endif
