/* Windows over images: paddings of convolutions and poolings as Paddle's attributes give them. */
#ifndef DYGRAPH_GEOMETRY_H
#define DYGRAPH_GEOMETRY_H

#include "sizes.h"

/* `spatial` axes, 1 to 3; padding is {before, after} for each. */
typedef struct {
    int spatial;
    index_t kernel[3], stride[3], dilation[3], padding[6];
} window_t;

/* Strides, dilations, paddings and padding_algorithm; kernel sizes and image sizes are given. */
int read_window(const op_t *op, int spatial, const index_t *kernel, const index_t *image, window_t *window);

/* Outputs along one axis, or -1 with a message if the kernel doesn't fit. */
index_t window_outputs(window_t *window, int axis, index_t image);

#endif
