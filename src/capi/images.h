/* Values of images between their pixels. */
#ifndef DYGRAPH_IMAGES_H
#define DYGRAPH_IMAGES_H

#include "tensor.h"

/* The value of a plane [h, w] at (y, x), linear between its pixels; what lies outside counts as 0. */
double value_between(const tensor_t *t, index_t plane, index_t h, index_t w, double y, double x);

#endif
