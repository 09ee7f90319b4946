/* Matrix products of bfloat16 with sums in float32, on processors that have instructions for them (AVX-512 BF16). */
#ifndef PADDLE_NATIVE_BRAIN_H
#define PADDLE_NATIVE_BRAIN_H

#include "common.h"

/* C = relu(A B + bias), rounded to bfloat16 once, or as float32 in `wide`. Strides count elements and may be anything for A and B; C's
 * columns are adjacent. */
typedef struct {
    index_t m, n, k;
    const uint16_t *a;
    index_t a_row, a_col;
    const uint16_t *b;
    index_t b_row, b_col;
    const float *bias; /* n values, or NULL */
    int relu;
    uint16_t *c;
    float *wide;    /* in place of c, or NULL */
    index_t c_row;  /* of c or wide */
    int accumulate; /* add what `wide` holds */
} brain_t;

int brain_available(void); /* has the processor such instructions, and is its full instruction set in use? */
int brain_gemm(const brain_t *product);

#endif
