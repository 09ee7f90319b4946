/* Predictors and the handles of their tensors. */
#ifndef DYGRAPH_PREDICTOR_H
#define DYGRAPH_PREDICTOR_H

#include "config.h"
#include "run.h"

/* What the caller has said about an input. */
typedef struct {
    int ndim;
    index_t dims[MAX_DIMS];
    PD_TwoDimArraySize *lod;
} feed_t;

struct PD_Predictor {
    run_t run;
    feed_t *feeds; /* by column */
    int threads, profile;
};

struct PD_Tensor {
    PD_Predictor *predictor;
    int var, column; /* column: of an input; -1: an output */
};

#endif
