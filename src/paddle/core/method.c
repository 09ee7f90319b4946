/* Methods of Tensor that go to an op without a Python frame, where nothing needs to be looked at first. */
#include "engine.h"

/* ---- BinaryMethod: x + y for two Tensors of one dtype without a Python frame --------------------------------------- */
typedef struct {
    PyObject_HEAD
    PyObject *op, *general;
    vectorcallfunc vectorcall;
} BinaryMethod;

static PyObject *method_call(BinaryMethod *m, PyObject *const *args, size_t nargsf, PyObject *names)
{
    if (PyVectorcall_NARGS(nargsf) == 2 && names == NULL && is_tensor(args[0]) && is_tensor(args[1])) {
        PyObject *a = ((Tensor *)args[0])->data, *b = ((Tensor *)args[1])->data;
        if (a && b && PyArray_CheckExact(a) && PyArray_CheckExact(b)
            && PyArray_DESCR((PyArrayObject *)a) == PyArray_DESCR((PyArrayObject *)b)) {
            PyObject *pair = PyTuple_Pack(2, args[0], args[1]);
            if (pair == NULL)
                return NULL;
            PyObject *result = op_call((Op *)m->op, pair, NULL);
            Py_DECREF(pair);
            return result;
        }
    }
    return PyObject_Vectorcall(m->general, args, nargsf, names);
}

/* ---- ItemMethod: x[index] of ints, slices, None and Ellipsis without a Python frame ------------------------------- */
static int is_basic(PyObject *item)
{
    if (PyLong_CheckExact(item) || item == Py_None || item == Py_Ellipsis)
        return 1;
    if (!PySlice_Check(item))
        return 0;
    PySliceObject *s = (PySliceObject *)item;
    PyObject *bounds[] = {s->start, s->stop, s->step};
    for (int i = 0; i < 3; i++)
        if (bounds[i] != Py_None && !PyLong_CheckExact(bounds[i]))
            return 0;
    return 1;
}

static int is_basic_index(PyObject *index)
{
    if (!PyTuple_CheckExact(index))
        return is_basic(index);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(index); i++)
        if (!is_basic(PyTuple_GET_ITEM(index, i)))
            return 0;
    return 1;
}

/* Has the index a number in it, and leave numbers their axis under the rules in force? -1: error. */
static int keeps_axes(PyObject *index)
{
    int numbers = PyLong_CheckExact(index);
    for (Py_ssize_t i = 0; !numbers && PyTuple_CheckExact(index) && i < PyTuple_GET_SIZE(index); i++)
        numbers = PyLong_CheckExact(PyTuple_GET_ITEM(index, i));
    if (!numbers)
        return 0;
    static PyObject *known; /* the rules that were asked last, and their answer: they rarely change */
    static int known_keeps;
    State *context = here();
    PyObject *rules = rules_in_force(context);
    if (rules != known) {
        PyObject *keep = rules_fact(context, s_indices_keep_axes);
        int keeps = keep ? PyObject_IsTrue(keep) : -1;
        Py_XDECREF(keep);
        if (keeps < 0)
            return -1;
        known_keeps = keeps;
        Py_XSETREF(known, Py_NewRef(rules));
    }
    return known_keeps;
}

static PyObject *item_call(BinaryMethod *m, PyObject *const *args, size_t nargsf, PyObject *names)
{
    if (PyVectorcall_NARGS(nargsf) == 2 && names == NULL && is_tensor(args[0]) && is_basic_index(args[1])) {
        int keeps = keeps_axes(args[1]);
        if (keeps < 0)
            return NULL;
        if (keeps)
            return PyObject_Vectorcall(m->general, args, nargsf, names);
        PyObject *pair = PyTuple_Pack(2, args[0], args[1]);
        PyObject *result = pair ? op_call((Op *)m->op, pair, NULL) : NULL;
        Py_XDECREF(pair);
        if (result == NULL || !is_tensor(result) || PyArray_NDIM((PyArrayObject *)((Tensor *)result)->data))
            return result;
        PyObject *ndim = rules_fact(here(), s_element_ndim); /* generations differ in the shape of a single element */
        int other = ndim ? PyObject_IsTrue(ndim) : -1;
        Py_XDECREF(ndim);
        if (other < 0)
            Py_CLEAR(result);
        if (other < 1)
            return result;
        Py_DECREF(result);
    }
    return PyObject_Vectorcall(m->general, args, nargsf, names);
}

/* item(k, array, index): array[index] as an array, of no axes for a single element; k is what kernels are called with. */
PyObject *engine_item(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    if (nargs != 3 || !PyArray_Check(args[1]))
        return PyErr_Format(PyExc_TypeError, "item(): takes (k, array, index)");
    PyObject *part = PyObject_GetItem(args[1], args[2]);
    if (part == NULL || PyArray_Check(part))
        return part;
    Py_DECREF(part);
    PyObject *index = PyTuple_Check(args[2]) ? Py_NewRef(args[2]) : PyTuple_Pack(1, args[2]), *dots = PyTuple_Pack(1, Py_Ellipsis);
    PyObject *whole = index && dots ? PySequence_Concat(index, dots) : NULL;
    part = whole ? PyObject_GetItem(args[1], whole) : NULL;
    Py_XDECREF(index);
    Py_XDECREF(dots);
    Py_XDECREF(whole);
    return part;
}

static PyObject *method_get(PyObject *m, PyObject *object, PyObject *owner)
{
    (void)owner;
    return object == NULL || object == Py_None ? Py_NewRef(m) : PyMethod_New(m, object);
}

static int method_init(BinaryMethod *m, PyObject *args, PyObject *kwargs)
{
    (void)kwargs;
    PyObject *op, *general;
    if (!PyArg_ParseTuple(args, "O!O", &OpBase_Type, &op, &general))
        return -1;
    Py_XSETREF(m->op, Py_NewRef(op));
    Py_XSETREF(m->general, Py_NewRef(general));
    m->vectorcall = Py_IS_TYPE(m, &ItemMethod_Type) ? (vectorcallfunc)item_call : (vectorcallfunc)method_call;
    return 0;
}

#define METHOD_FIELDS(X) X(op) X(general)
COLLECTED(method, BinaryMethod, METHOD_FIELDS)

static PyMemberDef method_members[] = {{"__wrapped__", T_OBJECT, offsetof(BinaryMethod, general), READONLY, NULL}, {NULL}};

#define METHOD_TYPE(type) \
    PyTypeObject type##_Type = { \
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "paddle.core._engine." #type, \
        .tp_basicsize = sizeof(BinaryMethod), \
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, \
        COLLECTED_SLOTS(method), \
        .tp_init = (initproc)method_init, \
        .tp_call = PyVectorcall_Call, \
        .tp_vectorcall_offset = offsetof(BinaryMethod, vectorcall), \
        .tp_descr_get = method_get, \
        .tp_members = method_members, \
    };
METHOD_TYPE(BinaryMethod)
METHOD_TYPE(ItemMethod)
