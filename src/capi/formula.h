/* Formulas of native elementwise steps (elementwise.h) over tensors that are repeated to the shape of a result. Tensors and numbers
 * come first, then steps; each gives the register of its value. */
#ifndef DYGRAPH_FORMULA_H
#define DYGRAPH_FORMULA_H

#include "elementwise.h"
#include "run.h"

enum { FORMULA_TENSORS = 4 };

typedef struct {
    run_t *run;
    chain_t chain;
    const tensor_t *y; /* what the results are like */
    tensor_t own[FORMULA_TENSORS];
    int owned, failed;
} formula_t;

void formula_open(formula_t *f, run_t *run, const tensor_t *y);
int formula_tensor(formula_t *f, const tensor_t *x); /* of y's element type */
int formula_number(formula_t *f, double value);
int formula_step(formula_t *f, int step, int a, int b, int c);
void formula_keep(formula_t *f, int value, tensor_t *y); /* put a step's value into a tensor */
int formula_run_over(formula_t *f); /* the same where results lie on operands */
int formula_run(formula_t *f); /* 0 or -1 with a message; whatever was taken is given back */

#endif
