/* 2-D convolution: what its files share. */
#ifndef PADDLE_NATIVE_CONV_H
#define PADDLE_NATIVE_CONV_H

#include "common.h"

/* Sizes of one convolution. x is [n, c, h, w], the weights [o, c / g, kh, kw], y [n, o, oh, ow].
 * The binding guarantees that every size is >= 1 and that the window of every output lies within the padded image;
 * padding at bottom and right follows from oh and ow. */
typedef struct conv_sizes {
    index_t n, c, h, w;   /* images, input channels, height, width */
    index_t o, kh, kw;    /* output channels, kernel */
    index_t sh, sw;       /* strides */
    index_t top, left;    /* padding */
    index_t dh, dw;       /* dilation */
    index_t g;            /* groups */
    index_t oh, ow;       /* output height and width */
} conv_t;

/* Rows of the padded image that the outputs touch. */
static inline index_t conv_padded_rows(const conv_t *q) { return (q->oh - 1) * q->sh + (q->kh - 1) * q->dh + 1; }

/* Columns of it, per phase: column j of the padded image is number j / sw of phase j % sw. */
static inline index_t conv_phase_width(const conv_t *q) {
    return ceil_div((q->ow - 1) * q->sw + (q->kw - 1) * q->dw + 1, q->sw);
}

/* Kernels as large as the image: one product of matrices. */
static inline int conv_is_product(const conv_t *q) {
    return q->g == 1 && q->oh * q->ow == 1 && !q->top && !q->left && q->kh == q->h && q->kw == q->w;
}

/* Multiplications in one pass. */
static inline double conv_work(const conv_t *q) {
    return (double)q->n * (double)q->o * (double)(q->oh * q->ow) * (double)(q->c / q->g) * (double)(q->kh * q->kw);
}

/* Multiplications that are worth waking a thread for. */
#define CONV_WORK_PER_TASK 200000.0

/* How many tasks a pass is worth: 1 if it is small, else up to `per_thread` for each thread. */
static inline index_t conv_task_count(const conv_t *q, index_t per_thread) {
    double tasks = conv_work(q) / CONV_WORK_PER_TASK, most = (double)(per_thread * threads_count());
    return (index_t)(tasks < 1 ? 1 : tasks > most ? most : tasks);
}

/* Is a pass long enough for more than one thread? */
static inline int conv_worthwhile(const conv_t *q) { return conv_work(q) > CONV_WORK_PER_TASK; }

extern int conv_use_winograd;

/* Can Winograd's algorithm (of floats) do it: have the phases of the kernel (phases.inc) two or three taps? */
static inline int conv_has_phases(const conv_t *q) {
    const index_t s = q->sh, taps = ceil_div(q->kh, s);
    return q->kh == q->kw && s == q->sw && s <= 2 && (taps == 2 || taps == 3) && q->dh * q->dw * q->g == 1;
}

/* Products for a square of 4x4 results and a channel. */
static inline index_t conv_square_products(const conv_t *q) {
    const index_t points = ceil_div(q->kh, q->sh) + 3;
    return q->sh * q->sh * points * points;
}

/* Is it worth while with so many squares in an image? Kernels are transformed for few, or many lie outside, or skipped taps count. */
static inline int conv_suits_phases(const conv_t *q, index_t tall, index_t wide) {
    const index_t squares = q->n * tall * wide;
    return conv_use_winograd && conv_has_phases(q) && q->c >= 24 && q->o >= 24 && squares >= 12 &&
           10 * q->n * q->oh * q->ow * q->kh * q->kw >= 17 * squares * conv_square_products(q);
}

/* Where the result of a forward pass goes. Pointers are to float or double, as the version called. */
typedef struct {
    const void *bias;     /* o values, or NULL */
    int relu;
    void *y;              /* the whole output, or NULL if it is pooled */
    void *pooled;         /* [n, o, oh / 2, ow / 2] of relu(y), or NULL */
    uint8_t *pool_index;  /* the same shape: winner 0..3, or 4 where it is 0 */
    const void *residual; /* values of the shape of y that are added before ReLU, or NULL; not where it is pooled, nor depthwise */
    const void *ready;    /* the weights as conv_prepare() made them, or NULL; not used if they don't fit */
} conv_output_t;

/* Weights that are packed once for many calls: READY_HEADER elements that say what they are (instruction set, kind, sizes), then
 * the weights in the order in which the products of that kind read them. */
enum { READY_NONE, READY_PANELS, READY_WINOGRAD };
#define READY_HEADER 16

static inline index_t conv_ready_size(const conv_t *q, int kind) { /* with a margin: vectors are read beyond the end */
    const index_t panels = kind == READY_WINOGRAD ? conv_square_products(q) * (round_up(q->o, 32) * q->c + 16) : q->o * (q->c / q->g) * q->kh * q->kw;
    return READY_HEADER + panels + READY_HEADER;
}

/* conv_forward(q, x, w, flip, output)
 * flip: w is [c, o / g, kh, kw] per group and is used rotated by 180 degrees: the backward pass of a stride-1 convolution.
 *
 * conv_backward_data(q, dy, pool_index, w, dx)
 * conv_backward_weight(q, x, dy, pool_index, dw, db)
 * pool_index: NULL, or the index of a pooled forward pass; dy is then the gradient of its result. db may be NULL.
 *
 * depthwise_forward, depthwise_backward_data: for c == g. conv_weight_dots: any, but made for few channels per group.
 *
 * conv_kind(q): which kind of prepared weights helps a forward pass; conv_prepare(q, w, kind, ready) makes them.
 *
 * All of them overwrite their result and return a status. */
#define DECLARE_CONV(suffix, type)                                                                                     \
    DECLARE_VERSIONS(suffix, int, conv_forward, const conv_t *q, const type *x, const type *w, int flip,               \
                     const conv_output_t *output);                                                                     \
    DECLARE_VERSIONS(suffix, int, conv_kind, const conv_t *q);                                                         \
    DECLARE_VERSIONS(suffix, int, conv_prepare, const conv_t *q, const type *w, int kind, type *ready);                \
    DECLARE_VERSIONS(suffix, int, conv_backward_data, const conv_t *q, const type *dy, const uint8_t *pool_index,      \
                     const type *w, type *dx);                                                                         \
    DECLARE_VERSIONS(suffix, int, conv_backward_weight, const conv_t *q, const type *x, const type *dy,                \
                     const uint8_t *pool_index, type *dw, type *db);                                                   \
    DECLARE_VERSIONS(suffix, int, depthwise_forward, const conv_t *q, const type *x, const type *w, const type *bias,  \
                     int relu, type *y);                                                                               \
    DECLARE_VERSIONS(suffix, int, depthwise_backward_data, const conv_t *q, const type *dy, const type *w, type *dx);  \
    DECLARE_VERSIONS(suffix, int, conv_weight_dots, const conv_t *q, const type *x, const type *dy,                    \
                     const uint8_t *pool_index, type *dw, type *db)
DECLARE_CONV(f32, float);
DECLARE_CONV(f64, double);

/* Has a depthwise convolution a kernel and stride with code of their own? */
static inline int depthwise_is_usual(const conv_t *q) {
    return q->kh == q->kw && (q->kh == 3 || q->kh == 5) && q->sh == q->sw && q->sh <= 2 && q->dh * q->dw == 1;
}

/* Gradients of usual depthwise convolutions of as many channels on both sides, with AVX-512 only.
 * depthwise_data_by_twos(q, dy, w, dx): with a stride of 2. depthwise_weight(q, x, dy, dw, db): db may be NULL. */
DECLARE_VERSIONS(f32, int, depthwise_data_by_twos, const conv_t *q, const float *dy, const float *w, float *dx);
DECLARE_VERSIONS(f32, int, depthwise_weight, const conv_t *q, const float *x, const float *dy, float *dw, float *db);

/* phases_forward(q, x, w, output), phases_backward_data(q, dy, w, dx), phases_weight(q, x, dy, dw, db): the passes of a convolution that
 * has phases. The first does what `output` says; `kernels` is NULL or what
 * phases_prepare() made.
 * winograd_weight: conv_backward_weight() of one with a 3x3 kernel and stride 1. */
DECLARE_VERSIONS(f32, int, phases_forward, const conv_t *q, const float *x, const float *w, const conv_output_t *output,
                 const float *kernels);
DECLARE_VERSIONS(f32, int, phases_prepare, const conv_t *q, const float *w, float *kernels);
DECLARE_VERSIONS(f32, int, phases_backward_data, const conv_t *q, const float *dy, const float *w, float *dx);
DECLARE_VERSIONS(f32, int, phases_weight, const conv_t *q, const float *x, const float *dy, float *dw, float *db);
DECLARE_VERSIONS(f32, int, winograd_weight, const conv_t *q, const float *x, const float *dy, const uint8_t *pool_index, float *dw,
                 float *db);

#endif
