/* Convolution, gradients with respect to weights and bias. */
#include "conv.h"
#include "tile.h"
#define BODY "conv_backward_weight.inc"
#define BODY_TYPES 2
#include "multiversion.h"
