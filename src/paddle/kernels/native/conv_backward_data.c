/* Convolution, gradient with respect to its input. */
#include "conv.h"
#include "tile.h"
#define BODY "conv_backward_data.inc"
#define BODY_TYPES 2
#include "multiversion.h"
