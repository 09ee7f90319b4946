/* The gradients of pictures read at the places of a grid; the pictures are the library's (src/capi/ops/regions.c). */
#define _GNU_SOURCE
#include "outputs.h"

#include "grid.h"

#define BODY "grid_back.inc"
#define BODY_TYPES 2
#include "multiversion.h"

/* x and grid with the modes; 0 for what these loops do not take (the reference says what is wrong with it), -1 with an exception. */
static int take_grid(const char *function, PyObject *const *values, PyArrayObject *x, PyArrayObject *grid, grid_t *t) {
    int ndim = PyArray_NDIM(x);
    t->axes = ndim - 2;
    t->nearest = arg_bool(function, "nearest", values[0], 0);
    t->padding = (int)arg_index(function, "padding", values[1], 0);
    t->corners = arg_bool(function, "corners", values[2], 1);
    if (PyErr_Occurred()) return -1;
    if ((t->axes != 2 && t->axes != 3) || PyArray_NDIM(grid) != ndim || PyArray_TYPE(x) != PyArray_TYPE(grid) ||
        PyArray_DIM(grid, ndim - 1) != t->axes || PyArray_DIM(grid, 0) != PyArray_DIM(x, 0) || t->padding < GRID_ZEROS ||
        t->padding > GRID_REFLECTION || !PyArray_SIZE(x) || !PyArray_SIZE(grid))
        return 0;
    t->n = PyArray_DIM(x, 0);
    t->c = PyArray_DIM(x, 1);
    t->cells = t->places = 1;
    for (int i = 0; i < t->axes; i++) {
        t->size[i] = PyArray_DIM(x, 2 + i);
        t->cells *= t->size[i];
        t->places *= PyArray_DIM(grid, 1 + i);
    }
    t->x = PyArray_DATA(x);
    t->grid = PyArray_DATA(grid);
    return t->cells <= INT32_MAX;
}

BINDING(grid_sample_backward) {
    BIND("grid_sample_backward", 8, "g", "x", "grid", "nearest", "padding", "corners", "of_x", "of_grid");
    const char *function = "grid_sample_backward";
    DENSE_FLOATS("grid_sample_backward", "g", values[0], g);
    DENSE_FLOATS("grid_sample_backward", "x", values[1], x);
    DENSE_FLOATS("grid_sample_backward", "grid", values[2], grid);
    grid_t t = {0};
    int fits = take_grid(function, values + 3, x, grid, &t);
    int of_x = arg_bool(function, "of_x", values[6], 1), of_grid = arg_bool(function, "of_grid", values[7], 1);
    if (fits < 0 || of_x < 0 || of_grid < 0) return NULL;
    if (!fits || PyArray_TYPE(g) != PyArray_TYPE(x) || PyArray_SIZE(g) != t.n * t.c * t.places) Py_RETURN_NOTIMPLEMENTED;
    PyArrayObject *dx = of_x ? new_array(PyArray_TYPE(x), PyArray_NDIM(x), PyArray_DIMS(x)) : NULL, *dgrid = NULL;
    if (of_grid) /* the nearest cell is the same all round: no slope */
        dgrid = (PyArrayObject *)PyArray_ZEROS(PyArray_NDIM(grid), PyArray_DIMS(grid), PyArray_TYPE(x), 0);
    if ((of_x && !dx) || (of_grid && !dgrid)) {
        Py_XDECREF(dx);
        Py_XDECREF(dgrid);
        return NULL;
    }
    t.g = PyArray_DATA(g);
    t.dx = dx ? PyArray_DATA(dx) : NULL;
    t.dgrid = dgrid ? PyArray_DATA(dgrid) : NULL;
    WITHOUT_GIL(DISPATCH_FLOAT(PyArray_TYPE(x), grid_back, &t))
    return Py_BuildValue("NN", dx ? (PyObject *)dx : Py_NewRef(Py_None), dgrid ? (PyObject *)dgrid : Py_NewRef(Py_None));
}

PyMethodDef grid_methods[] = {
    METHOD(grid_sample_backward, "grid_sample_backward(g, x, grid, nearest, padding, corners, of_x, of_grid) -> (dx, dgrid)."),
    {0}};
