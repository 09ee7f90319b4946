/* Elementwise chains: the loops, and what is settled before they run. */
#define _GNU_SOURCE
#include <math.h>

#include "common.h"
#if NATIVE_X86
#include <immintrin.h>
#endif

#include "elementwise.h"
#include "thresholds.h"
#define BODY "elementwise.inc"
#define BODY_TYPES 2
#include "multiversion.h"

const chain_step_t chain_steps[] = {
#define STEP_ENTRY(name, operands) {#name, operands},
    ELEMENTWISE_STEPS(STEP_ENTRY) FUNCTION_STEPS(STEP_ENTRY) FURTHER_STEPS(STEP_ENTRY)
#undef STEP_ENTRY
};

int chain_source(chain_value_t *reg, int ndim, const index_t *shape, int own_ndim, const index_t *own_shape, const void *data,
                 int wide) {
    int lead = ndim - own_ndim, first = -1, last = -1;
    index_t size = 1;
    for (int i = 0; i < own_ndim; i++) size *= own_shape[i];
    *reg = (chain_value_t){.data = data, .count = 1, .inner = 1, .buffer = -1};
    if (size == 1) {
        reg->kind = REGISTER_CONSTANT;
        reg->value = wide ? *(const double *)data : *(const float *)data;
        return 0;
    }
    int full = 1;
    for (int i = lead; i < ndim; i++) {
        if (own_shape[i - lead] == 1) continue;
        if (first < 0) first = i;
        last = i;
    }
    for (int i = 0; i < ndim; i++) {
        index_t mine = i < lead ? 1 : own_shape[i - lead];
        if (mine != shape[i]) {
            full = 0;
            if (i > first && i < last) return -1;
        }
        if (i >= first && i <= last) reg->count *= shape[i];
        if (i > last) reg->inner *= shape[i];
    }
    reg->kind = full ? REGISTER_FULL : REGISTER_REPEATED;
    return 0;
}

/* Give every register that needs one a block, sharing blocks between values that are not needed at the same time. */
static void place_registers(chain_t *chain) {
    int last_use[CHAIN_MAX_REGISTERS], free_block[CHAIN_MAX_REGISTERS], free_count = 0,
                                                                        total = chain->sources + chain->steps;
    chain->buffers = 0;
    for (int r = 0; r < total; r++) {
        last_use[r] = -1;
        if (chain->reg[r].kind == REGISTER_CONSTANT || chain->reg[r].kind == REGISTER_REPEATED)
            chain->reg[r].buffer = chain->buffers++;
    }
    for (int s = 0; s < chain->steps; s++)
        for (int k = 0; k < chain_steps[chain->code[s][0]].operands; k++) last_use[chain->code[s][1 + k]] = s;
    for (int s = 0; s < chain->steps; s++) {
        for (int k = 0; k < chain_steps[chain->code[s][0]].operands; k++) { /* operands that end here may be written over */
            int r = chain->code[s][1 + k];
            if (r < chain->sources || last_use[r] != s || chain->reg[r].out) continue;
            free_block[free_count++] = chain->reg[r].buffer;
            last_use[r] = -1;
        }
        chain_value_t *reg = &chain->reg[chain->sources + s];
        reg->direct = reg->out && s + 1 == chain->steps && !chain->stream; /* nobody reads inputs after the last step */
        if (!reg->direct) reg->buffer = free_count ? free_block[--free_count] : chain->buffers++;
    }
}

int chain_execute(chain_t *chain, int (*run)(chain_t *), index_t bytes, int outs_apart) {
    index_t arrays = 0;
    for (int r = 0; r < chain->sources + chain->steps; r++) arrays += chain->reg[r].kind == REGISTER_FULL || chain->reg[r].out;
    chain->stream = outs_apart && arrays * chain->size * bytes >= STREAM_BYTES;
    place_registers(chain);
    return run(chain);
}
