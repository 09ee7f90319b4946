/* What resample.c hands to its loops. */
#ifndef PADDLE_NATIVE_RESAMPLE_H
#define PADDLE_NATIVE_RESAMPLE_H

#include "common.h"

/* y [outer, count, inner]: slice i is the sum of slices index[k] of x [outer, size, inner] times weight[k], for k from starts[i] to
 * starts[i + 1]. All ids have been checked. */
typedef struct {
    index_t outer, size, inner, count;
    const int64_t *starts, *index;
    const void *weight, *x;
    void *y;
} resample_t;

#define SLICE_GRAIN 16384 /* elements of the result that make one task */

DECLARE_VERSIONS(f32, int, resample_run, const resample_t *r);
DECLARE_VERSIONS(f64, int, resample_run, const resample_t *r);

#endif
