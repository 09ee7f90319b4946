/* Connectionist temporal classification: the loss of every sequence of a batch, and its gradient. */
#define _GNU_SOURCE
#include <math.h>

#include "outputs.h"
#if NATIVE_X86
#include <immintrin.h>
#endif

#include "ctc.h"
#define BODY "ctc.inc"
#define BODY_TYPES 2
#include "multiversion.h"

typedef struct {
    int wide; /* logits are double */
    index_t steps, count, classes, longest, blank;
    const char *x;
    const int64_t *labels, *times, *sizes;
    double *loss;        /* [count] */
    const double *scale; /* [count], or NULL: the loss alone */
    char *grad;
} batch_t;

static double number_at(const batch_t *b, const char *row, index_t k) {
    return b->wide ? ((const double *)row)[k] : ((const float *)row)[k];
}

/* grad[k] = (softmax[k] - what paths spend on class k) * scale */
static void subtract_shares(const batch_t *b, char *row, const double *share, const int64_t *spelled, index_t states, double scale) {
    if (b->wide) {
        for (index_t s = 0; s < states; s++) ((double *)row)[spelled[s]] -= share[s];
        for (index_t k = 0; k < b->classes; k++) ((double *)row)[k] *= scale;
    } else {
        for (index_t s = 0; s < states; s++) ((float *)row)[spelled[s]] -= (float)share[s];
        for (index_t k = 0; k < b->classes; k++) ((float *)row)[k] *= (float)scale;
    }
}

static int one_sequence(void *context, index_t i) {
    const batch_t *b = context;
    const index_t steps = max_of(1, b->times[i]), states = 2 * b->sizes[i] + 1, width = states + 2 * CTC_PAD;
    const size_t item = b->wide ? 8 : 4, row = (size_t)b->classes * item, line = (size_t)b->count * row;
    size_t mark = scratch_mark();
    double *room = scratch(sizeof(double) * (size_t)((2 * steps + 3) * width));
    int64_t *spelled = scratch(sizeof(int64_t) * (size_t)states);
    if (!room || !spelled) {
        scratch_release(mark);
        return NATIVE_NO_MEMORY;
    }
    for (index_t k = 0; k < (2 * steps + 3) * width; k++) room[k] = CTC_NEVER; /* beside the states it stays so */
    ctc_t c = {.steps = steps, .states = states, .width = width, .emitted = room, .alpha = room + steps * width,
               .jump = room + 2 * steps * width, .beta = room + (2 * steps + 1) * width, .wants_shares = b->scale != NULL};
    double *jump = room + 2 * steps * width + CTC_PAD;
    const int64_t *label = b->labels + i * b->longest;
    for (index_t s = 0; s < states; s++) {
        spelled[s] = s % 2 ? label[s / 2] : b->blank;
        jump[s] = s % 2 && (s == 1 || label[s / 2] != label[s / 2 - 1]) ? 0 : CTC_NEVER;
    }
    for (index_t t = 0; t < steps; t++) {
        const char *x = b->x + (size_t)t * line + (size_t)i * row;
        char *y = b->scale ? b->grad + (size_t)t * line + (size_t)i * row : NULL;
        double norm = b->wide ? DISPATCH(f64, ctc_row, x, y, b->classes) : DISPATCH(f32, ctc_row, x, y, b->classes);
        double *e = c.emitted + t * width + CTC_PAD;
        for (index_t s = 0; s < states; s++) e[s] = number_at(b, x, spelled[s]) - norm;
    }
    DISPATCH(f64, ctc_paths, &c);
    b->loss[i] = -c.total;
    if (b->scale) {
        for (index_t t = 0; t < steps; t++)
            subtract_shares(b, b->grad + (size_t)t * line + (size_t)i * row, c.alpha + t * width + CTC_PAD, spelled, states,
                            b->scale[i]);
        for (index_t t = steps; t < b->steps; t++) memset(b->grad + (size_t)t * line + (size_t)i * row, 0, row);
    }
    scratch_release(mark);
    return NATIVE_OK;
}

static PyArrayObject *take_counts(const char *function, const char *name, PyObject *value, index_t count, index_t most) {
    PyArrayObject *array = arg_array(function, name, value, NPY_INT64, 1);
    if (!array || CHECK_SHAPE(function, name, array, count)) return NULL;
    for (index_t i = 0; i < count; i++) {
        int64_t n = ((const int64_t *)PyArray_DATA(array))[i];
        if (n < 0 || n > most) {
            PyErr_Format(PyExc_ValueError, "%s(): argument '%s' must lie in [0, %zd], got %lld", function, name, (Py_ssize_t)most,
                         (long long)n);
            return NULL;
        }
    }
    return array;
}

/* Numbers that another thread might change while the kernel reads them are copied: it uses them as places. */
BINDING(ctc) {
    BIND("ctc", 5, "logits", "labels", "times", "sizes", "blank", "scale");
    const char *function = "ctc";
    int type = arg_float_type(function, "logits", values[0]);
    PyArrayObject *x = type < 0 ? NULL : arg_array(function, "logits", values[0], type, 3);
    PyArrayObject *labels = x ? arg_array(function, "labels", values[1], NPY_INT64, 2) : NULL, *scale = NULL, *grad = NULL;
    if (!labels) return NULL;
    batch_t b = {.wide = type == NPY_DOUBLE, .steps = PyArray_DIM(x, 0), .count = PyArray_DIM(x, 1), .classes = PyArray_DIM(x, 2),
                 .longest = PyArray_DIM(labels, 1), .x = PyArray_DATA(x)};
    if (CHECK_SHAPE(function, "labels", labels, b.count, b.longest)) return NULL;
    PyArrayObject *times = take_counts(function, "times", values[2], b.count, b.steps);
    PyArrayObject *sizes = times ? take_counts(function, "sizes", values[3], b.count, b.longest) : NULL;
    if (!sizes) return NULL;
    b.blank = arg_index(function, "blank", values[4], 0);
    if (PyErr_Occurred()) return NULL;
    if (b.steps < 1 || b.blank < 0 || b.blank >= b.classes)
        return PyErr_Format(PyExc_ValueError, "%s(): argument 'blank' must be a class of logits with at least one step, got %zd",
                            function, (Py_ssize_t)b.blank);
    if (!is_none(values[5])) {
        scale = arg_array(function, "scale", values[5], NPY_DOUBLE, 1);
        if (!scale || CHECK_SHAPE(function, "scale", scale, b.count)) return NULL;
        b.scale = PyArray_DATA(scale);
    }
    PyObject *own[3] = {PyArray_NewCopy(labels, NPY_CORDER), PyArray_NewCopy(times, NPY_CORDER), PyArray_NewCopy(sizes, NPY_CORDER)};
    PyArrayObject *loss = NEW_ARRAY(NPY_DOUBLE, b.count);
    grad = scale ? new_array(type, 3, PyArray_DIMS(x)) : NULL;
    PyObject *answer = NULL;
    if (!own[0] || !own[1] || !own[2] || !loss || (scale && !grad)) goto done;
    b.labels = PyArray_DATA((PyArrayObject *)own[0]);
    b.times = PyArray_DATA((PyArrayObject *)own[1]);
    b.sizes = PyArray_DATA((PyArrayObject *)own[2]);
    for (index_t i = 0; i < b.count; i++)
        for (index_t k = 0; k < b.sizes[i]; k++)
            if (b.labels[i * b.longest + k] < 0 || b.labels[i * b.longest + k] >= b.classes) {
                PyErr_Format(PyExc_ValueError, "%s(): argument 'labels' must lie in [0, %zd)", function, (Py_ssize_t)b.classes);
                goto done;
            }
    b.loss = PyArray_DATA(loss);
    b.grad = grad ? PyArray_DATA(grad) : NULL;
    int status;
    WITHOUT_GIL(status = parallel_for(b.count, one_sequence, &b));
    if (check_status(function, status)) goto done;
    answer = grad ? Py_BuildValue("OO", loss, grad) : Py_NewRef((PyObject *)loss);
done:
    for (int k = 0; k < 3; k++) Py_XDECREF(own[k]);
    Py_XDECREF(loss);
    Py_XDECREF(grad);
    return answer;
}

PyMethodDef ctc_methods[] = {
    METHOD(ctc, "ctc(logits, labels, times, sizes, blank, scale=None) -> loss, or (loss, gradient of the logits times scale)."),
    {0}};
