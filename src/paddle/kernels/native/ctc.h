/* What ctc.c hands to the loops of ctc.inc. */
#ifndef PADDLE_NATIVE_CTC_H
#define PADDLE_NATIVE_CTC_H

#include "common.h"

#define CTC_NEVER -1e30 /* log of a probability of nothing; finite, so that differences of two of them are numbers */
#define CTC_PAD 16      /* numbers beside the states of a row, so that vectors may reach over its ends */

/* One sequence: `states` states, for each step the logarithms of what they emit. Rows begin CTC_PAD before their states. */
typedef struct {
    index_t steps, states, width; /* width: from row to row */
    double *emitted, *alpha;      /* [steps, width]; alpha becomes the share of each state where shares are wanted */
    const double *jump;           /* [width]: 0 where a state may follow the one two before it, else CTC_NEVER */
    double *beta;                 /* [2, width] */
    int wants_shares;
    double total;                 /* log of the probability of all paths */
} ctc_t;

DECLARE_VERSIONS(f64, void, ctc_paths, ctc_t *c);
/* log of the sum of e^x of a row; the powers go to y, divided by the sum, unless it is NULL. */
DECLARE_VERSIONS(f32, double, ctc_row, const void *x, void *y, index_t n);
DECLARE_VERSIONS(f64, double, ctc_row, const void *x, void *y, index_t n);

#endif
