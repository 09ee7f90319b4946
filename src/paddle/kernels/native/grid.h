/* Pictures read at the places of a grid, and the gradients of that. */
#ifndef PADDLE_NATIVE_GRID_H
#define PADDLE_NATIVE_GRID_H

#include "common.h"

enum { GRID_ZEROS, GRID_BORDER, GRID_REFLECTION };

/* x [n, c, *size] read at the places of grid [n, places, axes]: [n, c, places]. Axes (2 or 3) are counted as x has them. */
typedef struct {
    int axes;
    index_t n, c, places, size[3], cells; /* cells: the product of the sizes */
    const void *x, *grid, *g;
    void *y, *dx, *dgrid;
    int nearest, padding, corners; /* corners: -1 and 1 are the middles of the outer cells, not their borders */
} grid_t;

DECLARE_VERSIONS(f32, void, grid_run, const grid_t *t); /* y */
void grid_run_f64_plain(const grid_t *t);

#endif
