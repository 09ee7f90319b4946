/* The register tile: the innermost loop of every matrix product and convolution here. */
#ifndef PADDLE_NATIVE_TILE_H
#define PADDLE_NATIVE_TILE_H

#include "common.h"

/* A tile has up to MR rows and NR = 2 V columns; its sums stay in registers (24 of 32 with AVX-512, else 12 of 16). */
#define MR (ISA_LEVEL == 2 ? 12 : 6)
#define NR (2 * V)
#define MAX_MR 12
#define HALF_MR 6
#define PANEL_MARGIN ((MR + V - 1) / V * V) /* elements behind packed rows that tile_lanes() may read */

/* What happens to the sums on their way to memory: C = act(sum + C or added + row_bias[i] + col_bias[j]). */
typedef struct {
    const void *row_bias; /* one value per row of the tile, or NULL */
    const void *col_bias; /* NR values, or NULL */
    int accumulate;       /* add what C holds */
    const void *added;    /* or other values that are laid out as C is, or NULL; tile_lanes() doesn't know them */
    int relu;             /* 0: nothing, 1: max(0, ...), RELU6: that, and at most 6 */
} epilogue_t;

/* tile(rows, cols, runs, offsets, length, a, b, b_step, c, c_stride, epilogue)
 *
 * C[i][j] = sum over all steps s of a[s * rows + i] * B_s[j], then the epilogue, for i < rows <= MR.
 * The steps come in `runs` runs of `length`; step l of run r reads B at b + offsets[r] + l * b_step (offsets may be NULL if
 * there is one run). `a` is packed in the order of the steps.
 * cols <= V: one vector of V columns is computed and stored; otherwise NR columns are. */
#define DECLARE_TILE(suffix, type)                                                                              \
    DECLARE_VERSIONS(suffix, void, tile, int rows, index_t cols, index_t runs, const index_t *offsets, index_t length, \
                     const type *a, const type *b, index_t b_step, type *c, index_t c_stride, const epilogue_t *epilogue)
DECLARE_TILE(f32, float);
DECLARE_TILE(f64, double);

/* tile_loose(rows, cols, runs, length, a, a_row, a_step, a_run, b, b_step, c, c_stride, epilogue): the same with A where it
 * lies: step l of run r takes a[i * a_row + r * a_run + l * a_step]. B has one step after the other, b_step apart. */
#define DECLARE_LOOSE(suffix, type)                                                                                        \
    DECLARE_VERSIONS(suffix, void, tile_loose, int rows, index_t cols, index_t runs, index_t length, const type *a,        \
                     index_t a_row, index_t a_step, index_t a_run, const type *b, index_t b_step, type *c, index_t c_stride, \
                     const epilogue_t *epilogue)
DECLARE_LOOSE(f32, float);
DECLARE_LOOSE(f64, double);

/* tile_edge(rows, cols, steps, a, a_row, a_step, b, b_step, c, c_stride, epilogue): tile_loose() for one run that stores only
 * the first `cols` columns; col_bias needs only `cols` values. */
#define DECLARE_EDGE(suffix, type)                                                                                         \
    DECLARE_VERSIONS(suffix, void, tile_edge, int rows, index_t cols, index_t steps, const type *a, index_t a_row,         \
                     index_t a_step, const type *b, index_t b_step, type *c, index_t c_stride, const epilogue_t *epilogue)
/* tile_finish(rows, cols, sums, c, c_stride, epilogue): send sums, whose rows are NR apart, through the epilogue; only `cols` columns
 * of C and of the epilogue's values are touched. */
#define DECLARE_FINISH(suffix, type)                                                                                       \
    DECLARE_VERSIONS(suffix, void, tile_finish, int rows, index_t cols, const type *sums, type *c, index_t c_stride,       \
                     const epilogue_t *epilogue)
DECLARE_FINISH(f32, float);
DECLARE_FINISH(f64, double);

/* tile_lanes(rows, lanes, steps, packed, columns, step, c, c_stride, epilogue): tile() for one run, where the lanes beyond the last
 * whole vector may be few. `packed` is read up to PANEL_MARGIN elements beyond its end. */
#define DECLARE_LANES(suffix, type)                                                                                        \
    DECLARE_VERSIONS(suffix, void, tile_lanes, int rows, index_t lanes, index_t steps, const type *packed, const type *columns, \
                     index_t step, type *c, index_t c_stride, const epilogue_t *epilogue)
DECLARE_LANES(f32, float);
DECLARE_LANES(f64, double);

DECLARE_EDGE(f32, float);
DECLARE_EDGE(f64, double);

#endif
