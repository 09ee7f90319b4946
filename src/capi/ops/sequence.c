/* Operators over rows that are packed sequence behind sequence (LoD). */
#include <math.h>

#include "packed.h"

int read_packed(run_t *run, const op_t *op, const char *slot, packed_t *p) {
    p->x = need_input(run, op, slot);
    p->lod = p->x ? need_lod(p->x, slot) : NULL;
    if (!p->lod) return -1;
    p->ends = p->lod->offsets[p->lod->levels - 1];
    p->count = p->lod->counts[p->lod->levels - 1] - 1;
    if (p->x->ndim < 1 || p->ends[p->count] != p->x->dims[0]) return fail("the offsets of %s end at %td, not at its rows", slot, p->ends[p->count]);
    p->inner = span(p->x, 1, p->x->ndim);
    return 0;
}

int make_rows(run_t *run, tensor_t *y, const tensor_t *like, index_t rows) {
    sizes_t old = sizes_of(like), sizes;
    return size_with_size(&old, 0, rows, &sizes) ? -1 : make_sized(run, y, like->dtype, &sizes);
}

void copy_rows(tensor_t *to, index_t at, const tensor_t *from, index_t first, index_t count, index_t inner) {
    size_t row = (size_t)inner * type_size(to->dtype);
    memcpy((char *)to->data + (size_t)at * row, (const char *)from->data + (size_t)first * row, (size_t)count * row);
}

lod_t *one_level(index_t sequences) {
    lod_t *lod = lod_new(1, &(index_t){sequences + 1});
    if (lod) lod->offsets[0][0] = 0;
    return lod;
}

int give_packed(run_t *run, const op_t *op, const char *slot, tensor_t *t, lod_t *lod) {
    return give(run, op, slot, t) || set_lod(run, op, slot, lod) ? -1 : 0;
}

/* One row for each sequence. */
static int sequence_pool(run_t *run, const op_t *op) {
    packed_t p;
    tensor_t y;
    if (read_packed(run, op, "X", &p) || check_float(p.x, "X") || make_rows(run, &y, p.x, p.count)) return -1;
    const char *kind = attr_text(op, "pooltype");
    int max = !strcmp(kind, "MAX"), first = !strcmp(kind, "FIRST"), last = !strcmp(kind, "LAST"), sum = !strcmp(kind, "SUM"), root = !strcmp(kind, "SQRT");
    if (!max && !first && !last && !sum && !root && strcmp(kind, "AVERAGE")) return finish(run, op, "Out", &y, fail("there is no pooling %s", kind));
    for (index_t i = 0; i < p.count; i++)
        for (index_t k = 0; k < p.inner; k++) {
            index_t n = length_of(&p, i);
            double value = n ? max ? -INFINITY : 0 : attr_float(op, "pad_value");
            for (index_t r = first || !last ? p.ends[i] : p.ends[i + 1] - (n > 0); r < (first ? p.ends[i] + (n > 0) : p.ends[i + 1]); r++) {
                double x = tensor_number(p.x, r * p.inner + k);
                value = max ? (x > value || isnan(x) ? x : value) : value + x;
            }
            if (n && !max && !first && !last && !sum) value /= root ? sqrt((double)n) : (double)n;
            tensor_set(&y, i * p.inner + k, value);
        }
    lod_t *outer = p.lod->levels > 1 ? lod_part(p.lod, 0, p.lod->levels - 1) : NULL;
    if (p.lod->levels > 1 && !outer) return finish(run, op, "Out", &y, -1);
    return give(run, op, "Out", &y) || (outer && set_lod(run, op, "Out", outer)) ? -1 : 0;
}

static int sequence_softmax(run_t *run, const op_t *op) {
    packed_t p;
    tensor_t y;
    if (read_packed(run, op, "X", &p) || check_float(p.x, "X") || make_like(run, &y, p.x)) return -1;
    for (index_t i = 0; i < p.count; i++)
        for (index_t k = 0; k < p.inner; k++) {
            double top = -INFINITY, sum = 0;
            for (index_t r = p.ends[i]; r < p.ends[i + 1]; r++) top = fmax(top, tensor_number(p.x, r * p.inner + k));
            for (index_t r = p.ends[i]; r < p.ends[i + 1]; r++) sum += exp(tensor_number(p.x, r * p.inner + k) - top);
            for (index_t r = p.ends[i]; r < p.ends[i + 1]; r++) tensor_set(&y, r * p.inner + k, exp(tensor_number(p.x, r * p.inner + k) - top) / sum);
        }
    return give(run, op, "Out", &y);
}

/* Each row and its neighbours side by side, zeros beyond the sequence, times a matrix. */
static int sequence_conv(run_t *run, const op_t *op) {
    packed_t p;
    tensor_t near, y;
    const tensor_t *w = need_input(run, op, "Filter");
    if (!w || read_packed(run, op, "X", &p)) return -1;
    int64_t length = attr_int(op, "contextLength"), start = attr_int(op, "contextStart");
    if (attr_bool(op, "paddingTrainable") || attr_int(op, "contextStride") != 1) return fail("trained padding and strides are not supported");
    if (p.x->ndim != 2 || length < 1 || length > 4096 || start < -4096 || start > 4096) return fail("X must be a matrix, and its neighbours few");
    if (make(run, &near, p.x->dtype, 2, (index_t[]){p.x->dims[0], (index_t)length * p.inner})) return -1;
    memset(near.data, 0, (size_t)near.size * type_size(near.dtype));
    for (index_t i = 0; i < p.count; i++)
        for (index_t r = p.ends[i]; r < p.ends[i + 1]; r++)
            for (index_t k = 0; k < length; k++) {
                index_t from = r + (index_t)start + k;
                if (from >= p.ends[i] && from < p.ends[i + 1]) copy_rows(&near, r * (index_t)length + k, p.x, from, 1, p.inner);
            }
    int status = product_into(run, &near, w, 0, 0, &(product_end_t){0}, &y);
    tensor_drop(&near);
    return status ? -1 : give(run, op, "Out", &y);
}

/* Sequences of x (rows, if it has none) repeated: sequence i `times` [i + 1] - [i] times. */
static int repeat_sequences(run_t *run, const op_t *op, const tensor_t *x, const index_t *times, index_t count) {
    const lod_t *own = x->lod;
    const index_t *ends = own ? own->offsets[own->levels - 1] : NULL;
    index_t rows = 0, total = 0, at = 0, inner = x->ndim ? span(x, 1, x->ndim) : 1;
    tensor_t y;
    if (x->ndim < 1 || (own ? own->counts[own->levels - 1] - 1 : x->dims[0]) != count) return fail("X must have %td sequences", count);
    for (index_t i = 0; i < count; i++) {
        rows += (times[i + 1] - times[i]) * (ends ? ends[i + 1] - ends[i] : 1);
        total += times[i + 1] - times[i];
    }
    lod_t *lod = own ? one_level(total) : NULL;
    if ((own && !lod) || make_rows(run, &y, x, rows)) {
        lod_drop(lod);
        return -1;
    }
    index_t made = 0;
    for (index_t i = 0; i < count; i++)
        for (index_t k = times[i]; k < times[i + 1]; k++) {
            index_t n = ends ? ends[i + 1] - ends[i] : 1;
            copy_rows(&y, at, x, ends ? ends[i] : i, n, inner);
            at += n;
            if (lod) lod->offsets[0][++made] = at;
        }
    return give(run, op, "Out", &y) || (lod && set_lod(run, op, "Out", lod)) ? -1 : 0;
}

static int sequence_expand(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *y = x ? need_input(run, op, "Y") : NULL;
    const lod_t *lod = y ? need_lod(y, "Y") : NULL;
    if (!lod) return -1;
    int64_t level = attr_int(op, "ref_level");
    if (level < 0) level += lod->levels;
    if (level < 0 || level >= lod->levels) return fail("Y has no level %lld", (long long)attr_int(op, "ref_level"));
    return repeat_sequences(run, op, x, lod->offsets[level], lod->counts[level] - 1);
}

static int sequence_expand_as(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    packed_t p;
    if (!x || read_packed(run, op, "Y", &p)) return -1;
    tensor_t rows = *x;
    rows.lod = NULL;
    return repeat_sequences(run, op, &rows, p.ends, p.count);
}

static int sequence_concat(run_t *run, const op_t *op) {
    const slot_t *slot = find_in(op, "X");
    const tensor_t *first = slot ? input_at(run, op, slot, 0) : NULL;
    const lod_t *lod = first ? need_lod(first, "X") : NULL;
    if (!lod) return slot ? -1 : fail("input X is missing");
    index_t count = lod->counts[lod->levels - 1] - 1, rows = 0, at = 0, inner = first->ndim ? span(first, 1, first->ndim) : 0;
    for (int i = 0; i < slot->count; i++) {
        const tensor_t *x = input_at(run, op, slot, i);
        const lod_t *own = x ? need_lod(x, "X") : NULL;
        if (!own) return -1;
        if (own->counts[own->levels - 1] - 1 != count || x->dtype != first->dtype || x->ndim < 1 || span(x, 1, x->ndim) != inner)
            return fail("tensors to join must have as many sequences of equal rows");
        rows += x->dims[0];
    }
    tensor_t y;
    lod_t *made = one_level(count);
    if (!made || make_rows(run, &y, first, rows)) {
        lod_drop(made);
        return -1;
    }
    for (index_t i = 0; i < count; i++) {
        for (int k = 0; k < slot->count; k++) {
            const tensor_t *x = input_at(run, op, slot, k);
            const index_t *ends = x->lod->offsets[x->lod->levels - 1];
            copy_rows(&y, at, x, ends[i], ends[i + 1] - ends[i], inner);
            at += ends[i + 1] - ends[i];
        }
        made->offsets[0][i + 1] = at;
    }
    return give_packed(run, op, "Out", &y, made);
}

static int sequence_pad(run_t *run, const op_t *op) {
    packed_t p;
    const tensor_t *value = need_input(run, op, "PadValue");
    tensor_t y, lengths;
    if (!value || read_packed(run, op, "X", &p)) return -1;
    index_t longest = 0, room = (index_t)attr_int(op, "padded_length");
    for (index_t i = 0; i < p.count; i++) longest = max_of(longest, length_of(&p, i));
    if (room != -1 && room < longest) return fail("padded_length %td is less than the longest sequence, %td", room, longest);
    if (value->dtype != p.x->dtype || (value->size != 1 && value->size != p.inner)) return fail("PadValue doesn't fit X");
    if (room == -1) room = longest;
    sizes_t old = sizes_of(p.x), grown, sizes;
    if (size_with_size(&old, 0, room, &grown) || size_with_axis(&grown, 0, p.count, &sizes) || make_sized(run, &y, p.x->dtype, &sizes)) return -1;
    if (make(run, &lengths, TYPE_INT64, 1, &p.count)) return finish(run, op, "Out", &y, -1);
    size_t item = type_size(y.dtype);
    for (index_t i = 0; i < p.count; i++) {
        index_t n = length_of(&p, i);
        ((int64_t *)lengths.data)[i] = n;
        copy_rows(&y, i * room, p.x, p.ends[i], n, p.inner);
        for (index_t k = (i * room + n) * p.inner; k < (i + 1) * room * p.inner; k++)
            memcpy((char *)y.data + (size_t)k * item, (const char *)value->data + (value->size == 1 ? 0 : (size_t)(k % p.inner) * item), item);
    }
    give(run, op, "Length", &lengths);
    return give(run, op, "Out", &y);
}

static int sequence_unpad(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *lengths = x ? need_input(run, op, "Length") : NULL;
    tensor_t y;
    index_t rows = 0;
    if (!lengths) return -1;
    if (x->ndim < 2 || lengths->size != x->dims[0]) return fail("Length must have a number for each of the sequences of X");
    for (index_t i = 0; i < lengths->size; i++) {
        int64_t n = tensor_int(lengths, i);
        if (n < 0 || n > x->dims[1]) return fail("a sequence of %lld rows is not in %td", (long long)n, x->dims[1]);
        rows += (index_t)n;
    }
    lod_t *lod = one_level(lengths->size);
    sizes_t old = sizes_of(x), within, sizes;
    if (!lod || size_reduced(&old, &(sizes_t){1, {0}}, 0, &within) || size_with_size(&within, 0, rows, &sizes) || make_sized(run, &y, x->dtype, &sizes)) {
        lod_drop(lod);
        return -1;
    }
    for (index_t i = 0; i < lengths->size; i++) {
        index_t at = lod->offsets[0][i], n = (index_t)tensor_int(lengths, i);
        copy_rows(&y, at, x, i * x->dims[1], n, span(x, 2, x->ndim));
        lod->offsets[0][i + 1] = at + n;
    }
    return give_packed(run, op, "Out", &y, lod);
}

static int sequence_reshape(run_t *run, const op_t *op) {
    packed_t p;
    int64_t width = attr_int(op, "new_dim");
    if (read_packed(run, op, "X", &p)) return -1;
    if (width < 1) return fail("new_dim can't be %lld", (long long)width);
    for (index_t i = 0; i < p.count; i++)
        if (length_of(&p, i) * p.inner % width) return fail("a sequence of %td numbers does not fill rows of %lld", length_of(&p, i) * p.inner, (long long)width);
    lod_t *lod = one_level(p.count);
    if (!lod) return -1;
    for (index_t i = 0; i < p.count; i++) lod->offsets[0][i + 1] = p.ends[i + 1] * p.inner / (index_t)width;
    tensor_t y = tensor_share(p.x);
    tensor_set_lod(&y, NULL);
    if (tensor_reshape(&y, 2, (index_t[]){y.size / (index_t)width, (index_t)width})) {
        lod_drop(lod);
        return finish(run, op, "Out", &y, -1);
    }
    return give_packed(run, op, "Out", &y, lod);
}

static int sequence_reverse(run_t *run, const op_t *op) {
    packed_t p;
    tensor_t y;
    if (read_packed(run, op, "X", &p) || make_like(run, &y, p.x)) return -1;
    for (index_t i = 0; i < p.count; i++)
        for (index_t r = p.ends[i]; r < p.ends[i + 1]; r++) copy_rows(&y, p.ends[i] + p.ends[i + 1] - 1 - r, p.x, r, 1, p.inner);
    return give(run, op, "Y", &y);
}

/* The same rows in other sequences: those of Y, or the offsets in Y or in an attribute. */
static int lod_reset(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *y = find_input(run, op, "Y");
    const attr_t *given = find_attr(op, "target_lod");
    if (!x) return -1;
    if (attr_bool(op, "append")) return fail("a level that is added is not supported");
    lod_t *lod = NULL;
    if (y && y->lod) lod = lod_part(y->lod, 0, y->lod->levels);
    else {
        index_t count = y ? y->size : given ? given->count : 0;
        if (count < 1 || !(lod = lod_new(1, &count))) return count < 1 ? fail("there are no offsets") : -1;
        for (index_t i = 0; i < count; i++) lod->offsets[0][i] = (index_t)(y ? tensor_int(y, i) : given->ints[i]);
    }
    if (!lod) return -1;
    int last = lod->levels - 1, good = x->ndim > 0 && lod->offsets[last][0] == 0 && lod->offsets[last][lod->counts[last] - 1] == x->dims[0];
    for (index_t i = 1; good && i < lod->counts[last]; i++) good = lod->offsets[last][i] >= lod->offsets[last][i - 1];
    if (!good) {
        lod_drop(lod);
        return fail("offsets must rise from 0 to the rows of X");
    }
    tensor_t same = tensor_share(x);
    return give_packed(run, op, "Out", &same, lod);
}

OPERATOR_TABLE(sequence) = {
    {"sequence_pool", sequence_pool, OPERATOR_KEEP}, {"sequence_softmax", sequence_softmax, OPERATOR_KEEP},
    {"sequence_conv", sequence_conv, OPERATOR_KEEP}, {"sequence_expand", sequence_expand, OPERATOR_KEEP},
    {"sequence_expand_as", sequence_expand_as, OPERATOR_KEEP}, {"sequence_concat", sequence_concat, OPERATOR_KEEP},
    {"sequence_pad", sequence_pad, OPERATOR_KEEP}, {"sequence_unpad", sequence_unpad, OPERATOR_KEEP},
    {"sequence_reshape", sequence_reshape, OPERATOR_KEEP}, {"sequence_reverse", sequence_reverse, OPERATOR_KEEP},
    {"lod_reset", lod_reset, OPERATOR_KEEP}, {0}};
