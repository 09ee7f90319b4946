/* Convolutions with a stride and their gradients with fewer multiplications. */
#define _GNU_SOURCE
#include "conv.h"
#include "thresholds.h"
#include "tile.h"

#include <math.h>
#if NATIVE_X86
#include <immintrin.h>
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O2") /* its loops are written in vectors: what -O3 adds to their code is its size */
#endif

#define BODY "conv_phases.inc"
#define BASE_SMALL
#include "multiversion.h"
