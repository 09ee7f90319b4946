/* A backward pass: nodes in the order of their numbers, from the newest to the oldest (see PythonLoop). Gradients are arrays, or
 * Tensors where the pass records itself (create_graph). */
#include "engine.h"

typedef struct {
    Node **heap; /* nodes to visit, the highest number first; holds references */
    Py_ssize_t size, room;
    PyObject *grads, *owned, *leaves; /* Node -> gradient(s); edges whose sum was made here; id -> [leaf, gradient, owned] */
    PyObject *walk;                   /* the Walk of the Python side, asked for what is rare */
    PyObject *targets, *blocked, *needed, *found; /* of a Route (see walk.py); all NULL: to every leaf */
    PyObject *counts;                 /* id of a leaf -> gradients still to come, where somebody waits for it; or NULL */
    int create, retain, watched;      /* gradients are Tensors; keep the graph; tell hooks of every step */
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

/* Is a gradient one number that strides of 0 repeat (see steps.repeated)? */
static int is_repeated(PyObject *g)
{
    if (!PyArray_Check(g) || PyArray_SIZE((PyArrayObject *)g) < 2)
        return 0;
    for (int i = 0; i < PyArray_NDIM((PyArrayObject *)g); i++)
        if (PyArray_DIM((PyArrayObject *)g, i) > 1 && PyArray_STRIDE((PyArrayObject *)g, i))
            return 0;
    return 1;
}

/* A gradient as an array of its own elements; steals g. */
static PyObject *written_out(PyObject *g)
{
    if (g && is_repeated(g))
        Py_SETREF(g, PyObject_CallOneArg(write_out, g));
    return g;
}

#define MANY 32768 /* elements whose sum is worth all threads */

/* a + b, into a itself when it is an array that was made here; a new reference. */
static PyObject *add(PyObject *a, PyObject *b, int mine)
{
    if (PyArray_Check(a) && PyArray_Check(b) && PyArray_SIZE((PyArrayObject *)a) >= MANY)
        return PyObject_CallFunctionObjArgs(add_many, a, b, mine ? Py_True : Py_False, NULL);
    PyObject *sum = mine && PyArray_Check(a) && PyArray_Check(b) ? PyNumber_InPlaceAdd(a, b) : PyNumber_Add(a, b);
    if (sum == NULL || PyArray_Check(sum) || is_tensor(sum) || Py_TYPE(sum) == rows_class)
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

/* Whether a container (NULL: an empty one) has the key (node, number); -1: error. */
static int has_output(PyObject *container, PyObject *edge, Py_ssize_t number)
{
    if (container == NULL)
        return 0;
    PyObject *key = PyTuple_CheckExact(edge) ? Py_NewRef(edge) : Py_BuildValue("(On)", edge, number);
    int found = key ? PySequence_Contains(container, key) : -1;
    Py_XDECREF(key);
    return found;
}

/* Does an edge lead towards a target? (see PythonLoop.leads_on) */
static int leads_on(Walk *w, PyObject *edge)
{
    PyObject *node = PyTuple_CheckExact(edge) ? PyTuple_GET_ITEM(edge, 0) : edge;
    if (Py_TYPE(node) != node_class) {
        PyObject *key = PyLong_FromVoidPtr(edge);
        int found = key == NULL ? -1 : w->blocked ? PySequence_Contains(w->blocked, key) : 0;
        if (found == 0)
            found = PySequence_Contains(w->targets, key);
        else if (found > 0)
            found = 0;
        Py_XDECREF(key);
        return found;
    }
    int found = has_output(w->blocked, edge, 0);
    if (found)
        return found < 0 ? -1 : 0;
    found = PySet_Contains(w->needed, node);
    return found ? found : has_output(w->targets, edge, 0);
}

/* Add a gradient to where an edge leads. */
static int send(Walk *w, PyObject *edge, PyObject *g)
{
    Py_ssize_t index = 0;
    PyObject *key = edge;
    int wanted = w->targets ? leads_on(w, edge) : 1;
    if (wanted <= 0)
        return wanted;
    if (PyTuple_CheckExact(edge)) {
        index = PyLong_AsSsize_t(PyTuple_GET_ITEM(edge, 1));
        edge = PyTuple_GET_ITEM(edge, 0);
    } else if (Py_TYPE(edge) != node_class) {
        return send_leaf(w, edge, g);
    }
    if (Py_TYPE(g) == rows_class) { /* rules take arrays */
        PyObject *whole = PyObject_CallMethodNoArgs(g, s_dense);
        int sent = whole ? send(w, key, whole) : -1;
        Py_XDECREF(whole);
        return sent;
    }
    Node *node = (Node *)edge;
    PyObject *slots = NULL, *before = PyDict_GetItemWithError(w->grads, edge);
    if (before == NULL && (PyErr_Occurred() || push(w, node) < 0))
        return -1;
    if (is_set(node->out_metas)) {
        if (before == NULL) {
            slots = PyList_New(PyObject_Length(node->out_metas));
            for (Py_ssize_t i = 0; slots && i < PyList_GET_SIZE(slots); i++)
                PyList_SET_ITEM(slots, i, Py_NewRef(Py_None));
            int failed = slots == NULL || PyDict_SetItem(w->grads, edge, slots) < 0;
            Py_XDECREF(slots); /* the dictionary holds it */
            if (failed)
                return -1;
        } else {
            slots = before;
        }
        before = PyList_GetItem(slots, index);
        if (before == NULL)
            return -1;
        before = before == Py_None ? NULL : before;
    }
    int mine = before ? PySet_Contains(w->owned, key) : 0;
    PyObject *sum = before == NULL ? Py_NewRef(g) : mine < 0 ? NULL : add(before, g, mine);
    if (sum == NULL || (before && !mine && PySet_Add(w->owned, key) < 0)) {
        Py_XDECREF(sum);
        return -1;
    }
    int status = slots ? PyList_SetItem(slots, index, Py_NewRef(sum)) : PyDict_SetItem(w->grads, edge, sum);
    Py_DECREF(sum);
    return status;
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
            version += version_of((Tensor *)t);
        else if (Py_TYPE(t) == &Storage_Type)
            version += ((Storage *)t)->version;
        else if (!PyArray_Check(t) && t != Py_None)
            plain = 0;
    }
    if (plain && version == node->version)
        return 0;
    PyObject *ok = PyObject_CallMethodNoArgs((PyObject *)node, s_check_unchanged);
    Py_XDECREF(ok);
    return ok == NULL ? -1 : 0;
}

/* What a node saved, as Tensors that lead on where gradients of gradients are wanted (see Recipe.gradients): kept arguments that
 * were Tensors are those again, the output leads back to the node. New references; -1: error. */
static int as_tensors(Node *node, Recipe *recipe, PyObject **saved, PyObject **out)
{
    Py_ssize_t n = PyTuple_GET_SIZE(*saved), inputs = ((Op *)recipe->op)->n_in, next = 0;
    PyObject *values = PyTuple_New(n), *tensors = node->tensors;
    if (values == NULL)
        return -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        int input = i < PyTuple_GET_SIZE(recipe->kept) && at(recipe->kept, i) < inputs && next < PyTuple_GET_SIZE(tensors);
        PyTuple_SET_ITEM(values, i, Py_NewRef(input ? PyTuple_GET_ITEM(tensors, next++) : PyTuple_GET_ITEM(*saved, i)));
    }
    Py_SETREF(*saved, values);
    if (!recipe->saves_out)
        return 0;
    if (PyArray_Check(*out)) {
        Tensor *t = (Tensor *)wrap_steal(Py_NewRef(*out));
        if (t)
            t->edge = Py_NewRef((PyObject *)node), t->stop_gradient = 0;
        Py_SETREF(*out, (PyObject *)t);
    } else {
        Py_SETREF(*out, PyObject_CallMethodOneArg((PyObject *)node, s_rewrap, *out));
    }
    return *out ? 0 : -1;
}

#define FEW 32 /* arguments of a rule that find room on the stack */

/* What the rules of a recorded op give for its active inputs: a list (see Recipe.gradients). */
static PyObject *run_rules(Walk *w, Node *node, PyObject *g)
{
    Recipe *recipe = (Recipe *)Py_NewRef(node->recipe);
    PyObject *saved = Py_NewRef(node->saved), *out = Py_NewRef(node->out ? node->out : Py_None);
    PyObject *few[FEW], **chosen = recipe->widest <= FEW ? few : PyMem_New(PyObject *, recipe->widest);
    Py_ssize_t kept = PyTuple_GET_SIZE(saved), n = PyTuple_GET_SIZE(recipe->active);
    PyObject *results = chosen ? PyList_New(n) : PyErr_NoMemory();
    if (results && w->create && as_tensors(node, recipe, &saved, &out) < 0)
        Py_CLEAR(results);
    for (Py_ssize_t r = 0; results && r < PyTuple_GET_SIZE(recipe->rules); r++) {
        PyObject *rule = PyTuple_GET_ITEM(recipe->rules, r), *positions = PyTuple_GET_ITEM(rule, 1);
        Py_ssize_t count = 0;
        if (recipe->needs != Py_None)
            chosen[count++] = recipe->needs;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(positions); i++) {
            Py_ssize_t p = at(positions, i); /* 0 is g, then come the saved values, then out */
            chosen[count++] = p == 0 ? g : p <= kept ? PyTuple_GET_ITEM(saved, p - 1) : out;
        }
        PyObject *result = PyObject_Vectorcall(PyTuple_GET_ITEM(rule, 0), chosen, count, NULL);
        if (result && recipe->needs == Py_None) {
            PyList_SET_ITEM(results, r, result);
            continue;
        }
        for (Py_ssize_t i = 0; result && i < n; i++) { /* one rule for all inputs */
            PyObject *one = PySequence_GetItem(result, at(recipe->active, i));
            if (one == NULL)
                Py_CLEAR(result);
            else
                PyList_SET_ITEM(results, i, one);
        }
        if (result == NULL)
            Py_CLEAR(results);
        Py_XDECREF(result);
    }
    if (chosen != few)
        PyMem_Free(chosen);
    Py_DECREF(recipe);
    Py_XDECREF(saved);
    Py_XDECREF(out);
    return results;
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

/* The gradient of a leaf is complete (see Walk.finish_leaf). */
static int finish(Walk *w, PyObject *leaf, PyObject *g)
{
    Tensor *t = (Tensor *)leaf;
    int first = !w->create && !w->targets && !w->counts && Py_TYPE(g) != rows_class && is_tensor(leaf)
                && (!is_set(t->grad) || t->grad == zero) && !t->stop_gradient;
    first = first ? unhooked(t) : 0;
    if (first < 0)
        return -1;
    if (first) {
        PyObject *own = written_out(Py_NewRef(g)), *grad = own ? engine_wrap(NULL, own) : NULL;
        Py_XDECREF(own);
        if (grad == NULL)
            return -1;
        Py_XSETREF(t->grad, grad);
        return 0;
    }
    PyObject *done = PyObject_CallMethodObjArgs(w->walk, s_finish_leaf, leaf, g, NULL);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

/* One of a leaf's gradients came: the last one completes it (see PythonLoop.count_down). */
static int count_down(Walk *w, PyObject *leaf)
{
    int status = -1;
    PyObject *key = PyLong_FromVoidPtr(leaf), *left = key ? PyDict_GetItemWithError(w->counts, key) : NULL, *entry = NULL;
    if (key == NULL || PyErr_Occurred())
        goto done;
    Py_ssize_t more = left ? PyLong_AsSsize_t(left) - 1 : -1;
    PyObject *now = left ? PyLong_FromSsize_t(more) : NULL;
    if (left && (now == NULL || PyDict_SetItem(w->counts, key, now) < 0)) {
        Py_XDECREF(now);
        goto done;
    }
    Py_XDECREF(now);
    entry = more == 0 ? Py_XNewRef(PyDict_GetItemWithError(w->leaves, key)) : NULL;
    if (PyErr_Occurred() || (entry && PyDict_DelItem(w->leaves, key) < 0))
        goto done;
    status = entry ? finish(w, PyList_GET_ITEM(entry, 0), PyList_GET_ITEM(entry, 1)) : 0;
done:
    Py_XDECREF(key);
    Py_XDECREF(entry);
    return status;
}

static int send_counted(Walk *w, PyObject *edge, PyObject *g)
{
    if (send(w, edge, g) < 0)
        return -1;
    return w->counts && !PyTuple_CheckExact(edge) && Py_TYPE(edge) != node_class ? count_down(w, edge) : 0;
}

/* Has an array this shape, a tuple? */
static int has_shape(PyArrayObject *array, PyObject *shape)
{
    int same = PyTuple_GET_SIZE(shape) == PyArray_NDIM(array);
    for (int i = 0; same && i < PyArray_NDIM(array); i++)
        same = at(shape, i) == PyArray_DIM(array, i);
    return same;
}

/* A gradient for one edge, summed to the shape that was broadcast (NULL: none was); steals g. */
static PyObject *fitted(PyObject *g, PyObject *wanted)
{
    if (!PyArray_Check(g) && !is_tensor(g) && Py_TYPE(g) != rows_class) /* a NumPy scalar */
        Py_SETREF(g, PyArray_FROM_O(g));
    if (g && wanted && Py_TYPE(g) != rows_class && !has_shape((PyArrayObject *)(is_tensor(g) ? ((Tensor *)g)->data : g), wanted))
        Py_SETREF(g, PyObject_CallFunctionObjArgs(sum_to, g, wanted, NULL));
    return g;
}

/* What an edge is sent: a number that is repeated goes on as such to nodes that take it, and to leaves, if nobody else sees it. */
static PyObject *sent(Walk *w, PyObject *edge, PyObject *g)
{
    if (!is_repeated(g))
        return g;
    if (w->create || w->targets || w->counts || w->watched || PyTuple_CheckExact(edge))
        return written_out(g);
    if (Py_TYPE(edge) != node_class)
        return g;
    Node *node = (Node *)edge;
    int plain = !is_set(node->out_metas) && !is_set(node->hooks) && !is_set(node->retained) && is_set(node->recipe)
                && PyObject_TypeCheck(node->recipe, &RecipeBase_Type) && ((Recipe *)node->recipe)->takes_repeated;
    return plain ? g : written_out(g);
}

static int send_results(Walk *w, PyObject *edges, PyObject *shapes, PyObject *results)
{
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(edges); k++) {
        PyObject *edge = PyList_GET_ITEM(edges, k), *g = PySequence_GetItem(results, k);
        int status = 0;
        if (g && g != Py_None && PyList_CheckExact(edge)) {
            for (Py_ssize_t i = 0; status == 0 && i < PyList_GET_SIZE(edge); i++) {
                PyObject *target = PyList_GET_ITEM(edge, i), *part = PySequence_GetItem(g, i);
                if (part == NULL)
                    status = -1;
                else if (target != Py_None && part != Py_None)
                    status = (part = written_out(part)) ? send_counted(w, target, part) : -1;
                Py_XDECREF(part);
            }
        } else if (g && g != Py_None && edge != Py_None) {
            g = fitted(g, is_set(shapes) ? PyList_GET_ITEM(shapes, k) : NULL);
            g = g ? sent(w, edge, g) : NULL;
            status = g ? send_counted(w, edge, g) : -1;
        }
        if (g == NULL || status < 0) {
            Py_XDECREF(g);
            return -1;
        }
        Py_DECREF(g);
    }
    return 0;
}

/* Note the gradients of a node's outputs that are targets; 1 if the walk ends here, 0 if it goes on, -1: error. */
static int ends_at(Walk *w, Node *node, PyObject *g)
{
    Py_ssize_t several = is_set(node->out_metas) ? PyList_GET_SIZE(g) : 0;
    for (Py_ssize_t k = 0; k < (several ? several : 1); k++) {
        PyObject *one = several ? PyList_GET_ITEM(g, k) : g, *key = Py_BuildValue("(On)", node, k);
        PyObject *position = key && one != Py_None ? PyDict_GetItemWithError(w->targets, key) : NULL;
        Py_XDECREF(key);
        if (PyErr_Occurred() || (position && PyDict_SetItem(w->found, position, one) < 0))
            return -1;
    }
    int needed = PySet_Contains(w->needed, (PyObject *)node);
    return needed < 0 ? -1 : !needed;
}

/* Is it a weak reference whose object is gone? */
static int is_dead(PyObject *reference)
{
#if PY_VERSION_HEX >= 0x030D0000
    PyObject *there;
    if (!PyWeakref_Check(reference) || PyWeakref_GetRef(reference, &there))
        return 0;
    return there == NULL;
#else
    return PyWeakref_Check(reference) && PyWeakref_GET_OBJECT(reference) == Py_None;
#endif
}

/* Has anybody asked for the gradients of a node's outputs: a hook, or a Tensor that keeps its own and is still there? */
static int is_asked_for(const Node *node)
{
    Py_ssize_t at = 0;
    PyObject *number, *entry;
    if (is_set(node->hooks))
        return 1;
    while (is_set(node->retained) && PyDict_Next(node->retained, &at, &number, &entry))
        if (!PyTuple_CheckExact(entry) || PyTuple_GET_SIZE(entry) == 0 || !is_dead(PyTuple_GET_ITEM(entry, 0)))
            return 1;
    return 0;
}

static int visit(Walk *w, Node *node)
{
    PyObject *g = Py_XNewRef(PyDict_GetItemWithError(w->grads, (PyObject *)node)), *results = NULL, *edges = NULL, *shapes = NULL;
    int status = -1, ends = 0;
    if (g == NULL || PyDict_DelItem(w->grads, (PyObject *)node) < 0)
        goto done;
    if (is_asked_for(node))
        Py_SETREF(g, PyObject_CallMethodObjArgs(w->walk, s_pass_by, node, g, NULL));
    if (g == NULL || (w->targets && (ends = ends_at(w, node, g)))) {
        status = ends > 0 ? 0 : -1;
        goto done;
    }
    if (!is_set(node->edges) || !PyList_CheckExact(node->edges)) {
        results = PyObject_CallMethodObjArgs(w->walk, s_raise_freed, node, NULL);
        status = results == NULL ? -1 : 0;
        goto done;
    }
    edges = Py_NewRef(node->edges), shapes = Py_XNewRef(node->shapes);
    if (is_set(node->out_metas))
        Py_SETREF(g, PyObject_CallMethodObjArgs(w->walk, s_completed, node, g, NULL));
    if (g == NULL || unchanged(node) < 0)
        goto done;
    int plain = is_set(node->recipe) && PyObject_TypeCheck(node->recipe, &RecipeBase_Type) && node->saved
                && PyTuple_CheckExact(node->saved) && node->tensors && PyTuple_CheckExact(node->tensors) && !w->watched
                && !is_set(node->where);
    results = plain ? run_rules(w, node, g) : PyObject_CallMethodObjArgs(w->walk, s_step_results, node, g, NULL);
    if (results == NULL || send_results(w, edges, shapes, results) < 0)
        goto done;
    if (!w->retain) {
        Py_CLEAR(node->saved);
        Py_CLEAR(node->tensors);
        Py_CLEAR(node->out);
        Py_CLEAR(node->edges);
    }
    status = 0;
done:
    Py_XDECREF(results);
    Py_XDECREF(edges);
    Py_XDECREF(shapes);
    Py_XDECREF(g);
    return status;
}

static void release(Walk *w)
{
    while (w->size)
        Py_DECREF(w->heap[--w->size]);
    PyMem_Free(w->heap);
    PyObject *held[] = {w->grads, w->owned, w->leaves, w->targets, w->blocked, w->needed, w->found};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        Py_XDECREF(held[i]);
}

/* Take over what a Route says; -1: error. */
static int follow(Walk *w, PyObject *route)
{
    w->targets = PyObject_GetAttr(route, s_targets);
    w->blocked = w->targets ? PyObject_GetAttr(route, s_blocked) : NULL;
    w->needed = w->blocked ? PyObject_GetAttr(route, s_needed) : NULL;
    w->found = w->needed ? PyObject_GetAttr(route, s_found) : NULL;
    if (w->found == NULL)
        return -1;
    if (!PyDict_Check(w->targets) || !PyAnySet_Check(w->blocked) || !PyAnySet_Check(w->needed) || !PyDict_Check(w->found)) {
        PyErr_SetString(PyExc_TypeError, "run_walk(): not a Route");
        return -1;
    }
    if (PySet_GET_SIZE(w->blocked) == 0)
        Py_CLEAR(w->blocked);
    return 0;
}

/* Put the node that an edge leads to (if any) into a list, unless it is in the set already; -1: error. */
static int reach(PyObject *edge, PyObject *nodes, PyObject *reached)
{
    PyObject *node = PyTuple_CheckExact(edge) ? PyTuple_GET_ITEM(edge, 0) : edge;
    int known = Py_TYPE(node) != node_class ? 1 : PySet_Contains(reached, node);
    return known ? (known < 0 ? -1 : 0) : PySet_Add(reached, node) < 0 || PyList_Append(nodes, node) < 0 ? -1 : 0;
}

static int by_number(const void *a, const void *b)
{
    long long first = (*(Node *const *)a)->seq, second = (*(Node *const *)b)->seq;
    return (first > second) - (first < second);
}

/* The edges of a node one after the other, those in lists too: calls f(edge, ...) until it gives other than 0. */
#define FOR_EDGES(edges, call)                                                                                    \
    for (Py_ssize_t i = 0; found == 0 && i < PyList_GET_SIZE(edges); i++) {                                       \
        PyObject *edge = PyList_GET_ITEM(edges, i), *several = PyList_CheckExact(edge) ? edge : NULL;             \
        for (Py_ssize_t j = 0; found == 0 && j < (several ? PyList_GET_SIZE(several) : 1); j++) {                 \
            edge = several ? PyList_GET_ITEM(several, j) : edge;                                                  \
            found = edge == Py_None ? 0 : (call);                                                                 \
        }                                                                                                         \
    }

/* find_needed(roots, targets, blocked, needed): puts the nodes on some path from the edges in roots to a target into the set
 * needed; gives a freed node that hides what lies behind it, or None (see Route). */
PyObject *engine_find_needed(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    if (nargs != 4 || !PyList_Check(args[0]) || !PyDict_Check(args[1]) || !PyAnySet_Check(args[2]) || !PySet_Check(args[3]))
        return PyErr_Format(PyExc_TypeError, "find_needed(): takes (roots, targets, blocked, needed)");
    Walk w = {.targets = args[1], .blocked = PySet_GET_SIZE(args[2]) ? args[2] : NULL, .needed = args[3]};
    PyObject *nodes = PyList_New(0), *reached = PySet_New(NULL), *freed = Py_NewRef(Py_None);
    int found = nodes == NULL || reached == NULL ? -1 : 0;
    for (Py_ssize_t i = 0; found == 0 && i < PyList_GET_SIZE(args[0]); i++)
        found = reach(PyList_GET_ITEM(args[0], i), nodes, reached);
    for (Py_ssize_t n = 0; found == 0 && n < PyList_GET_SIZE(nodes); n++) {
        Node *node = (Node *)PyList_GET_ITEM(nodes, n);
        if (!is_set(node->edges) || !PyList_CheckExact(node->edges))
            Py_SETREF(freed, Py_NewRef((PyObject *)node));
        else
            FOR_EDGES(node->edges, reach(edge, nodes, reached))
    }
    if (found == 0 && PyList_GET_SIZE(nodes))
        qsort(((PyListObject *)nodes)->ob_item, PyList_GET_SIZE(nodes), sizeof(PyObject *), by_number);
    for (Py_ssize_t n = 0; found >= 0 && n < PyList_GET_SIZE(nodes); n++) {
        Node *node = (Node *)PyList_GET_ITEM(nodes, n);
        found = 0;
        if (is_set(node->edges) && PyList_CheckExact(node->edges))
            FOR_EDGES(node->edges, leads_on(&w, edge))
        if (found > 0)
            found = PySet_Add(args[3], (PyObject *)node);
    }
    Py_XDECREF(nodes);
    Py_XDECREF(reached);
    if (found < 0)
        Py_CLEAR(freed);
    return freed;
}

/* run_walk(walk, roots, create_graph, retain_graph, route, counts, watched): roots is a list of (edge, gradient), route and
 * counts may be None. */
PyObject *engine_run_walk(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    if (nargs != 7 || !PyList_Check(args[1]) || !(args[5] == Py_None || PyDict_Check(args[5])))
        return PyErr_Format(PyExc_TypeError, "run_walk(): takes (walk, roots, create_graph, retain_graph, route, counts, watched)");
    Walk w = {.grads = PyDict_New(), .owned = PySet_New(NULL), .leaves = PyDict_New(), .walk = args[0],
              .counts = args[5] == Py_None ? NULL : args[5], .create = args[2] == Py_True, .retain = args[3] == Py_True,
              .watched = args[6] == Py_True};
    int failed = !w.grads || !w.owned || !w.leaves || (args[4] != Py_None && follow(&w, args[4]) < 0);
    for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(args[1]); i++) {
        PyObject *root = PyList_GET_ITEM(args[1], i);
        failed = !PyTuple_Check(root) || PyTuple_GET_SIZE(root) != 2;
        if (failed)
            PyErr_SetString(PyExc_TypeError, "run_walk(): roots must be pairs (edge, gradient)");
        else
            failed = send(&w, PyTuple_GET_ITEM(root, 0), PyTuple_GET_ITEM(root, 1)) < 0;
    }
    while (!failed && w.size) {
        Node *node = pop(&w);
        failed = visit(&w, node) < 0 || PyErr_CheckSignals() < 0;
        Py_DECREF(node);
    }
    PyObject *entries = failed ? NULL : PyDict_Values(w.leaves);
    failed = entries == NULL;
    for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(entries); i++) {
        PyObject *entry = PyList_GET_ITEM(entries, i);
        failed = finish(&w, PyList_GET_ITEM(entry, 0), PyList_GET_ITEM(entry, 1)) < 0;
    }
    Py_XDECREF(entries);
    release(&w);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}
