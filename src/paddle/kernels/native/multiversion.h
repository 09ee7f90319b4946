/* Compile one body file for every instruction set (and element type) from the same text.
 *
 *     #define BODY "gemm.inc"
 *     #define BODY_TYPES 2            // optional: 1 = float only (default), 2 = float and double
 *     #define BASE_SMALL              // optional: the baseline of x86 for size
 *     #include "multiversion.h"
 *
 * Inside the body
 *     real        element type, float or double
 *     V           elements per vector register (float: 4, 8, 16)
 *     NAME(f)     f_f32_base, f_f32_avx2, ... : wrap every file-level name in it
 *     ISA_LEVEL   0 baseline, 1 AVX2+FMA, 2 AVX-512
 *     REAL_BITS   32 or 64
 * and the vector helpers of simd.h. A body includes no system header. Callers choose with DISPATCH(f32, f, ...).
 */
#include "common.h"
#include "simd.h"

#ifndef BODY_TYPES
#define BODY_TYPES 1
#endif

#define NAME_JOIN(a, b, c) a##_##b##_##c
#define NAME_EXPAND(a, b, c) NAME_JOIN(a, b, c)
#define NAME(a) NAME_EXPAND(a, TYPE_SUFFIX, ISA_SUFFIX)

#if NATIVE_HAS(0)
/* ---- baseline ---- */
#define ISA_LEVEL 0
#define ISA_SUFFIX base
#define VECTOR_BYTES 16
#if NATIVE_X86 && !defined(NATIVE_ONLY) && !defined(__clang__)
#pragma GCC push_options
#ifdef BASE_SMALL /* only processors of before 2013 run it: what -O3 adds to its code is its size; beside products -Os costs them little */
#pragma GCC optimize("Os")
#else
#pragma GCC optimize("O2")
#endif
#endif
#include "typed_passes.h"
#if NATIVE_X86 && !defined(NATIVE_ONLY) && !defined(__clang__)
#pragma GCC pop_options
#endif
#undef ISA_LEVEL
#undef ISA_SUFFIX
#undef VECTOR_BYTES
#endif

#if NATIVE_HAS(1)
/* ---- AVX2 and FMA ---- */
#define ISA_LEVEL 1
#define ISA_SUFFIX avx2
#define VECTOR_BYTES 32
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#include "typed_passes.h"
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#undef ISA_LEVEL
#undef ISA_SUFFIX
#undef VECTOR_BYTES
#endif

#if NATIVE_HAS(2)
/* ---- AVX-512 ---- */
#define ISA_LEVEL 2
#define ISA_SUFFIX avx512
#define VECTOR_BYTES 64
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma,prefer-vector-width=512")
#endif
#include "typed_passes.h"
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#undef ISA_LEVEL
#undef ISA_SUFFIX
#undef VECTOR_BYTES
#endif
