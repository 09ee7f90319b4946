/* Products of rows as the C library has them. */
#ifndef PADDLE_NATIVE_PRODUCT_H
#define PADDLE_NATIVE_PRODUCT_H

#include "common.h"

float product_row_f32_plain(const float *x, index_t n);

#endif
