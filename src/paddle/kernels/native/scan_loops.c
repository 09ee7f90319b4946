/* Running sums along an axis: the loops as the C library has them, built once. */
#include "scan.h"

#include "thresholds.h"

#define BODY "scan.inc"
#define BODY_TYPES 2
#include "oneversion.h"
