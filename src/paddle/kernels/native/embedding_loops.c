/* Rows added at places given by ids: the loops. */
#include "scatter.h"

#include <math.h>
#if NATIVE_X86
#include <immintrin.h>
#endif

#define BODY "embedding.inc"
#define BODY_TYPES 2
#include "multiversion.h"
