/* The innermost loop of convolutions of whole numbers. */
#include "blocked.h"
#include "tile.h"

#if NATIVE_X86
#include <immintrin.h>
#endif

#define BODY "integer_tile.inc"
#include "multiversion.h"
