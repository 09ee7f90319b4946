/* How the offsets of sequences travel through operators. */
#include "small.h"

#include <stdlib.h>

#include "run.h"
#include "table.h"

/* Type, how rows travel (the fact `rows` of its record), the input that they come from. */
#include "rows.inc"

const lod_t *need_lod(const tensor_t *t, const char *slot) {
    if (t->lod && t->lod->levels) return t->lod;
    fail("input %s has no sequences: set them with PD_TensorSetLod", slot);
    return NULL;
}

int set_lod(run_t *run, const op_t *op, const char *name, lod_t *lod) {
    const slot_t *slot = find_out(op, name);
    if (!lod) return -1;
    if (slot && slot->vars[0] >= 0) tensor_set_lod(&run->values[slot->vars[0]].tensor, lod), run->sequences = 1;
    else lod_drop(lod);
    return 0;
}

/* Does an operator work along other axes than the first? */
static int spares_rows(const op_t *op, const tensor_t *x) {
    int64_t axes[MAX_DIMS];
    int count = attr_ints(op, find_attr(op, "axis") ? "axis" : find_attr(op, "axes") ? "axes" : "dim", axes, MAX_DIMS);
    for (int i = 0; i < count; i++)
        if (axes[i] == 0 || axes[i] == -x->ndim) return 0;
    return count > 0;
}

static int repeats_within_rows(const op_t *op, const tensor_t *x) {
    int64_t times[MAX_DIMS];
    int count = attr_ints(op, find_attr(op, "repeat_times") ? "repeat_times" : "expand_times", times, MAX_DIMS);
    return count > 0 && count == x->ndim && times[0] == 1;
}

static int keeps_rows(const op_t *op, const char *rows, const tensor_t *x, const tensor_t *y) {
    if (!x->ndim || !y->ndim || x->dims[0] != y->dims[0]) return 0;
    if (!strcmp(rows, "axes")) return spares_rows(op, x);
    if (!strcmp(rows, "times")) return repeats_within_rows(op, x);
    return strcmp(rows, "sizes") || x->size == y->size;
}

/* The input's value may be gone if an output has its name; then the output is what carries the offsets. */
void follow_rows(run_t *run, const op_t *op) {
    const char *rows = FIND_ROW(travel, op->type);
    const slot_t *in = rows ? find_in(op, next_field(rows)) : NULL;
    const tensor_t *x = in ? var_tensor(run, in->vars[0]) : NULL;
    for (int s = 0; x && x->lod && s < op->out_count; s++)
        for (int k = 0; k < op->out[s].count; k++) {
            int var = op->out[s].vars[k];
            tensor_t *y = var >= 0 ? &run->values[var].tensor : NULL;
            if (!y || !y->data || y == x || y->lod == x->lod || !keeps_rows(op, rows, x, y)) continue;
            x->lod->references++;
            tensor_set_lod(y, x->lod);
        }
}
