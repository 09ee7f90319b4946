/* 8-bit pictures in another size, bit by bit as Pillow and OpenCV make them; Pillow's pixels where they lie. */
#define _GNU_SOURCE
#include "outputs.h"

#include <math.h>

#include "picture.h"

/* ---- weights ---- */
#define PI 3.14159265358979323846

static double box(double x) { return x > -0.5 && x <= 0.5 ? 1.0 : 0.0; }

static double triangle(double x) { return fabs(x) < 1.0 ? 1.0 - fabs(x) : 0.0; }

static double hamming(double x) {
    x = fabs(x);
    if (x == 0.0) return 1.0;
    if (x >= 1.0) return 0.0;
    x *= PI;
    return sin(x) / x * (0.54f + 0.46f * cos(x));
}

static double cubic(double x) {
    x = fabs(x);
    if (x < 1.0) return (1.5 * x - 2.5) * x * x + 1;
    return x < 2.0 ? (((x - 5) * x + 8) * x - 4) * -0.5 : 0.0;
}

static double sinc(double x) { return x == 0.0 ? 1.0 : sin(x * PI) / (x * PI); }

static double lanczos(double x) { return x >= -3.0 && x < 3.0 ? sinc(x) * sinc(x / 3) : 0.0; }

static const struct {
    const char *name;
    double (*weigh)(double x); /* NULL: OpenCV's linear interpolation */
    double support;
} filters[] = {{"box", box, 0.5},   {"bilinear", triangle, 1.0}, {"hamming", hamming, 1.0},
               {"bicubic", cubic, 2.0}, {"lanczos", lanczos, 3.0},   {"linear", NULL, 1.0}};
enum { FILTERS = sizeof filters / sizeof *filters };

/* Memory for a table; weights are 0. */
static int reserve(taps_t *t, index_t taps) {
    t->taps = taps;
    t->start = scratch((size_t)t->out * sizeof *t->start);
    t->weight = t->start ? scratch((size_t)(t->out * t->taps) * sizeof *t->weight) : NULL;
    if (!t->weight) return NATIVE_NO_MEMORY;
    memset(t->weight, 0, (size_t)(t->out * t->taps) * sizeof *t->weight);
    return NATIVE_OK;
}

/* Pillow's: the filter is as wide as a new pixel, if that is more than an old one. */
static int weigh(taps_t *t, int filter) {
    const double scale = (double)t->in / (double)t->out, wide = scale < 1.0 ? 1.0 : scale, support = filters[filter].support * wide;
    const double narrow = 1.0 / wide;
    const index_t most = (index_t)ceil(support) * 2 + 1;
    double *values = scratch((size_t)most * sizeof *values);
    if (!values) return NATIVE_NO_MEMORY;
    if (reserve(t, most)) return NATIVE_NO_MEMORY;
    for (index_t i = 0; i < t->out; i++) {
        const double centre = ((double)i + 0.5) * scale;
        const index_t first = max_of(0, (index_t)(centre - support + 0.5));
        const index_t count = min_of(t->in, (index_t)(centre + support + 0.5)) - first;
        double sum = 0.0;
        for (index_t k = 0; k < count; k++) sum += values[k] = filters[filter].weigh(((double)(k + first) - centre + 0.5) * narrow);
        t->start[i] = (int32_t)first;
        for (index_t k = 0; k < count; k++) {
            const double value = (sum != 0.0 ? values[k] / sum : values[k]) * (1 << PICTURE_BITS);
            t->weight[i * t->taps + k] = (int32_t)(value < 0 ? value - 0.5 : value + 0.5);
        }
    }
    return NATIVE_OK;
}

/* OpenCV's: the two old pixels beside the middle of a new one, positions in float32. Behind the last pixel the weight is 0. */
static int interpolate(taps_t *t) {
    const double scale = 1.0 / ((double)t->out / (double)t->in);
    if (reserve(t, 2)) return NATIVE_NO_MEMORY;
    for (index_t i = 0; i < t->out; i++) {
        const float position = (float)(((double)i + 0.5) * scale - 0.5), whole = floorf(position);
        const index_t first = max_of(0, min_of(t->in - 1, (index_t)whole));
        const float part = (index_t)whole != first || first == t->in - 1 ? 0.0f : position - whole;
        t->start[i] = (int32_t)first;
        t->weight[i * t->taps] = (int32_t)rintf((1.0f - part) * 2048.0f);
        t->weight[i * t->taps + 1] = (int32_t)rintf(part * 2048.0f);
    }
    return NATIVE_OK;
}

/* Terms whose weight is 0 at the end of all sums are left out. */
static void trim(taps_t *t) {
    index_t used = 1;
    for (index_t i = 0; i < t->out; i++)
        for (index_t k = t->taps; k > used; k--)
            if (t->weight[i * t->taps + k - 1]) used = k;
    for (index_t i = 0; i < t->out && used < t->taps; i++)
        memmove(t->weight + i * used, t->weight + i * t->taps, (size_t)used * sizeof *t->weight);
    t->taps = used;
}

/* ---- resizing ---- */
static int make_taps(taps_t *t, int filter) {
    if (!filters[filter].weigh) return interpolate(t);
    if (t->in == t->out) return NATIVE_OK;
    if (weigh(t, filter)) return NATIVE_NO_MEMORY;
    trim(t);
    return NATIVE_OK;
}

static int run(picture_t *p, int filter) {
    p->linear = filters[filter].weigh == NULL;
    if (make_taps(&p->across, filter) || make_taps(&p->down, filter)) return NATIVE_NO_MEMORY;
    p->length = p->across.out * (p->channels == 1 ? 1 : 4);
    p->line = round_up(p->length, 64) + 64;
    const index_t size = p->linear ? 2 : 1, rows = round_up(p->height, 16), more = p->down.taps; /* which have the weight 0 */
    char *middle = scratch((size_t)((rows + more) * p->line * size));
    if (!middle) return NATIVE_NO_MEMORY;
    memset(middle + rows * p->line * size, 0, (size_t)(more * p->line * size));
    p->middle = middle;
    return DISPATCH(f32, picture_run, p);
}

/* Pixels of an array [height, width, channels]: can the loops read them? */
#define LONGEST (INT32_MAX / 64)
static int take_pixels(PyArrayObject *x, picture_t *p) {
    const npy_intp *shape = PyArray_DIMS(x), *steps = PyArray_STRIDES(x);
    *p = (picture_t){.x = PyArray_DATA(x), .height = shape[0], .channels = shape[2], .row_step = steps[0], .pixel_step = steps[1],
                     .across = {.in = shape[1]}, .down = {.in = shape[0]}};
    return shape[2] >= 1 && shape[2] <= 4 && shape[0] <= LONGEST && shape[1] <= LONGEST && (shape[2] == 1 || steps[2] == 1);
}

BINDING(resize_picture) {
    const char *name = "resize_picture";
    BIND("resize_picture", 4, "x", "height", "width", "filter");
    PyArrayObject *x = arg_strided(name, "x", values[0], NPY_UINT8, 3);
    if (!x) return NULL;
    const index_t height = arg_index(name, "height", values[1], 0), width = arg_index(name, "width", values[2], 0);
    if (PyErr_Occurred()) return NULL;
    int filter = 0;
    const int named = PyUnicode_Check(values[3]);
    while (filter < FILTERS && !(named && PyUnicode_CompareWithASCIIString(values[3], filters[filter].name) == 0)) filter++;
    if (filter == FILTERS)
        return PyErr_Format(PyExc_ValueError, "resize_picture(): argument 'filter' must be 'box', 'bilinear', 'hamming', 'bicubic', "
                                              "'lanczos' or 'linear', got %R", values[3]);
    const npy_intp *shape = PyArray_DIMS(x);
    if (height < 1 || width < 1 || shape[0] < 1 || shape[1] < 1)
        return PyErr_Format(PyExc_ValueError, "resize_picture(): sizes must be at least 1, got %zd x %zd into %zd x %zd", shape[0], shape[1],
                            height, width);
    picture_t p;
    if (!take_pixels(x, &p) || height > LONGEST || width > LONGEST) Py_RETURN_NOTIMPLEMENTED;
    PyArrayObject *y = NEW_ARRAY(NPY_UINT8, height, width, shape[2]);
    if (!y) return NULL;
    p.across.out = width;
    p.down.out = height;
    p.y = PyArray_DATA(y);
    int status;
    Py_BEGIN_ALLOW_THREADS
    const size_t mark = scratch_mark();
    status = run(&p, filter);
    scratch_release(mark);
    Py_END_ALLOW_THREADS
    if (check_status(name, status)) Py_CLEAR(y);
    return (PyObject *)y;
}

BINDING(picture_planes) {
    BIND("picture_planes", 1, "x");
    PyArrayObject *x = arg_strided("picture_planes", "x", values[0], NPY_UINT8, 3);
    if (!x) return NULL;
    picture_t p;
    if (!take_pixels(x, &p)) Py_RETURN_NOTIMPLEMENTED;
    PyArrayObject *y = NEW_ARRAY(NPY_FLOAT, p.channels, p.height, p.across.in);
    if (!y || !PyArray_SIZE(y)) return (PyObject *)y;
    p.y = PyArray_DATA(y);
    int status;
    WITHOUT_GIL(status = DISPATCH(f32, planes_run, &p))
    if (check_status("picture_planes", status)) Py_CLEAR(y);
    return (PyObject *)y;
}

/* ---- Pillow's pixels ---- */
/* The Arrow C data interface, as far as it is read here (arrow.apache.org/docs/format/CDataInterface.html). */
typedef struct arrow_schema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct arrow_schema **children;
} arrow_schema_t;

typedef struct arrow_array {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct arrow_array **children;
} arrow_array_t;

BINDING(arrow_picture) {
    BIND("arrow_picture", 3, "capsules", "height", "width");
    const index_t height = arg_index("arrow_picture", "height", values[1], 0), width = arg_index("arrow_picture", "width", values[2], 0);
    if (PyErr_Occurred()) return NULL;
    PyObject *pair = PyTuple_Check(values[0]) && PyTuple_GET_SIZE(values[0]) == 2 ? values[0] : NULL;
    PyObject *owner = pair ? PyTuple_GET_ITEM(pair, 1) : NULL;
    if (!pair || !PyCapsule_IsValid(PyTuple_GET_ITEM(pair, 0), "arrow_schema") || !PyCapsule_IsValid(owner, "arrow_array"))
        return PyErr_Format(PyExc_TypeError, "arrow_picture(): argument 'capsules' must be what __arrow_c_array__() gives, got %R",
                            values[0]);
    const arrow_schema_t *schema = PyCapsule_GetPointer(PyTuple_GET_ITEM(pair, 0), "arrow_schema");
    const arrow_array_t *array = PyCapsule_GetPointer(owner, "arrow_array");
    const int four = strcmp(schema->format, "+w:4") == 0 && schema->n_children == 1 && array->n_children == 1;
    if (four && array->offset == 0) schema = schema->children[0], array = array->children[0];
    const index_t bytes = four ? 4 : 1;
    if (strcmp(schema->format, "C") != 0 || array->n_buffers != 2 || array->offset != 0 || height < 0 || width < 0 ||
        height > INT32_MAX || width > INT32_MAX / 4 ||
        array->length != height * width * bytes)
        Py_RETURN_NOTIMPLEMENTED;
    npy_intp shape[3] = {height, width, bytes};
    PyArrayObject *view = (PyArrayObject *)PyArray_New(&PyArray_Type, 3, shape, NPY_UINT8, NULL, (void *)array->buffers[1], 0,
                                                       NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED, NULL);
    if (!view) return NULL;
    Py_INCREF(owner);
    if (PyArray_SetBaseObject(view, owner)) Py_CLEAR(view);
    return (PyObject *)view;
}

PyMethodDef picture_methods[] = {
    METHOD(resize_picture, "resize_picture(x, height, width, filter) -> y: an 8-bit picture [height, width, channels] in another size."),
    METHOD(picture_planes, "picture_planes(x) -> y: an 8-bit picture as float32 [channels, height, width], divided by 255."),
    METHOD(arrow_picture, "arrow_picture(capsules, height, width) -> the 8-bit pixels that __arrow_c_array__() shows, as a read-only view."),
    {0}};
