/* What the sources of paddle.core._engine share: its objects, what the Python side handed over, small helpers.
 *
 * The module is the hot path of the tape in C: the twin of op.py (Op._run), autograd.py (Node) and backward.py (Walk.run).
 * It covers the common case only: ops called with Tensors or arrays, plain backward. Whatever is special (hooks on ops, lists
 * of tensors, static Variables, create_graph, errors worth explaining ...) is handed to the Python twin, which is also what
 * runs where this module was not built. Both must agree; tests run with and without it.
 */
#pragma once
#include "routine.h"

#define MOST_ARGUMENTS 24

typedef struct {
    PyObject_HEAD
    PyObject *data, *edge, *grad, *meta;
    long version;
    char stop_gradient;
} Tensor;

typedef struct {
    PyObject_HEAD
    PyObject *plan, *edges, *saved, *tensors, *out, *out_metas, *shapes, *hooks, *retained, *spoiled, *where, *recipe;
    long version;
    long long seq;
} Node;

extern PyTypeObject TensorBase_Type, NodeBase_Type, OpBase_Type, BinaryMethod_Type;

/* ---- what setup() was given, and names looked up often (engine.c) -------------------------------------------------- */
extern PyTypeObject *tensor_class, *node_class;        /* Tensor and Node of the Python side */
extern PyObject *grad_mode, *op_hooks, *sum_to, *zero; /* autograd.mode, hooks.active (a list), backward.sum_to, tensor.ZERO */
extern PyObject *s_grad, *s_retain_all, *s_slow_call, *s_shape, *s_dtype, *s_pass_by, *s_completed, *s_step_results,
    *s_finish_leaf, *s_check_unchanged, *s_freed, *s_hooks;
extern int always_slow;   /* anomaly mode: every call takes the Python way */
extern long long numbers; /* nodes are numbered as they are made */

/* The entries of a recipe: what a Plan says, in the form that C reads quickly (see Plan.recipe in op.py). */
enum { R_PLAN, R_ACTIVE, R_SAVED, R_TENSORS, R_METAS, R_SAVES_OUT, R_RULES, R_NEEDS, R_SIZE };

PyObject *wrap_steal(PyObject *array); /* a leaf Tensor over an array; steals the reference */
PyObject *engine_wrap(PyObject *self, PyObject *array);
PyObject *engine_next_number(PyObject *self, PyObject *unused);
PyObject *engine_run_walk(PyObject *self, PyObject *args);

static inline int is_tensor(PyObject *o) { return PyObject_TypeCheck(o, &TensorBase_Type); }
static inline int is_set(PyObject *field) { return field != NULL && field != Py_None; }
static inline Py_ssize_t at(PyObject *tuple, Py_ssize_t i) { return PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, i)); }
