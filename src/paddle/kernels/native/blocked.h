/* Images whose channels lie in blocks: [n, ceil(c / BLOCK), h, w, BLOCK] in place of [n, c, h, w], float only.
 *
 * A pixel's neighbours in memory are then its other channels, which fill vectors whatever the width of the image, and a kernel of any
 * size reads them where they lie. Lanes of channels that don't exist hold anything finite: nothing reads them. */
#ifndef PADDLE_NATIVE_BLOCKED_H
#define PADDLE_NATIVE_BLOCKED_H

#include "conv.h"
#include "pool.h"

#define BLOCK 16

static inline index_t blocks_of(index_t channels) { return ceil_div(channels, BLOCK); }

/* Activations behind a convolution, beside 0 (none), 1 (ReLU) and RELU6. */
enum { HARD_SWISH = 3, BLOCKED_ACTIVATIONS };

/* Weights as a convolution reads them, packed once for many calls. Like READY_NONE ... of conv.h: what kind helps a convolution. */
enum { BLOCKED_DIRECT = 3, BLOCKED_WINOGRAD, BLOCKED_DEPTHWISE };

/* Numbers as those of steps of a grid (integer_steps.inc): `scale` is step `limit`; halves are rounded away from 0, and the steps end at
 * -limit, or to even numbers, and they end at -limit - 1. Bytes hold 128 more than the step. */
typedef struct grid {
    float scale, limit;
    int away;
    float factor; /* limit / scale */
} grid_t;

enum { INTEGER_NAN = 1 }; /* a status: there is a NaN among the floats, which no step stands for */

/* Convolutions of such numbers (integer_conv.inc). Sums are whole. x and weights are words of `unit` numbers of neighbouring channels,
 * four bytes or two halves; x of depthwise ones is bytes, or floats that are to be rounded first. */
struct blocked_sum;
struct integer_end;
typedef struct {
    int unit;
    void (*tile)(int unit, int rows, int vectors, const struct blocked_sum *s, const float *x, const float *w,
                 const struct integer_end *e); /* integer_tile: who has no such numbers need not link it */
    const float *factors;       /* what one is worth in the sums of a channel; with those of missing channels, up to whole panels or blocks */
    const int32_t *corrections; /* what is added to the sums of a channel before, likewise; not of depthwise ones */
    const grid_t *in, *out;     /* of floats that are to be rounded; of the result; or NULL */
    int nothing;                /* the byte of which padding is made */
    const uint8_t *together;    /* of every panel: words whose sums fit 16 bits; of words that one instruction cannot add up, or NULL */
    const uint8_t *x;           /* of depthwise ones, in place of floats */
    uint8_t *y;                 /* where the result goes as steps of `out` */
    index_t apart;              /* between pixels of a result that has all channels of a pixel side by side; 0: it lies in blocks */
} blocked_integers_t;

typedef struct {
    const float *x;
    int plain;             /* x is [n, c, h, w]: the first convolution of a network, with few channels */
    const float *ready;    /* what blocked_prepare() made of the weights */
    const float *bias;     /* o values, or NULL */
    const float *residual; /* laid out as y, added before the activation, or NULL */
    int act;
    float *y;
    const blocked_integers_t *integers; /* or NULL */
} blocked_conv_t;

/* blocked_takes(q): is there code for it? One group, or as many as channels on both sides.
 * blocked_kind(q, plain): how it is computed. blocked_ready_size(q, kind): elements of `ready`, a header and a margin among them.
 * blocked_prepare(q, plain, kind, w, ready): w is [o, c / g, kh, kw].
 * blocked_conv(q, b): any kind, which stands in `ready`; NATIVE_OK or NATIVE_NO_MEMORY.
 * blocked_fits(q, plain, ready, size): were these weights prepared for this convolution and instruction set? */
static inline int blocked_takes(const conv_t *q) { return q->g == 1 || (q->g == q->c && q->c == q->o); }

DECLARE_VERSIONS(f32, int, blocked_kind, const conv_t *q, int plain);
DECLARE_VERSIONS(f32, index_t, blocked_ready_size, const conv_t *q, int kind);
DECLARE_VERSIONS(f32, int, blocked_fits, const conv_t *q, int plain, const float *ready, index_t size);
DECLARE_VERSIONS(f32, int, blocked_prepare, const conv_t *q, int plain, int kind, const float *w, float *ready);
DECLARE_VERSIONS(f32, int, blocked_conv, const conv_t *q, const blocked_conv_t *b);

/* blocked_direct(q, b, packed): the kind BLOCKED_DIRECT, for whole numbers too. */
DECLARE_VERSIONS(f32, int, blocked_direct, const conv_t *q, const blocked_conv_t *b, const float *packed);

/* The same with w packed for this call alone where `ready` is NULL. */
int blocked_run(const conv_t *q, blocked_conv_t *b, const float *w);

/* conv_blocks_kind(q): in which order, of the BLOCKED_... ones, prepared weights are best for an x [n, c, h, w] that goes through blocks, or
 * READY_NONE if it shouldn't. conv_in_blocks(q, x, output): that, with output->ready of blocked_prepare(); not pooled. */
int conv_blocks_kind(const conv_t *q);
int conv_in_blocks(const conv_t *q, const float *x, const conv_output_t *output);

DECLARE_VERSIONS(f32, void, blocked_depthwise_pack, const conv_t *q, const float *w, float *packed);
DECLARE_VERSIONS(f32, int, blocked_depthwise, const conv_t *q, const blocked_conv_t *b, const float *packed);
DECLARE_VERSIONS(f32, int, blocked_winograd_pack, const conv_t *q, const float *w, float *packed);
DECLARE_VERSIONS(f32, int, blocked_winograd, const conv_t *q, const blocked_conv_t *b, const float *packed);

/* Sums over some steps for neighbouring pixels and the channels of a panel: the innermost loop. Whole vectors of y are written, of which
 * lanes beyond `channels` may hold sums or zeros.
 * Step l of run r reads x[offsets[r] + i * pitch + l] for pixel i, and the weights of NR channels at w; whole runs come first, then
 * those of a block with fewer channels. */
typedef struct blocked_sum {
    const index_t *offsets;
    index_t runs, length;           /* whole runs */
    index_t last_runs, last_length; /* shorter ones */
    index_t pitch;                  /* between pixels of x */
    index_t y_pixel, y_vector;      /* between pixels, and vectors of channels, of y and the residual */
    int accumulate;                 /* add what y holds */
    int act;
} blocked_sum_t;

DECLARE_VERSIONS(f32, void, blocked_tiles, index_t pixels, index_t channels, const blocked_sum_t *s, const float *x, const float *w,
                 const float *bias, const float *residual, float *y);

/* The same on words of whole numbers, for `rows` pixels (at most MR) and one or two vectors of channels; s->accumulate is not
 * looked at. All of `e` is that of the tile's first pixel and channel. */
typedef struct integer_end {
    const float *factors, *bias, *residual; /* the last two may be NULL */
    const int32_t *corrections;
    const grid_t *out;
    float *y;
    uint8_t *bytes;                         /* in place of y, if `out` is not NULL */
    int together;                           /* see blocked_integers_t */
} integer_end_t;

DECLARE_VERSIONS(f32, void, integer_tile, int unit, int rows, int vectors, const blocked_sum_t *s, const float *x, const float *w,
                 const integer_end_t *e);

/* blocked_from(n, c, pixels, x, y): [n, c, pixels] to blocks, missing channels 0; blocked_to(): back.
 * blocked_pool(p, average, x, y): p->planes counts images and blocks; windows of d[1] and d[2].
 * blocked_scale(planes, pixels, x, factor, y): every pixel of a plane times the plane's BLOCK factors. */
DECLARE_VERSIONS(f32, int, blocked_from, index_t n, index_t c, index_t pixels, const float *x, float *y);
DECLARE_VERSIONS(f32, int, blocked_to, index_t n, index_t c, index_t pixels, const float *x, float *y);
DECLARE_VERSIONS(f32, int, blocked_pool, const pool_t *p, int average, const float *x, float *y);
DECLARE_VERSIONS(f32, int, blocked_scale, index_t planes, index_t pixels, const float *x, const float *factor, float *y);

#endif
