/* A function that also takes other spellings of its keywords (see spelling.py).
 *
 * A call without keywords, or with none but the function's own, goes straight to the function: what it costs is one C call. Any
 * other call is handed to `translate(function, entry, args, kwargs)`. The object answers for its function in every other way.
 */
#include "engine.h"
#include <stddef.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *function, *known, *entry, *translate, *name;
    Py_ssize_t sizes; /* position of an argument whose ints may come as separate arguments; -1 for none */
} Spelled;

static int is_size(PyObject *value) { return PyLong_CheckExact(value); }

static PyObject *translated(Spelled *self, PyObject *const *args, Py_ssize_t count, PyObject *kwnames) {
    PyObject *positional = PyTuple_New(count), *keywords = PyDict_New(), *result = NULL;
    if (positional == NULL || keywords == NULL) goto done;
    for (Py_ssize_t i = 0; i < count; i++) PyTuple_SET_ITEM(positional, i, Py_NewRef(args[i]));
    for (Py_ssize_t i = 0; kwnames != NULL && i < PyTuple_GET_SIZE(kwnames); i++)
        if (PyDict_SetItem(keywords, PyTuple_GET_ITEM(kwnames, i), args[count + i]) < 0) goto done;
    result = PyObject_CallFunctionObjArgs(self->translate, self->function, self->entry, positional, keywords, NULL);
done:
    Py_XDECREF(positional);
    Py_XDECREF(keywords);
    return result;
}

static PyObject *spelled_call(PyObject *object, PyObject *const *args, size_t flags, PyObject *kwnames) {
    Spelled *self = (Spelled *)object;
    Py_ssize_t count = PyVectorcall_NARGS(flags), at = self->sizes;
    if (kwnames != NULL)
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(kwnames); i++) {
            int own = PySet_Contains(self->known, PyTuple_GET_ITEM(kwnames, i));
            if (own < 0) return NULL;
            if (!own) return translated(self, args, count, kwnames);
        }
    if (at >= 0 && count > at + 1 && is_size(args[at]) && is_size(args[at + 1])) return translated(self, args, count, kwnames);
    return PyObject_Vectorcall(self->function, args, flags, kwnames);
}

static PyObject *spelled_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    PyObject *function, *known, *entry, *translate, *name;
    Py_ssize_t sizes;
    static char *names[] = {"function", "known", "entry", "translate", "name", "sizes", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO!OOUn", names, &function, &PyFrozenSet_Type, &known, &entry, &translate,
                                     &name, &sizes)) return NULL;
    if (!PyCallable_Check(function) || !PyCallable_Check(translate)) {
        PyErr_SetString(PyExc_TypeError, "Spelled(): function and translate must be callable");
        return NULL;
    }
    Spelled *self = (Spelled *)type->tp_alloc(type, 0);
    if (self == NULL) return NULL;
    self->vectorcall = spelled_call;
    self->function = Py_NewRef(function);
    self->known = Py_NewRef(known);
    self->entry = Py_NewRef(entry);
    self->translate = Py_NewRef(translate);
    self->name = Py_NewRef(name);
    self->sizes = sizes < 0 ? -1 : sizes;
    return (PyObject *)self;
}

static int spelled_traverse(PyObject *object, visitproc visit, void *arg) {
    Spelled *self = (Spelled *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->function);
    Py_VISIT(self->known);
    Py_VISIT(self->entry);
    Py_VISIT(self->translate);
    return 0;
}

static int spelled_clear(PyObject *object) {
    Spelled *self = (Spelled *)object;
    Py_CLEAR(self->entry);
    Py_CLEAR(self->translate);
    return 0;
}

static void spelled_dealloc(PyObject *object) {
    Spelled *self = (Spelled *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    Py_CLEAR(self->function);
    Py_CLEAR(self->known);
    Py_CLEAR(self->name);
    spelled_clear(object);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject *spelled_get(PyObject *self, PyObject *instance, PyObject *owner) {
    (void)owner;
    return instance == NULL || instance == Py_None ? Py_NewRef(self) : PyMethod_New(self, instance);
}

/* Everything but what makes it a wrapper is the function's: its text, name, signature, class. */
static PyObject *spelled_getattro(PyObject *object, PyObject *name) {
    static const char *own[] = {"__wrapped__", "__reduce__", "__reduce_ex__", "__get__", "__call__", "spelling"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (PyUnicode_CompareWithASCIIString(name, own[i]) == 0) return PyObject_GenericGetAttr(object, name);
    return PyObject_GetAttr(((Spelled *)object)->function, name);
}

static PyObject *spelled_repr(PyObject *object) { return PyObject_Repr(((Spelled *)object)->function); }

static PyObject *spelled_reduce(PyObject *object, PyObject *ignored) {
    (void)ignored;
    PyObject *module = PyImport_ImportModule("paddle.core.spelling");
    if (module == NULL) return NULL;
    PyObject *restore = PyObject_GetAttrString(module, "restore");
    Py_DECREF(module);
    return restore == NULL ? NULL : Py_BuildValue("N(O)", restore, ((Spelled *)object)->name);
}

static PyMethodDef methods[] = {
    {"__reduce__", spelled_reduce, METH_NOARGS, NULL},
    {"__reduce_ex__", spelled_reduce, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"__wrapped__", T_OBJECT_EX, offsetof(Spelled, function), READONLY, NULL},
    {"spelling", T_OBJECT_EX, offsetof(Spelled, entry), READONLY, NULL},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Spelled, vectorcall), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

/* help() asks the type for it, not the object. */
static PyObject *spelled_doc(PyObject *object, void *ignored) {
    (void)ignored;
    return PyObject_GetAttrString(((Spelled *)object)->function, "__doc__");
}

static PyGetSetDef getset[] = {{"__doc__", spelled_doc, NULL, NULL, NULL}, {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot slots[] = {
    {Py_tp_new, spelled_new}, {Py_tp_dealloc, spelled_dealloc}, {Py_tp_traverse, spelled_traverse}, {Py_tp_clear, spelled_clear},
    {Py_tp_call, PyVectorcall_Call}, {Py_tp_descr_get, spelled_get}, {Py_tp_getattro, spelled_getattro}, {Py_tp_repr, spelled_repr},
    {Py_tp_methods, methods}, {Py_tp_members, members}, {Py_tp_getset, getset}, {0, NULL},
};

static PyType_Spec spec = {
    "paddle.core._engine.Spelled", sizeof(Spelled), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, slots,
};

int add_spelled(PyObject *module) {
    PyObject *type = PyType_FromSpec(&spec);
    if (type == NULL) return -1;
    int failed = PyModule_AddObjectRef(module, "Spelled", type);
    Py_DECREF(type);
    return failed;
}
