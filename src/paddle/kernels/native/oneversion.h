/* Compile one body file as multiversion.h does, but once for all instruction sets: for loops that move elements one after the other,
 * which wider vectors do not make quicker. NAME(f) is f_f32_plain, and f_f64_plain with BODY_TYPES 2;
 * with BODY_TYPES DOUBLES f_f64_plain alone, for files whose floats have several versions. */
#include "common.h"
#include "simd.h"

#ifndef NAME
#define NAME_JOIN(a, b, c) a##_##b##_##c
#define NAME_EXPAND(a, b, c) NAME_JOIN(a, b, c)
#define NAME(a) NAME_EXPAND(a, TYPE_SUFFIX, ISA_SUFFIX)
#endif

#define ISA_LEVEL 0
#define ISA_SUFFIX plain
#define VECTOR_BYTES 16
#include "typed_passes.h"
#undef ISA_LEVEL
#undef ISA_SUFFIX
#undef VECTOR_BYTES
