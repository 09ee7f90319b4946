/* The functions of lines.h on NumPy arrays. */
#ifndef PADDLE_NATIVE_LINES_ARGS_H
#define PADDLE_NATIVE_LINES_ARGS_H

#include "outputs.h"

/* The function of that name of arrays a and b (NULL: of a alone): a new array; NotImplemented for a name, types, shapes and layouts that it
 * has no code for, and where a number is divided by 0 or raised to a negative power; NULL with an exception. */
PyObject *lines_of(PyObject *name, PyObject *a, PyObject *b);

#endif
