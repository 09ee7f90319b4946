/* 3x3 convolution with fewer multiplications. */
#include "conv.h"
#include "tile.h"
#define BODY "conv_winograd.inc"
#include "multiversion.h"
