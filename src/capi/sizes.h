/* Shape rules: how sizes follow from sizes. The rules are Python's (core/sizes.py), written down in C by a script. */
#ifndef DYGRAPH_SIZES_H
#define DYGRAPH_SIZES_H

#include "run.h"

/* Sizes of a tensor, or axes, or other numbers that say what shape is wanted. */
typedef struct {
    int count;
    index_t at[MAX_DIMS];
    int too_many; /* more were given than there is room for */
} sizes_t;

/* Each gives 0 and *result, or the number itself; -1 with a message. */
#include "sizes_declared.inc"

sizes_t sizes_of(const tensor_t *t);
sizes_t sizes_from(int count, const int64_t *numbers);

/* The shape of an output by the pattern of the operator's record; found: the sizes that only running tells, in order. */
int size_by_record(run_t *run, const op_t *op, const char *slot, const index_t *found, sizes_t *result);
int make_by_record(run_t *run, const op_t *op, const char *slot, dtype_t dtype, const index_t *found, tensor_t *t);

int make_sized(run_t *run, tensor_t *t, dtype_t dtype, const sizes_t *sizes); /* a new tensor of the run's memory */

#endif
