/* A convolution of [n, c, h, w] that goes through blocks of channels: into them, the convolution of blocked.h, and back. Sums over many
 * channels pay for the two moves where vectors of pixels don't fill: in small images, and with strides. */
#include "blocked.h"
#include "thresholds.h"

int conv_blocks_kind(const conv_t *q) {
    if (q->g > 1 || q->c < BLOCK || q->o < BLOCK || conv_is_product(q)) return READY_NONE;
    const int kind = DISPATCH(f32, blocked_kind, q, 0), here = DISPATCH(f32, conv_kind, q);
    if ((kind == BLOCKED_WINOGRAD) != (here == READY_WINOGRAD)) return READY_NONE;
    const double moved = (double)q->n * (double)(q->c * q->h * q->w + q->o * q->oh * q->ow);
    const double least = kind == BLOCKED_WINOGRAD ? BLOCKS_SQUARES : q->sh * q->sw > 1 ? BLOCKS_STRIDE : BLOCKS_PIXELS;
    return conv_work(q) >= least * moved ? kind : READY_NONE;
}

int conv_in_blocks(const conv_t *q, const float *x, const conv_output_t *output) {
    const size_t inputs = (size_t)(q->n * blocks_of(q->c) * q->h * q->w * BLOCK), outputs = (size_t)(q->n * blocks_of(q->o) * q->oh * q->ow * BLOCK);
    size_t mark = scratch_mark();
    float *from = scratch(inputs * sizeof(float)), *to = scratch(outputs * sizeof(float));
    float *residual = output->residual ? scratch(outputs * sizeof(float)) : NULL;
    int status = from && to && (residual || !output->residual) ? DISPATCH(f32, blocked_from, q->n, q->c, q->h * q->w, x, from) : NATIVE_NO_MEMORY;
    if (status == NATIVE_OK && residual) status = DISPATCH(f32, blocked_from, q->n, q->o, q->oh * q->ow, output->residual, residual);
    const blocked_conv_t b = {.x = from, .ready = output->ready, .bias = output->bias, .residual = residual, .act = output->relu, .y = to};
    if (status == NATIVE_OK) status = DISPATCH(f32, blocked_conv, q, &b);
    if (status == NATIVE_OK) status = DISPATCH(f32, blocked_to, q->n, q->o, q->oh * q->ow, to, output->y);
    scratch_release(mark);
    return status;
}
