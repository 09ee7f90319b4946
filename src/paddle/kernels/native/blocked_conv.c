/* Convolution of images whose channels lie in blocks. */
#include "blocked.h"
#include "division.h"
#include "thresholds.h"
#include "tile.h"

#define BODY "blocked_conv.inc"
#include "multiversion.h"

int blocked_run(const conv_t *q, blocked_conv_t *b, const float *w) {
    size_t mark = scratch_mark();
    int status = NATIVE_OK;
    if (!b->ready) {
        const int kind = DISPATCH(f32, blocked_kind, q, b->plain);
        float *ready = scratch((size_t)DISPATCH(f32, blocked_ready_size, q, kind) * sizeof(float));
        status = ready ? DISPATCH(f32, blocked_prepare, q, b->plain, kind, w, ready) : NATIVE_NO_MEMORY;
        b->ready = ready;
    }
    if (status == NATIVE_OK) status = DISPATCH(f32, blocked_conv, q, b);
    scratch_release(mark);
    return status;
}
