/* Convolution, forward. */
#include "conv.h"
#include "tile.h"
#define BODY "conv_forward.inc"
#define BODY_TYPES 2
#include "multiversion.h"
