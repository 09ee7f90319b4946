/* 8-bit pictures in another size: the loops. */
#include "common.h"
#if NATIVE_X86
#include <immintrin.h>
#endif

#include "picture.h"
#define BODY "picture.inc"
#include "multiversion.h"
