/* Shape rules, and what they are written with. */
#include "small.h"

#include "sizes.h"

typedef struct {
    char text[160];
} text_t;

static void sizes_append(sizes_t *sizes, index_t size) {
    if (sizes->count == MAX_DIMS) sizes->too_many = 1;
    else sizes->at[sizes->count++] = size;
}

static int sizes_give(const sizes_t *sizes, sizes_t *result) {
    if (sizes->too_many) return fail("a tensor can have %d axes, not more", MAX_DIMS);
    *result = *sizes;
    return 0;
}

/* What a damaged program asks for beside the end is 0. */
static index_t sizes_at(const sizes_t *sizes, index_t i) { return i >= 0 && i < sizes->count ? sizes->at[i] : 0; }

static int sizes_have(const sizes_t *sizes, index_t size) {
    for (int i = 0; i < sizes->count; i++)
        if (sizes->at[i] == size) return 1;
    return 0;
}

static const char *sizes_text(text_t *room, const sizes_t *sizes) { return dims_text(sizes->count, sizes->at, room->text, sizeof room->text); }

static index_t floor_divide(index_t a, index_t b) { return b ? a / b - (a % b && (a < 0) != (b < 0)) : 0; }

#include "sizes.inc"

sizes_t sizes_of(const tensor_t *t) {
    sizes_t sizes = {.count = t->ndim};
    memcpy(sizes.at, t->dims, sizeof sizes.at);
    return sizes;
}

sizes_t sizes_from(int count, const int64_t *numbers) {
    sizes_t sizes = {.count = count};
    for (int i = 0; i < count; i++) sizes.at[i] = (index_t)numbers[i];
    return sizes;
}

int make_sized(run_t *run, tensor_t *t, dtype_t dtype, const sizes_t *sizes) { return make(run, t, dtype, sizes->count, sizes->at); }
