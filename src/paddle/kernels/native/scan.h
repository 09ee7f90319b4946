/* What scan.c hands to the loops of scan.inc. */
#ifndef PADDLE_NATIVE_SCAN_H
#define PADDLE_NATIVE_SCAN_H

#include "common.h"

/* Running sums of x [outer, n, inner] along the axis of n. */
typedef struct {
    index_t outer, n, inner;
    const void *x;
    void *y;
    int exclusive, reverse;
    index_t pieces, piece; /* inner == 1: rows are cut into so many pieces of so many elements (the last may be shorter) */
    double *before;        /* what comes before each piece: outer x pieces */
} scan_t;

int scan_run_f32_plain(scan_t *s); /* of floats; NATIVE_OK or NATIVE_NO_MEMORY */
int scan_run_f64_plain(scan_t *s); /* of doubles */

#endif
