/* Elementwise functions of large arrays. One mechanism serves them all: a chain of steps that blocks of elements go
 * through inside the cache; a single function is a chain of one step. The steps themselves are in elementwise.inc. */
#define _GNU_SOURCE
#include "outputs.h"

#include "elementwise.h"
#include "lines_args.h"

/* The shape that all inputs are repeated to. */
typedef struct {
    int ndim;
    npy_intp dims[NPY_MAXDIMS];
} shape_t;

/* Widen `shape` so that it also covers `array`; -1 if sizes clash. */
static int shape_cover(shape_t *shape, PyArrayObject *array) {
    int extra = PyArray_NDIM(array) - shape->ndim;
    if (extra > 0) {
        memmove(shape->dims + extra, shape->dims, (size_t)shape->ndim * sizeof *shape->dims);
        for (int i = 0; i < extra; i++) shape->dims[i] = 1;
        shape->ndim += extra;
    }
    int lead = shape->ndim - PyArray_NDIM(array);
    for (int i = 0; i < PyArray_NDIM(array); i++) {
        npy_intp size = PyArray_DIM(array, i), *now = &shape->dims[lead + i];
        if (*now == size || size == 1) continue;
        if (*now != 1) return -1;
        *now = size;
    }
    return 0;
}

/* Is it one number that strides of 0 repeat? Gradients of sums and means are. */
static int is_repeated(PyArrayObject *array) {
    if (PyArray_SIZE(array) < 2) return 0;
    for (int i = 0; i < PyArray_NDIM(array); i++)
        if (PyArray_DIM(array, i) > 1 && PyArray_STRIDE(array, i)) return 0;
    return 1;
}

static chain_value_t repeated_number(PyArrayObject *array) {
    double value = PyArray_TYPE(array) == NPY_FLOAT ? *(float *)PyArray_DATA(array) : *(double *)PyArray_DATA(array);
    return (chain_value_t){.kind = REGISTER_CONSTANT, .value = value};
}

/* Describe how `array` is repeated to `shape`: 0, or -1 if that isn't one run of neighbouring axes. */
static int take_source(chain_value_t *reg, const shape_t *shape, PyArrayObject *array) {
    if (is_repeated(array)) {
        *reg = repeated_number(array);
        return 0;
    }
    return chain_source(reg, shape->ndim, shape->dims, PyArray_NDIM(array), PyArray_DIMS(array), PyArray_DATA(array),
                        PyArray_TYPE(array) != NPY_FLOAT);
}

/* Set what remains and run; `outs_apart` says that no result lies on an input. */
static int run_chain(const char *function, chain_t *chain, int type, index_t size, int outs_apart) {
    const int wide = type != NPY_FLOAT;
    int status;
    chain->size = size;
    chain->further = further_steps[wide];
    WITHOUT_GIL(status = chain_execute(chain, wide ? VERSION_OF(f64, chain_run) : VERSION_OF(f32, chain_run), wide ? 8 : 4, outs_apart));
    return check_status(function, status);
}

static int find_step(PyObject *name, const char *suffix) {
    if (!PyUnicode_Check(name)) return -1;
    const char *text = PyUnicode_AsUTF8(name);
    if (!text) {
        PyErr_Clear();
        return -1;
    }
    size_t length = strlen(text);
    for (int k = 0; k < STEP_COUNT; k++)
        if (!strncmp(chain_steps[k].name, text, length) && !strcmp(chain_steps[k].name + length, suffix)) return k;
    return -1;
}

/* One step on arrays of one shape (a NULL second: none), with a constant as the last operand if the step has room for
 * one. */
static PyObject *run_single(const char *function, int step, PyArrayObject *first, PyArrayObject *second, double alpha,
                            PyObject *out_value, const char *const names[2]) {
    PyArrayObject *out = out_like(function, out_value, first);
    if (!out) return NULL;
    if (check_overlap(function, names[0], first, out) || (second && check_overlap(function, names[1], second, out))) {
        Py_DECREF(out);
        return NULL;
    }
    chain_t chain;
    chain.sources = 0;
    chain.steps = 1;
    chain.reg[chain.sources++] = (chain_value_t){.kind = REGISTER_FULL, .data = PyArray_DATA(first), .buffer = -1};
    if (second && is_repeated(second)) chain.reg[chain.sources++] = repeated_number(second);
    else if (second)
        chain.reg[chain.sources++] = (chain_value_t){.kind = REGISTER_FULL, .data = PyArray_DATA(second), .buffer = -1};
    if (chain_steps[step].operands > chain.sources)
        chain.reg[chain.sources++] = (chain_value_t){.kind = REGISTER_CONSTANT, .value = alpha};
    chain.reg[chain.sources] = (chain_value_t){.kind = REGISTER_STEP, .out = PyArray_DATA(out), .buffer = -1};
    for (int k = 0; k < 4; k++) chain.code[0][k] = (uint8_t)(k == 0 ? step : min_of(k, chain.sources) - 1);
    int apart = PyArray_DATA(out) != PyArray_DATA(first) && (!second || PyArray_DATA(out) != PyArray_DATA(second));
    if (run_chain(function, &chain, PyArray_TYPE(out), PyArray_SIZE(out), apart)) {
        Py_DECREF(out);
        return NULL;
    }
    return (PyObject *)out;
}

/* run_single on floats of any layout: what does not lie element after element is copied, so that the bits of a result do
 * not depend on where the operands lie. */
static PyObject *run_laid_out(const char *function, int step, PyArrayObject *first, PyArrayObject *second, double alpha,
                              PyObject *out_value, const char *const names[2]) {
    PyArrayObject *given[2] = {first, second}, *copies[2] = {NULL, NULL};
    PyObject *answer = NULL;
    for (int k = 0; k < 2; k++) {
        if (!given[k] || PyArray_ISCARRAY_RO(given[k]) || (k == 1 && is_repeated(given[k]))) continue;
        given[k] = copies[k] = (PyArrayObject *)PyArray_NewCopy(given[k], NPY_CORDER);
        if (!copies[k]) goto done;
    }
    answer = run_single(function, step, given[0], given[1], alpha, out_value, names);
done:
    Py_XDECREF(copies[0]);
    Py_XDECREF(copies[1]);
    return answer;
}

BINDING(unary) {
    BIND("unary", 2, "op", "x", "alpha", "out");
    int step = find_step(values[0], "");
    if (step != STEP_pow && (step < STEP_relu || (step > STEP_erf && step < STEP_expm1) || step >= STEP_relu_grad))
        return PyErr_Format(PyExc_ValueError, "unary(): no function named %R", values[0]);
    FLOATS("unary", "x", values[1], x);
    double alpha = arg_double("unary", "alpha", values[2], 0);
    if (alpha == -1 && PyErr_Occurred()) return NULL;
    return run_laid_out("unary", step, x, NULL, alpha, values[3], (const char *const[]){"x", ""});
}

BINDING(unary_grad) {
    BIND("unary_grad", 3, "op", "saved", "g", "alpha", "out");
    int step = find_step(values[0], "_grad");
    if (step < 0) return PyErr_Format(PyExc_ValueError, "unary_grad(): no gradient of a function named %R", values[0]);
    FLOATS("unary_grad", "saved", values[1], saved);
    FLOATS("unary_grad", "g", values[2], g);
    if (PyArray_TYPE(g) != PyArray_TYPE(saved) || !PyArray_SAMESHAPE(g, saved)) Py_RETURN_NOTIMPLEMENTED;
    double alpha = arg_double("unary_grad", "alpha", values[3], 0);
    if (alpha == -1 && PyErr_Occurred()) return NULL;
    return run_laid_out("unary_grad", step, saved, g, alpha, values[4], (const char *const[]){"saved", "g"});
}

BINDING(binary) {
    BIND("binary", 3, "op", "a", "b", "out");
    int step = find_step(values[0], "");
    if (step < 0 || (step > STEP_min && (step < STEP_floordiv || step > STEP_atan2)))
        return PyErr_Format(PyExc_ValueError, "binary(): no function named %R", values[0]);
    PyArrayObject *operand[2] = {NULL, NULL};
    static const char *const names[2] = {"a", "b"};
    int first = PyArray_Check(values[1]) ? 0 : 1;
    if (PyArray_Check(values[1]) && PyArray_Check(values[2]) && !PyArray_ISFLOAT((PyArrayObject *)values[1]))
        return lines_of(values[0], values[1], values[2]); /* whole numbers, which take no other memory for their result */
    FLOATS("binary", names[first], values[1 + first], array);
    int type = PyArray_TYPE(array);
    chain_t chain;
    shape_t shape = {0};
    chain.sources = 2;
    chain.steps = 1;
    memcpy(chain.code[0], (uint8_t[4]){(uint8_t)step, 0, 1, 0}, 4);
    for (int k = 0; k < 2; k++) {
        if (!PyArray_Check(values[1 + k])) {
            double number = arg_double("binary", names[k], values[1 + k], 0);
            if (number == -1 && PyErr_Occurred()) return NULL;
            chain.reg[k] = (chain_value_t){.kind = REGISTER_CONSTANT, .value = number};
            continue;
        }
        operand[k] = (PyArrayObject *)values[1 + k];
        if (PyArray_TYPE(operand[k]) != type || !(is_dense_floats(operand[k]) || is_repeated(operand[k])) ||
            shape_cover(&shape, operand[k]))
            Py_RETURN_NOTIMPLEMENTED;
    }
    for (int k = 0; k < 2; k++)
        if (operand[k] && take_source(&chain.reg[k], &shape, operand[k])) Py_RETURN_NOTIMPLEMENTED;
    PyArrayObject *out = out_array("binary", values[3], type, shape.ndim, shape.dims);
    if (!out) return NULL;
    int apart = 1;
    for (int k = 0; k < 2; k++) {
        if (!operand[k]) continue;
        if (check_overlap("binary", names[k], operand[k], out)) goto failed;
        apart &= PyArray_DATA(operand[k]) != PyArray_DATA(out);
    }
    chain.reg[2] = (chain_value_t){.kind = REGISTER_STEP, .out = PyArray_DATA(out), .buffer = -1};
    if (run_chain("binary", &chain, type, PyArray_SIZE(out), apart)) goto failed;
    return (PyObject *)out;
failed:
    Py_DECREF(out);
    return NULL;
}

/* Read and check `program`: 0, or -1 with ValueError. Sources are set. */
static int take_program(const char *function, chain_t *chain, PyObject *value) {
    char *code;
    Py_ssize_t length;
    if (!PyBytes_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s(): argument 'program' must be bytes, got %s", function,
                     Py_TYPE(value)->tp_name);
        return -1;
    }
    if (PyBytes_AsStringAndSize(value, &code, &length)) return -1;
    chain->steps = (int)(length / 4);
    if (length % 4 || length == 0 || chain->steps > CHAIN_MAX_STEPS ||
        chain->sources + chain->steps > CHAIN_MAX_REGISTERS) {
        PyErr_Format(PyExc_ValueError,
                     "%s(): argument 'program' must have 1 to %d steps of 4 bytes and use at most %d registers, "
                     "got %zd bytes and %d inputs and constants",
                     function, CHAIN_MAX_STEPS, CHAIN_MAX_REGISTERS, length, chain->sources);
        return -1;
    }
    memcpy(chain->code, code, (size_t)length);
    for (int s = 0; s < chain->steps; s++) {
        const uint8_t *step = chain->code[s];
        int bad = step[0] >= STEP_COUNT;
        for (int k = 0; !bad && k < 3; k++)
            if (k < chain_steps[step[0]].operands) bad = step[1 + k] >= chain->sources + s;
            else chain->code[s][1 + k] = 0;
        if (bad) {
            PyErr_Format(PyExc_ValueError,
                         "%s(): argument 'program': step %d (%d, %d, %d, %d) has no such opcode, or an operand that "
                         "is not known yet",
                         function, s, step[0], step[1], step[2], step[3]);
            return -1;
        }
        chain->reg[chain->sources + s] = (chain_value_t){.kind = REGISTER_STEP, .buffer = -1};
    }
    return 0;
}

BINDING(eltwise) {
    BIND("eltwise", 3, "program", "constants", "a", "b", "c", "d");
    enum { MOST = 4 };
    const char *function = "eltwise";
    PyArrayObject *arrays[MOST], *copies[MOST] = {0}, *out = NULL;
    PyObject *answer = NULL;
    int count = 0;
    for (; count < MOST && !is_none(values[2 + count]); count++) {
        FLOATS(function, "a", values[2 + count], array);
        arrays[count] = array;
        if (PyArray_TYPE(array) != PyArray_TYPE(arrays[0])) Py_RETURN_NOTIMPLEMENTED;
    }
    if (!count || !PyTuple_Check(values[1]) || PyTuple_GET_SIZE(values[1]) >= CHAIN_MAX_STEPS)
        return PyErr_Format(PyExc_TypeError, "%s(): takes arrays, and constants as a short tuple", function);
    chain_t chain;
    shape_t shape = {0};
    int type = PyArray_TYPE(arrays[0]);
    for (int k = 0; k < count; k++)
        if (shape_cover(&shape, arrays[k])) Py_RETURN_NOTIMPLEMENTED;
    for (int k = 0; k < count; k++) {
        if (!PyArray_ISCARRAY_RO(arrays[k]) && !is_repeated(arrays[k])) {
            arrays[k] = copies[k] = (PyArrayObject *)PyArray_NewCopy(arrays[k], NPY_CORDER);
            if (!copies[k]) goto done;
        }
        if (take_source(&chain.reg[k], &shape, arrays[k])) {
            answer = Py_NewRef(Py_NotImplemented);
            goto done;
        }
    }
    chain.sources = count;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(values[1]); k++) {
        double number = arg_double(function, "constants", PyTuple_GET_ITEM(values[1], k), 0);
        if (number == -1 && PyErr_Occurred()) goto done;
        chain.reg[chain.sources++] = (chain_value_t){.kind = REGISTER_CONSTANT, .value = number};
    }
    if (take_program(function, &chain, values[0])) goto done;
    out = new_array(type, shape.ndim, shape.dims);
    if (!out) goto done;
    chain.reg[chain.sources + chain.steps - 1].out = PyArray_DATA(out);
    if (run_chain(function, &chain, type, PyArray_SIZE(out), 1) == 0) answer = Py_NewRef((PyObject *)out);
done:
    Py_XDECREF(out);
    for (int k = 0; k < MOST; k++) Py_XDECREF(copies[k]);
    return answer;
}

BINDING(eltwise_chain) {
    BIND("eltwise_chain", 2, "program", "inputs", "constants", "results", "outs");
    const char *function = "eltwise_chain";
    PyObject *inputs = PySequence_Tuple(values[1]), *constants = NULL, *results = NULL, *answer = NULL;
    if (!inputs) return NULL;
    constants = is_none(values[2]) ? PyTuple_New(0) : PySequence_Tuple(values[2]);
    if (!constants) goto done;
    Py_ssize_t input_count = PyTuple_GET_SIZE(inputs), constant_count = PyTuple_GET_SIZE(constants);
    if (input_count < 1 || input_count + constant_count >= CHAIN_MAX_REGISTERS) {
        PyErr_Format(PyExc_ValueError, "%s(): needs 1 to %d inputs and constants, got %zd and %zd", function,
                     CHAIN_MAX_REGISTERS - 1, input_count, constant_count);
        goto done;
    }
    int type = 0;
    chain_t chain;
    shape_t shape = {0};
    chain.sources = (int)(input_count + constant_count);
    for (Py_ssize_t i = 0; i < input_count; i++) {
        PyArrayObject *input = (PyArrayObject *)PyTuple_GET_ITEM(inputs, i);
        if (!PyArray_Check(input)) {
            PyErr_Format(PyExc_TypeError, "%s(): argument 'inputs' must hold arrays, got %s", function,
                         Py_TYPE(input)->tp_name);
            goto done;
        }
        type = i ? type : PyArray_TYPE(input);
        if (!is_dense_floats(input) || PyArray_TYPE(input) != type || shape_cover(&shape, input)) goto declined;
    }
    for (Py_ssize_t i = 0; i < input_count; i++)
        if (take_source(&chain.reg[i], &shape, (PyArrayObject *)PyTuple_GET_ITEM(inputs, i))) goto declined;
    for (Py_ssize_t i = 0; i < constant_count; i++) {
        double number = arg_double(function, "constants", PyTuple_GET_ITEM(constants, i), 0);
        if (number == -1 && PyErr_Occurred()) goto done;
        chain.reg[input_count + i] = (chain_value_t){.kind = REGISTER_CONSTANT, .value = number};
    }
    if (take_program(function, &chain, values[0])) goto done;
    int last = chain.sources + chain.steps - 1;
    results = is_none(values[3]) ? Py_BuildValue("(i)", last) : PySequence_Tuple(values[3]);
    if (!results) goto done;
    Py_ssize_t result_count = PyTuple_GET_SIZE(results);
    int given = !is_none(values[4]);
    if (given && (!(PyList_Check(values[4]) || PyTuple_Check(values[4])) ||
                  PySequence_Fast_GET_SIZE(values[4]) != result_count)) {
        PyErr_Format(PyExc_ValueError, "%s(): argument 'outs' must be a list of %zd arrays", function, result_count);
        goto done;
    }
    answer = PyTuple_New(result_count);
    if (!answer) goto done;
    int apart = 1;
    for (Py_ssize_t k = 0; k < result_count; k++) {
        index_t r = arg_index(function, "results", PyTuple_GET_ITEM(results, k), -1);
        if (PyErr_Occurred()) goto failed;
        if (r < chain.sources || r > last || chain.reg[r].out) {
            PyErr_Format(PyExc_ValueError,
                         "%s(): argument 'results' must have different registers from %d to %d, got %zd", function,
                         chain.sources, last, (Py_ssize_t)r);
            goto failed;
        }
        PyArrayObject *out =
            out_array(function, given ? PySequence_Fast_GET_ITEM(values[4], k) : NULL, type, shape.ndim, shape.dims);
        if (!out) goto failed;
        PyTuple_SET_ITEM(answer, k, (PyObject *)out);
        for (Py_ssize_t i = 0; given && i < input_count; i++) {
            PyArrayObject *input = (PyArrayObject *)PyTuple_GET_ITEM(inputs, i);
            if (check_overlap(function, "inputs", input, out)) goto failed;
            apart &= PyArray_DATA(input) != PyArray_DATA(out);
        }
        for (Py_ssize_t j = 0; given && j < k; j++)
            if (arrays_overlap((PyArrayObject *)PyTuple_GET_ITEM(answer, j), out)) {
                PyErr_Format(PyExc_ValueError, "%s(): argument 'outs' must have arrays that do not overlap", function);
                goto failed;
            }
        chain.reg[r].out = PyArray_DATA(out);
    }
    index_t size = 1;
    for (int i = 0; i < shape.ndim; i++) size *= shape.dims[i];
    if (run_chain(function, &chain, type, size, apart)) goto failed;
    goto done;
declined:
    answer = Py_NewRef(Py_NotImplemented);
    goto done;
failed:
    Py_CLEAR(answer);
done:
    Py_DECREF(inputs);
    Py_XDECREF(constants);
    Py_XDECREF(results);
    return answer;
}

BINDING(chain_ops) {
    (void)module, (void)args, (void)nargs, (void)kwnames;
    PyObject *table = PyDict_New();
    for (int k = 0; table && k < STEP_COUNT; k++) {
        PyObject *entry = Py_BuildValue("(ii)", k, chain_steps[k].operands);
        if (!entry || PyDict_SetItemString(table, chain_steps[k].name, entry)) Py_CLEAR(table);
        Py_XDECREF(entry);
    }
    return table;
}

PyMethodDef elementwise_methods[] = {
    METHOD(unary, "unary(op, x, alpha=0.0, out=None) -> out, or NotImplemented: a named function of every element."),
    METHOD(unary_grad, "unary_grad(op, saved, g, alpha=0.0, out=None) -> g times the derivative, or NotImplemented."),
    METHOD(binary,
           "binary(op, a, b, out=None) -> out, or NotImplemented: a named function of two, with broadcasting; of whole numbers a new array."),
    METHOD(eltwise, "eltwise(program, constants, a, b=None, c=None, d=None) -> the last step's result, or NotImplemented."),
    METHOD(eltwise_chain, "eltwise_chain(program, inputs, constants=(), results=None, outs=None) -> tuple of arrays"),
    METHOD(chain_ops, "chain_ops() -> {name: (opcode, operands)} of eltwise_chain's steps."),
    {0}};
