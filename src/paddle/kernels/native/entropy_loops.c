/* Softmax with cross entropy: the loops. The C library does without them. */
#define _GNU_SOURCE
#include <math.h>

#include "common.h"
#if NATIVE_X86
#include <immintrin.h>
#endif

#include "softmax.h"
#define BODY "entropy.inc"
#define BODY_TYPES 2
#include "multiversion.h"
