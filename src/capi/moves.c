/* Moving elements: transposing and repeating, which many operators need. */
#include <stdlib.h>

#include "lines.h"
#include "remap.h"
#include "sizes.h"

typedef struct {
    double part[2];
} pair_t; /* a complex128 */

/* Copy of a strided source into a dense result. */
typedef struct {
    const char *from;
    char *to;
    int ndim;
    index_t dims[MAX_DIMS], strides[MAX_DIMS];
    size_t item;
    index_t lines; /* product of all sizes but the last */
} gather_t;

#define COPY_LINE(type)                                                                    \
    for (index_t i = 0; i < n; i++) ((type *)to)[i] = ((const type *)from)[i * stride];    \
    break

static void copy_line(char *to, const char *from, index_t n, index_t stride, size_t item) {
    if (stride == 1) {
        memcpy(to, from, (size_t)n * item);
        return;
    }
    switch (item) {
    case 1: COPY_LINE(uint8_t);
    case 2: COPY_LINE(uint16_t);
    case 4: COPY_LINE(uint32_t);
    case 8: COPY_LINE(uint64_t);
    default: COPY_LINE(pair_t);
    }
}

static int gather_lines(void *context, index_t begin, index_t end) {
    const gather_t *g = context;
    int last = g->ndim - 1;
    index_t n = g->dims[last], place[MAX_DIMS], rest = begin, offset = 0;
    for (int i = last - 1; i >= 0; i--) {
        place[i] = rest % g->dims[i];
        rest /= g->dims[i];
        offset += place[i] * g->strides[i];
    }
    for (index_t line = begin; line < end; line++) {
        copy_line(g->to + (size_t)(line * n) * g->item, g->from + offset * (index_t)g->item, n, g->strides[last], g->item);
        for (int i = last - 1; i >= 0; i--) {
            offset += g->strides[i];
            if (++place[i] < g->dims[i]) break;
            offset -= place[i] * g->strides[i];
            place[i] = 0;
        }
    }
    return NATIVE_OK;
}

/* Tiles of 32 x 32 where the fast axis of the source is another one than that of the result. */
typedef struct {
    gather_t g;
    index_t rows, row_stride; /* rows: size of the axis along which the source lies dense */
    int axis;
} swap_t;

#define TILE 32
#define COPY_TILE(type)                                                                                             \
    for (index_t r = r0; r < r1; r++)                                                                               \
        for (index_t c = c0; c < c1; c++) ((type *)to)[r * to_row + c] = ((const type *)from)[r + c * stride];      \
    break

static void copy_tiles(char *to, const char *from, index_t rows, index_t columns, index_t to_row, index_t stride, size_t item) {
    for (index_t r0 = 0; r0 < rows; r0 += TILE)
        for (index_t c0 = 0; c0 < columns; c0 += TILE) {
            index_t r1 = min_of(rows, r0 + TILE), c1 = min_of(columns, c0 + TILE);
            switch (item) {
            case 1: COPY_TILE(uint8_t);
            case 2: COPY_TILE(uint16_t);
            case 4: COPY_TILE(uint32_t);
            case 8: COPY_TILE(uint64_t);
            default: COPY_TILE(pair_t);
            }
        }
}

static int swap_planes(void *context, index_t begin, index_t end) {
    const swap_t *s = context;
    const gather_t *g = &s->g;
    int last = g->ndim - 1;
    for (index_t plane = begin; plane < end; plane++) {
        index_t rest = plane, from = 0, to = 0, to_stride[MAX_DIMS], size = 1;
        for (int i = last; i >= 0; i--) {
            to_stride[i] = size;
            size *= g->dims[i];
        }
        for (int i = last - 1; i >= 0; i--) {
            if (i == s->axis) continue;
            index_t at = rest % g->dims[i];
            rest /= g->dims[i];
            from += at * g->strides[i];
            to += at * to_stride[i];
        }
        copy_tiles(g->to + (size_t)to * g->item, g->from + from * (index_t)g->item, s->rows, g->dims[last], s->row_stride,
                   g->strides[last], g->item);
    }
    return NATIVE_OK;
}

static int gather(gather_t *g) {
    int last = g->ndim - 1;
    index_t size = 1;
    for (int i = 0; i <= last; i++) size *= g->dims[i];
    if (size == 0) return 0;
    g->lines = size / g->dims[last];
    index_t to_row = 1;
    for (int axis = last; axis >= 0 && g->strides[last] != 1; to_row *= g->dims[axis--])
        if (axis < last && g->strides[axis] == 1 && g->dims[axis] > 3) {
            swap_t s = {.g = *g, .rows = g->dims[axis], .row_stride = to_row, .axis = axis};
            return parallel_range(g->lines / s.rows, max_of(1, 16384 / (s.rows * g->dims[last])), swap_planes, &s);
        }
    return parallel_range(g->lines, max_of(1, 16384 / g->dims[last]), gather_lines, g);
}

/* Merge neighbouring axes that lie one after the other in the source, so that lines get long. */
static void merge_axes(gather_t *g) {
    int n = 0;
    for (int i = 0; i < g->ndim; i++) {
        if (g->dims[i] == 1) continue;
        if (n && g->strides[n - 1] == g->strides[i] * g->dims[i]) {
            g->dims[n - 1] *= g->dims[i];
            g->strides[n - 1] = g->strides[i];
        } else {
            g->dims[n] = g->dims[i];
            g->strides[n++] = g->strides[i];
        }
    }
    if (!n) g->dims[0] = g->strides[0] = 1, n = 1;
    g->ndim = n;
}

static int run_gather(gather_t *g) {
    merge_axes(g);
    return gather(g) ? fail_memory() : 0;
}

int transpose_into(run_t *run, const tensor_t *x, const int *order, tensor_t *y) {
    index_t dims[MAX_DIMS], strides[MAX_DIMS], stride = 1;
    gather_t g = {.ndim = x->ndim, .item = type_size(x->dtype), .from = x->data};
    for (int i = x->ndim - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= x->dims[i];
    }
    for (int i = 0; i < x->ndim; i++) {
        dims[i] = g.dims[i] = x->dims[order[i]];
        g.strides[i] = strides[order[i]];
    }
    if (make(run, y, x->dtype, x->ndim, dims)) return -1;
    if (!y->size) return 0;
    g.to = y->data;
    if (!run_gather(&g)) return 0;
    tensor_drop(y);
    return -1;
}

int part_of(run_t *run, const tensor_t *x, const index_t *start, const index_t *dims, tensor_t *y) {
    gather_t g = {.ndim = x->ndim, .item = type_size(x->dtype), .from = x->data};
    index_t stride = 1;
    for (int i = x->ndim - 1; i >= 0; stride *= x->dims[i--]) {
        g.dims[i] = dims[i], g.strides[i] = stride;
        g.from += start ? start[i] * stride * (index_t)g.item : 0;
    }
    if (make(run, y, x->dtype, x->ndim, dims)) return -1;
    if (!y->size) return 0;
    g.to = y->data;
    if (!run_gather(&g)) return 0;
    tensor_drop(y);
    return -1;
}

int broadcast_strides(const tensor_t *x, int ndim, const index_t *dims, index_t *strides) {
    int lead = ndim - x->ndim;
    index_t stride = 1;
    if (lead < 0) return fail("a tensor of %d axes can't be repeated to one of %d", x->ndim, ndim);
    for (int i = ndim - 1; i >= 0; i--) {
        index_t size = i < lead ? 1 : x->dims[i - lead];
        if (size != dims[i] && size != 1) {
            char from[160], to[160];
            return fail("shape %s can't be repeated to %s", dims_text(x->ndim, x->dims, from, sizeof from),
                        dims_text(ndim, dims, to, sizeof to));
        }
        strides[i] = size == 1 ? 0 : stride;
        stride *= size;
    }
    return 0;
}

int broadcast_dims(const tensor_t *a, const tensor_t *b, int *ndim, index_t *dims) {
    sizes_t left = sizes_of(a), right = sizes_of(b), sizes;
    if (size_broadcast(&left, &right, &sizes)) return -1;
    *ndim = sizes.count;
    memcpy(dims, sizes.at, sizeof sizes.at);
    return 0;
}

int expand_into(run_t *run, const tensor_t *x, int ndim, const index_t *dims, tensor_t *y) {
    gather_t g = {.ndim = ndim, .item = type_size(x->dtype), .from = x->data};
    if (ndim > MAX_DIMS) return fail("a tensor can have %d axes, not %d", MAX_DIMS, ndim);
    if (broadcast_strides(x, ndim, dims, g.strides) || make(run, y, x->dtype, ndim, dims)) return -1;
    if (!y->size) return 0;
    memcpy(g.dims, dims, (size_t)ndim * sizeof *dims);
    g.to = y->data;
    if (!run_gather(&g)) return 0;
    tensor_drop(y);
    return -1;
}

int remap_into(run_t *run, const tensor_t *x, const int64_t *const *tables, const index_t *counts, double fill, tensor_t *y) {
    remap_t t = {.item = (index_t)type_size(x->dtype), .zero = 1, .x = x->data};
    tensor_t filled = {.dtype = x->dtype, .data = (double[2]){0}};
    if (make(run, y, x->dtype, x->ndim, counts)) return -1;
    tensor_set(&filled, 0, fill);
    t.fill = filled.data;
    for (index_t i = 0; i < t.item; i++) t.zero &= t.fill[i] == 0;
    for (int i = 0; i < x->ndim; i++) {
        t.size[i] = x->dims[i], t.count[i] = counts[i], t.table[i] = tables[i];
        if (tables[i]) t.ndim = i + 1;
    }
    if (!y->size) return 0;
    if (!t.ndim) return memcpy(y->data, x->data, (size_t)(x->size * t.item)), 0;
    t.unit = t.item * span(x, t.ndim, x->ndim);
    t.y = y->data;
    size_t mark = scratch_mark();
    int status = remap_cut(&t);
    if (!status) remap_run(&t, y->size);
    scratch_release(mark);
    if (!status) return 0;
    tensor_drop(y);
    return fail_memory();
}

int line_kind(dtype_t dtype) {
    static const int8_t kinds[] = {LINE_BOOL, LINE_I8, LINE_U8, LINE_I16, LINE_I32, LINE_I64, -1, -1, LINE_F32, LINE_F64, LINE_F32, LINE_F64};
    return kinds[dtype];
}

int lines_into(int rule, const tensor_t *a, const tensor_t *b, tensor_t *y) {
    lines_t t = {.rule = rule, .kind = line_kind(a->dtype), .item = (index_t)type_size(a->dtype), .ndim = y->ndim, .a = a->data, .b = b ? b->data : NULL, .y = y->data};
    if (rule < 0 || t.kind < 0 || !lines_known(rule, t.kind) || type_is_complex(a->dtype) != (rule == LINE_CONJ))
        return fail("elements of type %s are not supported", type_name(a->dtype));
    memcpy(t.dims, y->dims, sizeof y->dims);
    if (broadcast_strides(a, y->ndim, y->dims, t.a_step) || (b && broadcast_strides(b, y->ndim, y->dims, t.b_step))) return -1;
    for (int i = 0; i < y->ndim; i++) t.a_step[i] *= t.item, t.b_step[i] *= t.item;
    lines_run(&t);
    return t.refused && rule != LINE_POW ? fail("a whole number is divided by 0") : 0;
}
