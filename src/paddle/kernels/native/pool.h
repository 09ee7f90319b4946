/* Pooling: what bindings and kernels share. */
#ifndef PADDLE_NATIVE_POOL_H
#define PADDLE_NATIVE_POOL_H

#include "common.h"

/* Windows of one dimension, already cut to the image: [begin[i], end[i]) for output i; begin == end: wholly outside. An average is
 * divided by the product of its windows' cells. */
typedef struct {
    index_t in, out;
    index_t *begin, *end, *cells;
} windows_t;

/* Window i has `kernel` cells from `begin` on, which may lie before the image. Averages count those inside the image, or inclusive of
 * padding, which has `after` cells behind the image. */
static inline void set_window(windows_t *w, index_t i, index_t begin, index_t kernel, index_t after, int inclusive) {
    w->end[i] = max_of(0, min_of(begin + kernel, w->in));
    w->begin[i] = min_of(max_of(begin, 0), w->end[i]);
    w->cells[i] = inclusive ? max_of(min_of(kernel, w->in + after - begin), 0) : w->end[i] - w->begin[i];
}

/* Give the windows of three dimensions their parts of memory for 3 * (out + out + out) numbers; all of them are cell 0. */
static inline void lay_windows(windows_t *d, index_t *memory) {
    for (int i = 0; i < 3; memory += 3 * d[i++].out) {
        d[i].begin = memory;
        d[i].end = memory + d[i].out;
        d[i].cells = memory + 2 * d[i].out;
        for (index_t o = 0; o < d[i].out; o++) d[i].begin[o] = 0, d[i].end[o] = d[i].cells[o] = 1;
    }
}

/* A pooling of `planes` independent volumes (images and channels together) of d[0] x d[1] x d[2] cells. */
typedef struct {
    index_t planes;
    windows_t d[3];
    double divisor; /* of averages; 0: the number of cells of each window */
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
