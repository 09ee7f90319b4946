/* The register tile for every instruction set. */
#define _GNU_SOURCE
#include "tile.h"

#include <math.h>
#if NATIVE_X86
#include <immintrin.h>
#endif

#define BODY "tile.inc"
#define BODY_TYPES 2
#include "multiversion.h"
