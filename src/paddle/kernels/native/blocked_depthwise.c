/* Depthwise convolution on blocks of channels. */
#include "blocked.h"

#if NATIVE_X86
#include <immintrin.h>
#endif

#define BODY "blocked_depthwise.inc"
#include "multiversion.h"
