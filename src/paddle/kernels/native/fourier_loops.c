/* Discrete Fourier transforms: the loops. */
#define _GNU_SOURCE
#include "fourier.h"

#define BODY "fourier.inc"
#define BODY_TYPES 2
#include "multiversion.h"

#ifdef NATIVE_ONLY
#define CHOSEN(type) &ONLY(fourier_loops_##type##_base, fourier_loops_##type##_avx2, fourier_loops_##type##_avx512)
#else
#define CHOSEN(type) (native_isa ? &fourier_loops_##type##_avx2 : &fourier_loops_##type##_base)
#endif

const fourier_loops_t *fourier_loops(int single) { return single ? CHOSEN(f32) : CHOSEN(f64); }
