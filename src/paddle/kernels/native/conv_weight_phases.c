/* Weight gradients of convolutions with a stride with fewer multiplications. */
#include "conv.h"
#include "thresholds.h"
#include "tile.h"
#define BODY "conv_weight_phases.inc"
#include "multiversion.h"
