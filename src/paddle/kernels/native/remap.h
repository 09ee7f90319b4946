/* What remap.c hands to its loops: arrays whose axes are read in another order. */
#ifndef PADDLE_NATIVE_REMAP_H
#define PADDLE_NATIVE_REMAP_H

#include "common.h"

#define REMAP_MAX_AXES 32

/* Neighbours along an axis that are read as neighbours: places begin .. end of the result are from, from + step, ... of the source;
 * step is 1, -1, or 0 where nothing is read (filled). */
typedef struct {
    index_t begin, end, from, step;
} stretch_t;

/* y[o0, o1, ...] = x[table0[o0], table1[o1], ...], or the fill where a table has -1. */
typedef struct {
    int ndim;                                   /* axes up to the last one that has a table */
    index_t size[REMAP_MAX_AXES], count[REMAP_MAX_AXES]; /* of x and of y */
    const int64_t *table[REMAP_MAX_AXES];       /* NULL: as it is */
    index_t unit;                               /* bytes (`back`: elements) of what lies behind these axes */
    index_t item;                               /* bytes of an element */
    const stretch_t *runs;                          /* of the last of these axes */
    index_t run_count;
    const stretch_t *whole;                         /* one that reads the axis from its first element to its last, or NULL */
    const char *fill;                           /* one element */
    int zero;                                   /* are all its bytes 0? */
    const void *x;
    void *y;
    const index_t *starts[REMAP_MAX_AXES], *places[REMAP_MAX_AXES]; /* back: who reads each element of an axis (all but the last) */
} remap_t;

/* Number `line` of the lines of an array of these sizes, taken apart. */
static inline void line_places(const index_t *sizes, int axes, index_t line, index_t *at) {
    for (int i = axes - 1; i >= 0; line /= sizes[i--]) at[i] = line % sizes[i];
}

int remap_cut(remap_t *t);                   /* the runs of the last table, in scratch memory: NATIVE_OK or NATIVE_NO_MEMORY */
void remap_run(remap_t *t, index_t size);    /* y of so many elements */
DECLARE_VERSIONS(f32, void, back_run, remap_t *t, index_t lines, index_t grain);
DECLARE_VERSIONS(f64, void, back_run, remap_t *t, index_t lines, index_t grain);

/* Matrices with zeros above (lower) or below a diagonal. */
typedef struct {
    index_t rows, columns, diagonal, item;
    int lower;
    const char *x;
    char *y;
} triangle_t;

void triangle_run(triangle_t *t, index_t rows); /* rows of all matrices */

#endif
