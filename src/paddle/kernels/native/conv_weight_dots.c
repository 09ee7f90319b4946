/* Weight gradients of convolutions with few input channels per group. */
#include "conv.h"
#define BODY "conv_weight_dots.inc"
#define BODY_TYPES 2
#include "multiversion.h"
