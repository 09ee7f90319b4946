/* What picture.c hands to its loops: 8-bit pictures in another size, by weights in whole numbers. */
#ifndef PADDLE_NATIVE_PICTURE_H
#define PADDLE_NATIVE_PICTURE_H

#include "common.h"

#define PICTURE_BITS 22      /* what is behind the point of a weight in Pillow's arithmetic; OpenCV's has 11 */
#define PICTURE_GRAIN 131072 /* products that make one task */

/* Pixel i of the result along an axis is the sum of `taps` pixels from start[i] on, times weight[i][...]; those beyond the picture have
 * the weight 0. `taps` is 0 where the axis stays as it is. */
typedef struct {
    index_t in, out, taps;
    int32_t *start;  /* [out] */
    int32_t *weight; /* [out, taps] */
} taps_t;

typedef struct {
    const uint8_t *x; /* [height, width, channels], a pixel's channels are neighbours */
    index_t height, channels, row_step, pixel_step;
    taps_t across, down;
    int linear;       /* two taps in OpenCV's arithmetic, not any number in Pillow's */
    void *middle;     /* rows of x with the new width: four channels a pixel, or one; bytes, or (linear) 16-bit numbers */
    index_t length;   /* of what matters in such a row */
    index_t line;     /* from one to the next: whole vectors, and more */
    void *y;          /* dense */
} picture_t;

DECLARE_VERSIONS(f32, int, picture_run, const picture_t *p);
DECLARE_VERSIONS(f32, int, planes_run, const picture_t *p); /* y: float32 [channels, height, width] */

#endif
