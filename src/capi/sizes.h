/* Shape rules: how sizes follow from sizes. The rules are Python's (core/sizes.py), written down in C by a script. */
#ifndef DYGRAPH_SIZES_H
#define DYGRAPH_SIZES_H

#include "run.h"

/* Sizes of a tensor, or axes, or other numbers that say what shape is wanted. */
typedef struct {
    int count;
    index_t at[MAX_DIMS];
} sizes_t;

/* Each gives 0 and *result, or the number itself; -1 with a message. */
#include "sizes_declared.inc"

sizes_t sizes_of(const tensor_t *t);
sizes_t sizes_from(int count, const int64_t *numbers);
int make_sized(run_t *run, tensor_t *t, dtype_t dtype, const sizes_t *sizes); /* a new tensor of the run's memory */

#endif
