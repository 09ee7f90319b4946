/* Running products along an axis: the loops as the C library has them, built once. */
#include "recur.h"

#include "thresholds.h"

#define BODY "recur.inc"
#define BODY_TYPES 2
#include "oneversion.h"
