/* Elements and slices put where ids say: the loops. */
#include "scatter.h"

#include "thresholds.h"

#define BODY "scatter.inc"
#define BODY_TYPES 2
#include "oneversion.h"

/* ---- whole rows ---- */

/* One range of rows: a copy of x, then the values whose ids fall into it, in their order, so that the last one stays. */
static int set_range(void *context, index_t task) {
    const rows_t *t = context;
    const index_t low = part_begin(t->rows, t->ranges, task), high = part_begin(t->rows, t->ranges, task + 1);
    memcpy(t->y + low * t->bytes, t->x + low * t->bytes, (size_t)((high - low) * t->bytes));
    for (index_t k = 0; k < t->count; k++) {
        int64_t id = id_at(t->ids, t->wide_ids, k);
        if (id < low || id >= high) continue;
        memcpy(t->y + id * t->bytes, t->values + k * t->values_step, (size_t)t->bytes);
    }
    return NATIVE_OK;
}

/* Short rows: which range an id falls into can't be foretold, so that one thread is quicker than several that look at all of them. */
static int copy_rows(void *context, index_t begin, index_t end) {
    const rows_t *t = context;
    memcpy(t->y + begin * t->bytes, t->x + begin * t->bytes, (size_t)((end - begin) * t->bytes));
    return NATIVE_OK;
}

#define SET_SHORT(size)                                                                            \
    for (index_t k = 0; k < t->count; k++) {                                                        \
        uint64_t id = (uint64_t)id_at(t->ids, t->wide_ids, k);                                      \
        if (id < (uint64_t)t->rows) memcpy(t->y + id * (size), t->values + k * t->values_step, size); \
    }

static void set_short(rows_t *t) {
    parallel_range(t->rows, max_of(1, MOVE_GRAIN / t->bytes), copy_rows, t);
    if (t->bytes == 4) SET_SHORT(4)
    else if (t->bytes == 8) SET_SHORT(8)
    else SET_SHORT((size_t)t->bytes)
}

void set_rows_run(rows_t *t) {
    t->ranges = t->rows * t->bytes < 2 * MOVE_GRAIN ? 1 : min_of(t->rows, 2 * threads_count());
    if (t->bytes <= 64) set_short(t);
    else parallel_for(t->ranges, set_range, t);
}

/* ---- ids of several axes ---- */

static int flat_range(void *context, index_t begin, index_t end) {
    flat_t *t = context;
    uint64_t wrong = 0;
    for (int a = 0; a < t->axes; a++) {
        const int64_t size = t->size[a];
        for (index_t i = begin; i < end; i++) {
            int64_t id = id_at(t->ids[a], t->wide[a], i);
            id += id < 0 && t->negative ? size : 0;
            wrong |= (uint64_t)id >= (uint64_t)size;
            t->rows[i] = a ? t->rows[i] * size + id : id;
        }
    }
    if (wrong) t->bad = 1;
    return NATIVE_OK;
}

void flat_run(flat_t *t, index_t count) { parallel_range(count, MOVE_GRAIN / 8, flat_range, t); }
