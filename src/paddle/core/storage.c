/* Memory that several Tensors share: which they are. What it means to write into it stands in storage.py. */
#include "engine.h"

static long families;

static PyMemberDef storage_members[] = {{"version", T_LONG, offsetof(Storage, version), 0, NULL}, {NULL}};
PyTypeObject Storage_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "paddle.core._engine.Storage",
    .tp_basicsize = sizeof(Storage),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_members = storage_members,
};

PyArrayObject *owner_of(PyObject *array)
{
    PyArrayObject *a = (PyArrayObject *)array;
    while (PyArray_BASE(a) && PyArray_Check(PyArray_BASE(a)))
        a = (PyArrayObject *)PyArray_BASE(a);
    return a;
}

void leave_storage(Tensor *t)
{
    Storage *s = t->storage;
    if (s == NULL)
        return;
    *(t->previous ? &t->previous->next : &s->first) = t->next;
    if (t->next)
        t->next->previous = t->previous;
    t->next = t->previous = NULL;
    t->version = s->version;
    t->storage = NULL;
    Py_DECREF(s);
}

static void join(Tensor *t, Storage *s, long family)
{
    t->storage = (Storage *)Py_NewRef((PyObject *)s);
    t->family = family;
    t->previous = NULL;
    t->next = s->first;
    if (t->next)
        t->next->previous = t;
    s->first = t;
}

/* Let the node that saved the Tensor as its output hear of what is written through other Tensors, if its rule reads it. */
static int guard_output(Tensor *t)
{
    int several = t->edge && PyTuple_CheckExact(t->edge);
    PyObject *edge = several ? PyTuple_GET_ITEM(t->edge, 0) : t->edge;
    if (edge == NULL || !PyObject_TypeCheck(edge, &NodeBase_Type))
        return 0;
    Node *node = (Node *)edge;
    if (!is_set(node->out) || !is_set(node->tensors) || !PyTuple_CheckExact(node->tensors))
        return 0;
    Py_ssize_t n = PyTuple_GET_SIZE(node->tensors);
    for (Py_ssize_t i = 0; i < n; i++)
        if (PyTuple_GET_ITEM(node->tensors, i) == (PyObject *)t->storage)
            return 0;
    PyObject *number = several ? Py_NewRef(PyTuple_GET_ITEM(t->edge, 1)) : PyLong_FromLong(0);
    PyObject *reads = number ? PyObject_CallMethodOneArg(node->recipe, s_reads_output, number) : NULL;
    Py_XDECREF(number);
    int is_read = reads ? PyObject_IsTrue(reads) : -1;
    Py_XDECREF(reads);
    if (is_read < 1)
        return is_read;
    PyObject *longer = PyTuple_New(n + 1);
    if (longer == NULL)
        return -1;
    for (Py_ssize_t i = 0; i < n; i++)
        PyTuple_SET_ITEM(longer, i, Py_NewRef(PyTuple_GET_ITEM(node->tensors, i)));
    PyTuple_SET_ITEM(longer, n, Py_NewRef((PyObject *)t->storage));
    node->version += t->storage->version;
    Py_SETREF(node->tensors, longer);
    return 0;
}

int share(Tensor *source, Tensor *alias, int detached)
{
    if (source == alias)
        return 0;
    if (source->storage == NULL) {
        Storage *s = PyObject_New(Storage, &Storage_Type);
        if (s == NULL)
            return -1;
        s->version = source->version;
        s->first = NULL;
        join(source, s, ++families);
        Py_DECREF(s);
    }
    leave_storage(alias);
    join(alias, source->storage, detached ? ++families : source->family);
    return guard_output(source);
}

int note_view(PyObject *source, PyObject *array, PyObject *result)
{
    Tensor *alias = (Tensor *)result;
    if (!is_tensor(source) || !is_tensor(result) || alias->data == NULL || ((Tensor *)source)->data != array
        || owner_of(alias->data) != owner_of(array))
        return 0;
    if (alias->data == array) { /* every Tensor has an array object of its own */
        PyObject *view = PyArray_View((PyArrayObject *)array, NULL, NULL);
        if (view == NULL)
            return -1;
        Py_SETREF(alias->data, view);
    }
    return share((Tensor *)source, alias, 0);
}

PyObject *engine_note_views(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    if (nargs != 3 || !PyArray_Check(args[1]) || !PyList_Check(args[2]))
        return PyErr_Format(PyExc_TypeError, "note_views(): takes (source, array, results), a Tensor, its array and a list");
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(args[2]); i++)
        if (note_view(args[0], args[1], PyList_GET_ITEM(args[2], i)) < 0)
            return NULL;
    Py_RETURN_NONE;
}

PyObject *engine_share(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    if (nargs != 3 || !is_tensor(args[0]) || !is_tensor(args[1]))
        return PyErr_Format(PyExc_TypeError, "share(): takes (source, alias, detached), two Tensors and a bool");
    int detached = PyObject_IsTrue(args[2]);
    if (detached < 0 || share((Tensor *)args[0], (Tensor *)args[1], detached) < 0)
        return NULL;
    Py_RETURN_NONE;
}

PyObject *engine_alias(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    if (nargs != 2 || !is_tensor(args[0]) || ((Tensor *)args[0])->data == NULL || !PyArray_Check(((Tensor *)args[0])->data))
        return PyErr_Format(PyExc_TypeError, "alias(): takes (source, detached), a Tensor and a bool");
    int detached = PyObject_IsTrue(args[1]);
    PyObject *alias = detached < 0 ? NULL : wrap_steal(PyArray_View((PyArrayObject *)((Tensor *)args[0])->data, NULL, NULL));
    if (alias && share((Tensor *)args[0], (Tensor *)alias, detached) < 0)
        Py_CLEAR(alias);
    return alias;
}

PyObject *engine_leave(PyObject *self, PyObject *tensor)
{
    (void)self;
    if (!is_tensor(tensor))
        return PyErr_Format(PyExc_TypeError, "leave(): takes a Tensor");
    leave_storage((Tensor *)tensor);
    Py_RETURN_NONE;
}

PyObject *engine_members(PyObject *self, PyObject *tensor)
{
    (void)self;
    if (!is_tensor(tensor))
        return PyErr_Format(PyExc_TypeError, "members(): takes a Tensor");
    Tensor *t = (Tensor *)tensor;
    PyObject *list = PyList_New(0);
    if (t->storage == NULL && list && PyList_Append(list, tensor) < 0)
        Py_CLEAR(list);
    for (Tensor *m = t->storage ? t->storage->first : NULL; list && m; m = m->next) /* one that is being freed stays out */
        if (Py_REFCNT(m) > 0 && m->data && PyList_Append(list, (PyObject *)m) < 0)
            Py_CLEAR(list);
    return list;
}
