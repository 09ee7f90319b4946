/* Attention as one operator: what attend.c hands to ops/attention.c. */
#ifndef DYGRAPH_ATTEND_H
#define DYGRAPH_ATTEND_H

#include "run.h"

enum { ATTEND_QUERY, ATTEND_KEY, ATTEND_VALUE, ATTEND_OUT, ATTEND_VIEWS };

/* Inputs of the operator; no file has slots of these names. */
#define SLOT_QUERY "@Query"
#define SLOT_KEY "@Key"
#define SLOT_VALUE "@Value"
#define SLOT_MASK "@Mask"

typedef struct attention_plan {
    double scale;
    int order[ATTEND_VIEWS][4]; /* axes of an operand that are batch, head, row and size; of the result: of [batch, head, row, size] */
    int count;                  /* operators that it stands for: they run where the kernel doesn't take the operands */
    const op_t *parts;
} attention_plan_t;

#endif
