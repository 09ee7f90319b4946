/* Convolution, forward. */
#include "conv.h"
#include "gemm.h"
#include "thresholds.h"
#include "tile.h"

int conv_use_winograd = 1;

#define BODY "conv_forward.inc"
#define BODY_TYPES 2
#include "multiversion.h"
