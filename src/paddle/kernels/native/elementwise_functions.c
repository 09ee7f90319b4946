/* Elementwise steps that are functions: the loops. */
#define _GNU_SOURCE
#include <math.h>

#include "common.h"
#if NATIVE_X86
#include <immintrin.h>
#endif

#include "elementwise.h"
#define BODY "elementwise_functions.inc"
#define BODY_TYPES 2
#include "multiversion.h"
