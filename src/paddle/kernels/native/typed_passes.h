/* One instruction set of multiversion.h: include the body for float and, if asked for, for double. */
#if BODY_TYPES != DOUBLES
#define real float
#define real_int int32_t
#define REAL_BITS 32
#define TYPE_SUFFIX f32
#define V (VECTOR_BYTES / 4)
#include "simd_types.h"
#include BODY
#undef real
#undef real_int
#undef REAL_BITS
#undef TYPE_SUFFIX
#undef V
#endif

#if BODY_TYPES == 2 || BODY_TYPES == DOUBLES
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O2") /* doubles are rare: what -O3 adds to their code is its size */
#endif
#define real double
#define real_int int64_t
#define REAL_BITS 64
#define TYPE_SUFFIX f64
#define V (VECTOR_BYTES / 8)
#include "simd_types.h"
#include BODY
#undef real
#undef real_int
#undef REAL_BITS
#undef TYPE_SUFFIX
#undef V
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
#endif
