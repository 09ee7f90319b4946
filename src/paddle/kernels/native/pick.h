/* What pick.c hands to its loops. */
#ifndef PADDLE_NATIVE_PICK_H
#define PADDLE_NATIVE_PICK_H

#include "common.h"

/* Slices of x [outer, size, inner] at `count` ids: [outer, count, inner]. `inner` is in bytes. */
typedef struct {
    index_t outer, size, inner, count;
    const char *x;
    char *y;
    const void *ids;
    int wide_ids;
    int64_t padding; /* the id whose slices are zeros; negative: none */
} take_t;

void take_run(take_t *t);

/* y [outer, count, inner] = x [outer, size, inner] with the id in place of the middle coordinate; `add` goes the other way. */
typedef struct {
    index_t outer, size, inner, count;
    const void *x;
    void *y;
    const void *ids;
    int wide_ids;
    volatile int bad; /* set by take_along where an id is outside; tasks only ever set it */
    index_t item;     /* bytes of an element: 1, 2, 4, 8 or 16 */
} along_t;

enum { IDS = 128 }; /* ids that are checked together */

/* y[i] = condition[i] ? a[i] : b[i]; an operand may be one element for all (step 0). */
typedef struct {
    const uint8_t *condition;
    const void *a, *b;
    void *y;
    index_t a_step, b_step, item; /* item: bytes of an element */
} choose_t;

void take_along_run(along_t *t); /* not if there is nothing to take from */
void choose_elements(choose_t *t, index_t size);

#endif
