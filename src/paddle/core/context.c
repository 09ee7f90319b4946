/* The context: what a thread has switched on and off, read by the other sources by offset (see context.py).
 *
 * The fields of a thread live in a State that the thread's own dictionary holds; `current_state` is a borrowed pointer to it,
 * set when the thread first asks and cleared when the State goes with its thread. Python sees them as attributes of the one
 * object `context`.
 */
#include "engine.h"

__thread State *current_state;
Process *process;
static PyObject *s_key;

static int state_traverse(State *s, visitproc visit, void *arg)
{
#define VISIT(f) Py_VISIT(s->f);
    CONTEXT_FIELDS(VISIT)
#undef VISIT
    return 0;
}

static int state_clear(State *s)
{
#define CLEAR(f) Py_CLEAR(s->f);
    CONTEXT_FIELDS(CLEAR)
#undef CLEAR
    return 0;
}

static void state_dealloc(State *s)
{
    PyObject_GC_UnTrack(s);
    if (current_state == s)
        current_state = NULL;
    state_clear(s);
    Py_TYPE(s)->tp_free((PyObject *)s);
}

PyTypeObject State_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "paddle.core._engine.State",
    .tp_basicsize = sizeof(State),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_dealloc = (destructor)state_dealloc,
    .tp_traverse = (traverseproc)state_traverse,
    .tp_clear = (inquiry)state_clear,
};

/* The State of a thread that asks for the first time: gradients on, the mode that new threads start in, nothing else but
 * what the generation of the process asks for. */
State *make_state(void)
{
    PyObject *dict = PyThreadState_GetDict();
    if (dict == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "context: this thread has no state of Python's");
        return NULL;
    }
    if (s_key == NULL && (s_key = PyUnicode_InternFromString("paddle.core.context")) == NULL)
        return NULL;
    State *s = (State *)State_Type.tp_alloc(&State_Type, 0);
    if (s == NULL)
        return NULL;
    s->grad = Py_NewRef(Py_True);
    s->static_mode = Py_NewRef(process && process->static_mode ? process->static_mode : Py_False);
    s->retain_all = process && is_set(process->rules) ? PyObject_GetAttrString(process->rules, "retains_all") : Py_NewRef(Py_False);
    s->anomaly = Py_NewRef(Py_False);
    s->hooks = PyTuple_New(0);
    s->depth = PyLong_FromLong(0);
    if (s->retain_all == NULL || s->hooks == NULL || s->depth == NULL || PyDict_SetItem(dict, s_key, (PyObject *)s) < 0) {
        Py_DECREF(s);
        return NULL;
    }
    Py_DECREF(s); /* the dictionary holds it */
    return current_state = s;
}

static PyObject *get_field(PyObject *self, void *offset)
{
    (void)self;
    State *s = here();
    if (s == NULL)
        return NULL;
    PyObject *value = *(PyObject **)((char *)s + (size_t)offset);
    return Py_NewRef(value ? value : Py_None);
}

static int set_field(PyObject *self, PyObject *value, void *offset)
{
    (void)self;
    State *s = here();
    if (s == NULL)
        return -1;
    if (value == NULL) {
        PyErr_SetString(PyExc_AttributeError, "a field of the context can't be deleted");
        return -1;
    }
    if ((size_t)offset == offsetof(State, hooks) && !PyTuple_Check(value)) {
        PyErr_SetString(PyExc_TypeError, "context.hooks must be a tuple");
        return -1;
    }
    Py_XSETREF(*(PyObject **)((char *)s + (size_t)offset), Py_NewRef(value));
    return 0;
}

static PyObject *get_rules(PyObject *self, void *unused)
{
    (void)self, (void)unused;
    State *s = here();
    if (s == NULL)
        return NULL;
    PyObject *rules = is_set(s->own_rules) ? s->own_rules : process ? process->rules : NULL;
    return Py_NewRef(rules ? rules : Py_None);
}

static PyGetSetDef context_getset[] = {
#define FIELD(f) {#f, get_field, set_field, NULL, (void *)offsetof(State, f)},
    CONTEXT_FIELDS(FIELD)
#undef FIELD
    {"rules", get_rules, NULL, "The rules in force: this thread's own, else those of the process.", NULL},
    {NULL}};
PyTypeObject ContextBase_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "paddle.core._engine.ContextBase",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_new = PyType_GenericNew,
    .tp_getset = context_getset,
};

/* ---- what the threads share, as far as C reads it ------------------------------------------------------------------ */
static int process_traverse(Process *p, visitproc visit, void *arg)
{
    Py_VISIT(p->rules);
    Py_VISIT(p->hooks);
    Py_VISIT(p->on_scalar);
    Py_VISIT(p->static_mode);
    return 0;
}

static PyObject *process_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)args, (void)kwargs;
    if (process != NULL) {
        PyErr_SetString(PyExc_RuntimeError, "ProcessBase: there is one already");
        return NULL;
    }
    Process *made = (Process *)type->tp_alloc(type, 0);
    if (made == NULL)
        return NULL;
    made->hooks = PyTuple_New(0); /* the one empty tuple */
    process = made; /* never freed: one for as long as the process runs */
    return Py_NewRef((PyObject *)made);
}

static PyObject *get_hooks(Process *p, void *unused)
{
    (void)unused;
    return Py_NewRef(p->hooks);
}

static int set_hooks(Process *p, PyObject *value, void *unused)
{
    (void)unused;
    if (value == NULL || !PyTuple_Check(value)) {
        PyErr_SetString(PyExc_TypeError, "process.hooks must be a tuple");
        return -1;
    }
    Py_SETREF(p->hooks, Py_NewRef(value));
    return 0;
}

static PyMemberDef process_members[] = {{"rules", T_OBJECT, offsetof(Process, rules), 0, NULL},
                                        {"static_mode", T_OBJECT, offsetof(Process, static_mode), 0, NULL},
                                        {"on_scalar", T_OBJECT, offsetof(Process, on_scalar), 0, NULL},
                                        {NULL}};
static PyGetSetDef process_getset[] = {{"hooks", (getter)get_hooks, (setter)set_hooks, NULL, NULL}, {NULL}};
PyTypeObject ProcessBase_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "paddle.core._engine.ProcessBase",
    .tp_basicsize = sizeof(Process),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_new = process_new,
    .tp_traverse = (traverseproc)process_traverse,
    .tp_members = process_members,
    .tp_getset = process_getset,
};
