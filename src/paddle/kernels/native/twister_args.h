/* The generator's state as an argument of a binding. */
#ifndef PADDLE_NATIVE_TWISTER_ARGS_H
#define PADDLE_NATIVE_TWISTER_ARGS_H

#include "args.h"
#include "twister.h"

/* The words of a state, or NULL with an exception. The caller of the binding keeps other threads away from it. */
static inline uint64_t *arg_twister(const char *function, PyObject *value) {
    PyArrayObject *array = arg_output(function, "state", value, NPY_UINT64, 1);
    if (!array || CHECK_SHAPE(function, "state", array, TWISTER_STATE)) return NULL;
    uint64_t *state = PyArray_DATA(array);
    if (state[TWISTER_WORDS] > TWISTER_WORDS) {
        PyErr_Format(PyExc_ValueError, "%s(): argument 'state' has a position above %d", function, TWISTER_WORDS);
        return NULL;
    }
    return state;
}

#endif
