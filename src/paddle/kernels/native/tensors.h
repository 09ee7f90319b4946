/* NumPy arrays as tensors of the C library (src/capi), and back. */
#ifndef PADDLE_NATIVE_TENSORS_H
#define PADDLE_NATIVE_TENSORS_H

#include "args.h"
#include "tensor.h"

/* A tensor over an array's elements, which lie in *kept, a new reference: 0; 1 if it has no type or size that the library knows; -1
 * with an exception. */
int tensor_over(PyObject *value, PyObject **kept, tensor_t *t);

int is_array_type(dtype_t dtype);         /* does NumPy itself have it? */
PyObject *array_of(const tensor_t *t);    /* a new array with its elements; None if it has none, NULL with an exception */
PyObject *array_from(tensor_t *t);        /* the same, in its memory where that is large and nobody else's: the tensor is used up */
PyObject *offsets_of(const lod_t *lod);   /* a list of int64 arrays, empty for NULL */

#endif
