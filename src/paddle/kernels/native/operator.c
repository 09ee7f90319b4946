/* Operators of the C library (src/capi/ops) on NumPy arrays: one call is a program of one operator. */
#include "tensors.h"

#include <stdlib.h>

#include "run.h"

typedef struct {
    program_t program;
    run_t run;
    op_t op;
    PyObject *kept; /* what input tensors lie in */
} call_t;

/* The offsets of a tensor's sequences, a list of int64 arrays; the library wants them to rise from 0 and to cover the next level. */
static int put_lod(call_t *c, PyObject *levels, tensor_t *t) {
    index_t counts[MAX_LEVELS];
    tensor_t offsets[MAX_LEVELS];
    Py_ssize_t n = PyList_Check(levels) ? PyList_GET_SIZE(levels) : 0;
    if (n < 1 || n > MAX_LEVELS) return n != 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        int status = tensor_over(PyList_GET_ITEM(levels, i), c->kept, &offsets[i]);
        if (status || offsets[i].dtype != TYPE_INT64 || offsets[i].ndim != 1 || !offsets[i].size) return status ? status : 1;
        counts[i] = offsets[i].size;
    }
    lod_t *lod = lod_new((int)n, counts);
    if (!lod) return 1;
    for (int i = 0; i < n; i++) {
        index_t most = i + 1 < n ? counts[i + 1] - 1 : t->ndim ? t->dims[0] : 0, before = 0;
        for (index_t k = 0; k < counts[i]; k++) {
            index_t at = (index_t)((const int64_t *)offsets[i].data)[k];
            if (at < before || at > most || (!k && at)) return lod_drop(lod), 1;
            lod->offsets[i][k] = before = at;
        }
        if (before != most) return lod_drop(lod), 1;
    }
    tensor_set_lod(t, lod);
    c->run.sequences = 1;
    return 0;
}

/* One value of an attribute. */
static int put_number(attr_t *attr, PyObject *value, int i) {
    if (PyUnicode_Check(value)) {
        attr->type = ATTR_STRING;
        attr->texts[i] = attr->text = PyUnicode_AsUTF8(value);
        return attr->text ? 0 : -1;
    }
    attr->floats[i] = PyFloat_AsDouble(value);
    if (attr->floats[i] == -1 && PyErr_Occurred()) return -1;
    attr->ints[i] = PyLong_Check(value) ? PyLong_AsLongLong(value) : attr->floats[i] > -9e18 && attr->floats[i] < 9e18 ? (int64_t)attr->floats[i] : 0;
    return attr->ints[i] == -1 && PyErr_Occurred() ? -1 : 0;
}

static int put_attrs(call_t *c, PyObject *attrs) {
    arena_t *arena = &c->program.arena;
    PyObject *key, *value;
    Py_ssize_t at = 0;
    c->op.attrs = arena_take(arena, (size_t)PyDict_GET_SIZE(attrs) + 1, sizeof *c->op.attrs);
    if (!c->op.attrs) return 1;
    while (PyDict_Next(attrs, &at, &key, &value)) {
        int list = PyList_Check(value);
        Py_ssize_t count = list ? PyList_GET_SIZE(value) : 1;
        attr_t *attr = &c->op.attrs[c->op.attr_count++];
        *attr = (attr_t){.name = PyUnicode_AsUTF8(key), .text = "", .count = (int)count, .ints = arena_take(arena, (size_t)count + 1, sizeof *attr->ints),
                         .floats = arena_take(arena, (size_t)count + 1, sizeof *attr->floats), .texts = arena_take(arena, (size_t)count + 1, sizeof *attr->texts)};
        if (!attr->name) return -1;
        if (!attr->ints || !attr->floats || !attr->texts) return 1;
        for (Py_ssize_t i = 0; i < count; i++)
            if (put_number(attr, list ? PyList_GET_ITEM(value, i) : value, (int)i)) {
                PyErr_Clear(); /* a value of another kind: not a case of the library */
                return 1;
            }
    }
    return complete_attrs(&c->program, &c->op) ? 1 : 0;
}

/* One more variable, in a slot of its own or in the last one if that has this name. */
static int put_var(call_t *c, slot_t *slots, int *count, PyObject *name) {
    const char *text = PyUnicode_AsUTF8(name);
    if (!text) return -1;
    slot_t *slot = *count ? &slots[*count - 1] : NULL;
    if (!slot || strcmp(slot->name, text)) {
        slot = &slots[(*count)++];
        *slot = (slot_t){.name = text, .vars = arena_take(&c->program.arena, (size_t)c->program.var_room, sizeof *slot->vars)};
        if (!slot->vars) return 1;
    }
    slot->vars[slot->count++] = c->program.var_count++;
    return 0;
}

static int put_operands(call_t *c, PyObject *inputs, PyObject *outputs) {
    arena_t *arena = &c->program.arena;
    Py_ssize_t ins = PyList_GET_SIZE(inputs), outs = PyList_GET_SIZE(outputs);
    c->program.var_room = (int)(ins + outs) + 1;
    c->program.vars = arena_take(arena, (size_t)c->program.var_room, sizeof *c->program.vars);
    c->op.in = arena_take(arena, (size_t)ins + 1, sizeof *c->op.in);
    c->op.out = arena_take(arena, (size_t)outs + 1, sizeof *c->op.out);
    c->run.values = calloc((size_t)c->program.var_room, sizeof *c->run.values);
    if (!c->program.vars || !c->op.in || !c->op.out || !c->run.values) return 1;
    for (int i = 0; i < c->program.var_room; i++) c->program.vars[i].name = c->op.type;
    for (Py_ssize_t i = 0; i < ins; i++) {
        PyObject *entry = PyList_GET_ITEM(inputs, i), *array = PyTuple_GET_ITEM(entry, 1), *levels = PyTuple_GET_ITEM(entry, 2);
        tensor_t *t = &c->run.values[i].tensor;
        int status = put_var(c, c->op.in, &c->op.in_count, PyTuple_GET_ITEM(entry, 0));
        if (!status) status = tensor_over(array, c->kept, t);
        if (!status && levels != Py_None) status = put_lod(c, levels, t);
        if (status) return status;
    }
    for (Py_ssize_t i = 0; i < outs; i++) {
        int status = put_var(c, c->op.out, &c->op.out_count, PyList_GET_ITEM(outputs, i));
        if (status) return status;
    }
    return 0;
}

/* ([array or None of every output], [offsets of the first output's sequences]). */
static PyObject *take_results(const call_t *c, int first, Py_ssize_t outs) {
    PyObject *arrays = PyList_New(outs), *levels = outs ? offsets_of(c->run.values[first].tensor.lod) : PyList_New(0);
    for (Py_ssize_t i = 0; arrays && levels && i < outs; i++) {
        PyObject *array = array_of(&c->run.values[first + i].tensor);
        if (!array) Py_CLEAR(arrays);
        else PyList_SET_ITEM(arrays, i, array);
    }
    if (arrays && levels) return Py_BuildValue("(NN)", arrays, levels);
    Py_XDECREF(arrays);
    Py_XDECREF(levels);
    return NULL;
}

/* Are inputs triples that begin with a text, and outputs texts? */
static int well_formed(PyObject *inputs, PyObject *outputs) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(inputs); i++) {
        PyObject *entry = PyList_GET_ITEM(inputs, i);
        if (!PyTuple_Check(entry) || PyTuple_GET_SIZE(entry) != 3 || !PyUnicode_Check(PyTuple_GET_ITEM(entry, 0))) return 0;
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(outputs); i++)
        if (!PyUnicode_Check(PyList_GET_ITEM(outputs, i))) return 0;
    return 1;
}

BINDING(operator) {
    BIND("operator", 4, "type", "inputs", "attributes", "outputs");
    if (!PyUnicode_Check(values[0]) || !PyList_Check(values[1]) || !PyDict_Check(values[2]) || !PyList_Check(values[3])
        || !well_formed(values[1], values[3]))
        return PyErr_Format(PyExc_TypeError, "operator(): takes a text, a list of (slot, array, offsets), a dict and a list of slots");
    call_t c = {.kept = PyList_New(0)};
    c.op.type = PyUnicode_AsUTF8(values[0]);
    if (!c.kept || !c.op.type) {
        Py_XDECREF(c.kept);
        return NULL;
    }
    c.op.operator = find_operator(c.op.type);
    c.run.program = &c.program;
    int status = c.op.operator ? put_operands(&c, values[1], values[3]) : 1;
    if (!status) status = put_attrs(&c, values[2]);
    if (!status) {
        clear_error();
        Py_BEGIN_ALLOW_THREADS
        status = run_operator(&c.run, &c.op) ? 1 : 0;
        if (!status && c.run.sequences) follow_rows(&c.run, &c.op);
        Py_END_ALLOW_THREADS
    }
    PyObject *result = status ? NULL : take_results(&c, (int)PyList_GET_SIZE(values[1]), PyList_GET_SIZE(values[3]));
    for (int i = 0; c.run.values && i < c.program.var_room; i++) tensor_drop(&c.run.values[i].tensor);
    free(c.run.values);
    arena_free(&c.program.arena);
    Py_DECREF(c.kept);
    if (status > 0) Py_RETURN_NOTIMPLEMENTED; /* the caller's own text says what is wrong, or can do what the library can't */
    return result;
}

PyMethodDef operator_methods[] = {
    METHOD(operator, "operator(type, inputs, attributes, outputs): an operator of the C library on [(slot, array, offsets or None)] with "
                     "attributes as files have them; ([result or None for each slot of outputs], offsets of the first result), or "
                     "NotImplemented where it fails."),
    {0}};
