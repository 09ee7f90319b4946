/* What optim.c hands to the loops of optim.inc. */
#ifndef PADDLE_NATIVE_OPTIM_H
#define PADDLE_NATIVE_OPTIM_H

#include "common.h"

#define GROUP_ARRAYS 5  /* parameter, gradient and at most three states */
#define GROUP_FACTORS 8 /* numbers that a rule needs for one tensor */
#define GROUP_CHUNK 16384 /* elements of one tensor that make one task; fixed, so sums don't depend on the threads */
#define GROUP_SERIAL 65536 /* below so many elements waking other threads costs more than it brings */

enum group_rule {
    RULE_SGD, RULE_MOMENTUM, RULE_NESTEROV, RULE_ADAM, RULE_ADAMAX, RULE_ADAGRAD, RULE_ADADELTA, RULE_RMSPROP,
    RULE_RMSPROP_CENTERED, RULE_LAMB_MOMENTS, RULE_LAMB_APPLY, RULE_SUM_SQUARES, RULE_ALL_FINITE, RULE_SCALE, RULE_CLIP
};

typedef struct {
    void *array[GROUP_ARRAYS];
    double factor[GROUP_FACTORS]; /* meaning: see each rule in optim.inc */
    index_t size, first_chunk;
} group_tensor_t;

typedef struct {
    enum group_rule rule;
    index_t count, chunks, elements;
    group_tensor_t *tensor; /* count of them, first_chunk ascending */
    double (*partial)[2];   /* chunks of them, for rules that sum; else NULL */
} group_t;

#endif
