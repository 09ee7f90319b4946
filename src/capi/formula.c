/* Formulas of native elementwise steps. */
#include "formula.h"

void formula_open(formula_t *f, run_t *run, const tensor_t *y) {
    f->run = run, f->y = y, f->owned = f->failed = 0;
    f->chain.size = y->size, f->chain.sources = f->chain.steps = 0;
}

int formula_tensor(formula_t *f, const tensor_t *x) {
    if (f->failed) return 0;
    chain_value_t *reg = &f->chain.reg[f->chain.sources];
    const tensor_t *y = f->y;
    if (x->dtype != y->dtype) return f->failed = 1, fail("operands are %s and %s", type_name(y->dtype), type_name(x->dtype)), 0;
    if (y->size && chain_source(reg, y->ndim, y->dims, x->ndim, x->dims, x->data, y->dtype == TYPE_FLOAT64)) {
        tensor_t *own = &f->own[f->owned];
        if (f->owned == FORMULA_TENSORS || expand_into(f->run, x, y->ndim, y->dims, own)) return f->failed = 1, 0;
        f->owned++;
        *reg = (chain_value_t){.kind = REGISTER_FULL, .data = own->data, .buffer = -1};
    }
    return f->chain.sources++;
}

int formula_number(formula_t *f, double value) {
    f->chain.reg[f->chain.sources] = (chain_value_t){.kind = REGISTER_CONSTANT, .value = value};
    return f->chain.sources++;
}

int formula_step(formula_t *f, int step, int a, int b, int c) {
    const int at = f->chain.sources + f->chain.steps;
    memcpy(f->chain.code[f->chain.steps++], (uint8_t[4]){(uint8_t)step, (uint8_t)a, (uint8_t)b, (uint8_t)c}, 4);
    f->chain.reg[at] = (chain_value_t){.kind = REGISTER_STEP, .buffer = -1};
    return at;
}

void formula_keep(formula_t *f, int value, tensor_t *y) { f->chain.reg[value].out = y->data; }

static int run_chain(formula_t *f, int apart) {
    int status = f->failed ? -1 : !f->y->size ? 0 : chain_execute(&f->chain, VERSION_TYPE(f->y->dtype, chain_run), (index_t)type_size(f->y->dtype), apart) ? fail_memory() : 0;
    while (f->owned) tensor_drop(&f->own[--f->owned]);
    return status;
}

int formula_run(formula_t *f) { return run_chain(f, 1); }
int formula_run_over(formula_t *f) { return run_chain(f, 0); }
