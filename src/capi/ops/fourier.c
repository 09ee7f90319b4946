/* Fourier transforms along axes, and frames of signals. Lines are transformed in double precision. */
#include <math.h>
#include <stdlib.h>

#include "sizes.h"

#define LONGEST ((index_t)1 << 26)
#define LARGEST_FACTOR 61 /* sizes with larger prime factors are done as convolutions of a power of two */

/* What a transform of one size needs: roots of unity; for sizes with large factors the chirp, the transform of its conjugate, and
 * what transforms that. Numbers are pairs of doubles. */
typedef struct fourier {
    index_t n;
    int count, factors[32];
    double *roots, *chirp, *filter;
    struct fourier *inner;
} fourier_t;

static void times(double *to, const double *a, const double *b) {
    double re = a[0] * b[0] - a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];
    to[0] = re, to[1] = im;
}

/* Sums of p numbers at x, `apart` pairs from each other, times roots of unity: to y. */
static void butterfly(const fourier_t *f, int p, const double *x, index_t apart, double *y) {
    for (int t = 0; t < p; t++) {
        y[2 * t] = y[2 * t + 1] = 0;
        for (int j = 0; j < p; j++) {
            double part[2];
            times(part, x + 2 * apart * j, f->roots + 2 * (j * t % p) * (f->n / p));
            y[2 * t] += part[0], y[2 * t + 1] += part[1];
        }
    }
}

static void butterfly2(const double *x, index_t apart, double *y) {
    const double *b = x + 2 * apart;
    y[0] = x[0] + b[0], y[1] = x[1] + b[1];
    y[2] = x[0] - b[0], y[3] = x[1] - b[1];
}

static void butterfly4(const double *x, index_t apart, double *y) {
    const double *b = x + 2 * apart, *c = b + 2 * apart, *d = c + 2 * apart;
    double even[2] = {x[0] + c[0], x[1] + c[1]}, odd[2] = {b[0] + d[0], b[1] + d[1]};
    double less[2] = {x[0] - c[0], x[1] - c[1]}, turned[2] = {b[1] - d[1], d[0] - b[0]}; /* -i (b - d) */
    y[0] = even[0] + odd[0], y[1] = even[1] + odd[1];
    y[2] = less[0] + turned[0], y[3] = less[1] + turned[1];
    y[4] = even[0] - odd[0], y[5] = even[1] - odd[1];
    y[6] = less[0] - turned[0], y[7] = less[1] - turned[1];
}

/* Stockham's way: factor by factor between two buffers, so that results come in order. Where they are in the end. */
static double *transform_factors(const fourier_t *f, double *x, double *y) {
    index_t done = 1;
    for (int i = 0; i < f->count; i++) {
        const int p = f->factors[i];
        const index_t rest = f->n / done / p;
        for (index_t k = 0; k < rest; k++)
            for (index_t q = 0; q < done; q++) {
                const double *from = x + 2 * (q + done * k);
                double found[2 * LARGEST_FACTOR];
                if (p == 2) butterfly2(from, done * rest, found);
                else if (p == 4) butterfly4(from, done * rest, found);
                else butterfly(f, p, from, done * rest, found);
                for (int t = 0; t < p; t++) times(y + 2 * (q + done * (p * k + t)), found + 2 * t, f->roots + 2 * k * t * done);
            }
        double *swapped = x;
        x = y, y = swapped;
        done *= p;
    }
    return x;
}

/* A line in `work`, which has room for four of the inner size; where its transform is. */
static double *transform(const fourier_t *f, double *work) {
    if (!f->inner) return transform_factors(f, work, work + 2 * f->n);
    const index_t m = f->inner->n;
    for (index_t i = 0; i < f->n; i++) times(work + 2 * i, work + 2 * i, f->chirp + 2 * i);
    memset(work + 2 * f->n, 0, (size_t)(m - f->n) * 2 * sizeof *work);
    double *found = transform_factors(f->inner, work, work + 2 * m), *free_half = found == work ? work + 2 * m : work;
    for (index_t i = 0; i < m; i++) {
        times(found + 2 * i, found + 2 * i, f->filter + 2 * i);
        found[2 * i + 1] = -found[2 * i + 1]; /* backwards by the conjugate */
    }
    found = transform_factors(f->inner, found, free_half);
    for (index_t i = 0; i < f->n; i++) {
        found[2 * i] /= (double)m, found[2 * i + 1] /= -(double)m;
        times(found + 2 * i, found + 2 * i, f->chirp + 2 * i);
    }
    return found;
}

static void fourier_free(fourier_t *f) {
    if (!f) return;
    fourier_free(f->inner);
    free(f->roots);
    free(f);
}

static double *room_for(index_t pairs) { return malloc((size_t)pairs * 2 * sizeof(double)); }

/* exp(-pi i part / whole) */
static void put_root(double *to, index_t part, index_t whole) {
    double angle = acos(-1) * (double)part / (double)whole;
    to[0] = cos(angle), to[1] = -sin(angle);
}

static fourier_t *fourier_new(index_t n);

static int begin_chirp(fourier_t *f) {
    index_t m = 1;
    while (m < 2 * f->n - 1) m *= 2;
    f->inner = fourier_new(m);
    f->roots = f->inner ? room_for(f->n + 2 * m) : NULL;
    if (!f->roots) return -1;
    f->chirp = f->roots;
    double *work = f->chirp + 2 * f->n;
    for (index_t i = 0; i < f->n; i++) put_root(f->chirp + 2 * i, i * i % (2 * f->n), f->n);
    memset(work, 0, (size_t)m * 2 * sizeof *work);
    for (index_t i = 0; i < f->n; i++)
        for (int side = 0; side < 2; side++) {
            double *to = work + 2 * (side && i ? m - i : i);
            to[0] = f->chirp[2 * i], to[1] = -f->chirp[2 * i + 1];
        }
    f->filter = transform_factors(f->inner, work, work + 2 * m);
    return 0;
}

static fourier_t *fourier_new(index_t n) {
    fourier_t *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->n = n;
    index_t rest = n;
    while (rest % 4 == 0) f->factors[f->count++] = 4, rest /= 4;
    for (int p = 2; p <= LARGEST_FACTOR; p++)
        while (rest % p == 0) f->factors[f->count++] = p, rest /= p;
    if (rest == 1 ? !(f->roots = room_for(n)) : begin_chirp(f)) {
        fourier_free(f);
        return NULL;
    }
    for (index_t i = 0; rest == 1 && i < n; i++) put_root(f->roots + 2 * i, 2 * i, n);
    return f;
}

/* ---- lines of tensors ---- */

typedef struct {
    const fourier_t *plan;
    const tensor_t *x;
    tensor_t *y;
    index_t from, to, inner; /* places along the axis before and after; distance of neighbours */
    int inverse, mirrored;   /* mirrored: x has the first half of lines whose other half are its conjugates */
    double scale;
} lines_t;

static void read_pair(const tensor_t *t, index_t i, double *to) {
    to[0] = tensor_number(t, i);
    to[1] = t->dtype == TYPE_COMPLEX64 ? ((const float *)t->data)[2 * i + 1] : t->dtype == TYPE_COMPLEX128 ? ((const double *)t->data)[2 * i + 1] : 0;
}

static void write_pair(tensor_t *t, index_t i, double re, double im) {
    tensor_set(t, i, re);
    if (t->dtype == TYPE_COMPLEX64) ((float *)t->data)[2 * i + 1] = (float)im;
    if (t->dtype == TYPE_COMPLEX128) ((double *)t->data)[2 * i + 1] = im;
}

static int transform_lines(void *context, index_t begin, index_t end) {
    const lines_t *l = context;
    const index_t n = l->plan->n, room = l->plan->inner ? l->plan->inner->n : n;
    const double sign = l->inverse ? -1 : 1;
    double *work = room_for(2 * room);
    if (!work) return NATIVE_NO_MEMORY;
    for (index_t line = begin; line < end; line++) {
        const index_t given = min_of(l->from, l->mirrored ? n / 2 + 1 : n), before = line / l->inner, at = line % l->inner;
        for (index_t i = 0; i < n; i++) {
            const index_t j = l->mirrored && i > n / 2 ? n - i : i;
            work[2 * i] = work[2 * i + 1] = 0;
            if (j < given) read_pair(l->x, (before * l->from + j) * l->inner + at, work + 2 * i);
            work[2 * i + 1] *= j == i ? sign : -sign; /* backwards by the conjugate */
        }
        const double *found = transform(l->plan, work);
        for (index_t i = 0; i < l->to; i++)
            write_pair(l->y, (before * l->to + i) * l->inner + at, found[2 * i] * l->scale, found[2 * i + 1] * l->scale * sign);
    }
    free(work);
    return NATIVE_OK;
}

/* y = x transformed along an axis; x keeps it or gets a new size n there, of which `to` places of type `dtype` are wanted. */
static int transform_axis(run_t *run, const op_t *op, const tensor_t *x, int axis, index_t n, index_t to, dtype_t dtype, tensor_t *y) {
    const char *norm = attr_text(op, "normalization");
    const int inverse = !attr_bool(op, "forward"), ortho = !strcmp(norm, "ortho"), behind = !strcmp(norm, inverse ? "backward" : "forward");
    if (!ortho && !behind && strcmp(norm, inverse ? "forward" : "backward")) return fail("there is no normalization %s", norm);
    if (n < 1 || n > LONGEST) return fail("%td numbers can't be transformed", n);
    sizes_t old = sizes_of(x), sizes;
    if (size_with_size(&old, axis, to, &sizes) || make_sized(run, y, dtype, &sizes)) return -1;
    fourier_t *plan = fourier_new(n);
    lines_t l = {.plan = plan, .x = x, .y = y, .from = x->dims[axis], .to = to, .inner = span(x, axis + 1, x->ndim), .inverse = inverse,
                 .mirrored = type_is_float(dtype), .scale = ortho ? 1 / sqrt((double)n) : behind ? 1 / (double)n : 1};
    int status = plan ? parallel_range(span(x, 0, axis) * l.inner, max_of(1, 4096 / n), transform_lines, &l) : NATIVE_NO_MEMORY;
    fourier_free(plan);
    if (!status) return 0;
    tensor_drop(y);
    return fail_memory();
}

/* Complex x along all axes but those from `count` on; takes x. */
static int transform_axes(run_t *run, const op_t *op, tensor_t *x, const int *axes, int count, tensor_t *y) {
    *y = *x;
    for (int i = count - 1; i >= 0; i--) {
        tensor_t before = *y;
        int status = transform_axis(run, op, &before, axes[i], before.dims[axes[i]], before.dims[axes[i]], before.dtype, y);
        tensor_drop(&before);
        if (status) return -1;
    }
    return 0;
}

/* How many axes there are, or -1. */
static int read_axes(const op_t *op, const tensor_t *x, int least, int *axes) {
    int64_t given[MAX_DIMS];
    int count = attr_ints(op, "axes", given, MAX_DIMS);
    for (int i = 0; i < count; i++)
        if ((axes[i] = read_axis(given[i], x->ndim, 0)) < 0) return -1;
    return count >= 0 && count < least ? fail("axes must name one") : count;
}

static int to_complex(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int axes[MAX_DIMS], count = x ? read_axes(op, x, 1, axes) : -1;
    tensor_t half, y;
    if (count < 0 || check_float(x, "X")) return -1;
    const index_t n = x->dims[axes[count - 1]];
    if (transform_axis(run, op, x, axes[count - 1], n, attr_bool(op, "onesided") ? n / 2 + 1 : n,
                       x->dtype == TYPE_FLOAT32 ? TYPE_COMPLEX64 : TYPE_COMPLEX128, &half))
        return -1;
    return transform_axes(run, op, &half, axes, count - 1, &y) ? -1 : give(run, op, "Out", &y);
}

static const tensor_t *complex_input(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    if (!x || type_is_complex(x->dtype)) return x;
    fail("X must be complex64 or complex128, not %s", type_name(x->dtype));
    return NULL;
}

static int among_complex(run_t *run, const op_t *op) {
    const tensor_t *x = complex_input(run, op);
    int axes[MAX_DIMS], count = x ? read_axes(op, x, 0, axes) : -1;
    tensor_t y;
    if (count < 0) return -1;
    tensor_t own = tensor_share(x);
    return transform_axes(run, op, &own, axes, count, &y) ? -1 : give(run, op, "Out", &y);
}

static int to_real(run_t *run, const op_t *op) {
    const tensor_t *x = complex_input(run, op);
    int axes[MAX_DIMS], count = x ? read_axes(op, x, 1, axes) : -1;
    tensor_t others, y;
    if (count < 0) return -1;
    const int last = axes[count - 1];
    const int64_t size = attr_int(op, "last_dim_size");
    tensor_t own = tensor_share(x);
    if (transform_axes(run, op, &own, axes, count - 1, &others)) return -1;
    const index_t n = size ? (index_t)size : 2 * (others.dims[last] - 1);
    int status = transform_axis(run, op, &others, last, n, n, others.dtype == TYPE_COMPLEX64 ? TYPE_FLOAT32 : TYPE_FLOAT64, &y);
    tensor_drop(&others);
    return status ? -1 : give(run, op, "Out", &y);
}

/* ---- frames ---- */

/* 0, or the last axis of x; -1 with a message. */
static int frame_axis(const op_t *op, const tensor_t *x, int least) {
    const int64_t axis = attr_int(op, "axis");
    if ((axis != 0 && axis != -1) || x->ndim < least) return fail("axis must be 0 or -1 of a tensor of at least %d axes", least);
    return axis ? x->ndim - 1 : 0;
}

/* Pieces of a signal: [..., length, frames], or [frames, length, ...] along the first axis. */
static int frame(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    const index_t length = (index_t)attr_int(op, "frame_length"), hop = (index_t)attr_int(op, "hop_length");
    tensor_t y;
    int axis = x ? frame_axis(op, x, 1) : -1;
    if (axis < 0) return -1;
    if (length < 1 || hop < 1 || length > x->dims[axis]) return fail("frames of %td numbers every %td don't fit %td", length, hop, x->dims[axis]);
    const int last = attr_int(op, "axis") != 0;
    const index_t count = size_window_count(x->dims[axis], length, hop, 0, 0, 1);
    sizes_t old = sizes_of(x), counted, sizes;
    if (size_with_size(&old, axis, count, &counted) || size_with_axis(&counted, last ? axis : 1, length, &sizes) || make_sized(run, &y, x->dtype, &sizes)) return -1;
    const index_t outer = last ? span(x, 0, axis) : 1;
    const size_t item = (size_t)(last ? 1 : span(x, 1, x->ndim)) * type_size(x->dtype);
    for (index_t k = 0; k < outer; k++)
        for (index_t f = 0; f < count; f++)
            for (index_t i = 0; i < length; i++)
                memcpy((char *)y.data + (size_t)(last ? (k * length + i) * count + f : f * length + i) * item,
                       (const char *)x->data + (size_t)(k * x->dims[axis] + f * hop + i) * item, item);
    return give(run, op, "Out", &y);
}

/* Frames added up at their places. */
static int overlap_add(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    const index_t hop = (index_t)attr_int(op, "hop_length");
    tensor_t y;
    int axis = x ? frame_axis(op, x, 2) : -1;
    if (axis < 0 || check_float(x, "X")) return -1;
    const int last = attr_int(op, "axis") != 0;
    const index_t count = x->dims[axis], length = x->dims[last ? axis - 1 : 1];
    if (hop < 1 || count < 1 || count > LONGEST || hop > LONGEST) return fail("%td frames can't be put at every %td", count, hop);
    sizes_t old = sizes_of(x), reduced, sizes;
    if (size_reduced(&old, &(sizes_t){1, {last ? axis - 1 : 1}}, 0, &reduced) ||
        size_with_size(&reduced, last ? axis - 1 : 0, (count - 1) * hop + length, &sizes) || make_sized(run, &y, x->dtype, &sizes))
        return -1;
    const index_t whole = (count - 1) * hop + length, outer = last ? span(x, 0, axis - 1) : 1, inner = last ? 1 : span(x, 2, x->ndim);
    memset(y.data, 0, (size_t)y.size * type_size(y.dtype));
    for (index_t k = 0; k < outer; k++)
        for (index_t f = 0; f < count; f++)
            for (index_t i = 0; i < length * inner; i++) {
                const index_t to = (k * whole + f * hop) * inner + i, from = last ? (k * length + i) * count + f : f * length * inner + i;
                tensor_set(&y, to, tensor_number(&y, to) + tensor_number(x, from));
            }
    return give(run, op, "Out", &y);
}

OPERATOR_TABLE(fourier) = {
    {"fft_r2c", to_complex, 0}, {"fft_c2c", among_complex, OPERATOR_COMPLEX}, {"fft_c2r", to_real, OPERATOR_COMPLEX},
    {"frame", frame, OPERATOR_COMPLEX}, {"overlap_add", overlap_add, 0}, {0}};
