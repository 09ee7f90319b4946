/* 3x3 convolution with fewer multiplications. */
#define _GNU_SOURCE
#include "conv.h"
#include "tile.h"

#include <math.h>
#if NATIVE_X86
#include <immintrin.h>
#endif

#define BODY "conv_winograd.inc"
#include "multiversion.h"
