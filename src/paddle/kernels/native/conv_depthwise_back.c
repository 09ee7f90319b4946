/* Gradients of convolutions with one input channel per group. */
#include "conv.h"

#if NATIVE_X86
#include <immintrin.h>
#endif

#define BODY "conv_depthwise_back.inc"
#include "multiversion.h"
