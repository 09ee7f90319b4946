/* What the operators of detection models share: overlaps, candidates in order, lists of detections. */
#ifndef DYGRAPH_BOXES_H
#define DYGRAPH_BOXES_H

#include "run.h"

/* An attribute's numbers; how many (0: absent), or -1 with a message. */
int read_floats(const op_t *op, const char *name, double *values, int room);

/* Intersection over union of two boxes, or of boxes i and j of a tensor [.., 4]; `extra` is added to their sides. */
double box_overlap(const double *one, const double *other, double extra);
double overlap_of(const tensor_t *boxes, index_t i, index_t j, double extra);

typedef struct {
    double score;
    index_t kind, place;
} candidate_t;

int better(const void *a, const void *b);  /* for qsort: higher scores first, then lower classes and places */
int by_kind(const void *a, const void *b); /* classes, each with higher scores first */

/* Scores from number `base` on that exceed `least`, best first, at most `top` unless that is -1; how many. */
index_t candidates_of(const tensor_t *scores, index_t base, index_t count, index_t kind, double least, int64_t top, candidate_t *found);

/* RoisNum, how many boxes each picture has: so many numbers, none negative, that add up to all boxes. */
int check_counts(const tensor_t *counts, index_t pictures, index_t boxes);

lod_t *counted_rows(const int32_t *counts, index_t pictures); /* sequences of so many rows; NULL with a message */

/* BBoxes [N, M, 4] and Scores [N, C, M]. */
int check_scores(const tensor_t *boxes, const tensor_t *scores);

/* The boxes kept of all pictures. */
typedef struct {
    candidate_t *kept;
    int32_t *counts; /* of each picture */
    index_t pictures, total;
} detections_t;

int detections_new(detections_t *d, index_t pictures, index_t classes, index_t boxes);
void detections_end(detections_t *d, index_t picture, index_t begin, int64_t keep, index_t boxes); /* those from `begin` on are this picture's */

/* Out, Index and how many each picture has, which a slot `counts` tells or, without one, the sequences of Out and Index; frees. */
int detections_give(run_t *run, const op_t *op, detections_t *d, const tensor_t *boxes, const char *counts);

#endif
