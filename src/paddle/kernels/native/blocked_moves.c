/* Into blocks of channels and back, pooling and factors of channels. */
#include "blocked.h"
#include "thresholds.h"

#define BODY "blocked_moves.inc"
#include "multiversion.h"
