/* A plain backward pass: nodes in the order of their numbers, from the newest to the oldest. */
#include "engine.h"

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
PyObject *engine_run_walk(PyObject *self, PyObject *args)
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
