/* Routine: a list of kernel calls over numbered registers, run by a short loop (the twin of routine.py).
 *
 * What a register holds has a Form: dtype, shape and layout of an array, or the class of something else. A routine was made
 * for the forms of one run. It looks at what it is given before it starts and at every result; where a form differs it stops
 * and hands its registers over, so that the caller can go on without what was known in advance.
 */
#include "routine.h"

typedef struct {
    PyArray_Descr *dtype; /* NULL: not an array */
    PyObject *other;      /* a class that the value has, or (value,): something it is equal to */
    int rank, dense;
    npy_intp *sizes;
} Form;

typedef struct {
    PyObject *function;
    Py_ssize_t n_args, n_outs, n_dying;
    int *args, *outs, *dying; /* registers; an out of -1 is dropped */
    Form *forms;              /* one per out */
    int single;               /* is the result itself the one output? */
    int step;                 /* to which step of the caller it belongs, ... */
    int last;                 /* ... and is it that step's last? */
    int spare;                /* a register whose memory the result may take, given as the last argument; or 0 */
    int wants_registers;      /* is it called with a list of all registers first? */
} Instruction;

typedef struct {
    PyObject_HEAD
    Py_ssize_t size, n_inputs, n_outputs, n_updates, n_instructions, most_args;
    PyObject **constants; /* what registers hold at the start, or NULL */
    Form *forms;          /* of the inputs */
    int *outputs, *updates;
    Instruction *instructions;
    vectorcallfunc vectorcall;
} Routine;

/* ---- forms ---------------------------------------------------------------------------------------------------------- */
static int fits(const Form *f, PyObject *value)
{
    if (f->dtype == NULL) {
        if (PyTuple_CheckExact(f->other))
            return PyObject_RichCompareBool(PyTuple_GET_ITEM(f->other, 0), value, Py_EQ);
        return (PyObject *)Py_TYPE(value) == f->other;
    }
    if (!PyArray_CheckExact(value))
        return 0;
    PyArrayObject *a = (PyArrayObject *)value;
    if (PyArray_NDIM(a) != f->rank || (PyArray_DESCR(a) != f->dtype && !PyArray_EquivTypes(PyArray_DESCR(a), f->dtype)))
        return 0;
    for (int i = 0; i < f->rank; i++)
        if (PyArray_DIM(a, i) != f->sizes[i])
            return 0;
    return (PyArray_ISCARRAY_RO(a) != 0) == f->dense;
}

/* from (dtype, shape, dense), a class, or (value,) */
static int form_init(Form *f, PyObject *from)
{
    if (!PyTuple_CheckExact(from) || PyTuple_GET_SIZE(from) == 1) {
        f->other = Py_NewRef(from);
        return 0;
    }
    PyObject *dtype, *shape;
    if (!PyArg_ParseTuple(from, "O!O!p", &PyArrayDescr_Type, &dtype, &PyTuple_Type, &shape, &f->dense))
        return -1;
    f->rank = (int)PyTuple_GET_SIZE(shape);
    f->sizes = PyMem_Calloc(f->rank + 1, sizeof *f->sizes);
    if (f->sizes == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; i < f->rank; i++)
        f->sizes[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, i));
    f->dtype = (PyArray_Descr *)Py_NewRef(dtype);
    return PyErr_Occurred() ? -1 : 0;
}

static void form_clear(Form *f)
{
    Py_CLEAR(f->dtype);
    Py_CLEAR(f->other);
    PyMem_Free(f->sizes);
    f->sizes = NULL;
}

/* ---- running -------------------------------------------------------------------------------------------------------- */

/* The array of a register that nothing else refers to, so that it can be written over; None otherwise. */
static PyObject *spare_array(PyObject *value)
{
    if (value == NULL || Py_REFCNT(value) != 1 || !PyArray_CheckExact(value))
        return Py_None;
    int needed = NPY_ARRAY_CARRAY | NPY_ARRAY_OWNDATA;
    return (PyArray_FLAGS((PyArrayObject *)value) & needed) == needed ? value : Py_None;
}

static PyObject *listed(Routine *r, PyObject **registers)
{
    PyObject *list = PyList_New(r->size);
    for (Py_ssize_t i = 0; list && i < r->size; i++)
        PyList_SET_ITEM(list, i, Py_NewRef(registers[i] ? registers[i] : Py_None));
    return list;
}

/* Put a result into its register as an array; steals the reference. 1: it has the form, 0: it has not, -1: error. */
static int store(PyObject **registers, int where, const Form *form, PyObject *value)
{
    if (!PyArray_CheckExact(value) && PyArray_IsScalar(value, Generic)) {
        PyObject *array = PyArray_FROM_O(value);
        Py_DECREF(value);
        if ((value = array) == NULL)
            return -1;
    }
    if (where < 0) {
        Py_DECREF(value);
        return 1;
    }
    Py_XSETREF(registers[where], value);
    return fits(form, value);
}

static int store_results(PyObject **registers, const Instruction *i, PyObject *result)
{
    if (i->single)
        return store(registers, i->outs[0], i->forms, result);
    int status = 1;
    for (Py_ssize_t k = 0; status >= 0 && k < i->n_outs; k++) {
        if (i->outs[k] < 0)
            continue;
        PyObject *one = PySequence_GetItem(result, k);
        int good = one == NULL ? -1 : store(registers, i->outs[k], &i->forms[k], one);
        status = good < 1 ? good : status;
    }
    Py_DECREF(result);
    return status;
}

/* Let an error say at which step it happened, with which arguments. */
static void note_failure(const Instruction *i, PyObject **args, Py_ssize_t n)
{
    PyObject *type, *error, *trace;
    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    if (trace)
        PyException_SetTraceback(error, trace);
    PyObject *given = PyTuple_New(n), *failure = NULL;
    for (Py_ssize_t k = 0; given && k < n; k++)
        PyTuple_SET_ITEM(given, k, Py_NewRef(args[k]));
    if (given)
        failure = Py_BuildValue("(iO)", i->step, given);
    if (failure == NULL || PyObject_SetAttrString(error, "failure", failure) < 0)
        PyErr_Clear(); /* a class without attributes: the error goes out as it is */
    Py_XDECREF(given);
    Py_XDECREF(failure);
    PyErr_Restore(type, error, trace);
}

/* 1: done, 0: stopped, the step to go on from is in *step, -1: error */
static int run(Routine *r, PyObject **registers, PyObject **args, int *step)
{
    for (Py_ssize_t k = 0; k < r->n_instructions; k++) {
        const Instruction *i = &r->instructions[k];
        PyObject *all = NULL;
        Py_ssize_t n = 0;
        if (i->wants_registers) {
            if ((all = listed(r, registers)) == NULL)
                return -1;
            args[n++] = all;
        }
        for (Py_ssize_t a = 0; a < i->n_args; a++) {
            PyObject *value = registers[i->args[a]];
            args[n++] = value ? value : Py_None;
        }
        if (i->spare)
            args[n++] = spare_array(registers[i->spare]);
        PyObject *result = PyObject_Vectorcall(i->function, args, n, NULL);
        if (result == NULL) {
            note_failure(i, args + (all != NULL), i->n_args);
            Py_XDECREF(all);
            return -1;
        }
        Py_XDECREF(all);
        *step = i->step;
        if (result == Py_NotImplemented) { /* a kernel declines what it took before */
            Py_DECREF(result);
            return 0;
        }
        int good = store_results(registers, i, result);
        if (good < 0)
            return -1;
        if (!good && !i->last)
            return 0;
        if (i->spare)
            Py_CLEAR(registers[i->spare]);
        for (Py_ssize_t d = 0; d < i->n_dying; d++)
            Py_CLEAR(registers[i->dying[d]]);
        if (!good) {
            *step = i->step + 1;
            return 0;
        }
    }
    return 1;
}

static PyObject *picked(PyObject **registers, const int *which, Py_ssize_t n)
{
    PyObject *tuple = PyTuple_New(n);
    for (Py_ssize_t k = 0; tuple && k < n; k++) {
        PyObject *value = registers[which[k]];
        PyTuple_SET_ITEM(tuple, k, Py_NewRef(value ? value : Py_None));
    }
    return tuple;
}

/* routine(inputs, states, take=False) -> (outputs, updates); None if their forms are others; [step, registers] where it
 * stopped. With take the inputs are a list that is emptied, so that each can go when it is no longer needed. */
static PyObject *routine_call(Routine *r, PyObject *const *args, size_t nargsf, PyObject *names)
{
    Py_ssize_t given = PyVectorcall_NARGS(nargsf);
    int take = given == 3 ? PyObject_IsTrue(args[2]) : 0;
    if (take < 0)
        return NULL;
    if (given < 2 || given > 3 || names != NULL || (take && !PyList_CheckExact(args[0]))) {
        PyErr_SetString(PyExc_TypeError, "Routine: needs inputs and states; inputs to be taken are a list");
        return NULL;
    }
    PyObject *parts[2] = {PySequence_Fast(args[0], "inputs must be a sequence"), NULL}, *found = NULL;
    if (parts[0])
        parts[1] = PySequence_Fast(args[1], "states must be a sequence");
    PyObject **registers = NULL;
    if (parts[1] == NULL)
        goto done;
    Py_ssize_t n = 1;
    if (PySequence_Fast_GET_SIZE(parts[0]) + PySequence_Fast_GET_SIZE(parts[1]) != r->n_inputs) {
        PyErr_Format(PyExc_ValueError, "Routine: needs %zd values", r->n_inputs);
        goto done;
    }
    registers = PyMem_Calloc(r->size + r->most_args + 2, sizeof *registers); /* and room for the arguments of a call */
    if (registers == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (int p = 0; p < 2; p++) {
        PyObject **items = PySequence_Fast_ITEMS(parts[p]);
        for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(parts[p]); k++, n++) {
            int good = fits(&r->forms[n - 1], items[k]);
            if (good < 1) {
                found = good < 0 ? NULL : Py_NewRef(Py_None);
                goto done;
            }
            registers[n] = Py_NewRef(items[k]);
        }
    }
    for (; n < r->size; n++)
        registers[n] = Py_XNewRef(r->constants[n]);
    if (take && PyList_SetSlice(args[0], 0, PyList_GET_SIZE(args[0]), NULL) < 0)
        goto done;
    int step = 0, finished = run(r, registers, registers + r->size, &step);
    if (finished > 0) {
        PyObject *outputs = picked(registers, r->outputs, r->n_outputs), *updates = picked(registers, r->updates, r->n_updates);
        found = outputs && updates ? PyTuple_Pack(2, outputs, updates) : NULL;
        Py_XDECREF(outputs);
        Py_XDECREF(updates);
    } else if (finished == 0) {
        PyObject *list = listed(r, registers);
        found = list ? Py_BuildValue("[iN]", step, list) : NULL;
    }
done:
    if (registers)
        for (Py_ssize_t k = 0; k < r->size; k++)
            Py_XDECREF(registers[k]);
    PyMem_Free(registers);
    Py_XDECREF(parts[0]);
    Py_XDECREF(parts[1]);
    return found;
}

/* An array and how often values refer to it. */
typedef struct {
    PyObject *array;
    Py_ssize_t count;
} Holding;

static int by_address(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const Holding *)a)->array, y = (uintptr_t)((const Holding *)b)->array;
    return (x > y) - (x < y);
}

static Holding *holding(Holding *all, Py_ssize_t n, PyObject *array)
{
    Holding key = {array, 0};
    return bsearch(&key, all, n, sizeof key, by_address);
}

/* Counts the values that are one of the arrays or a view of it, in lists of them too. */
static void count(PyObject *values, Holding *all, Py_ssize_t n)
{
    PyObject **items = PySequence_Fast_ITEMS(values);
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(values); k++) {
        PyObject *v = items[k];
        if (PyArray_CheckExact(v)) {
            Holding *found = holding(all, n, v);
            PyObject *base = PyArray_BASE((PyArrayObject *)v);
            if (found == NULL && base != NULL)
                found = holding(all, n, base);
            if (found)
                found->count++;
        } else if (PyList_CheckExact(v) || PyTuple_CheckExact(v))
            count(v, all, n);
    }
}

PyObject *engine_held(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *registers, *arrays;
    if (!PyArg_ParseTuple(args, "O!O!", &PyList_Type, &registers, &PyList_Type, &arrays))
        return NULL;
    Py_ssize_t n = PyList_GET_SIZE(arrays), kept = 0;
    Holding *all = PyMem_Calloc(n + 1, sizeof *all);
    if (all == NULL)
        return PyErr_NoMemory();
    for (Py_ssize_t k = 0; k < n; k++)
        all[k].array = PyList_GET_ITEM(arrays, k);
    qsort(all, n, sizeof *all, by_address);
    for (Py_ssize_t k = 0; k < n; k++)
        if (kept == 0 || all[k].array != all[kept - 1].array)
            all[kept++] = all[k];
    count(registers, all, kept);
    PyObject *found = PyList_New(n);
    for (Py_ssize_t k = 0; found && k < n; k++)
        PyList_SET_ITEM(found, k, PyBool_FromLong(holding(all, kept, PyList_GET_ITEM(arrays, k))->count > 1));
    PyMem_Free(all);
    return found;
}

/* ---- making and forgetting ------------------------------------------------------------------------------------------ */

/* Registers in [least, size). */
static int *numbers(PyObject *tuple, long least, Py_ssize_t size, Py_ssize_t *count)
{
    *count = PyTuple_GET_SIZE(tuple);
    int *found = PyMem_Calloc(*count + 1, sizeof *found);
    if (found == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t k = 0; k < *count; k++) {
        Py_ssize_t n = PyNumber_AsSsize_t(PyTuple_GET_ITEM(tuple, k), NULL); /* too large a number is clipped */
        if (n < least || n >= size || PyErr_Occurred()) {
            if (!PyErr_Occurred())
                PyErr_Format(PyExc_ValueError, "Routine: there is no register %zd among %zd", n, size);
            PyMem_Free(found);
            return NULL;
        }
        found[k] = (int)n;
    }
    return found;
}

static Form *forms(PyObject *tuple)
{
    Py_ssize_t n = PyTuple_GET_SIZE(tuple);
    Form *found = PyMem_Calloc(n + 1, sizeof *found);
    if (found == NULL)
        PyErr_NoMemory();
    for (Py_ssize_t k = 0; found && k < n; k++)
        if (form_init(&found[k], PyTuple_GET_ITEM(tuple, k)) < 0) {
            for (; k >= 0; k--)
                form_clear(&found[k]);
            PyMem_Free(found);
            return NULL;
        }
    return found;
}

static int instruction_init(Instruction *i, PyObject *from, Py_ssize_t size)
{
    PyObject *function, *args, *outs, *out_forms, *dying;
    if (!PyTuple_Check(from)) {
        PyErr_SetString(PyExc_TypeError, "Routine: an instruction is a tuple");
        return -1;
    }
    if (!PyArg_ParseTuple(from, "OO!O!O!O!pipip", &function, &PyTuple_Type, &args, &PyTuple_Type, &outs, &PyTuple_Type,
                          &out_forms, &PyTuple_Type, &dying, &i->single, &i->step, &i->last, &i->spare, &i->wants_registers))
        return -1;
    i->function = Py_NewRef(function);
    if (!(i->args = numbers(args, 0, size, &i->n_args)) || !(i->outs = numbers(outs, -1, size, &i->n_outs))
        || !(i->dying = numbers(dying, 0, size, &i->n_dying)))
        return -1;
    if (i->spare < 0 || i->spare >= size || (i->single && i->n_outs != 1) || PyTuple_GET_SIZE(out_forms) != i->n_outs) {
        PyErr_SetString(PyExc_ValueError, "Routine: an instruction is not well formed");
        return -1;
    }
    return (i->forms = forms(out_forms)) ? 0 : -1;
}

static int routine_init(Routine *r, PyObject *args, PyObject *kwargs)
{
    (void)kwargs;
    PyObject *constants, *input_forms, *instructions, *outputs, *updates;
    if (!PyArg_ParseTuple(args, "O!O!O!O!O!", &PyList_Type, &constants, &PyTuple_Type, &input_forms, &PyList_Type, &instructions,
                          &PyTuple_Type, &outputs, &PyTuple_Type, &updates))
        return -1;
    if (r->constants != NULL) {
        PyErr_SetString(PyExc_ValueError, "Routine: is made only once");
        return -1;
    }
    r->vectorcall = (vectorcallfunc)routine_call;
    r->size = PyList_GET_SIZE(constants);
    r->n_inputs = PyTuple_GET_SIZE(input_forms);
    if (r->size <= r->n_inputs) {
        PyErr_SetString(PyExc_ValueError, "Routine: more inputs than registers");
        return -1;
    }
    r->constants = PyMem_Calloc(r->size, sizeof *r->constants);
    r->instructions = PyMem_Calloc(PyList_GET_SIZE(instructions) + 1, sizeof *r->instructions);
    if (r->constants == NULL || r->instructions == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t k = 0; k < r->size; k++)
        if (PyList_GET_ITEM(constants, k) != Py_None)
            r->constants[k] = Py_NewRef(PyList_GET_ITEM(constants, k));
    if (!(r->forms = forms(input_forms)) || !(r->outputs = numbers(outputs, 0, r->size, &r->n_outputs))
        || !(r->updates = numbers(updates, 0, r->size, &r->n_updates)))
        return -1;
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(instructions); k++) {
        r->n_instructions++; /* the one that fails is cleared too */
        Instruction *i = &r->instructions[k];
        if (instruction_init(i, PyList_GET_ITEM(instructions, k), r->size) < 0)
            return -1;
        r->most_args = i->n_args > r->most_args ? i->n_args : r->most_args;
    }
    return 0;
}

static int routine_traverse(Routine *r, visitproc visit, void *arg)
{
    for (Py_ssize_t k = 0; r->constants && k < r->size; k++)
        Py_VISIT(r->constants[k]);
    for (Py_ssize_t k = 0; k < r->n_instructions; k++)
        Py_VISIT(r->instructions[k].function);
    return 0;
}

static int routine_clear(Routine *r)
{
    for (Py_ssize_t k = 0; r->constants && k < r->size; k++)
        Py_CLEAR(r->constants[k]);
    for (Py_ssize_t k = 0; k < r->n_inputs && r->forms; k++)
        form_clear(&r->forms[k]);
    for (Py_ssize_t k = 0; k < r->n_instructions; k++) {
        Instruction *i = &r->instructions[k];
        Py_CLEAR(i->function);
        for (Py_ssize_t o = 0; i->forms && o < i->n_outs; o++)
            form_clear(&i->forms[o]);
        PyMem_Free(i->args);
        PyMem_Free(i->outs);
        PyMem_Free(i->dying);
        PyMem_Free(i->forms);
    }
    r->n_instructions = 0;
    return 0;
}

static void routine_dealloc(Routine *r)
{
    PyObject_GC_UnTrack(r);
    routine_clear(r);
    PyMem_Free(r->constants);
    PyMem_Free(r->forms);
    PyMem_Free(r->outputs);
    PyMem_Free(r->updates);
    PyMem_Free(r->instructions);
    Py_TYPE(r)->tp_free((PyObject *)r);
}

PyTypeObject Routine_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "paddle.core._engine.Routine",
    .tp_basicsize = sizeof(Routine),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_doc = "Routine(constants, input forms, instructions, outputs, updates): kernel calls over numbered registers.",
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)routine_init,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(Routine, vectorcall),
    .tp_dealloc = (destructor)routine_dealloc,
    .tp_traverse = (traverseproc)routine_traverse,
    .tp_clear = (inquiry)routine_clear,
};
