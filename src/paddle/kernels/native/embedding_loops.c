/* Rows added at places given by ids: the loops as the C library has them, built once. */
#include "scatter.h"

#include <math.h>
#if NATIVE_X86
#include <immintrin.h>
#endif
#define BODY "embedding.inc"
#define BODY_TYPES 2
#include "oneversion.h"
