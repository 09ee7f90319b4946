/* Calling an op: arguments to arrays, the kernel, the result's Tensor, the node on the tape. */
#include "engine.h"

/* ---- OpBase: the call --------------------------------------------------------------------------------------------- */
static PyObject *python_call(Op *op, PyObject *args, PyObject *kwargs)
{
    PyObject *method = PyObject_GetAttr((PyObject *)op, s_python_call);
    if (method == NULL)
        return NULL;
    PyObject *result = PyObject_Call(method, args, kwargs);
    Py_DECREF(method);
    return result;
}

/* The node of one recorded call (see Op._record). */
static PyObject *record(State *context, Op *op, Recipe *recipe, PyObject *args, PyObject **values, PyObject *out)
{
    Node *node = (Node *)node_class->tp_alloc(node_class, 0);
    if (node == NULL)
        return NULL;
    node->seq = numbers++;
    node->recipe = Py_NewRef((PyObject *)recipe);
    PyObject *active = recipe->active, *kept = recipe->kept, *metas = recipe->metas, *tensors = recipe->tensors;
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
            node->version += version_of((Tensor *)a);
    }
    if (recipe->saves_out)
        node->out = Py_NewRef(out);
    if (context->anomaly == Py_True && (node->where = PyObject_CallNoArgs(users_frames)) == NULL)
        goto failed;
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

/* Keep the gradient of a fresh output when backward passes it: as autograd.retain(), before all hooks, of which there are none yet. */
static int keep_gradient(Node *node, Py_ssize_t number, Tensor *t)
{
    if (!is_set(node->retained))
        Py_XSETREF(node->retained, PyDict_New());
    PyObject *held = node->retained ? PyWeakref_NewRef((PyObject *)t, NULL) : NULL;
    PyObject *entry = held ? Py_BuildValue("(Ni)", held, -1) : NULL, *key = entry ? PyLong_FromSsize_t(number) : NULL;
    int status = key ? PyDict_SetItem(node->retained, key, entry) : -1;
    Py_XDECREF(entry);
    Py_XDECREF(key);
    return status;
}

/* A Tensor of an output that is about to be handed out; with a node it leads back there if its type can have a gradient,
 * and keeps that gradient if `retains`. Integers have gradients where they are an op's only output, not beside others (there
 * they are positions). */
static PyObject *output(PyObject *array, PyObject *node, Py_ssize_t number, int retains, int single)
{
    char kind = PyArray_DESCR((PyArrayObject *)array)->kind;
    int number_like = kind == 'f' || kind == 'c' || kind == 'V' || (single && (kind == 'i' || kind == 'u'));
    Tensor *t = (Tensor *)wrap_steal(array);
    if (t == NULL || node == NULL || !number_like)
        return (PyObject *)t;
    t->edge = number ? Py_BuildValue("(On)", node, number) : Py_NewRef(node);
    t->stop_gradient = 0;
    if (t->edge == NULL || (retains && keep_gradient((Node *)node, number, t) < 0))
        Py_CLEAR(t);
    return (PyObject *)t;
}

/* The Tensors of an op with several outputs, None for an output that is not there. */
static PyObject *outputs(PyObject *outs, PyObject *node, int retains)
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
        PyObject *tensor = output(array, node, k, retains, 0);
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

/* What a call is to C: something for Python, a call on arrays alone, or one with Tensors. */
enum { FOR_PYTHON, ON_ARRAYS, ON_TENSORS };

/* The arguments in declared order with arrays for Tensors, as references of our own: another thread may give a Tensor
 * another array while a kernel runs. `mask` has a bit for every input that needs a gradient. */
static int gather(State *context, Op *op, PyObject *args, PyObject *kwargs, PyObject **values, long *mask)
{
    Py_ssize_t given = PyTuple_GET_SIZE(args), arity = op->arity;
    if (!op->simple || (kwargs && PyDict_GET_SIZE(kwargs)) || given < op->n_in || given > arity || python_calls
        || arity > MOST_ARGUMENTS || PyTuple_GET_SIZE(op->defaults) != arity || hooked(context)
        || (op->unbroadcast && given > op->n_in)) /* an explicit axis: Op._aligned */
        return FOR_PYTHON;
    int traced = 0, plain = 0;
    for (Py_ssize_t i = 0; i < op->n_in; i++) {
        PyObject *a = PyTuple_GET_ITEM(args, i);
        values[i] = a;
        if (is_tensor(a)) {
            values[i] = ((Tensor *)a)->data;
            traced = 1;
            if (((Tensor *)a)->placed)
                return FOR_PYTHON;
            if (!((Tensor *)a)->stop_gradient)
                *mask |= 1L << i;
        } else if (PyArray_CheckExact(a)) {
            plain = 1;
        } else if (a != Py_None) {
            return FOR_PYTHON;
        }
        if (values[i] == NULL)
            return FOR_PYTHON;
    }
    if (!traced && !plain)
        return FOR_PYTHON;
    for (Py_ssize_t i = op->n_in; i < arity; i++) {
        values[i] = PyTuple_GET_ITEM(i < given ? args : op->defaults, i);
        if (PyType_Check(values[i])) /* inspect.Parameter.empty: a missing argument */
            return FOR_PYTHON;
    }
    for (Py_ssize_t i = 0; i < arity; i++)
        Py_INCREF(values[i]);
    return traced ? ON_TENSORS : ON_ARRAYS;
}

/* The first fast kernel that does not decline, else the reference (see Op.run_arrays). */
static PyObject *run_kernels(Op *op, PyObject **values, Py_ssize_t arity)
{
    PyObject *kernels = Py_NewRef(op->kernels), *out = NULL;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(kernels); k++) {
        PyObject *pair = PyTuple_GET_ITEM(kernels, k), *when = PyTuple_GET_ITEM(pair, 0);
        if (when != Py_None) {
            PyObject *fits = PyObject_Vectorcall(when, values, arity, NULL);
            int truth = fits ? PyObject_IsTrue(fits) : -1;
            Py_XDECREF(fits);
            if (truth < 0)
                goto done;
            if (!truth)
                continue;
        }
        out = PyObject_Vectorcall(PyTuple_GET_ITEM(pair, 1), values, arity, NULL);
        if (out != Py_NotImplemented)
            goto done;
        Py_CLEAR(out);
    }
    out = PyObject_Vectorcall(op->fn, values, arity, NULL);
done:
    Py_DECREF(kernels);
    return out;
}

/* Let Python add names and arguments to the error of a kernel; always NULL. */
static PyObject *explain(Op *op, PyObject *args)
{
    if (!PyErr_ExceptionMatches(PyExc_ValueError) && !PyErr_ExceptionMatches(PyExc_TypeError)
        && !PyErr_ExceptionMatches(PyExc_IndexError) && !PyErr_ExceptionMatches(PyExc_ZeroDivisionError))
        return NULL;
    PyObject *kind, *error, *trace;
    PyErr_Fetch(&kind, &error, &trace);
    PyErr_NormalizeException(&kind, &error, &trace);
    if (trace)
        PyException_SetTraceback(error, trace);
    PyObject *told = PyObject_CallMethodObjArgs((PyObject *)op, s_explained, error, args, NULL);
    if (told)
        PyErr_SetObject((PyObject *)Py_TYPE(told), told);
    Py_XDECREF(told);
    Py_XDECREF(kind);
    Py_XDECREF(error);
    Py_XDECREF(trace);
    return NULL;
}

/* The op's backward recipe for the inputs in `mask`, made by Python when it is first needed: a Recipe, or None. */
static PyObject *find_recipe(Op *op, long mask)
{
    PyObject *key = PyLong_FromLong(mask);
    PyObject *recipe = key ? Py_XNewRef(PyDict_GetItemWithError(op->recipes, key)) : NULL;
    if (recipe == NULL && !PyErr_Occurred())
        recipe = PyObject_CallMethodObjArgs((PyObject *)op, s_make_recipe, key, NULL);
    Py_XDECREF(key);
    if (recipe && recipe != Py_None && !(PyObject_TypeCheck(recipe, &RecipeBase_Type) && ((Recipe *)recipe)->op == (PyObject *)op)) {
        PyErr_SetString(PyExc_TypeError, "make_recipe(): must give a recipe of the op itself, or None");
        Py_CLEAR(recipe);
    }
    return recipe;
}

/* The Tensors of a call's result, recorded if any input needs a gradient. */
static PyObject *hand_out(State *context, Op *op, PyObject *args, PyObject **values, PyObject *out, long mask)
{
    PyObject *recipe = NULL, *node = NULL, *result = NULL;
    int retains = context->retain_all == Py_True, failed = 0;
    if (mask && context->grad == Py_True) {
        recipe = find_recipe(op, mask);
        failed = recipe == NULL
                 || (recipe != Py_None && (node = record(context, op, (Recipe *)recipe, args, values, out)) == NULL);
        Py_XDECREF(recipe);
    }
    if (!failed)
        result = op->single ? output(Py_NewRef(out), node, 0, retains, 1) : outputs(out, node, retains);
    Py_XDECREF(node);
    return result;
}

/* ---- results that share the memory of the first input (see Op._shares) -------------------------------------------- */

PyObject *rules_in_force(State *context) { return is_set(context->own_rules) ? context->own_rules : process->rules; }

PyObject *rules_fact(State *context, PyObject *name) { return PyObject_GetAttr(rules_in_force(context), name); }

/* Does a call of this op, under the rules in force, give a view of its first argument, a Tensor? -1: error. */
static int gives_view(State *context, Op *op, PyObject *args)
{
    if (op->view_since < 0 || !is_tensor(PyTuple_GET_ITEM(args, 0)))
        return 0;
    static PyObject *known; /* the rules that were asked last, and their number: they rarely change */
    static Py_ssize_t known_number;
    PyObject *rules = rules_in_force(context);
    if (rules != known) {
        PyObject *number = rules_fact(context, s_number);
        known_number = number ? PyLong_AsSsize_t(number) : -1;
        Py_XDECREF(number);
        if (PyErr_Occurred())
            return -1;
        Py_XSETREF(known, Py_NewRef(rules));
    }
    return known_number >= op->view_since;
}

/* Give a Tensor that is about to be viewed its elements in row-major order, where only a kernel's way of computing left them in
 * another: views of it then are views as the program means them. `value` is the argument's array. */
static int settle(Tensor *t, PyObject **value)
{
    if (t->storage || PyArray_IS_C_CONTIGUOUS((PyArrayObject *)*value))
        return 0;
    PyObject *settled = PyArray_NewCopy((PyArrayObject *)*value, NPY_CORDER);
    if (settled == NULL)
        return -1;
    Py_SETREF(*value, settled);
    Py_XSETREF(t->data, Py_NewRef(settled));
    return 0;
}

/* Tell process.on_scalar of the Tensors of shape [] among a call's results; -1: error. */
static int tell_scalars(PyObject *result)
{
    if (PyTuple_CheckExact(result)) {
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(result); k++)
            if (tell_scalars(PyTuple_GET_ITEM(result, k)) < 0)
                return -1;
        return 0;
    }
    if (!is_tensor(result) || PyArray_NDIM((PyArrayObject *)((Tensor *)result)->data))
        return 0;
    PyObject *told = PyObject_CallOneArg(process->on_scalar, result);
    Py_XDECREF(told);
    return told ? 0 : -1;
}

PyObject *op_call(Op *op, PyObject *args, PyObject *kwargs)
{
    PyObject *values[MOST_ARGUMENTS], *result;
    Py_ssize_t arity = op->arity;
    State *context = here();
    if (context == NULL)
        return NULL;
    long mask = 0;
    int kind = gather(context, op, args, kwargs, values, &mask);
    if (kind == FOR_PYTHON)
        return python_call(op, args, kwargs);
    int view = kind == ON_TENSORS ? gives_view(context, op, args) : 0;
    if (view > 0 && settle((Tensor *)PyTuple_GET_ITEM(args, 0), values) < 0)
        view = -1;
    PyObject *out = view < 0 ? NULL : run_kernels(op, values, arity);
    if (out && kind == ON_TENSORS && (op->single ? !PyArray_CheckExact(out) : !PyTuple_CheckExact(out)))
        Py_SETREF(out, op->single ? PyArray_FROM_O(out) : PySequence_Tuple(out));
    if (out == NULL)
        result = explain(op, args);
    else if (kind == ON_ARRAYS)
        result = out;
    else {
        result = hand_out(context, op, args, values, out, mask);
        Py_DECREF(out);
        if (view && result && note_view(PyTuple_GET_ITEM(args, 0), values[0], result) < 0)
            Py_CLEAR(result);
        if (result && is_set(process->on_scalar) && tell_scalars(result) < 0)
            Py_CLEAR(result);
    }
    for (Py_ssize_t i = 0; i < arity; i++)
        Py_DECREF(values[i]);
    return result;
}

#define OP_FIELDS(X) X(fn) X(kernels) X(recipes) X(defaults)
COLLECTED(op, Op, OP_FIELDS)

static PyMemberDef op_members[] = {
#define MEMBER(f) {#f, T_OBJECT, offsetof(Op, f), 0, NULL},
    OP_FIELDS(MEMBER)
#undef MEMBER
    {"n_in", T_PYSSIZET, offsetof(Op, n_in), 0, NULL},
    {"arity", T_PYSSIZET, offsetof(Op, arity), 0, NULL},
    {"view_since", T_PYSSIZET, offsetof(Op, view_since), 0, NULL},
    {"single", T_BOOL, offsetof(Op, single), 0, NULL},
    {"simple", T_BOOL, offsetof(Op, simple), 0, NULL},
    {"unbroadcast", T_BOOL, offsetof(Op, unbroadcast), 0, NULL},
    {NULL}};
PyTypeObject OpBase_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "paddle.core._engine.OpBase",
    .tp_basicsize = sizeof(Op),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    COLLECTED_SLOTS(op),
    .tp_call = (ternaryfunc)op_call,
    .tp_members = op_members,
};
