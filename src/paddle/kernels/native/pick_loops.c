/* Elements and slices by ids, and choices by booleans, of elements of any size: the loops that are built once. */
#include "pick.h"

#include "thresholds.h"

#define TAKE_ELEMENTS(bytes, left_out)                                                             \
    for (index_t k = c; k < stop; k++, y += bytes) {                                               \
        uint64_t id = (uint64_t)id_at(t->ids, t->wide_ids, k);                                     \
        if (id < size && !(left_out)) memcpy(y, x + id * bytes, bytes);                            \
        else memset(y, 0, bytes);                                                                  \
    }

static int take_range(void *context, index_t begin, index_t end) {
    const take_t *t = context;
    const uint64_t size = (uint64_t)t->size, padding = (uint64_t)t->padding;
    char *y = t->y + begin * t->inner;
    while (begin < end) { /* an id that is outside now was changed by another thread since it was checked */
        const index_t o = begin / t->count, c = begin % t->count, stop = min_of(t->count, c + end - begin);
        const char *x = t->x + o * t->size * t->inner;
        if (t->inner == 4 && t->padding < 0) TAKE_ELEMENTS(4, 0)
        else if (t->inner == 8 && t->padding < 0) TAKE_ELEMENTS(8, 0)
        else if (t->inner == 1 && t->padding < 0) TAKE_ELEMENTS(1, 0)
        else TAKE_ELEMENTS((size_t)t->inner, id == padding)
        begin += stop - c;
    }
    return NATIVE_OK;
}

void take_run(take_t *t) { parallel_range(t->outer * t->count, max_of(1, MOVE_GRAIN / max_of(1, t->inner)), take_range, t); }

typedef struct {
    uint64_t part[2];
} pair_t;

#define ALONG(type)                                                                                                      \
    for (index_t line = begin; line < end; line++) { /* a line is one (outer, count) */                                  \
        const type *x = (const type *)t->x + line / t->count * t->size * t->inner;                                       \
        type *y = (type *)t->y + line * t->inner;                                                                        \
        for (index_t i = 0; i < t->inner; i++) {                                                                         \
            uint64_t id = (uint64_t)id_at(t->ids, t->wide_ids, line * t->inner + i);                                     \
            bad |= id >= (uint64_t)t->size;                                                                              \
            y[i] = x[id < (uint64_t)t->size ? (index_t)id * t->inner + i : 0];                                           \
        }                                                                                                                \
    }                                                                                                                    \
    break

static int along_range(void *context, index_t begin, index_t end) {
    along_t *t = context;
    int bad = 0;
    switch (t->item) {
    case 1: ALONG(uint8_t);
    case 2: ALONG(uint16_t);
    case 4: ALONG(uint32_t);
    case 8: ALONG(uint64_t);
    default: ALONG(pair_t);
    }
    if (bad) t->bad = 1;
    return NATIVE_OK;
}

void take_along_run(along_t *t) {
    parallel_range(t->outer * t->count, max_of(1, MOVE_GRAIN / 8 / max_of(1, t->inner)), along_range, t);
}

#define CHOOSE(type)                                                                                                     \
    for (index_t i = begin; i < end; i++) ((type *)t->y)[i] = t->condition[i] ? ((const type *)t->a)[i * t->a_step] : ((const type *)t->b)[i * t->b_step]; \
    break

static int choose_range(void *context, index_t begin, index_t end) {
    const choose_t *t = context;
    switch (t->item) {
    case 1: CHOOSE(uint8_t);
    case 2: CHOOSE(uint16_t);
    case 4: CHOOSE(uint32_t);
    case 8: CHOOSE(uint64_t);
    default: CHOOSE(pair_t);
    }
    return NATIVE_OK;
}

void choose_elements(choose_t *t, index_t size) {
    parallel_range(size, MOVE_GRAIN / t->item, choose_range, t);
}
