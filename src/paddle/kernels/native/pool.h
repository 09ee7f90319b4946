/* Pooling: what bindings and kernels share. */
#ifndef PADDLE_NATIVE_POOL_H
#define PADDLE_NATIVE_POOL_H

#include "common.h"

/* Windows of one dimension, already cut to the image: [begin[i], end[i]) for output i; begin == end: wholly outside. */
typedef struct {
    index_t in, out;
    index_t *begin, *end;
} windows_t;

/* A pooling of `planes` independent volumes (images and channels together) of d[0] x d[1] x d[2] cells. */
typedef struct {
    index_t planes;
    windows_t d[3];
    double divisor; /* of averages; 0: the number of cells in each window */
} pool_t;

/* max_pool(p, x, y, index), max_unpool(p, dy, index, dx): dx is cleared first; an index is in range or -1.
 * avg_pool(p, x, y), avg_unpool(p, dy, dx).
 * pool_2x2(planes, h, w, x, y, index), unpool_2x2(planes, h, w, dy, index, dx). */
#define DECLARE_POOL(suffix, type)                                                                            \
    DECLARE_VERSIONS(suffix, int, max_pool, const pool_t *p, const type *x, type *y, int32_t *index);         \
    DECLARE_VERSIONS(suffix, int, max_unpool, index_t planes, index_t in, index_t out, const type *dy,        \
                     const int32_t *index, type *dx);                                                         \
    DECLARE_VERSIONS(suffix, int, avg_pool, const pool_t *p, const type *x, type *y);                         \
    DECLARE_VERSIONS(suffix, int, avg_unpool, const pool_t *p, const type *dy, type *dx);                     \
    DECLARE_VERSIONS(suffix, int, pool_2x2, index_t planes, index_t h, index_t w, const type *x, type *y,     \
                     uint8_t *index);                                                                         \
    DECLARE_VERSIONS(suffix, int, unpool_2x2, index_t planes, index_t h, index_t w, const type *dy,           \
                     const uint8_t *index, type *dx)
DECLARE_POOL(f32, float);
DECLARE_POOL(f64, double);

#endif
