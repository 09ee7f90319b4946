/* Convolution of whole numbers on images whose channels lie in blocks. */
#include "integer.h"
#include "thresholds.h"
#include "tile.h"

#if NATIVE_X86
#include <immintrin.h>
#endif

#define BODY "integer_conv.inc"
#include "multiversion.h"

int integer_unit(void) {
#if NATIVE_X86
    static int known = -1;
    if (known < 0) known = __builtin_cpu_supports("avx512vnni") ? 1 : 0;
    return known && native_isa == 2 ? 4 : 2;
#else
    return 2;
#endif
}
