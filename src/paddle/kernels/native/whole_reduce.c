/* Sums, products and extremes of whole numbers along axes: the loops. */
#include "whole_reduce.h"

#include "thresholds.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O2") /* its loops are written in vectors: what -O3 adds to their code is its size */
#endif

#define BODY "whole_reduce.inc"
#include "multiversion.h"
