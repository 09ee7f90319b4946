/* Inverses of many small matrices: the loops. */
#include "inverse.h"

#include <math.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O2") /* its loops are written in vectors: what -O3 adds to their code is its size */
#endif

#define BODY "inverse.inc"
#include "multiversion.h"
