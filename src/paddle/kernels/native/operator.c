/* Operators of the C library (src/capi/ops) on NumPy arrays: one call is a program of one operator. */
#include "tensors.h"

#include <stdlib.h>

#include "run.h"

typedef struct {
    program_t program;
    run_t run;
    op_t op;
    int *numbers;    /* 0, 1, 2 ...: slots point to theirs */
    PyObject **kept; /* what input tensors lie in */
    int room, kept_count;
} call_t;

/* ---- attributes ---- */

/* One value of an attribute. */
static int put_number(arena_t *arena, attr_t *attr, PyObject *value, int i) {
    if (PyUnicode_Check(value)) {
        Py_ssize_t length;
        const char *text = PyUnicode_AsUTF8AndSize(value, &length);
        attr->type = ATTR_STRING;
        attr->texts[i] = attr->text = text ? arena_text(arena, text, (size_t)length) : NULL;
        return attr->text ? 0 : -1;
    }
    attr->floats[i] = PyFloat_AsDouble(value);
    if (attr->floats[i] == -1 && PyErr_Occurred()) return -1;
    if (!PyIndex_Check(value)) return attr->ints[i] = attr->floats[i] > -9e18 && attr->floats[i] < 9e18 ? (int64_t)attr->floats[i] : 0, 0;
    PyObject *whole = PyNumber_Index(value); /* NumPy's too */
    attr->ints[i] = whole ? PyLong_AsLongLong(whole) : -1;
    Py_XDECREF(whole);
    return attr->ints[i] == -1 && PyErr_Occurred() ? -1 : 0;
}

/* The attributes of an operator from a dict: 0, or 1 if a value is of a kind that the library does not know. */
static int put_attrs(program_t *program, op_t *op, PyObject *attrs) {
    arena_t *arena = &program->arena;
    PyObject *key, *value;
    Py_ssize_t at = 0;
    op->attr_count = 0;
    op->attrs = arena_take(arena, (size_t)PyDict_GET_SIZE(attrs) + 1, sizeof *op->attrs);
    while (op->attrs && PyDict_Next(attrs, &at, &key, &value)) {
        int list = PyList_Check(value), status = 0;
        Py_ssize_t count = list ? PyList_GET_SIZE(value) : 1, length;
        const char *name = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, &length) : NULL;
        attr_t *attr = &op->attrs[op->attr_count++];
        *attr = (attr_t){.name = name ? arena_text(arena, name, (size_t)length) : NULL, .text = "", .count = (int)count,
                         .ints = arena_take(arena, (size_t)count + 1, sizeof *attr->ints),
                         .floats = arena_take(arena, (size_t)count + 1, sizeof *attr->floats), .texts = arena_take(arena, (size_t)count + 1, sizeof *attr->texts)};
        if (!attr->name || !attr->ints || !attr->floats || !attr->texts) status = 1;
        for (Py_ssize_t i = 0; i < count && !status; i++) status = put_number(arena, attr, list ? PyList_GET_ITEM(value, i) : value, (int)i);
        if (!status) continue;
        PyErr_Clear(); /* a value of another kind: not a case of the library */
        return 1;
    }
    return !op->attrs || complete_attrs(program, op) ? 1 : 0;
}

/* ---- operands ---- */

/* Room for so many operands: 0 or -1 with an exception. */
static int open_call(call_t *c, const operator_t *operator, const char *type, Py_ssize_t ins, Py_ssize_t outs) {
    const size_t n = (size_t)(ins + outs);
    *c = (call_t){.op = {.type = type, .operator = operator, .attrs = c->op.attrs, .attr_count = c->op.attr_count}, .room = (int)n};
    char *memory = calloc(1, n * (sizeof(value_t) + sizeof(var_t) + sizeof(slot_t) + sizeof(PyObject *) * (1 + MAX_LEVELS) + sizeof(int)) + 1);
    if (!memory) {
        PyErr_NoMemory();
        return -1;
    }
    c->run = (run_t){.program = &c->program, .values = (value_t *)memory};
    c->program.vars = (var_t *)(c->run.values + n);
    c->op.in = (slot_t *)(c->program.vars + n);
    c->op.out = c->op.in + ins;
    c->kept = (PyObject **)(c->op.in + n);
    c->numbers = (int *)(c->kept + n * (1 + MAX_LEVELS));
    for (int i = 0; i < c->room; i++) c->numbers[i] = i, c->program.vars[i].name = type;
    return 0;
}

static void close_call(call_t *c) {
    for (int i = 0; i < c->room; i++) {
        clear_array(&c->run.values[i]);
        tensor_drop(&c->run.values[i].tensor);
    }
    while (c->kept_count) Py_DECREF(c->kept[--c->kept_count]);
    free(c->run.values);
}

/* A tensor over an array that the call keeps; as tensor_over. */
static int put_tensor(call_t *c, PyObject *array, tensor_t *t) {
    PyObject *kept = NULL;
    int status = tensor_over(array, &kept, t);
    if (kept) c->kept[c->kept_count++] = kept;
    return status;
}

static int is_sequence(PyObject *value) { return PyList_Check(value) || PyTuple_Check(value); }

/* The offsets of a tensor's sequences, int64 arrays; the library wants them to rise from 0 and to cover the next level. */
static int put_lod(call_t *c, PyObject *const *levels, Py_ssize_t n, tensor_t *t) {
    index_t counts[MAX_LEVELS];
    tensor_t offsets[MAX_LEVELS];
    if (n < 1 || n > MAX_LEVELS) return n != 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        int status = put_tensor(c, levels[i], &offsets[i]);
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

/* One more variable, in a slot of its own or in the last one if that has this name. */
static void put_var(call_t *c, slot_t *slots, int *count, const char *name) {
    slot_t *slot = *count ? &slots[*count - 1] : NULL;
    if (!slot || strcmp(slot->name, name)) {
        slot = &slots[(*count)++];
        *slot = (slot_t){.name = name, .vars = &c->numbers[c->program.var_count]};
    }
    slot->count++;
    c->program.var_count++;
}

/* An array with all levels of its offsets: a sequence, or anything else if it has none. */
static int put_packed(call_t *c, PyObject *array, PyObject *levels, tensor_t *t) {
    int status = put_tensor(c, array, t);
    return status || !is_sequence(levels) ? status : put_lod(c, PySequence_Fast_ITEMS(levels), PySequence_Fast_GET_SIZE(levels), t);
}

static int put_input(call_t *c, const char *name, PyObject *array, PyObject *levels) {
    tensor_t *t = &c->run.values[c->program.var_count].tensor;
    put_var(c, c->op.in, &c->op.in_count, name);
    return put_packed(c, array, levels, t);
}

/* An array of tensors, as loops write them, with the levels of each. */
static int put_steps(call_t *c, const char *name, PyObject *arrays, PyObject *levels) {
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(arrays);
    value_t *value = &c->run.values[c->program.var_count];
    int status = 0, packed = is_sequence(levels);
    put_var(c, c->op.in, &c->op.in_count, name);
    if (packed && PySequence_Fast_GET_SIZE(levels) != count) return 1;
    if (!(value->items = calloc((size_t)count + 1, sizeof *value->items))) return PyErr_NoMemory(), -1;
    value->count = value->room = (int)count;
    for (Py_ssize_t i = 0; i < count && !status; i++)
        status = put_packed(c, PySequence_Fast_GET_ITEM(arrays, i), packed ? PySequence_Fast_GET_ITEM(levels, i) : Py_None, &value->items[i]);
    return status;
}

/* ---- running ---- */

/* Run it; 1 where it fails, or has results among the `outs` from variable `first` on that can't be arrays, such as bfloat16. */
static int run_call(call_t *c, int first, Py_ssize_t outs) {
    int status;
    clear_error();
    Py_BEGIN_ALLOW_THREADS
    status = run_operator(&c->run, &c->op) ? 1 : 0;
    if (!status && c->run.sequences) follow_rows(&c->run, &c->op);
    Py_END_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < outs && !status; i++)
        status = c->run.values[first + i].tensor.data && !is_array_type(c->run.values[first + i].tensor.dtype);
    return status;
}

/* [array or None of every output], behind the variable number `first`. */
static PyObject *take_arrays(const call_t *c, int first, Py_ssize_t outs) {
    PyObject *arrays = PyList_New(outs);
    for (Py_ssize_t i = 0; arrays && i < outs; i++) {
        PyObject *array = array_from(&c->run.values[first + i].tensor);
        if (!array) Py_CLEAR(arrays);
        else PyList_SET_ITEM(arrays, i, array);
    }
    return arrays;
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
    const char *type = PyUnicode_AsUTF8(values[0]);
    const operator_t *operator = type ? find_operator(type) : NULL;
    const Py_ssize_t ins = PyList_GET_SIZE(values[1]), outs = PyList_GET_SIZE(values[3]);
    Py_ssize_t room = ins;
    for (Py_ssize_t i = 0; i < ins; i++) {
        PyObject *value = PyTuple_GET_ITEM(PyList_GET_ITEM(values[1], i), 1);
        if (is_sequence(value)) room += PySequence_Fast_GET_SIZE(value);
    }
    program_t settings = {0};
    call_t c = {.op.type = type};
    if (!type) return NULL;
    if (!operator) Py_RETURN_NOTIMPLEMENTED;
    int status = put_attrs(&settings, &c.op, values[2]);
    if (!status) status = open_call(&c, operator, type, room, outs);
    for (Py_ssize_t i = 0; i < ins && !status; i++) {
        PyObject *entry = PyList_GET_ITEM(values[1], i);
        const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(entry, 0));
        status = !name ? -1 : (is_sequence(PyTuple_GET_ITEM(entry, 1)) ? put_steps : put_input)(&c, name, PyTuple_GET_ITEM(entry, 1), PyTuple_GET_ITEM(entry, 2));
    }
    for (Py_ssize_t i = 0; i < outs && !status; i++) {
        const char *name = PyUnicode_AsUTF8(PyList_GET_ITEM(values[3], i));
        if (name) put_var(&c, c.op.out, &c.op.out_count, name);
        else status = -1;
    }
    if (!status) status = run_call(&c, (int)ins, outs);
    PyObject *levels = status ? NULL : outs ? offsets_of(c.run.values[ins].tensor.lod) : PyList_New(0);
    PyObject *arrays = levels ? take_arrays(&c, (int)ins, outs) : NULL;
    close_call(&c);
    arena_free(&settings.arena);
    if (status > 0) Py_RETURN_NOTIMPLEMENTED; /* the caller's own text says what is wrong, or can do what the library can't */
    if (arrays) return Py_BuildValue("(NN)", arrays, levels);
    Py_XDECREF(levels);
    return NULL;
}

/* ---- operators that are called again and again ---- */

/* Attributes as the library takes them, made once for their values. */
typedef struct {
    int references; /* with the GIL only */
    program_t program;
    op_t op;
    PyObject *values; /* a tuple of what can't change, and of lists that nobody else has */
} settings_t;

enum { SETTINGS = 8, /* of one operator, that are kept */
       LISTED = 80 };  /* results that a list has room for; one that fills it is left to the op's own text */

typedef struct {
    const char *name;
    int at, lod, list; /* numbers of the arguments that hold it and its offsets (-1: none); is it a list? */
} place_t;

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    const operator_t *operator;
    PyObject *type, *inputs, *outputs, *attributes; /* a text, tuples that names lie in, a function: values -> dict */
    place_t *ins, *outs;
    int in_count, out_count, arguments, offsets; /* arguments: before the attributes; offsets: are those of the first result a result, too? */
    settings_t *kept[SETTINGS];
    int next;
} prepared_t;

static void drop_settings(settings_t *s) {
    if (!s || --s->references) return;
    arena_free(&s->program.arena);
    Py_XDECREF(s->values);
    free(s);
}

/* Can't a value change? Of a list its elements are meant. */
static int is_fixed(PyObject *value) {
    if (!PyTuple_CheckExact(value) && !PyList_CheckExact(value)) return !PyList_Check(value) && !PyDict_Check(value) && !PyArray_Check(value);
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(value, i);
        if (PyList_Check(item) || !is_fixed(item)) return 0;
    }
    return 1;
}

/* Are two values one, or of one type and the same bits? 1 is not 1.0, and 0.0 not -0.0. */
static int is_same(PyObject *a, PyObject *b) {
    if (a == b) return 1;
    if (Py_TYPE(a) != Py_TYPE(b)) return 0;
    if (PyFloat_CheckExact(a)) return !memcmp(&((PyFloatObject *)a)->ob_fval, &((PyFloatObject *)b)->ob_fval, sizeof(double));
    if (PyLong_CheckExact(a) || PyUnicode_CheckExact(a)) return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
    if (!(PyTuple_CheckExact(a) || PyList_CheckExact(a)) || PySequence_Fast_GET_SIZE(a) != PySequence_Fast_GET_SIZE(b)) return 0;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(a); i++)
        if (!is_same(PySequence_Fast_GET_ITEM(a, i), PySequence_Fast_GET_ITEM(b, i))) return 0;
    return 1;
}

static int are_same(const settings_t *s, PyObject *const *values, Py_ssize_t count) {
    if (!s || PyTuple_GET_SIZE(s->values) != count) return 0;
    for (Py_ssize_t i = 0; i < count; i++)
        if (!is_same(PyTuple_GET_ITEM(s->values, i), values[i])) return 0;
    return 1;
}

/* The settings for these values, a new reference: 0; 1 if the library does not know them; -1 with an exception. */
static int find_settings(prepared_t *p, PyObject *const *values, Py_ssize_t count, settings_t **found) {
    for (int i = 0; i < SETTINGS; i++)
        if (are_same(p->kept[i], values, count)) return (*found = p->kept[i])->references++, 0;
    settings_t *s = *found = calloc(1, sizeof *s);
    PyObject *all = s ? PyTuple_New(count) : PyErr_NoMemory(), *named;
    if (s) s->references = 1;
    for (Py_ssize_t i = 0; all && i < count; i++) {
        PyObject *own = PyList_CheckExact(values[i]) ? PyList_GetSlice(values[i], 0, PyList_GET_SIZE(values[i])) : Py_NewRef(values[i]);
        if (own) PyTuple_SET_ITEM(all, i, own);
        else Py_CLEAR(all);
    }
    if (!all) return -1;
    s->values = all;
    s->op.type = PyUnicode_AsUTF8(p->type);
    if (!(named = PyObject_CallOneArg(p->attributes, all))) return -1;
    int status = PyDict_Check(named) ? put_attrs(&s->program, &s->op, named) : 1;
    Py_DECREF(named);
    for (Py_ssize_t i = 0; i < count; i++)
        if (!is_fixed(PyTuple_GET_ITEM(all, i))) return status;
    if (status) return status;
    settings_t *old = p->kept[p->next];
    p->kept[p->next] = s;
    p->next = (p->next + 1) % SETTINGS;
    s->references++;
    drop_settings(old);
    return 0;
}

/* A list of arrays in one slot; levels: a list too, of one array of offsets for each. */
static int put_list(call_t *c, const char *name, PyObject *arrays, PyObject *levels) {
    int status = !is_sequence(arrays), packed = !status && is_sequence(levels);
    if (packed && PySequence_Fast_GET_SIZE(levels) != PySequence_Fast_GET_SIZE(arrays)) return 1;
    for (Py_ssize_t k = 0; !status && k < PySequence_Fast_GET_SIZE(arrays); k++) {
        if (c->program.var_count >= c->room) return 1;
        tensor_t *t = &c->run.values[c->program.var_count].tensor;
        status = put_input(c, name, PySequence_Fast_GET_ITEM(arrays, k), Py_None);
        if (!status && packed) status = put_lod(c, &PySequence_Fast_ITEMS(levels)[k], 1, t);
    }
    return status;
}

/* The operands of a call: 0, 1 or -1 as above. */
static int put_arguments(const prepared_t *p, call_t *c, PyObject *const *args) {
    int status = 0;
    for (int i = 0; i < p->in_count && !status; i++) {
        PyObject *value = args[p->ins[i].at], *levels = p->ins[i].lod < 0 ? Py_None : args[p->ins[i].lod];
        if (value == Py_None) continue;
        if (!p->ins[i].list) status = put_input(c, p->ins[i].name, value, levels);
        else status = put_list(c, p->ins[i].name, value, levels);
    }
    return status;
}

/* The results' variables, those of lists one behind the other; 1 if they are not as many as were counted. */
static int put_results(const prepared_t *p, call_t *c) {
    for (int i = 0; i < p->out_count; i++)
        for (int k = 0; k < (p->outs[i].list ? LISTED : 1); k++) {
            if (c->program.var_count >= c->room) return 1;
            put_var(c, c->op.out, &c->op.out_count, p->outs[i].name);
        }
    return 0;
}

/* A tuple of the results behind variable `first`: of a list those that were given, else None for one that was not. NULL with an
 * exception, or without one where a list may have had no room. */
static PyObject *take_results(const prepared_t *p, const call_t *c, int first) {
    PyObject *levels = p->offsets ? offsets_of(c->run.values[first].tensor.lod) : NULL; /* first: an array may take the tensor over */
    PyObject *found = levels || !p->offsets ? PyList_New(0) : NULL;
    for (int i = 0, var = first; found && i < p->out_count; i++)
        for (int k = 0; found && k < (p->outs[i].list ? LISTED : 1); k++, var++) {
            tensor_t *t = &c->run.values[var].tensor;
            if (p->outs[i].list && !t->data) continue;
            PyObject *array = p->outs[i].list && k == LISTED - 1 ? NULL : array_from(t);
            if (!array || PyList_Append(found, array)) Py_CLEAR(found);
            Py_XDECREF(array);
        }
    if (found && levels && PyList_SetSlice(found, PyList_GET_SIZE(found), PyList_GET_SIZE(found), levels)) Py_CLEAR(found);
    Py_XDECREF(levels);
    PyObject *results = found ? PyList_AsTuple(found) : NULL;
    Py_XDECREF(found);
    return results;
}

static PyObject *call_prepared(PyObject *self, PyObject *const *args, size_t flags, PyObject *names) {
    prepared_t *p = (prepared_t *)self;
    const Py_ssize_t count = PyVectorcall_NARGS(flags);
    if (count < p->arguments || names) return PyErr_Format(PyExc_TypeError, "%U(): takes %d tensors and attributes by place", p->type, p->arguments);
    settings_t *s = NULL;
    call_t c = {.kept_count = 0};
    Py_ssize_t ins = 0, outs = 0;
    for (int i = 0; i < p->in_count; i++) {
        PyObject *value = args[p->ins[i].at];
        ins += !p->ins[i].list ? 1 : is_sequence(value) ? PySequence_Fast_GET_SIZE(value) : 0;
    }
    for (int i = 0; i < p->out_count; i++) outs += p->outs[i].list ? LISTED : 1;
    int status = find_settings(p, args + p->arguments, count - p->arguments, &s);
    if (!status) {
        c.op.attrs = s->op.attrs, c.op.attr_count = s->op.attr_count;
        status = open_call(&c, p->operator, s->op.type, ins, outs);
    }
    if (!status) status = put_arguments(p, &c, args);
    int first = c.program.var_count;
    if (!status) status = put_results(p, &c);
    if (!status) status = run_call(&c, first, outs);
    PyObject *result = NULL;
    if (!status && outs == 1 && !p->offsets) {
        result = array_from(&c.run.values[first].tensor);
    } else if (!status) {
        result = take_results(p, &c, first);
        if (result && PyTuple_GET_SIZE(result) == 1) {
            PyObject *only = Py_NewRef(PyTuple_GET_ITEM(result, 0));
            Py_DECREF(result);
            result = only;
        }
        if (!result && !PyErr_Occurred()) status = 1;
    }
    close_call(&c);
    drop_settings(s);
    if (status > 0) Py_RETURN_NOTIMPLEMENTED;
    return result;
}

static void drop_prepared(PyObject *self) {
    prepared_t *p = (prepared_t *)self;
    for (int i = 0; i < SETTINGS; i++) drop_settings(p->kept[i]);
    PyObject *held[] = {p->type, p->inputs, p->outputs, p->attributes};
    for (int i = 0; i < 4; i++) Py_XDECREF(held[i]);
    free(p->ins);
    free(p->outs);
    Py_TYPE(self)->tp_free(self);
}

static PyTypeObject prepared_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "paddle._native.prepared", .tp_basicsize = sizeof(prepared_t), .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_call = PyVectorcall_Call, .tp_vectorcall_offset = offsetof(prepared_t, call), .tp_dealloc = drop_prepared,
    .tp_doc = "An operator of the C library on arrays: tensors and attributes by place -> its results, or NotImplemented."};

/* Where the inputs are among the arguments: tuples (slot, number, is a list, number of its offsets or -1); outputs: (slot, is a list). */
static int read_places(prepared_t *p) {
    p->in_count = (int)PyTuple_GET_SIZE(p->inputs), p->out_count = (int)PyTuple_GET_SIZE(p->outputs);
    p->ins = calloc((size_t)p->in_count + 1, sizeof *p->ins), p->outs = calloc((size_t)p->out_count + 1, sizeof *p->outs);
    if (!p->ins || !p->outs) return -1;
    for (int i = 0; i < p->in_count; i++) {
        PyObject *entry = PyTuple_GET_ITEM(p->inputs, i);
        place_t *at = &p->ins[i];
        if (!PyTuple_Check(entry) || !PyArg_ParseTuple(entry, "sipi", &at->name, &at->at, &at->list, &at->lod)) return -1;
        if (at->at < 0 || at->at >= p->arguments || at->lod < -1 || at->lod >= p->arguments) return -1;
    }
    for (int i = 0; i < p->out_count; i++) {
        PyObject *entry = PyTuple_GET_ITEM(p->outputs, i);
        if (!PyTuple_Check(entry) || !PyArg_ParseTuple(entry, "sp", &p->outs[i].name, &p->outs[i].list)) return -1;
    }
    return p->out_count > 0 && PyUnicode_AsUTF8(p->type) ? 0 : -1;
}

BINDING(prepared) {
    BIND("prepared", 6, "type", "inputs", "arguments", "outputs", "offsets", "attributes");
    index_t arguments = arg_index("prepared", "arguments", values[2], 0);
    int offsets = arg_bool("prepared", "offsets", values[4], 0);
    if (PyErr_Occurred()) return NULL;
    int right = PyUnicode_Check(values[0]) && PyTuple_Check(values[1]) && PyTuple_Check(values[3]) && PyCallable_Check(values[5]) && arguments >= 0 && arguments < 4096;
    const char *type = right ? PyUnicode_AsUTF8(values[0]) : NULL;
    prepared_t *p = right && type && !PyType_Ready(&prepared_type) ? PyObject_New(prepared_t, &prepared_type) : NULL;
    if (p) {
        memset((char *)p + sizeof(PyObject), 0, sizeof *p - sizeof(PyObject));
        p->call = call_prepared;
        p->operator = find_operator(type);
        p->arguments = (int)arguments, p->offsets = offsets;
        p->type = Py_NewRef(values[0]), p->inputs = Py_NewRef(values[1]), p->outputs = Py_NewRef(values[3]), p->attributes = Py_NewRef(values[5]);
        if (p->operator && !read_places(p)) return (PyObject *)p;
        Py_DECREF(p);
    }
    PyErr_Clear();
    return PyErr_Format(PyExc_TypeError, "prepared(): takes an operator of the library, a tuple of (slot, number, is list, number of its "
                                         "offsets), how many tensors come first, a tuple of (slot, is list), whether there are offsets, and a function");
}

PyMethodDef operator_methods[] = {
    METHOD(operator, "operator(type, inputs, attributes, outputs): an operator of the C library on [(slot, array, offsets or None)], or "
                     "(slot, list of arrays, list of their offsets or None) for an array of steps, with attributes as files have them; ([result or None for each slot of outputs], offsets of the first result), or "
                     "NotImplemented where it fails."),
    METHOD(prepared, "prepared(type, inputs, arguments, outputs, offsets, attributes) -> a function of an op's arguments that runs the "
                     "library's operator: inputs are (slot, number of the argument, is it a list, number of its offsets or -1), arguments the "
                     "number of tensors, behind which the attributes come, which attributes() turns to those of files; outputs are (slot, is it a list)."),
    {0}};
