/* What rearrange.c hands to its loops: elements that only move. */
#ifndef PADDLE_NATIVE_REARRANGE_H
#define PADDLE_NATIVE_REARRANGE_H

#include "common.h"

#define MOVE_MAX_AXES 32

/* A copy of a strided array, element after element. Strides are in bytes; axes that lie together were made one. */
typedef struct {
    int ndim;
    index_t shape[MOVE_MAX_AXES], stride[MOVE_MAX_AXES], out_stride[MOVE_MAX_AXES];
    index_t item; /* bytes of an element: 1, 2, 4, 8 or 16 */
    const char *x;
    char *y;
    int across;                     /* the axis along which x lies element after element, if it isn't the last */
    index_t across_tiles, last_tiles; /* tiles of a transposition */
} copy_t;

#endif
