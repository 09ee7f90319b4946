/* The loops of brain_conv.h. Pixels come first: an image is copied to [h, w, c] with its padding, so that what a kernel's row meets lies
 * side by side; such runs are brought together, a row of a matrix for each pixel of the result, for some pixels at a time. */
#include "brain_conv.h"

#include "brain.h"
#include "convert.h"

#define CHUNK_BYTES (4 << 20) /* of rows that are brought together */
#define CHUNK_ROWS 512        /* but so many at least, since the kernels are packed for each */
#define MOVES 16384           /* elements whose copy is worth waking a thread for */

static uint16_t shortened(float x) {
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    if ((u & 0x7fffffff) > 0x7f800000) return (uint16_t)(u >> 16 | 0x40);
    return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static float widened(uint16_t h) {
    const uint32_t u = (uint32_t)h << 16;
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* ---- images with pixels first ---- */

typedef struct {
    const uint16_t *from;
    uint16_t *to;
    index_t c, h, w, top, left, rows, columns; /* an image of c channels, and the size with padding */
} image_t;

/* Rows of images: [c, h, w] to [rows, columns, c], where `top` and `left` pixels come before. */
static int pixels_first(void *context, index_t begin, index_t end) {
    const image_t *i = context;
    for (index_t k = begin; k < end; k++) {
        const index_t image = k / i->rows, row = k % i->rows, at = row - i->top;
        uint16_t *to = i->to + k * i->columns * i->c;
        if (at < 0 || at >= i->h) {
            memset(to, 0, (size_t)(i->columns * i->c) * sizeof *to);
            continue;
        }
        memset(to, 0, (size_t)(i->left * i->c) * sizeof *to);
        to += i->left * i->c;
        for (index_t c = 0; c < i->c; c += 32) { /* so many lines stay in the first-level cache */
            const uint16_t *from = i->from + ((image * i->c + c) * i->h + at) * i->w;
            const index_t some = min_of(32, i->c - c);
            for (index_t w = 0; w < i->w; w++)
                for (index_t j = 0; j < some; j++) to[w * i->c + c + j] = from[j * i->h * i->w + w];
        }
        memset(to + i->w * i->c, 0, (size_t)((i->columns - i->left - i->w) * i->c) * sizeof *to);
    }
    return NATIVE_OK;
}

/* Images [h * w, c] to [c, h * w]. */
static int channels_first(void *context, index_t begin, index_t end) {
    const image_t *i = context;
    const index_t pixels = i->h * i->w;
    for (index_t k = begin; k < end; k++) {
        const index_t image = k / i->c, c = k % i->c;
        const uint16_t *from = i->from + image * pixels * i->c + c;
        uint16_t *to = i->to + k * pixels;
        for (index_t p = 0; p < pixels; p++) to[p] = from[p * i->c];
    }
    return NATIVE_OK;
}

/* ---- kernels: [o, c, taps] to taps and channels in another order ---- */

typedef struct {
    const uint16_t *w;
    const float *sums; /* in place of w, with channels behind taps: back to `to` as [o, c, taps] */
    uint16_t *to;
    index_t c, taps, out_pitch, tap_pitch;
    int flipped;
} kernels_t;

static int turn_kernels(void *context, index_t begin, index_t end) {
    const kernels_t *k = context;
    for (index_t o = begin; o < end; o++) {
        const uint16_t *w = k->w ? k->w + o * k->c * k->taps : NULL;
        for (index_t t = 0; t < k->taps; t++) {
            if (w) {
                uint16_t *to = k->to + o * k->out_pitch + (k->flipped ? k->taps - 1 - t : t) * k->tap_pitch;
                for (index_t c = 0; c < k->c; c++) to[c] = w[c * k->taps + t];
            } else {
                const float *from = k->sums + (o * k->taps + t) * k->c;
                for (index_t c = 0; c < k->c; c++) k->to[(o * k->c + c) * k->taps + t] = shortened(from[c]);
            }
        }
    }
    return NATIVE_OK;
}

static uint16_t *turned(const conv_t *q, const uint16_t *w, int back) {
    const index_t taps = q->kh * q->kw, elements = q->o * q->c * taps;
    uint16_t *to = scratch((size_t)elements * sizeof *to);
    kernels_t k = {.w = w, .to = to, .c = q->c, .taps = taps, .out_pitch = back ? q->c : taps * q->c, .tap_pitch = back ? q->o * q->c : q->c,
                   .flipped = back};
    if (to) parallel_range(q->o, 1 + MOVES / (q->c * taps), turn_kernels, &k);
    return to;
}

/* ---- rows ---- */

typedef struct {
    const conv_t *q;
    const uint16_t *x; /* [n, rows, columns, c] */
    uint16_t *to;
    index_t rows, columns, c, first;
} gather_t;

static int gather_rows(void *context, index_t begin, index_t end) {
    const gather_t *g = context;
    const conv_t *q = g->q;
    const index_t run = q->dw == 1 ? q->kw * g->c : g->c, runs = q->dw == 1 ? 1 : q->kw;
    for (index_t k = begin; k < end; k++) {
        const index_t pixel = g->first + k, image = pixel / (q->oh * q->ow), oy = pixel / q->ow % q->oh, ox = pixel % q->ow;
        uint16_t *to = g->to + k * q->kh * q->kw * g->c;
        for (index_t y = 0; y < q->kh; y++)
            for (index_t r = 0; r < runs; r++, to += run)
                memcpy(to, g->x + ((image * g->rows + oy * q->sh + y * q->dh) * g->columns + ox * q->sw + r * q->dw) * g->c,
                       (size_t)run * sizeof *to);
    }
    return NATIVE_OK;
}

/* What every pass begins with: an image of c channels with pixels first, and room for rows. */
typedef struct {
    gather_t gather;
    index_t pixels, inner, chunk; /* of the result, of a row, and rows at a time */
} rows_t;

static int take_rows(const conv_t *q, const uint16_t *x, rows_t *r) {
    const index_t rows = (q->oh - 1) * q->sh + (q->kh - 1) * q->dh + 1, columns = (q->ow - 1) * q->sw + (q->kw - 1) * q->dw + 1;
    image_t image = {.from = x, .c = q->c, .h = q->h, .w = q->w, .top = q->top, .left = q->left, .rows = max_of(rows, q->top + q->h),
                     .columns = max_of(columns, q->left + q->w)};
    r->pixels = q->n * q->oh * q->ow;
    r->inner = q->kh * q->kw * q->c;
    r->chunk = min_of(r->pixels, max_of(CHUNK_ROWS, CHUNK_BYTES / (r->inner * 2)));
    image.to = scratch((size_t)(q->n * image.rows * image.columns * q->c) * sizeof *image.to);
    r->gather = (gather_t){q, image.to, scratch((size_t)(r->chunk * r->inner) * sizeof *image.to), image.rows, image.columns, q->c, 0};
    if (!image.to || !r->gather.to) return NATIVE_NO_MEMORY;
    return parallel_range(q->n * image.rows, 1 + MOVES / (image.columns * q->c), pixels_first, &image);
}

/* The rows of some pixels; a kernel of one pixel finds them where they lie. */
static const uint16_t *rows_from(rows_t *r, index_t first, index_t count) {
    const conv_t *q = r->gather.q;
    if (q->kh * q->kw * q->sh * q->sw == 1 && r->gather.rows == q->oh && r->gather.columns == q->ow) return r->gather.x + first * r->inner;
    r->gather.first = first;
    parallel_range(count, 1 + MOVES / r->inner, gather_rows, &r->gather);
    return r->gather.to;
}

/* ---- passes ---- */

/* y of [o] channels from an x of [c]; kernels are [taps, c, o] with these strides. */
static int multiply_pixels(const conv_t *q, const uint16_t *x, const uint16_t *w, index_t w_row, index_t w_col, const float *bias, uint16_t *y) {
    rows_t r;
    int status = take_rows(q, x, &r);
    uint16_t *result = status ? NULL : scratch((size_t)(r.pixels * q->o) * sizeof *result);
    if (!status && !result) status = NATIVE_NO_MEMORY;
    for (index_t first = 0; !status && first < r.pixels; first += r.chunk) {
        const index_t count = min_of(r.chunk, r.pixels - first);
        const brain_t p = {.m = count, .n = q->o, .k = r.inner, .a = rows_from(&r, first, count), .a_row = r.inner, .a_col = 1, .b = w,
                           .b_row = w_row, .b_col = w_col, .bias = bias, .c = result + first * q->o, .c_row = q->o};
        status = brain_gemm(&p);
    }
    if (status) return status;
    image_t image = {.from = result, .to = y, .c = q->o, .h = q->oh, .w = q->ow};
    return parallel_range(q->n * q->o, 1 + MOVES / (q->oh * q->ow), channels_first, &image);
}

/* ---- kernels of one pixel: images are matrices, as they lie ---- */

static int is_pixel(const conv_t *q) {
    return q->kh * q->kw * q->sh * q->sw == 1 && q->oh == q->h && q->ow == q->w && !q->top && !q->left;
}

/* The pixels of planes that a kernel of one pixel with a stride meets, or back, with zeros between them. */
typedef struct {
    const conv_t *q;
    const uint16_t *from;
    uint16_t *to;
    int back;
} pick_t;

static int pick_planes(void *context, index_t begin, index_t end) {
    const pick_t *p = context;
    const conv_t *q = p->q;
    for (index_t k = begin; k < end; k++) {
        const index_t whole = k * q->h * q->w, few = k * q->oh * q->ow;
        if (p->back) memset(p->to + whole, 0, (size_t)(q->h * q->w) * sizeof *p->to);
        for (index_t y = 0; y < q->oh; y++)
            for (index_t x = 0; x < q->ow; x++) {
                const index_t at = whole + y * q->sh * q->w + x * q->sw, of = few + y * q->ow + x;
                if (p->back) p->to[at] = p->from[of];
                else p->to[of] = p->from[at];
            }
    }
    return NATIVE_OK;
}

static int is_strided_pixel(const conv_t *q) {
    return q->kh * q->kw == 1 && q->sh * q->sw > 1 && !q->top && !q->left && (q->oh - 1) * q->sh < q->h && (q->ow - 1) * q->sw < q->w;
}

static conv_t picked_of(const conv_t *q) {
    conv_t picked = *q;
    picked.h = q->oh, picked.w = q->ow, picked.sh = picked.sw = 1;
    return picked;
}

static uint16_t *picked_from(const conv_t *q, const uint16_t *x) {
    uint16_t *picked = scratch((size_t)(q->n * q->c * q->oh * q->ow) * sizeof *picked);
    pick_t p = {q, x, picked, 0};
    if (picked) parallel_range(q->n * q->c, 1 + MOVES / (q->oh * q->ow), pick_planes, &p);
    return picked;
}

/* y = w x of every image; w is [o, c] with these strides. */
static int multiply_images(const conv_t *q, index_t o, index_t c, const uint16_t *x, const uint16_t *w, index_t w_row, index_t w_col, uint16_t *y) {
    const index_t pixels = q->h * q->w;
    int status = NATIVE_OK;
    for (index_t i = 0; i < q->n && !status; i++) {
        const brain_t p = {.m = o, .n = pixels, .k = c, .a = w, .a_row = w_row, .a_col = w_col, .b = x + i * c * pixels, .b_row = pixels,
                           .b_col = 1, .c = y + i * o * pixels, .c_row = pixels};
        status = brain_gemm(&p);
    }
    return status;
}

static int multiply_gradients(const conv_t *q, const uint16_t *x, const uint16_t *dy, uint16_t *dw) {
    const index_t pixels = q->h * q->w;
    const size_t mark = scratch_mark();
    float *sums = scratch((size_t)(q->o * q->c) * sizeof *sums);
    int status = sums ? NATIVE_OK : NATIVE_NO_MEMORY;
    for (index_t i = 0; i < q->n && !status; i++) {
        const brain_t p = {.m = q->o, .n = q->c, .k = pixels, .a = dy + i * q->o * pixels, .a_row = pixels, .a_col = 1, .b = x + i * q->c * pixels,
                           .b_row = 1, .b_col = pixels, .wide = sums, .c_row = q->c, .accumulate = i > 0};
        status = brain_gemm(&p);
    }
    for (index_t k = 0; k < q->o * q->c && !status; k++) dw[k] = shortened(sums[k]);
    scratch_release(mark);
    return status;
}

int brain_conv(const conv_t *q, const uint16_t *x, const uint16_t *w, const float *bias, uint16_t *y) {
    if (is_pixel(q) && !bias) return multiply_images(q, q->o, q->c, x, w, q->c, 1, y);
    const size_t mark = scratch_mark();
    if (is_strided_pixel(q) && !bias) {
        const conv_t picked = picked_of(q);
        const uint16_t *some = picked_from(q, x);
        const int status = some ? brain_conv(&picked, some, w, NULL, y) : NATIVE_NO_MEMORY;
        scratch_release(mark);
        return status;
    }
    const uint16_t *kernels = turned(q, w, 0);
    const int status = kernels ? multiply_pixels(q, x, kernels, 1, q->kh * q->kw * q->c, bias, y) : NATIVE_NO_MEMORY;
    scratch_release(mark);
    return status;
}

int brain_conv_data(const conv_t *q, const uint16_t *dy, const uint16_t *w, uint16_t *dx) {
    if (is_pixel(q)) return multiply_images(q, q->c, q->o, dy, w, 1, q->c, dx);
    if (is_strided_pixel(q)) {
        const conv_t picked = picked_of(q);
        const size_t mark = scratch_mark();
        uint16_t *some = scratch((size_t)(q->n * q->c * q->oh * q->ow) * sizeof *some);
        const int status = some ? multiply_images(&picked, q->c, q->o, dy, w, 1, q->c, some) : NATIVE_NO_MEMORY;
        pick_t p = {q, some, dx, 1};
        if (!status) parallel_range(q->n * q->c, 1 + MOVES / (q->h * q->w), pick_planes, &p);
        scratch_release(mark);
        return status;
    }
    conv_t back = *q; /* the convolution of dy with the kernels turned round */
    back.c = q->o, back.o = q->c, back.h = q->oh, back.w = q->ow, back.oh = q->h, back.ow = q->w;
    back.top = (q->kh - 1) * q->dh - q->top, back.left = (q->kw - 1) * q->dw - q->left;
    const size_t mark = scratch_mark();
    const uint16_t *kernels = turned(q, w, 1);
    const int status = kernels ? multiply_pixels(&back, dy, kernels, q->c, 1, NULL, dx) : NATIVE_NO_MEMORY;
    scratch_release(mark);
    return status;
}

/* Sums of all pixels, [pixels, o]. */
static void sum_pixels(const uint16_t *dy, index_t pixels, index_t o, uint16_t *db) {
    for (index_t first = 0; first < o; first += 64) {
        const index_t some = min_of(64, o - first);
        float sums[64] = {0};
        for (index_t p = 0; p < pixels; p++)
            for (index_t k = 0; k < some; k++) sums[k] += widened(dy[p * o + first + k]);
        for (index_t k = 0; k < some; k++) db[first + k] = shortened(sums[k]);
    }
}

int brain_conv_weight(const conv_t *q, const uint16_t *x, const uint16_t *dy, uint16_t *dw, uint16_t *db) {
    if (is_pixel(q) && !db) return multiply_gradients(q, x, dy, dw);
    const size_t mark = scratch_mark();
    if (is_strided_pixel(q) && !db) {
        const conv_t picked = picked_of(q);
        const uint16_t *some = picked_from(q, x);
        const int status = some ? multiply_gradients(&picked, some, dy, dw) : NATIVE_NO_MEMORY;
        scratch_release(mark);
        return status;
    }
    rows_t r;
    int status = take_rows(q, x, &r);
    image_t image = {.from = dy, .c = q->o, .h = q->oh, .w = q->ow, .rows = q->oh, .columns = q->ow};
    image.to = status ? NULL : scratch((size_t)(r.pixels * q->o) * sizeof *image.to);
    float *sums = image.to ? scratch((size_t)(q->o * r.inner) * sizeof *sums) : NULL;
    if (!status && !sums) status = NATIVE_NO_MEMORY;
    if (!status) parallel_range(q->n * q->oh, 1 + MOVES / (q->ow * q->o), pixels_first, &image);
    for (index_t first = 0; !status && first < r.pixels; first += r.chunk) {
        const index_t count = min_of(r.chunk, r.pixels - first);
        const brain_t p = {.m = q->o, .n = r.inner, .k = count, .a = image.to + first * q->o, .a_row = 1, .a_col = q->o,
                           .b = rows_from(&r, first, count), .b_row = r.inner, .b_col = 1, .wide = sums, .c_row = r.inner, .accumulate = first > 0};
        status = brain_gemm(&p);
    }
    if (!status) {
        kernels_t k = {.sums = sums, .to = dw, .c = q->c, .taps = q->kh * q->kw};
        parallel_range(q->o, 1 + MOVES / r.inner, turn_kernels, &k);
        if (db) sum_pixels(image.to, r.pixels, q->o, db);
    }
    scratch_release(mark);
    return status;
}

int brain_conv_pays(const conv_t *q) {
    const int winograd = conv_suits_phases(q, ceil_div(q->oh, 4), ceil_div(q->ow, 4)); /* fewer multiplications, of floats */
    return brain_available() && q->g == 1 && q->c >= 32 && q->o >= 32 && !winograd;
}
