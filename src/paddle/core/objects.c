/* What Tensor and Node of the Python side are made of: their fields, and how they are made and freed. */
#include "engine.h"

/* ---- TensorBase --------------------------------------------------------------------------------------------------- */
#define TENSOR_FIELDS(X) X(data) X(edge) X(grad) X(meta)
COLLECTED(tensor_fields, Tensor, TENSOR_FIELDS)

static void tensor_dealloc(Tensor *t)
{
    leave_storage(t);
    tensor_fields_dealloc(t);
}

static PyObject *get_version(Tensor *t, void *unused)
{
    (void)unused;
    return PyLong_FromLong(version_of(t));
}

static int set_version(Tensor *t, PyObject *value, void *unused)
{
    (void)unused;
    long version = value ? PyLong_AsLong(value) : -1;
    if (value == NULL || (version == -1 && PyErr_Occurred())) {
        if (value == NULL)
            PyErr_SetString(PyExc_AttributeError, "_version can't be deleted");
        return -1;
    }
    *(t->storage ? &t->storage->version : &t->version) = version;
    return 0;
}

/* Does any other Tensor lie in its memory? */
static PyObject *get_aliased(Tensor *t, void *unused)
{
    (void)unused;
    return PyBool_FromLong(t->storage && (t->next || t->previous));
}

/* Does nobody but the Tensor hold its array and its memory, and may it be written to? */
static PyObject *get_sole(Tensor *t, void *unused)
{
    (void)unused;
    int needed = NPY_ARRAY_WRITEABLE | NPY_ARRAY_OWNDATA;
    return PyBool_FromLong(t->data && PyArray_CheckExact(t->data) && Py_REFCNT(t->data) == 1
                           && (PyArray_FLAGS((PyArrayObject *)t->data) & needed) == needed);
}

static PyObject *get_storage(Tensor *t, void *unused)
{
    (void)unused;
    return Py_NewRef(t->storage ? (PyObject *)t->storage : Py_None);
}

static PyObject *get_stop(Tensor *t, void *unused)
{
    (void)unused;
    return PyBool_FromLong(t->stop_gradient);
}

static int set_stop(Tensor *t, PyObject *value, void *unused)
{
    (void)unused;
    int truth = value ? PyObject_IsTrue(value) : -1;
    if (truth < 0) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_AttributeError, "stop_gradient can't be deleted");
        return -1;
    }
    t->stop_gradient = (char)truth;
    return 0;
}

/* Sets an attribute; one that tensors do not have is the Python side's to keep or to refuse. */
static int tensor_set(PyObject *self, PyObject *name, PyObject *value)
{
    if (PyObject_GenericSetAttr(self, name, value) == 0)
        return 0;
    if (value == NULL || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return -1;
    PyObject *type, *error, *trace;
    PyErr_Fetch(&type, &error, &trace);
    PyObject *kept = PyObject_CallMethod(self, "_keep_attribute", "OO", name, value);
    if (kept != Py_True) {
        if (kept == NULL)
            PyErr_Clear();
        PyErr_Restore(type, error, trace);
        Py_XDECREF(kept);
        return -1;
    }
    Py_XDECREF(type), Py_XDECREF(error), Py_XDECREF(trace);
    Py_DECREF(kept);
    return 0;
}

static PyMemberDef tensor_members[] = {
    {"_data", T_OBJECT, offsetof(Tensor, data), 0, NULL},  {"_edge", T_OBJECT, offsetof(Tensor, edge), 0, NULL},
    {"_grad", T_OBJECT, offsetof(Tensor, grad), 0, NULL},  {"_meta", T_OBJECT, offsetof(Tensor, meta), 0, NULL},
    {"_family", T_LONG, offsetof(Tensor, family), READONLY, NULL}, {"_placed", T_BOOL, offsetof(Tensor, placed), 0, NULL}, {NULL}};
static PyGetSetDef tensor_getset[] = {{"stop_gradient", (getter)get_stop, (setter)set_stop,
                                       "False on tensors that gradients should reach.", NULL},
                                      {"_version", (getter)get_version, (setter)set_version, NULL, NULL},
                                      {"_storage", (getter)get_storage, NULL, NULL, NULL},
                                      {"_sole", (getter)get_sole, NULL, NULL, NULL},
                                      {"_aliased", (getter)get_aliased, NULL, NULL, NULL}, {NULL}};
PyTypeObject TensorBase_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "paddle.core._engine.TensorBase",
    .tp_basicsize = sizeof(Tensor),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew, .tp_dealloc = (destructor)tensor_dealloc, .tp_traverse = (traverseproc)tensor_fields_traverse,
    .tp_clear = (inquiry)tensor_fields_clear,
    .tp_setattro = tensor_set,
    .tp_members = tensor_members,
    .tp_getset = tensor_getset,
};

PyObject *wrap_steal(PyObject *array)
{
    if (array == NULL)
        return NULL;
    Tensor *t = (Tensor *)tensor_class->tp_alloc(tensor_class, 0);
    if (t == NULL) {
        Py_DECREF(array);
        return NULL;
    }
    t->data = array;
    t->stop_gradient = 1;
    return (PyObject *)t;
}

PyObject *engine_wrap(PyObject *self, PyObject *array)
{
    (void)self;
    Py_INCREF(array);
    return wrap_steal(array);
}

/* ---- NodeBase ----------------------------------------------------------------------------------------------------- */
#define NODE_FIELDS(X) X(recipe) X(edges) X(saved) X(tensors) X(out) X(out_metas) X(shapes) X(hooks) X(retained) X(spoiled) \
    X(where)

COLLECTED(node, Node, NODE_FIELDS)

static PyMemberDef node_members[] = {
#define MEMBER(f) {#f, T_OBJECT, offsetof(Node, f), 0, NULL},
    NODE_FIELDS(MEMBER)
#undef MEMBER
    {"version", T_LONG, offsetof(Node, version), 0, NULL},
    {"seq", T_LONGLONG, offsetof(Node, seq), 0, NULL},
    {NULL}};
PyTypeObject NodeBase_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "paddle.core._engine.NodeBase",
    .tp_basicsize = sizeof(Node),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    COLLECTED_SLOTS(node),
    .tp_members = node_members,
};

PyObject *engine_next_number(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    return PyLong_FromLongLong(numbers++);
}
