/* Weight gradients of 3x3 convolutions with fewer multiplications. */
#include "conv.h"
#include "thresholds.h"
#include "tile.h"
#define BODY "conv_weight_winograd.inc"
#include "multiversion.h"
