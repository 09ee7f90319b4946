/* Pictures read at the places of a grid: the loops. */
#include "grid.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O2") /* its loops are written in vectors: what -O3 adds to their code is its size */
#endif

#define BODY "grid.inc"
#include "multiversion.h"

#undef BODY_TYPES
#define BODY_TYPES DOUBLES
#include "oneversion.h"
