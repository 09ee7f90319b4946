/* How the work of a convolution is cut into tasks for several threads: bands of its items (rows, pixels or squares of an image) times
 * parts of its panels of output channels. */
#ifndef PADDLE_NATIVE_DIVISION_H
#define PADDLE_NATIVE_DIVISION_H

#include "common.h"

/* Costs are counted in pixels that meet a panel of weights. */
typedef struct {
    index_t images, items, panels;
    index_t least, most;  /* bands of an image */
    double item;          /* of an item and one panel */
    double read, edge;    /* of an item of x in every task, and of what bands have in common, whatever the number of panels */
    double overhead;      /* of a task */
} division_t;

#define PANEL_PIXELS 6.0 /* what it costs to read the weights of a panel once more */

/* The bands and parts for which the last thread ends first. Tasks are equal where that can be had; an eighth of one is added for
 * threads that begin late, so that many small tasks are better than few large ones if all else is equal. */
static inline void divide(const division_t *d, index_t threads, index_t *bands, index_t *parts) {
    double best = 0;
    for (index_t p = 1; p <= min_of(d->panels, 2 * threads); p++)
        for (index_t b = d->least, tries = 0; b <= d->most && tries < 4; b++) {
            const index_t tasks = d->images * b * p;
            if (tasks % threads && b < d->most && tasks < 8 * threads) continue; /* one thread would do nothing in the last round */
            const double items = (double)ceil_div(d->items, b);
            const double task = (double)ceil_div(d->panels, p) * (items * d->item + PANEL_PIXELS) + items * d->read + d->edge + d->overhead;
            const double cost = (double)ceil_div(tasks, threads) * task + task / 8;
            if (best == 0 || cost < best) best = cost, *bands = b, *parts = p;
            tries++;
        }
}

#endif
