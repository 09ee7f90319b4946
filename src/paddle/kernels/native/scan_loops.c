/* Running sums along an axis: the loops. */
#include "scan.h"

#include "thresholds.h"

#define BODY "scan.inc"
#define BODY_TYPES 2
#include "multiversion.h"
