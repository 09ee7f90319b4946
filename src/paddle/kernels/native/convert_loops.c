/* Short floats: the loops. */
#define _GNU_SOURCE
#include <math.h>

#include "common.h"
#if NATIVE_X86
#include <immintrin.h>
#endif

#include "convert.h"
#define BODY "convert.inc"
#include "multiversion.h"
