/* Convolution of images whose channels lie in blocks. */
#include "blocked.h"
#include "thresholds.h"
#include "tile.h"

#define BODY "blocked_conv.inc"
#include "multiversion.h"
