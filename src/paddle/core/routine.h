/* What the two sources of paddle.core._engine share. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL paddle_engine_arrays
#ifndef IMPORTS_ARRAYS
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

extern PyTypeObject Routine_Type;
PyObject *engine_held(PyObject *self, PyObject *args);
