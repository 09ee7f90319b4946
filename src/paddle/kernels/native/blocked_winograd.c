/* 3x3 convolution with fewer multiplications, on blocks of channels. */
#include "blocked.h"
#include "division.h"
#include "tile.h"

#if NATIVE_X86
#include <immintrin.h>
#endif

#define BODY "blocked_winograd.inc"
#include "multiversion.h"
