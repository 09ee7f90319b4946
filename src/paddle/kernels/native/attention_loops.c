/* Scaled dot-product attention: the loops. */
#define _GNU_SOURCE
#include <math.h>

#include "common.h"
#if NATIVE_X86
#include <immintrin.h>
#endif

#include "attention.h"
#include "gemm.h"
#define BODY "attention.inc"
#define BODY_TYPES 2
#include "multiversion.h"
