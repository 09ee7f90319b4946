/* Softmax and cross entropy: the loops. */
#define _GNU_SOURCE
#include <math.h>

#include "common.h"
#if NATIVE_X86
#include <immintrin.h>
#endif

#include "softmax.h"
#define BODY "softmax.inc"
#define BODY_TYPES 2
#define BASE_SMALL
#include "multiversion.h"
