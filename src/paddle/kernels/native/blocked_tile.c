/* The innermost loop of convolutions on blocks of channels. */
#include "blocked.h"
#include "tile.h"

#if NATIVE_X86
#include <immintrin.h>
#endif

#define BODY "blocked_tile.inc"
#include "multiversion.h"
