/* Rounding to steps of scales: the loops. */
#include "scale_steps.h"

#include <math.h>

#include "thresholds.h"

#if NATIVE_X86
#include <immintrin.h>
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O2") /* its loops are written in vectors: what -O3 adds to their code is its size */
#endif

#define BODY "scale_steps.inc"
#define BODY_TYPES 2
#include "multiversion.h"
