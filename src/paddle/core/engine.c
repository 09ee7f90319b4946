/* The hot path of the tape in C: the twin of op.py (Op._run), autograd.py (Node) and backward.py (Walk.run).
 *
 * It covers the common case only: single-output ops called with Tensors or arrays, plain backward. Whatever is special
 * (hooks on ops, lists of tensors, static Variables, create_graph, errors worth explaining ...) is handed to the Python
 * twin, which is also what runs where this module was not built. Both must agree; tests run with and without it.
 */
#define IMPORTS_ARRAYS
#include "routine.h"

#define MOST_ARGUMENTS 24

/* ---- what setup() was given, and names looked up often ----------------------------------------------------------- */
static PyTypeObject *tensor_class, *node_class;      /* Tensor and Node of the Python side */
static PyObject *grad_mode, *op_hooks, *sum_to, *zero; /* autograd.mode, hooks.active (a list), backward.sum_to, tensor.ZERO */
static PyObject *s_grad, *s_retain_all, *s_slow_call, *s_shape, *s_dtype, *s_pass_by, *s_completed, *s_step_results,
    *s_finish_leaf, *s_check_unchanged, *s_freed, *s_hooks;
static int always_slow;                              /* anomaly mode: every call takes the Python way */
static long long numbers = 1;                        /* nodes are numbered as they are made */

/* ---- TensorBase --------------------------------------------------------------------------------------------------- */
typedef struct {
    PyObject_HEAD
    PyObject *data, *edge, *grad, *meta;
    long version;
    char stop_gradient;
} Tensor;

static PyTypeObject TensorBase_Type;

static int tensor_traverse(Tensor *t, visitproc visit, void *arg)
{
    Py_VISIT(t->data);
    Py_VISIT(t->edge);
    Py_VISIT(t->grad);
    Py_VISIT(t->meta);
    return 0;
}

static int tensor_clear(Tensor *t)
{
    Py_CLEAR(t->data);
    Py_CLEAR(t->edge);
    Py_CLEAR(t->grad);
    Py_CLEAR(t->meta);
    return 0;
}

static void tensor_dealloc(Tensor *t)
{
    PyObject_GC_UnTrack(t);
    Py_TRASHCAN_BEGIN(t, tensor_dealloc)
    tensor_clear(t);
    Py_TYPE(t)->tp_free((PyObject *)t);
    Py_TRASHCAN_END
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

static PyMemberDef tensor_members[] = {
    {"_data", T_OBJECT, offsetof(Tensor, data), 0, NULL},  {"_edge", T_OBJECT, offsetof(Tensor, edge), 0, NULL},
    {"_grad", T_OBJECT, offsetof(Tensor, grad), 0, NULL},  {"_meta", T_OBJECT, offsetof(Tensor, meta), 0, NULL},
    {"_version", T_LONG, offsetof(Tensor, version), 0, NULL}, {NULL}};
static PyGetSetDef tensor_getset[] = {{"stop_gradient", (getter)get_stop, (setter)set_stop,
                                       "False on tensors that gradients should reach.", NULL}, {NULL}};
static PyTypeObject TensorBase_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "paddle.core._engine.TensorBase",
    .tp_basicsize = sizeof(Tensor),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_dealloc = (destructor)tensor_dealloc,
    .tp_traverse = (traverseproc)tensor_traverse,
    .tp_clear = (inquiry)tensor_clear,
    .tp_members = tensor_members,
    .tp_getset = tensor_getset,
};

static inline int is_tensor(PyObject *o) { return PyObject_TypeCheck(o, &TensorBase_Type); }

/* A leaf Tensor over an array; steals the reference. */
static PyObject *wrap_steal(PyObject *array)
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

static PyObject *engine_wrap(PyObject *self, PyObject *array)
{
    (void)self;
    Py_INCREF(array);
    return wrap_steal(array);
}

/* ---- NodeBase ----------------------------------------------------------------------------------------------------- */
typedef struct {
    PyObject_HEAD
    PyObject *plan, *edges, *saved, *tensors, *out, *out_metas, *shapes, *hooks, *retained, *spoiled, *where, *recipe;
    long version;
    long long seq;
} Node;

static PyTypeObject NodeBase_Type;
#define NODE_FIELDS(X) X(plan) X(edges) X(saved) X(tensors) X(out) X(out_metas) X(shapes) X(hooks) X(retained) X(spoiled) \
    X(where) X(recipe)

static int node_traverse(Node *n, visitproc visit, void *arg)
{
#define VISIT(f) Py_VISIT(n->f);
    NODE_FIELDS(VISIT)
#undef VISIT
    return 0;
}

static int node_clear(Node *n)
{
#define CLEAR(f) Py_CLEAR(n->f);
    NODE_FIELDS(CLEAR)
#undef CLEAR
    return 0;
}

static void node_dealloc(Node *n)
{
    PyObject_GC_UnTrack(n);
    Py_TRASHCAN_BEGIN(n, node_dealloc)
    node_clear(n);
    Py_TYPE(n)->tp_free((PyObject *)n);
    Py_TRASHCAN_END
}

static PyMemberDef node_members[] = {
#define MEMBER(f) {#f, T_OBJECT, offsetof(Node, f), 0, NULL},
    NODE_FIELDS(MEMBER)
#undef MEMBER
    {"version", T_LONG, offsetof(Node, version), 0, NULL},
    {"seq", T_LONGLONG, offsetof(Node, seq), 0, NULL},
    {NULL}};
static PyTypeObject NodeBase_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "paddle.core._engine.NodeBase",
    .tp_basicsize = sizeof(Node),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_dealloc = (destructor)node_dealloc,
    .tp_traverse = (traverseproc)node_traverse,
    .tp_clear = (inquiry)node_clear,
    .tp_members = node_members,
};

static inline int is_set(PyObject *field) { return field != NULL && field != Py_None; }

static PyObject *engine_next_number(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    return PyLong_FromLongLong(numbers++);
}

/* ---- OpBase: the call --------------------------------------------------------------------------------------------- */
typedef struct {
    PyObject_HEAD
    PyObject *fn, *kernels, *recipes, *defaults;
    Py_ssize_t n_in, arity;
    char simple, single, unbroadcast;
} Op;

/* The entries of a recipe: what a Plan says, in the form that C reads quickly (see Plan.recipe in op.py). */
enum { R_PLAN, R_ACTIVE, R_SAVED, R_TENSORS, R_METAS, R_SAVES_OUT, R_RULES, R_NEEDS, R_SIZE };

static PyObject *slow_call(PyObject *op, PyObject *args, PyObject *kwargs)
{
    PyObject *method = PyObject_GetAttr(op, s_slow_call);
    if (method == NULL)
        return NULL;
    PyObject *result = PyObject_Call(method, args, kwargs);
    Py_DECREF(method);
    return result;
}

static inline Py_ssize_t at(PyObject *tuple, Py_ssize_t i) { return PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, i)); }

/* The node of one recorded call (see Op._record). */
static PyObject *record(Op *op, PyObject *recipe, PyObject *args, PyObject **values, PyObject *out)
{
    Node *node = (Node *)node_class->tp_alloc(node_class, 0);
    if (node == NULL)
        return NULL;
    node->seq = numbers++;
    node->plan = Py_NewRef(PyTuple_GET_ITEM(recipe, R_PLAN));
    node->recipe = Py_NewRef(recipe);
    PyObject *active = PyTuple_GET_ITEM(recipe, R_ACTIVE), *kept = PyTuple_GET_ITEM(recipe, R_SAVED),
             *metas = PyTuple_GET_ITEM(recipe, R_METAS), *tensors = PyTuple_GET_ITEM(recipe, R_TENSORS);
    Py_ssize_t n = PyTuple_GET_SIZE(active), k = PyTuple_GET_SIZE(kept), m = PyTuple_GET_SIZE(metas);
    node->edges = PyList_New(n);
    if (node->edges == NULL)
        goto failed;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *a = PyTuple_GET_ITEM(args, at(active, i));
        PyObject *edge = ((Tensor *)a)->edge;
        PyList_SET_ITEM(node->edges, i, Py_NewRef(is_set(edge) ? edge : a));
    }
    node->saved = PyTuple_New(k + m);
    if (node->saved == NULL)
        goto failed;
    for (Py_ssize_t i = 0; i < k; i++)
        PyTuple_SET_ITEM(node->saved, i, Py_NewRef(values[at(kept, i)]));
    for (Py_ssize_t i = 0; i < m; i++) {
        PyObject *pair = PyTuple_GET_ITEM(metas, i), *value = values[at(pair, 0)];
        PyObject *meta = value == Py_None ? Py_NewRef(Py_None) : PyObject_GetAttr(value, PyTuple_GET_ITEM(pair, 1));
        if (meta == NULL)
            goto failed;
        PyTuple_SET_ITEM(node->saved, k + i, meta);
    }
    Py_ssize_t t = PyTuple_GET_SIZE(tensors);
    node->tensors = PyTuple_New(t);
    if (node->tensors == NULL)
        goto failed;
    for (Py_ssize_t i = 0; i < t; i++) {
        PyObject *a = PyTuple_GET_ITEM(args, at(tensors, i));
        PyTuple_SET_ITEM(node->tensors, i, Py_NewRef(a));
        if (is_tensor(a))
            node->version += ((Tensor *)a)->version;
    }
    if (PyTuple_GET_ITEM(recipe, R_SAVES_OUT) == Py_True)
        node->out = Py_NewRef(out);
    if (op->unbroadcast) {
        PyArrayObject *o = (PyArrayObject *)out;
        int differ = 0;
        for (Py_ssize_t i = 0; i < n && !differ; i++)
            differ = !PyArray_SAMESHAPE((PyArrayObject *)values[at(active, i)], o);
        if (differ) {
            node->shapes = PyList_New(n);
            for (Py_ssize_t i = 0; node->shapes && i < n; i++) {
                PyObject *shape = PyObject_GetAttr(values[at(active, i)], s_shape);
                if (shape == NULL)
                    goto failed;
                PyList_SET_ITEM(node->shapes, i, shape);
            }
            if (node->shapes == NULL)
                goto failed;
        }
    }
    return (PyObject *)node;
failed:
    Py_DECREF(node);
    return NULL;
}

/* A Tensor of an output that is about to be handed out; with a node it leads back there if its type can have a gradient. */
static PyObject *output(PyObject *array, PyObject *node, Py_ssize_t number)
{
    char kind = PyArray_DESCR((PyArrayObject *)array)->kind;
    Tensor *t = (Tensor *)wrap_steal(array);
    if (t == NULL || node == NULL || !(kind == 'f' || kind == 'c' || kind == 'V'))
        return (PyObject *)t;
    t->edge = number ? Py_BuildValue("(On)", node, number) : Py_NewRef(node);
    t->stop_gradient = 0;
    if (t->edge == NULL)
        Py_CLEAR(t);
    return (PyObject *)t;
}

/* The Tensors of an op with several outputs, None for an output that is not there. */
static PyObject *outputs(PyObject *outs, PyObject *node)
{
    Py_ssize_t n = PyTuple_GET_SIZE(outs);
    PyObject *tensors = PyTuple_New(n), *metas = node ? PyList_New(n) : NULL;
    if (tensors == NULL || (node && metas == NULL))
        goto failed;
    for (Py_ssize_t k = 0; k < n; k++) {
        PyObject *out = PyTuple_GET_ITEM(outs, k), *meta = NULL;
        if (out == Py_None) {
            PyTuple_SET_ITEM(tensors, k, Py_NewRef(out));
            if (metas)
                PyList_SET_ITEM(metas, k, Py_NewRef(out));
            continue;
        }
        PyObject *array = PyArray_FROM_O(out);
        if (array == NULL)
            goto failed;
        if (metas) {
            PyObject *shape = PyObject_GetAttr(array, s_shape);
            meta = shape ? Py_BuildValue("(NO)", shape, PyArray_DESCR((PyArrayObject *)array)) : NULL;
            if (meta == NULL) {
                Py_DECREF(array);
                goto failed;
            }
            PyList_SET_ITEM(metas, k, meta);
        }
        PyObject *tensor = output(array, node, k);
        if (tensor == NULL)
            goto failed;
        PyTuple_SET_ITEM(tensors, k, tensor);
    }
    if (node)
        Py_XSETREF(((Node *)node)->out_metas, metas);
    return tensors;
failed:
    Py_XDECREF(tensors);
    Py_XDECREF(metas);
    return NULL;
}

static PyObject *op_call(Op *op, PyObject *args, PyObject *kwargs)
{
    PyObject *values[MOST_ARGUMENTS], *out = NULL;
    Py_ssize_t given = PyTuple_GET_SIZE(args), arity = op->arity;
    if (!op->simple || (kwargs && PyDict_GET_SIZE(kwargs)) || given < op->n_in || given > arity || always_slow
        || arity > MOST_ARGUMENTS || PyList_GET_SIZE(op_hooks)
        || (op->unbroadcast && given > op->n_in)) /* an explicit axis: Op._aligned */
        return slow_call((PyObject *)op, args, kwargs);
    long mask = 0;
    int traced = 0, plain = 0;
    for (Py_ssize_t i = 0; i < op->n_in; i++) {
        PyObject *a = PyTuple_GET_ITEM(args, i);
        if (is_tensor(a)) {
            values[i] = ((Tensor *)a)->data;
            traced = 1;
            if (!((Tensor *)a)->stop_gradient)
                mask |= 1L << i;
        } else if (a == Py_None) {
            values[i] = a;
        } else if (PyArray_CheckExact(a)) {
            values[i] = a;
            plain = 1;
        } else {
            return slow_call((PyObject *)op, args, kwargs);
        }
        if (values[i] == NULL)
            return slow_call((PyObject *)op, args, kwargs);
    }
    if (!traced && !plain)
        return slow_call((PyObject *)op, args, kwargs);
    for (Py_ssize_t i = op->n_in; i < arity; i++) {
        values[i] = i < given ? PyTuple_GET_ITEM(args, i) : PyTuple_GET_ITEM(op->defaults, i);
        if (PyType_Check(values[i])) /* inspect.Parameter.empty: a missing argument */
            return slow_call((PyObject *)op, args, kwargs);
    }
    for (Py_ssize_t k = 0; out == NULL && k < PyTuple_GET_SIZE(op->kernels); k++) {
        PyObject *pair = PyTuple_GET_ITEM(op->kernels, k), *when = PyTuple_GET_ITEM(pair, 0);
        if (when != Py_None) {
            PyObject *fits = PyObject_Vectorcall(when, values, arity, NULL);
            int truth = fits ? PyObject_IsTrue(fits) : -1;
            Py_XDECREF(fits);
            if (truth < 0)
                goto explain;
            if (!truth)
                continue;
        }
        out = PyObject_Vectorcall(PyTuple_GET_ITEM(pair, 1), values, arity, NULL);
        if (out == NULL)
            goto explain;
        if (out == Py_NotImplemented)
            Py_CLEAR(out);
    }
    if (out == NULL && (out = PyObject_Vectorcall(op->fn, values, arity, NULL)) == NULL)
        goto explain;
    if (!traced)
        return out;
    if (op->single ? !PyArray_CheckExact(out) : !PyTuple_CheckExact(out)) {
        PyObject *plain_form = op->single ? PyArray_FROM_O(out) : PySequence_Tuple(out);
        Py_DECREF(out);
        if (plain_form == NULL)
            return NULL;
        out = plain_form;
    }
    PyObject *recipe = Py_None, *node = NULL, *result;
    if (mask) {
        PyObject *on = PyObject_GetAttr(grad_mode, s_grad);
        if (on == NULL)
            goto failed;
        Py_DECREF(on);
        mask = on == Py_True ? mask : 0;
    }
    if (mask) {
        PyObject *key = PyLong_FromLong(mask), *keep_all = PyObject_GetAttr(grad_mode, s_retain_all);
        recipe = key && keep_all ? PyDict_GetItemWithError(op->recipes, key) : NULL;
        Py_XDECREF(key);
        Py_XDECREF(keep_all);
        if (PyErr_Occurred())
            goto failed;
        if (recipe == NULL || keep_all == Py_True) { /* first call of this kind, or an older generation's rules */
            Py_DECREF(out);
            return slow_call((PyObject *)op, args, kwargs);
        }
    }
    if (recipe != Py_None && (node = record(op, recipe, args, values, out)) == NULL)
        goto failed;
    result = op->single ? output(Py_NewRef(out), node, 0) : outputs(out, node);
    Py_XDECREF(node);
    Py_DECREF(out);
    return result;
explain: /* the Python way runs into the same error and explains it */
    if (PyErr_ExceptionMatches(PyExc_ValueError) || PyErr_ExceptionMatches(PyExc_TypeError)
        || PyErr_ExceptionMatches(PyExc_IndexError) || PyErr_ExceptionMatches(PyExc_ZeroDivisionError)) {
        PyErr_Clear();
        return slow_call((PyObject *)op, args, kwargs);
    }
    return NULL;
failed:
    Py_DECREF(out);
    return NULL;
}

static int op_traverse(Op *o, visitproc visit, void *arg)
{
    Py_VISIT(o->fn);
    Py_VISIT(o->kernels);
    Py_VISIT(o->recipes);
    Py_VISIT(o->defaults);
    return 0;
}

static int op_clear(Op *o)
{
    Py_CLEAR(o->fn);
    Py_CLEAR(o->kernels);
    Py_CLEAR(o->recipes);
    Py_CLEAR(o->defaults);
    return 0;
}

static void op_dealloc(Op *o)
{
    PyObject_GC_UnTrack(o);
    op_clear(o);
    Py_TYPE(o)->tp_free((PyObject *)o);
}

static PyMemberDef op_members[] = {{"fn", T_OBJECT, offsetof(Op, fn), 0, NULL},
                                   {"kernels", T_OBJECT, offsetof(Op, kernels), 0, NULL},
                                   {"recipes", T_OBJECT, offsetof(Op, recipes), 0, NULL},
                                   {"defaults", T_OBJECT, offsetof(Op, defaults), 0, NULL},
                                   {"n_in", T_PYSSIZET, offsetof(Op, n_in), 0, NULL},
                                   {"arity", T_PYSSIZET, offsetof(Op, arity), 0, NULL},
                                   {"single", T_BOOL, offsetof(Op, single), 0, NULL},
                                   {"simple", T_BOOL, offsetof(Op, simple), 0, NULL},
                                   {"unbroadcast", T_BOOL, offsetof(Op, unbroadcast), 0, NULL},
                                   {NULL}};
static PyTypeObject OpBase_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "paddle.core._engine.OpBase",
    .tp_basicsize = sizeof(Op),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_call = (ternaryfunc)op_call,
    .tp_dealloc = (destructor)op_dealloc,
    .tp_traverse = (traverseproc)op_traverse,
    .tp_clear = (inquiry)op_clear,
    .tp_members = op_members,
};

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
    m->vectorcall = (vectorcallfunc)method_call;
    return 0;
}

static int method_traverse(BinaryMethod *m, visitproc visit, void *arg)
{
    Py_VISIT(m->op);
    Py_VISIT(m->general);
    return 0;
}

static void method_dealloc(BinaryMethod *m)
{
    PyObject_GC_UnTrack(m);
    Py_XDECREF(m->op);
    Py_XDECREF(m->general);
    Py_TYPE(m)->tp_free((PyObject *)m);
}

static PyTypeObject BinaryMethod_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "paddle.core._engine.BinaryMethod",
    .tp_basicsize = sizeof(BinaryMethod),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)method_init,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(BinaryMethod, vectorcall),
    .tp_descr_get = method_get,
    .tp_dealloc = (destructor)method_dealloc,
    .tp_traverse = (traverseproc)method_traverse,
};

/* ---- the walk ------------------------------------------------------------------------------------------------------ */
typedef struct {
    Node **heap; /* nodes to visit, the highest number first; holds references */
    Py_ssize_t size, room;
    PyObject *grads, *owned, *leaves; /* Node -> gradient(s); Nodes whose sum was made here; id -> [leaf, gradient, owned] */
} Walk;

static int push(Walk *w, Node *node)
{
    if (w->size == w->room) {
        Py_ssize_t room = w->room ? 2 * w->room : 64;
        Node **heap = PyMem_Realloc(w->heap, room * sizeof *heap);
        if (heap == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        w->heap = heap, w->room = room;
    }
    Py_ssize_t i = w->size++;
    for (; i > 0 && w->heap[(i - 1) / 2]->seq < node->seq; i = (i - 1) / 2)
        w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = (Node *)Py_NewRef((PyObject *)node);
    return 0;
}

static Node *pop(Walk *w)
{
    Node *top = w->heap[0], *last = w->heap[--w->size];
    Py_ssize_t i = 0;
    for (Py_ssize_t child; (child = 2 * i + 1) < w->size; i = child) {
        if (child + 1 < w->size && w->heap[child + 1]->seq > w->heap[child]->seq)
            child++;
        if (w->heap[child]->seq <= last->seq)
            break;
        w->heap[i] = w->heap[child];
    }
    if (w->size)
        w->heap[i] = last;
    return top;
}

/* a + b, into a itself when it was made here; a new reference. */
static PyObject *add(PyObject *a, PyObject *b, int mine)
{
    PyObject *sum = mine ? PyNumber_InPlaceAdd(a, b) : PyNumber_Add(a, b);
    if (sum == NULL || PyArray_Check(sum))
        return sum;
    PyObject *array = PyArray_FROM_O(sum);
    Py_DECREF(sum);
    return array;
}

static int send_leaf(Walk *w, PyObject *leaf, PyObject *g)
{
    PyObject *key = PyLong_FromVoidPtr(leaf);
    if (key == NULL)
        return -1;
    PyObject *entry = PyDict_GetItemWithError(w->leaves, key);
    int status = -1;
    if (entry == NULL && !PyErr_Occurred()) {
        entry = PyList_New(3);
        if (entry) {
            PyList_SET_ITEM(entry, 0, Py_NewRef(leaf));
            PyList_SET_ITEM(entry, 1, Py_NewRef(g));
            PyList_SET_ITEM(entry, 2, Py_NewRef(Py_False));
            status = PyDict_SetItem(w->leaves, key, entry);
            Py_DECREF(entry);
        }
    } else if (entry) {
        PyObject *sum = add(PyList_GET_ITEM(entry, 1), g, PyList_GET_ITEM(entry, 2) == Py_True);
        if (sum) {
            status = PyList_SetItem(entry, 1, sum);
            if (status == 0)
                status = PyList_SetItem(entry, 2, Py_NewRef(Py_True));
        }
    }
    Py_DECREF(key);
    return status;
}

static int send(Walk *w, PyObject *edge, PyObject *g)
{
    Py_ssize_t index = 0;
    if (PyTuple_CheckExact(edge)) {
        index = PyLong_AsSsize_t(PyTuple_GET_ITEM(edge, 1));
        edge = PyTuple_GET_ITEM(edge, 0);
    } else if (Py_TYPE(edge) != node_class) {
        return send_leaf(w, edge, g);
    }
    Node *node = (Node *)edge;
    PyObject *before = PyDict_GetItemWithError(w->grads, edge);
    if (before == NULL && (PyErr_Occurred() || push(w, node) < 0))
        return -1;
    if (!is_set(node->out_metas)) {
        if (before == NULL)
            return PyDict_SetItem(w->grads, edge, g);
        int mine = PySet_Contains(w->owned, edge);
        PyObject *sum = mine < 0 ? NULL : add(before, g, mine);
        if (sum == NULL || PyDict_SetItem(w->grads, edge, sum) < 0 || (!mine && PySet_Add(w->owned, edge) < 0)) {
            Py_XDECREF(sum);
            return -1;
        }
        Py_DECREF(sum);
        return 0;
    }
    if (before == NULL) {
        before = PyList_New(PyObject_Length(node->out_metas));
        if (before == NULL)
            return -1;
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(before); i++)
            PyList_SET_ITEM(before, i, Py_NewRef(Py_None));
        int failed = PyDict_SetItem(w->grads, edge, before) < 0;
        Py_DECREF(before);
        if (failed)
            return -1;
    }
    PyObject *old = PyList_GetItem(before, index);
    if (old == NULL)
        return -1;
    PyObject *sum = old == Py_None ? Py_NewRef(g) : add(old, g, 0);
    return sum == NULL ? -1 : PyList_SetItem(before, index, sum);
}

/* Were all saved tensors left alone? Raises through the Python side if not. */
static int unchanged(Node *node)
{
    if (!is_set(node->tensors) && !is_set(node->spoiled))
        return 0;
    long version = 0;
    int plain = is_set(node->tensors) && PyTuple_CheckExact(node->tensors) && !is_set(node->spoiled);
    for (Py_ssize_t i = 0; plain && i < PyTuple_GET_SIZE(node->tensors); i++) {
        PyObject *t = PyTuple_GET_ITEM(node->tensors, i);
        if (is_tensor(t))
            version += ((Tensor *)t)->version;
        else if (!PyArray_Check(t) && t != Py_None)
            plain = 0;
    }
    if (plain && version == node->version)
        return 0;
    PyObject *ok = PyObject_CallMethodNoArgs((PyObject *)node, s_check_unchanged);
    Py_XDECREF(ok);
    return ok == NULL ? -1 : 0;
}

/* What the rules of a recorded op give for its active inputs: a list (see Plan.__call__). */
static PyObject *run_rules(Node *node, PyObject *g)
{
    PyObject *recipe = node->recipe, *rules = PyTuple_GET_ITEM(recipe, R_RULES), *needs = PyTuple_GET_ITEM(recipe, R_NEEDS);
    Py_ssize_t saved = PyTuple_GET_SIZE(node->saved), n = PyTuple_GET_SIZE(PyTuple_GET_ITEM(recipe, R_ACTIVE));
    PyObject *values[MOST_ARGUMENTS * 2 + 2], *chosen[MOST_ARGUMENTS * 2 + 3];
    values[0] = g;
    for (Py_ssize_t i = 0; i < saved; i++)
        values[1 + i] = PyTuple_GET_ITEM(node->saved, i);
    values[1 + saved] = node->out ? node->out : Py_None;
    PyObject *results = PyList_New(n);
    if (results == NULL)
        return NULL;
    for (Py_ssize_t r = 0; r < PyTuple_GET_SIZE(rules); r++) {
        PyObject *rule = PyTuple_GET_ITEM(rules, r), *positions = PyTuple_GET_ITEM(rule, 1);
        Py_ssize_t count = 0;
        if (needs != Py_None)
            chosen[count++] = needs;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(positions); i++)
            chosen[count++] = values[at(positions, i)];
        PyObject *result = PyObject_Vectorcall(PyTuple_GET_ITEM(rule, 0), chosen, count, NULL);
        if (result == NULL) {
            Py_DECREF(results);
            return NULL;
        }
        if (needs == Py_None) {
            PyList_SET_ITEM(results, r, result);
            continue;
        }
        PyObject *active = PyTuple_GET_ITEM(recipe, R_ACTIVE); /* one rule for all inputs */
        for (Py_ssize_t i = 0; i < n; i++) {
            PyObject *one = PySequence_GetItem(result, at(active, i));
            if (one == NULL) {
                Py_DECREF(result);
                Py_DECREF(results);
                return NULL;
            }
            PyList_SET_ITEM(results, i, one);
        }
        Py_DECREF(result);
    }
    return results;
}

static int send_results(Walk *w, Node *node, PyObject *results)
{
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(node->edges); k++) {
        PyObject *edge = PyList_GET_ITEM(node->edges, k), *g = PySequence_GetItem(results, k);
        if (g == NULL)
            return -1;
        int status = 0;
        if (g == Py_None) {
        } else if (PyList_CheckExact(edge)) {
            for (Py_ssize_t i = 0; status == 0 && i < PyList_GET_SIZE(edge); i++) {
                PyObject *target = PyList_GET_ITEM(edge, i), *part = PySequence_GetItem(g, i);
                if (part == NULL)
                    status = -1;
                else if (target != Py_None && part != Py_None)
                    status = send(w, target, part);
                Py_XDECREF(part);
            }
        } else {
            if (!PyArray_Check(g)) { /* a NumPy scalar */
                PyObject *array = PyArray_FROM_O(g);
                Py_DECREF(g);
                if ((g = array) == NULL)
                    return -1;
            }
            if (is_set(node->shapes)) {
                PyObject *shape = PyObject_GetAttr(g, s_shape), *wanted = PyList_GET_ITEM(node->shapes, k);
                int same = shape ? PyObject_RichCompareBool(shape, wanted, Py_EQ) : -1;
                Py_XDECREF(shape);
                if (same == 0) {
                    PyObject *summed = PyObject_CallFunctionObjArgs(sum_to, g, wanted, NULL);
                    Py_DECREF(g);
                    if ((g = summed) == NULL)
                        return -1;
                }
                status = same < 0 ? -1 : 0;
            }
            if (status == 0)
                status = send(w, edge, g);
        }
        Py_DECREF(g);
        if (status < 0)
            return -1;
    }
    return 0;
}

static int visit(Walk *w, PyObject *walk, Node *node, int retain)
{
    PyObject *g = PyDict_GetItemWithError(w->grads, (PyObject *)node), *results = NULL;
    if (g == NULL)
        return -1;
    Py_INCREF(g);
    if (PyDict_DelItem(w->grads, (PyObject *)node) < 0)
        goto failed;
    if (is_set(node->hooks) || is_set(node->retained))
        Py_SETREF(g, PyObject_CallMethodObjArgs(walk, s_pass_by, node, g, NULL));
    if (g == NULL)
        return -1;
    if (!is_set(node->edges)) {
        results = PyObject_CallMethodObjArgs(walk, s_freed, node, NULL); /* raises */
        goto failed;
    }
    if (is_set(node->out_metas))
        Py_SETREF(g, PyObject_CallMethodObjArgs(walk, s_completed, node, g, NULL));
    if (g == NULL || unchanged(node) < 0)
        goto failed;
    results = is_set(node->recipe) ? run_rules(node, g) : PyObject_CallMethodObjArgs(walk, s_step_results, node, g, NULL);
    if (results == NULL || send_results(w, node, results) < 0)
        goto failed;
    if (!retain) {
        Py_CLEAR(node->saved);
        Py_CLEAR(node->tensors);
        Py_CLEAR(node->out);
        Py_CLEAR(node->edges);
    }
    Py_DECREF(results);
    Py_DECREF(g);
    return 0;
failed:
    Py_XDECREF(results);
    Py_XDECREF(g);
    return -1;
}

/* 1: a tensor without hooks, 0: with, -1: error */
static int unhooked(Tensor *t)
{
    if (!is_set(t->meta))
        return 1;
    PyObject *hooks = PyObject_GetAttr(t->meta, s_hooks);
    int some = hooks == NULL ? -1 : PyObject_IsTrue(hooks);
    Py_XDECREF(hooks);
    return some < 0 ? -1 : !some;
}

static int finish(PyObject *walk, PyObject *leaf, PyObject *g)
{
    Tensor *t = (Tensor *)leaf;
    int first = is_tensor(leaf) && (!is_set(t->grad) || t->grad == zero) && !t->stop_gradient ? unhooked(t) : 0;
    if (first < 0)
        return -1;
    if (first) {
        PyObject *grad = engine_wrap(NULL, g);
        if (grad == NULL)
            return -1;
        Py_XSETREF(t->grad, grad);
        return 0;
    }
    PyObject *done = PyObject_CallMethodObjArgs(walk, s_finish_leaf, leaf, g, NULL);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

/* run_walk(walk, roots, retain_graph): roots is a list of (edge, gradient); walk is the Python Walk, asked where it matters. */
static PyObject *engine_run_walk(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *walk, *roots;
    int retain;
    if (!PyArg_ParseTuple(args, "OO!p", &walk, &PyList_Type, &roots, &retain))
        return NULL;
    Walk w = {NULL, 0, 0, PyDict_New(), PySet_New(NULL), PyDict_New()};
    int failed = w.grads == NULL || w.owned == NULL || w.leaves == NULL;
    for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(roots); i++) {
        PyObject *pair = PyList_GET_ITEM(roots, i);
        failed = send(&w, PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1)) < 0;
    }
    while (!failed && w.size) {
        Node *node = pop(&w);
        failed = visit(&w, walk, node, retain) < 0;
        Py_DECREF(node);
    }
    if (!failed) {
        PyObject *entries = PyDict_Values(w.leaves);
        failed = entries == NULL;
        for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(entries); i++) {
            PyObject *entry = PyList_GET_ITEM(entries, i);
            failed = finish(walk, PyList_GET_ITEM(entry, 0), PyList_GET_ITEM(entry, 1)) < 0;
        }
        Py_XDECREF(entries);
    }
    while (w.size)
        Py_DECREF(w.heap[--w.size]);
    PyMem_Free(w.heap);
    Py_XDECREF(w.grads);
    Py_XDECREF(w.owned);
    Py_XDECREF(w.leaves);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

/* ---- the module ---------------------------------------------------------------------------------------------------- */
static PyObject *engine_setup(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *tensor, *node, *mode, *hooks, *sum, *no_grad;
    if (!PyArg_ParseTuple(args, "O!O!OO!OO", &PyType_Type, &tensor, &PyType_Type, &node, &mode, &PyList_Type, &hooks, &sum,
                          &no_grad))
        return NULL;
    if (!PyType_IsSubtype((PyTypeObject *)tensor, &TensorBase_Type) || !PyType_IsSubtype((PyTypeObject *)node, &NodeBase_Type)) {
        PyErr_SetString(PyExc_TypeError, "setup(): needs subclasses of TensorBase and NodeBase");
        return NULL;
    }
    Py_XSETREF(tensor_class, (PyTypeObject *)Py_NewRef(tensor));
    Py_XSETREF(node_class, (PyTypeObject *)Py_NewRef(node));
    Py_XSETREF(grad_mode, Py_NewRef(mode));
    Py_XSETREF(op_hooks, Py_NewRef(hooks));
    Py_XSETREF(sum_to, Py_NewRef(sum));
    Py_XSETREF(zero, Py_NewRef(no_grad));
    Py_RETURN_NONE;
}

static PyObject *engine_always_slow(PyObject *self, PyObject *on)
{
    (void)self;
    int truth = PyObject_IsTrue(on);
    if (truth < 0)
        return NULL;
    always_slow = truth;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"setup", engine_setup, METH_VARARGS, "setup(Tensor, Node, mode, hooks, sum_to, ZERO): the Python side introduces itself."},
    {"wrap", engine_wrap, METH_O, "A leaf Tensor over an array, without copy or checks."},
    {"next_number", engine_next_number, METH_NOARGS, "The number of the next node."},
    {"always_slow", engine_always_slow, METH_O, "Send every op call the Python way (anomaly mode)."},
    {"held", engine_held, METH_VARARGS, "held(registers, arrays): which arrays the registers refer to more than once."},
    {"run_walk", engine_run_walk, METH_VARARGS, "run_walk(walk, roots, retain_graph): one plain backward pass."},
    {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "paddle.core._engine", "The hot path of the tape.", -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__engine(void)
{
    import_array();
#define NAME(variable, text) if ((variable = PyUnicode_InternFromString(text)) == NULL) return NULL;
    NAME(s_grad, "grad") NAME(s_retain_all, "retain_all") NAME(s_slow_call, "slow_call") NAME(s_shape, "shape")
    NAME(s_dtype, "dtype") NAME(s_pass_by, "pass_by") NAME(s_completed, "completed") NAME(s_step_results, "step_results")
    NAME(s_finish_leaf, "finish_leaf") NAME(s_check_unchanged, "check_unchanged") NAME(s_freed, "raise_freed")
    NAME(s_hooks, "hooks")
#undef NAME
    PyTypeObject *types[] = {&TensorBase_Type, &NodeBase_Type, &OpBase_Type, &BinaryMethod_Type, &Routine_Type};
    PyObject *m = PyModule_Create(&module);
    for (int i = 0; m && i < 5; i++)
        if (PyModule_AddType(m, types[i]) < 0)
            Py_CLEAR(m);
    return m;
}
