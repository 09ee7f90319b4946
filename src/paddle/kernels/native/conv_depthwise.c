/* Convolutions with one input channel per group. */
#include "conv.h"
#define BODY "conv_depthwise.inc"
#define BODY_TYPES 2
#include "multiversion.h"
