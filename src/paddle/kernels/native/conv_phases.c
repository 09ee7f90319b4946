/* Convolutions with a stride and their gradients with fewer multiplications. */
#define _GNU_SOURCE
#include "conv.h"
#include "thresholds.h"
#include "tile.h"

#include <math.h>
#if NATIVE_X86
#include <immintrin.h>
#endif

#define BODY "conv_phases.inc"
#define BASE_SMALL
#include "multiversion.h"
