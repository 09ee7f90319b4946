/* Elements where a mask is true: the loops. */
#include "mask.h"

#if NATIVE_X86
#include <immintrin.h>
#endif

#include "thresholds.h"

#define BODY "mask.inc"
#define BODY_TYPES 2
#include "multiversion.h"

/* ---- counting ---- */
static int count_pieces(void *context, index_t begin, index_t end) {
    mask_t *t = context;
    for (index_t piece = begin; piece < end; piece++) {
        index_t first = piece * MASK_PIECE, last = min_of(t->size, first + MASK_PIECE), sum = 0;
        for (index_t i = first; i < last;) {
            uint8_t part = 0; /* at most 255 at a time, so that bytes are added to bytes */
            for (index_t stop = min_of(last, i + 255); i < stop; i++) part = (uint8_t)(part + (t->mask[i] != 0));
            sum += part;
        }
        t->before[piece + 1] = sum;
    }
    return NATIVE_OK;
}

static index_t pieces_of(const mask_t *t) { return ceil_div(t->size, MASK_PIECE); }

index_t mask_count(mask_t *t) {
    index_t pieces = pieces_of(t);
    t->before = scratch((size_t)(pieces + 1) * sizeof *t->before);
    if (!t->before) return -1;
    t->before[0] = 0;
    parallel_range(pieces, 4, count_pieces, t);
    for (index_t piece = 0; piece < pieces; piece++) t->before[piece + 1] += t->before[piece];
    return t->before[pieces];
}

/* ---- gathering and putting back ---- */
static int select_pieces(void *context, index_t begin, index_t end) {
    const mask_t *t = context;
    for (index_t piece = begin; piece < end; piece++) {
        index_t first = piece * MASK_PIECE, n = min_of(MASK_PIECE, t->size - first), room = t->before[piece + 1] - t->before[piece];
        const char *x = t->x + first * t->unit;
        char *y = t->y + t->before[piece] * t->unit;
        const uint8_t *mask = t->mask + first;
        if (t->unit == 4) DISPATCH(f32, select_piece, x, mask, n, y, room);
        else if (t->unit == 8) DISPATCH(f64, select_piece, x, mask, n, y, room);
        else
            for (index_t i = 0, done = 0; i < n && done < room; i++)
                if (mask[i]) memcpy(y + done++ * t->unit, x + i * t->unit, (size_t)t->unit);
    }
    return NATIVE_OK;
}

static int place_pieces(void *context, index_t begin, index_t end) {
    const mask_t *t = context;
    for (index_t piece = begin; piece < end; piece++) {
        index_t first = piece * MASK_PIECE, n = min_of(MASK_PIECE, t->size - first), count = t->before[piece + 1] - t->before[piece];
        const char *x = t->x + t->before[piece] * t->unit;
        char *y = t->y + first * t->unit;
        const uint8_t *mask = t->mask + first;
        if (t->unit == 4) DISPATCH(f32, place_piece, x, mask, n, y, count);
        else if (t->unit == 8) DISPATCH(f64, place_piece, x, mask, n, y, count);
        else
            for (index_t i = 0, done = 0; i < n; i++) {
                if (mask[i] && done < count) memcpy(y + i * t->unit, x + done++ * t->unit, (size_t)t->unit);
                else memset(y + i * t->unit, 0, (size_t)t->unit);
            }
    }
    return NATIVE_OK;
}

void mask_select(mask_t *t) { parallel_range(pieces_of(t), max_of(1, MOVE_GRAIN / (MASK_PIECE * t->unit)), select_pieces, t); }

void mask_place(mask_t *t) { parallel_range(pieces_of(t), max_of(1, MOVE_GRAIN / (MASK_PIECE * t->unit)), place_pieces, t); }

/* ---- coordinates ---- */
enum { FOUND = 256 };

static int locate_pieces(void *context, index_t begin, index_t end) {
    const mask_t *t = context;
    const int ndim = t->ndim;
    for (index_t piece = begin; piece < end; piece++) {
        index_t first = piece * MASK_PIECE, last = min_of(t->size, first + MASK_PIECE);
        index_t room = t->before[piece + 1] - t->before[piece];
        int64_t *y = (int64_t *)t->y + t->before[piece] * ndim;
        int64_t at[MASK_AXES];
        index_t rest = first;
        for (int i = ndim - 1; i >= 0; rest /= t->shape[i--]) at[i] = rest % t->shape[i];
        for (index_t i = first, done = 0; i < last && done < room;) { /* along one line of the last axis at a time */
            const index_t stop = min_of(last, i + t->shape[ndim - 1] - at[ndim - 1]);
            while (i < stop && done < room) {
                uint32_t found[FOUND];
                index_t n = 0, block = min_of(stop, i + FOUND), from = i;
                for (; i < block; i++) {
                    found[n] = (uint32_t)(i - from);
                    n += t->mask[i] != 0;
                }
                n = min_of(n, room - done);
                int64_t start = at[ndim - 1];
                for (index_t k = 0; k < n; k++, y += ndim) {
                    for (int a = 0; a < ndim - 1; a++) y[a] = at[a];
                    y[ndim - 1] = start + found[k];
                }
                done += n;
                at[ndim - 1] += i - from;
            }
            for (int a = ndim - 1; a > 0 && at[a] >= t->shape[a]; a--) {
                at[a] = 0;
                at[a - 1]++;
            }
        }
        for (int64_t *all = (int64_t *)t->y + t->before[piece + 1] * ndim; y < all;) *y++ = 0; /* the mask was written to meanwhile */
    }
    return NATIVE_OK;
}

void mask_locate(mask_t *t) { parallel_range(pieces_of(t), 1, locate_pieces, t); }
