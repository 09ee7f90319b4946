/* What scatter.c hands to its loops: elements and slices that go to places given by ids. */
#ifndef PADDLE_NATIVE_SCATTER_H
#define PADDLE_NATIVE_SCATTER_H

#include "common.h"

enum { PUT_ASSIGN, PUT_ADD, PUT_MULTIPLY, PUT_MAX, PUT_MIN, PUT_WAYS };

/* y [outer, size, inner] (a copy of x) takes values [outer, count, inner] with the id in place of the middle coordinate. */
typedef struct {
    index_t outer, size, inner, count;
    const void *x, *values;
    void *y;
    const void *ids;
    int wide_ids, way;
    volatile int bad; /* set where an id is outside; tasks only ever set it */
} put_t;

void put_run_f32_plain(put_t *t); /* of elements of 4 bytes */
void put_run_f64_plain(put_t *t); /* of 8 */

/* y [rows, bytes] is x with the rows at the ids replaced, the last one staying. */
typedef struct {
    index_t rows, count, bytes, ranges;
    const void *ids;
    int wide_ids;
    const char *x, *values;
    char *y;
    index_t values_step; /* bytes from one row of values to the next; 0: one row for all */
} rows_t;

void set_rows_run(rows_t *t);

/* Ids of several axes as ids of all in one. */
enum { FLAT_AXES = 32 };
typedef struct {
    int axes;
    index_t size[FLAT_AXES];
    const void *ids[FLAT_AXES];
    int wide[FLAT_AXES], negative; /* do negative ids count from the end? */
    int64_t *rows;
    volatile int bad;
} flat_t;

void flat_run(flat_t *t, index_t count);

/* Rows dy [count, columns] added to the rows of out that the ids name, in their order. */
typedef struct {
    index_t count, rows, columns; /* ids; size of the table */
    const void *ids, *dy;
    int wide_ids;
    int64_t padding;
    void *out;
    index_t slices, ranges; /* division of the work: columns, rows */
} add_rows_t;

int add_rows_run_f32_plain(add_rows_t *s); /* of floats */
int add_rows_run_f64_plain(add_rows_t *s); /* of doubles */

#endif
