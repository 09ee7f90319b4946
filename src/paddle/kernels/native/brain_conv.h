/* Convolutions of bfloat16 as products of pixels and kernels, with sums in float32 (brain.h). */
#ifndef PADDLE_NATIVE_BRAIN_CONV_H
#define PADDLE_NATIVE_BRAIN_CONV_H

#include "conv.h"

/* One group. Images are [n, c, h, w], kernels [o, c, kh, kw]; NATIVE_OK or NATIVE_NO_MEMORY.
 * brain_conv_pays(q): is it quicker than the way of float32, conversions included?
 * brain_conv(q, x, w, bias, y), brain_conv_data(q, dy, w, dx), brain_conv_weight(q, x, dy, dw, db): db may be NULL.
 * brain_conv_covers(q): does brain_conv_data() take it? Strides are for kernels of one pixel, and padding is what the kernel covers. */
static inline int brain_conv_covers(const conv_t *q) {
    const int one = q->kh * q->kw == 1 && !q->top && !q->left && (q->oh - 1) * q->sh < q->h && (q->ow - 1) * q->sw < q->w;
    return one || (q->sh * q->sw == 1 && q->top <= (q->kh - 1) * q->dh && q->left <= (q->kw - 1) * q->dw);
}

int brain_conv_pays(const conv_t *q);
int brain_conv(const conv_t *q, const uint16_t *x, const uint16_t *w, const float *bias, uint16_t *y);
int brain_conv_data(const conv_t *q, const uint16_t *dy, const uint16_t *w, uint16_t *dx);
int brain_conv_weight(const conv_t *q, const uint16_t *x, const uint16_t *dy, uint16_t *dw, uint16_t *db);

#endif
