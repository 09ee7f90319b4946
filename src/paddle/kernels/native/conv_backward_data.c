/* Convolution, gradient with respect to its input. */
#include "conv.h"
#include "gemm.h"
#include "tile.h"

/* Which contributions belong to a row of the padded plane: `count` rows of dy, each under another kernel row, the first one
 * at `first`. They lie at equal distances. */
typedef struct {
    index_t first, count;
} source_t;

#define BODY "conv_backward_data.inc"
#define BODY_TYPES 2
#define BASE_SMALL
#include "multiversion.h"
