/* Softmax with cross entropy: the loops. Of the backward ones the C library has none: nothing there names them. */
#define _GNU_SOURCE
#include <math.h>

#include "common.h"
#if NATIVE_X86
#include <immintrin.h>
#endif

#include "softmax.h"
#define BODY "entropy.inc"
#define BODY_TYPES 2
#define BASE_SMALL
#include "multiversion.h"
