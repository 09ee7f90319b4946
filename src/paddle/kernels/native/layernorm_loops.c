/* Layer and group normalisation: the loops. */
#define _GNU_SOURCE
#include <math.h>

#include "common.h"
#if NATIVE_X86
#include <immintrin.h>
#endif

#include "norm.h"
#define BODY "layernorm.inc"
#define BODY_TYPES 2
#define BASE_SMALL
#include "multiversion.h"
