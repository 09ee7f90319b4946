/* Pooling. */
#include "blocked.h"

#include "args.h"

#define LARGEST 0x3fffffff /* of a kernel, stride or padding */

/* A pooling with the memory of its windows. */
typedef struct {
    pool_t pool;
    int spatial;      /* dimensions after batch and channel, 1 to 3 */
    npy_intp shape[5];  /* of the result */
    index_t *memory;
} plan_t;

static void drop_plan(plan_t *plan) { PyMem_Free(plan->memory); }

/* Start a plan for an array of 3 to 5 dimensions: planes, and the input sizes. */
static int start_plan(const char *function, const char *name, PyArrayObject *array, plan_t *plan) {
    *plan = (plan_t){.spatial = PyArray_NDIM(array) - 2};
    if (plan->spatial < 1 || plan->spatial > 3) {
        PyErr_Format(PyExc_ValueError, "%s(): argument '%s' must have 3 to 5 dimensions, got %d", function, name,
                     PyArray_NDIM(array));
        return -1;
    }
    plan->shape[0] = PyArray_DIM(array, 0);
    plan->shape[1] = PyArray_DIM(array, 1);
    plan->pool.planes = plan->shape[0] * plan->shape[1];
    for (int i = 0; i < 3; i++) plan->pool.d[i].in = plan->pool.d[i].out = 1;
    return 0;
}

/* Make room for the windows once all sizes are known, and check that indices fit into 32 bits. */
static int allocate_windows(const char *function, plan_t *plan) {
    index_t total = 0;
    double cells = 1;
    for (int i = 0; i < 3; i++) {
        total += 3 * plan->pool.d[i].out;
        cells *= (double)plan->pool.d[i].in;
    }
    if (cells > 2147483647.0) {
        PyErr_Format(PyExc_ValueError, "%s(): more than 2^31 - 1 cells in one plane", function);
        return -1;
    }
    plan->memory = PyMem_Calloc((size_t)max_of(total, 1), sizeof(index_t));
    if (!plan->memory) {
        PyErr_NoMemory();
        return -1;
    }
    lay_windows(plan->pool.d, plan->memory);
    for (int i = 0; i < plan->spatial; i++) plan->shape[2 + i] = plan->pool.d[3 - plan->spatial + i].out;
    return 0;
}

/* Windows of a kernel, moved by stride over the padded image. out_size may be None. */
static int plan_windows(const char *function, plan_t *plan, PyObject *kernel_value, PyObject *stride_value,
                        PyObject *padding_value, PyObject *out_value, int inclusive) {
    int n = plan->spatial;
    index_t kernel[3], stride[3], padding[6] = {0}, out[3];
    if (arg_indices(function, "kernel", kernel_value, n, 1, LARGEST, kernel) ||
        arg_indices(function, "stride", stride_value, n, 1, LARGEST, stride) ||
        (!is_none(padding_value) && arg_indices(function, "padding", padding_value, 2 * n, 0, LARGEST, padding)) ||
        (!is_none(out_value) && arg_indices(function, "out_size", out_value, n, 0, LARGEST, out)))
        return -1;
    for (int i = 0; i < n; i++) {
        windows_t *w = &plan->pool.d[3 - n + i];
        index_t room = w->in + padding[2 * i] + padding[2 * i + 1] - kernel[i];
        if (is_none(out_value) && room < 0) {
            PyErr_Format(PyExc_ValueError, "%s(): argument 'kernel' (%zd) is larger than the padded image (%zd)", function,
                         (Py_ssize_t)kernel[i], (Py_ssize_t)(room + kernel[i]));
            return -1;
        }
        w->out = is_none(out_value) ? room / stride[i] + 1 : out[i];
    }
    if (allocate_windows(function, plan)) return -1;
    for (int i = 0; i < n; i++) {
        windows_t *w = &plan->pool.d[3 - n + i];
        for (index_t o = 0; o < w->out; o++)
            set_window(w, o, o * stride[i] - padding[2 * i], kernel[i], padding[2 * i + 1], inclusive);
    }
    return 0;
}

/* Windows that divide the image into out_size nearly equal, touching or overlapping parts. */
static int plan_adaptive(const char *function, plan_t *plan) {
    if (allocate_windows(function, plan)) return -1;
    for (int i = 3 - plan->spatial; i < 3; i++) {
        windows_t *w = &plan->pool.d[i];
        for (index_t o = 0; o < w->out; o++) {
            index_t begin = o * w->in / w->out;
            set_window(w, o, begin, ceil_div((o + 1) * w->in, w->out) - begin, 0, 0);
        }
    }
    return 0;
}

static void input_sizes(plan_t *plan, PyArrayObject *x) {
    for (int i = 0; i < plan->spatial; i++) plan->pool.d[3 - plan->spatial + i].in = PyArray_DIM(x, 2 + i);
}

/* ---- maximum ---- */

/* Run a planned max pooling; takes the plan over. */
static PyObject *finish_max(const char *function, plan_t *plan, PyArrayObject *x, int type) {
    PyArrayObject *y = new_array(type, 2 + plan->spatial, plan->shape);
    PyArrayObject *index = new_array(NPY_INT32, 2 + plan->spatial, plan->shape);
    int status = NATIVE_OK;
    if (y && index && PyArray_SIZE(y)) {
        const void *in = PyArray_DATA(x);
        void *out = PyArray_DATA(y), *where = PyArray_DATA(index);
        WITHOUT_GIL(status = type == NPY_FLOAT ? DISPATCH(f32, max_pool, &plan->pool, in, out, where)
                                               : DISPATCH(f64, max_pool, &plan->pool, in, out, where))
    }
    drop_plan(plan);
    if (!y || !index || check_status(function, status)) {
        Py_XDECREF(y);
        Py_XDECREF(index);
        return NULL;
    }
    return Py_BuildValue("NN", y, index);
}

BINDING(max_pool) {
    BIND("max_pool", 3, "x", "kernel", "stride", "padding", "out_size");
    int type = arg_float_type("max_pool", "x", values[0]);
    PyArrayObject *x = type < 0 ? NULL : arg_array("max_pool", "x", values[0], type, -1);
    plan_t plan;
    if (!x || start_plan("max_pool", "x", x, &plan)) return NULL;
    input_sizes(&plan, x);
    if (plan_windows("max_pool", &plan, values[1], values[2], values[3], values[4], 0)) return NULL;
    return finish_max("max_pool", &plan, x, type);
}

BINDING(adaptive_max_pool) {
    const char *name = "adaptive_max_pool";
    BIND("adaptive_max_pool", 2, "x", "out_size");
    int type = arg_float_type(name, "x", values[0]);
    PyArrayObject *x = type < 0 ? NULL : arg_array(name, "x", values[0], type, -1);
    plan_t plan;
    index_t out[3];
    if (!x || start_plan(name, "x", x, &plan) ||
        arg_indices(name, "out_size", values[1], plan.spatial, 1, LARGEST, out))
        return NULL;
    input_sizes(&plan, x);
    for (int i = 0; i < plan.spatial; i++) plan.pool.d[3 - plan.spatial + i].out = out[i];
    if (plan_adaptive(name, &plan)) return NULL;
    return finish_max(name, &plan, x, type);
}

BINDING(max_pool_backward) {
    const char *name = "max_pool_backward";
    BIND("max_pool_backward", 3, "dy", "index", "size");
    int type = arg_float_type(name, "dy", values[0]);
    PyArrayObject *dy = type < 0 ? NULL : arg_array(name, "dy", values[0], type, -1);
    plan_t plan;
    index_t size[3], in = 1, out = 1;
    if (!dy || start_plan(name, "dy", dy, &plan) ||
        arg_indices(name, "size", values[2], plan.spatial, 0, LARGEST, size))
        return NULL;
    PyArrayObject *index = arg_array(name, "index", values[1], NPY_INT32, PyArray_NDIM(dy));
    if (!index || check_shape(name, "index", index, PyArray_NDIM(dy), PyArray_DIMS(dy))) return NULL;
    for (int i = 0; i < plan.spatial; i++) {
        plan.shape[2 + i] = size[i];
        in *= size[i];
        out *= PyArray_DIM(dy, 2 + i);
    }
    const int32_t *where = PyArray_DATA(index);
    npy_intp total = PyArray_SIZE(index);
    int wrong = 0;
    for (npy_intp i = 0; i < total; i++) wrong |= where[i] < -1 || where[i] >= in;
    if (wrong)
        return PyErr_Format(PyExc_ValueError, "%s(): argument 'index' must be between -1 and %zd", name, (Py_ssize_t)(in - 1));
    PyArrayObject *dx = new_array(type, 2 + plan.spatial, plan.shape);
    if (!dx || PyArray_SIZE(dx) == 0) return (PyObject *)dx;
    const void *grad = PyArray_DATA(dy);
    void *result = PyArray_DATA(dx);
    int status;
    WITHOUT_GIL(status = type == NPY_FLOAT ? DISPATCH(f32, max_unpool, plan.pool.planes, in, out, grad, where, result)
                                           : DISPATCH(f64, max_unpool, plan.pool.planes, in, out, grad, where, result))
    if (check_status(name, status)) Py_CLEAR(dx);
    return (PyObject *)dx;
}

/* ---- average ---- */

/* Run a planned average pooling, forward or (dx's shape in `shape`) backward; takes the plan over. */
static PyObject *finish_average(const char *function, plan_t *plan, PyArrayObject *from, int type, int backward) {
    PyArrayObject *result = new_array(type, 2 + plan->spatial, plan->shape);
    int status = NATIVE_OK;
    if (result && PyArray_SIZE(result)) {
        const void *in = PyArray_DATA(from);
        void *out = PyArray_DATA(result);
        const pool_t *p = &plan->pool;
        if (backward)
            WITHOUT_GIL(status = type == NPY_FLOAT ? DISPATCH(f32, avg_unpool, p, in, out)
                                                   : DISPATCH(f64, avg_unpool, p, in, out))
        else
            WITHOUT_GIL(status = type == NPY_FLOAT ? DISPATCH(f32, avg_pool, p, in, out) : DISPATCH(f64, avg_pool, p, in, out))
    }
    drop_plan(plan);
    if (result && check_status(function, status)) Py_CLEAR(result);
    return (PyObject *)result;
}

/* The divisor, 0 if it is the cells of each window, and whether padding is among those; -1 on failure. */
static int read_divisor(const char *function, PyObject *exclusive_value, PyObject *divisor_value, pool_t *pool) {
    int exclusive = arg_bool(function, "exclusive", exclusive_value, 1);
    index_t divisor = arg_index(function, "divisor", divisor_value, 0);
    if (PyErr_Occurred()) return -1;
    if (divisor < 0) {
        PyErr_Format(PyExc_ValueError, "%s(): argument 'divisor' must not be negative, got %zd", function, (Py_ssize_t)divisor);
        return -1;
    }
    pool->divisor = (double)divisor;
    return !exclusive;
}

BINDING(avg_pool) {
    BIND("avg_pool", 3, "x", "kernel", "stride", "padding", "out_size", "exclusive", "divisor");
    int type = arg_float_type("avg_pool", "x", values[0]);
    PyArrayObject *x = type < 0 ? NULL : arg_array("avg_pool", "x", values[0], type, -1);
    plan_t plan;
    if (!x || start_plan("avg_pool", "x", x, &plan)) return NULL;
    input_sizes(&plan, x);
    int inclusive = read_divisor("avg_pool", values[5], values[6], &plan.pool);
    if (inclusive < 0 || plan_windows("avg_pool", &plan, values[1], values[2], values[3], values[4], inclusive)) return NULL;
    return finish_average("avg_pool", &plan, x, type, 0);
}

BINDING(blocked_pool) {
    const char *name = "blocked_pool";
    BIND("blocked_pool", 6, "x", "kernel", "stride", "padding", "out_size", "average", "exclusive");
    PyArrayObject *x = arg_array(name, "x", values[0], NPY_FLOAT, 5);
    plan_t plan;
    if (!x || start_plan(name, "x", x, &plan) || CHECK_SHAPE(name, "x", x, PyArray_DIM(x, 0), PyArray_DIM(x, 1), PyArray_DIM(x, 2), PyArray_DIM(x, 3), BLOCK))
        return NULL;
    plan.spatial = 2; /* the last axis holds channels */
    plan.shape[4] = BLOCK;
    input_sizes(&plan, x);
    const int average = arg_bool(name, "average", values[5], 0), inclusive = read_divisor(name, values[6], NULL, &plan.pool);
    if (average < 0 || inclusive < 0 || plan_windows(name, &plan, values[1], values[2], values[3], values[4], average && inclusive)) return NULL;
    PyArrayObject *y = new_lines(NPY_FLOAT, 5, plan.shape);
    int status = NATIVE_OK;
    if (y && PyArray_SIZE(y)) {
        const void *in = PyArray_DATA(x);
        void *out = PyArray_DATA(y);
        WITHOUT_GIL(status = DISPATCH(f32, blocked_pool, &plan.pool, average, in, out))
    }
    drop_plan(&plan);
    if (y && check_status(name, status)) Py_CLEAR(y);
    return (PyObject *)y;
}

/* Prepare a backward pass: dy gives the output sizes, `size` the input sizes. */
static int start_backward(const char *function, PyArrayObject *dy, PyObject *size_value, plan_t *plan, PyObject **out_size) {
    index_t size[3];
    if (start_plan(function, "dy", dy, plan) ||
        arg_indices(function, "size", size_value, plan->spatial, 0, LARGEST, size))
        return -1;
    *out_size = PyTuple_New(plan->spatial);
    for (int i = 0; *out_size && i < plan->spatial; i++) {
        plan->pool.d[3 - plan->spatial + i].in = size[i];
        plan->pool.d[3 - plan->spatial + i].out = PyArray_DIM(dy, 2 + i);
        PyObject *number = PyLong_FromSsize_t(PyArray_DIM(dy, 2 + i));
        if (!number) Py_CLEAR(*out_size);
        else PyTuple_SET_ITEM(*out_size, i, number);
    }
    return *out_size ? 0 : -1;
}

BINDING(avg_pool_backward) {
    const char *name = "avg_pool_backward";
    BIND("avg_pool_backward", 4, "dy", "size", "kernel", "stride", "padding", "exclusive", "divisor");
    int type = arg_float_type(name, "dy", values[0]);
    PyArrayObject *dy = type < 0 ? NULL : arg_array(name, "dy", values[0], type, -1);
    plan_t plan;
    PyObject *out_size;
    if (!dy || start_backward(name, dy, values[1], &plan, &out_size)) return NULL;
    int inclusive = read_divisor(name, values[5], values[6], &plan.pool);
    int failed = inclusive < 0 || plan_windows(name, &plan, values[2], values[3], values[4], out_size, inclusive);
    Py_DECREF(out_size);
    if (failed) return NULL;
    for (int i = 0; i < plan.spatial; i++) plan.shape[2 + i] = plan.pool.d[3 - plan.spatial + i].in;
    return finish_average(name, &plan, dy, type, 1);
}

BINDING(adaptive_avg_pool) {
    const char *name = "adaptive_avg_pool";
    BIND("adaptive_avg_pool", 2, "x", "out_size");
    int type = arg_float_type(name, "x", values[0]);
    PyArrayObject *x = type < 0 ? NULL : arg_array(name, "x", values[0], type, -1);
    plan_t plan;
    index_t out[3];
    if (!x || start_plan(name, "x", x, &plan) ||
        arg_indices(name, "out_size", values[1], plan.spatial, 1, LARGEST, out))
        return NULL;
    input_sizes(&plan, x);
    for (int i = 0; i < plan.spatial; i++) plan.pool.d[3 - plan.spatial + i].out = out[i];
    if (plan_adaptive(name, &plan)) return NULL;
    return finish_average(name, &plan, x, type, 0);
}

BINDING(adaptive_avg_pool_backward) {
    const char *name = "adaptive_avg_pool_backward";
    BIND("adaptive_avg_pool_backward", 2, "dy", "size");
    int type = arg_float_type(name, "dy", values[0]);
    PyArrayObject *dy = type < 0 ? NULL : arg_array(name, "dy", values[0], type, -1);
    plan_t plan;
    PyObject *out_size;
    if (!dy || start_backward(name, dy, values[1], &plan, &out_size)) return NULL;
    Py_DECREF(out_size);
    if (plan_adaptive(name, &plan)) return NULL;
    for (int i = 0; i < plan.spatial; i++) plan.shape[2 + i] = plan.pool.d[3 - plan.spatial + i].in;
    return finish_average(name, &plan, dy, type, 1);
}

/* ---- 2x2 ---- */

BINDING(max_pool2x2) {
    BIND("max_pool2x2", 1, "x");
    int type = arg_float_type("max_pool2x2", "x", values[0]);
    PyArrayObject *x = type < 0 ? NULL : arg_array("max_pool2x2", "x", values[0], type, 4);
    if (!x) return NULL;
    npy_intp n = PyArray_DIM(x, 0), c = PyArray_DIM(x, 1), h = PyArray_DIM(x, 2), w = PyArray_DIM(x, 3);
    PyArrayObject *y = NEW_ARRAY(type, n, c, h / 2, w / 2), *index = NEW_ARRAY(NPY_UINT8, n, c, h / 2, w / 2);
    if (!y || !index) {
        Py_XDECREF(y);
        Py_XDECREF(index);
        return NULL;
    }
    const void *in = PyArray_DATA(x);
    void *out = PyArray_DATA(y), *where = PyArray_DATA(index);
    if (PyArray_SIZE(y)) {
        if (type == NPY_FLOAT) WITHOUT_GIL(DISPATCH(f32, pool_2x2, n * c, h, w, in, out, where))
        else WITHOUT_GIL(DISPATCH(f64, pool_2x2, n * c, h, w, in, out, where))
    }
    return Py_BuildValue("NN", y, index);
}

BINDING(max_pool2x2_backward) {
    const char *name = "max_pool2x2_backward";
    BIND("max_pool2x2_backward", 3, "dy", "index", "size");
    int type = arg_float_type(name, "dy", values[0]);
    PyArrayObject *dy = type < 0 ? NULL : arg_array(name, "dy", values[0], type, 4);
    index_t size[2];
    if (!dy || arg_indices(name, "size", values[2], 2, 0, LARGEST, size)) return NULL;
    npy_intp n = PyArray_DIM(dy, 0), c = PyArray_DIM(dy, 1);
    if (CHECK_SHAPE(name, "dy", dy, n, c, size[0] / 2, size[1] / 2)) return NULL;
    PyArrayObject *index = arg_array(name, "index", values[1], NPY_UINT8, 4);
    if (!index || CHECK_SHAPE(name, "index", index, n, c, size[0] / 2, size[1] / 2)) return NULL;
    PyArrayObject *dx = NEW_ARRAY(type, n, c, size[0], size[1]);
    if (!dx || PyArray_SIZE(dx) == 0) return (PyObject *)dx;
    const void *grad = PyArray_DATA(dy), *where = PyArray_DATA(index);
    void *out = PyArray_DATA(dx);
    if (type == NPY_FLOAT) WITHOUT_GIL(DISPATCH(f32, unpool_2x2, n * c, size[0], size[1], grad, where, out))
    else WITHOUT_GIL(DISPATCH(f64, unpool_2x2, n * c, size[0], size[1], grad, where, out))
    return (PyObject *)dx;
}

PyMethodDef pool_methods[] = {
    METHOD(blocked_pool, "blocked_pool(x, kernel, stride, padding, out_size, average, exclusive=True) -> y, of channels in blocks"),
    METHOD(max_pool, "max_pool(x, kernel, stride, padding=0, out_size=None) -> (y, index)"),
    METHOD(max_pool_backward, "max_pool_backward(dy, index, size) -> dx"),
    METHOD(max_pool2x2, "max_pool2x2(x) -> (y, index)"),
    METHOD(max_pool2x2_backward, "max_pool2x2_backward(dy, index, size) -> dx"),
    METHOD(avg_pool, "avg_pool(x, kernel, stride, padding=0, out_size=None, exclusive=True, divisor=0) -> y"),
    METHOD(avg_pool_backward, "avg_pool_backward(dy, size, kernel, stride, padding=0, exclusive=True, divisor=0) -> dx"),
    METHOD(adaptive_max_pool, "adaptive_max_pool(x, out_size) -> (y, index)"),
    METHOD(adaptive_avg_pool, "adaptive_avg_pool(x, out_size) -> y"),
    METHOD(adaptive_avg_pool_backward, "adaptive_avg_pool_backward(dy, size) -> dx"),
    {0}};
