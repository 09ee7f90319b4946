/* Sums of slices along an axis: the loops. */
#include "resample.h"
#define BODY "resample.inc"
#define BODY_TYPES 2
#include "multiversion.h"
