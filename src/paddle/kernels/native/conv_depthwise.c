/* Convolutions with one input channel per group. */
#include "conv.h"

#if NATIVE_X86
#include <immintrin.h>
#endif

#define BODY "conv_depthwise.inc"
#define BODY_TYPES 2
#include "multiversion.h"
