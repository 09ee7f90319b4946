/* Arguments that the bindings of convolutions share. */
#ifndef PADDLE_NATIVE_CONV_ARGS_H
#define PADDLE_NATIVE_CONV_ARGS_H

#include "args.h"
#include "conv.h"

#define LARGEST 0x3fffffff /* of a stride, padding or dilation */

/* Arguments that every function has. */
typedef struct {
    index_t stride[2], padding[4], dilation[2], groups;
} conv_settings_t;

static inline int conv_settings(const char *function, PyObject *stride, PyObject *padding, PyObject *dilation, PyObject *groups,
                         conv_settings_t *s) {
    *s = (conv_settings_t){{1, 1}, {0, 0, 0, 0}, {1, 1}, 1};
    if (!is_none(stride) && arg_indices(function, "stride", stride, 2, 1, LARGEST, s->stride)) return -1;
    if (!is_none(padding) && arg_indices(function, "padding", padding, 4, 0, LARGEST, s->padding)) return -1;
    if (!is_none(dilation) && arg_indices(function, "dilation", dilation, 2, 1, LARGEST, s->dilation)) return -1;
    return is_none(groups) ? 0 : arg_indices(function, "groups", groups, 1, 1, LARGEST, &s->groups);
}

/* Output size of one dimension; 0 where the kernel is larger than the padded image. */
static inline index_t conv_output_size(index_t size, index_t before, index_t after, index_t kernel, index_t stride, index_t dilation) {
    index_t room = size + before + after - dilation * (kernel - 1) - 1;
    return room < 0 ? 0 : room / stride + 1;
}

/* Fill in sizes from the shapes of x ([n, c, h, w]) and w ([o, c / g, kh, kw]). */
static inline int conv_plan(const char *function, const npy_intp *x, const npy_intp *w, const conv_settings_t *s, conv_t *q) {
    *q = (conv_t){.n = x[0], .c = x[1], .h = x[2], .w = x[3], .o = w[0], .kh = w[2], .kw = w[3],
                  .sh = s->stride[0], .sw = s->stride[1], .top = s->padding[0], .left = s->padding[2],
                  .dh = s->dilation[0], .dw = s->dilation[1], .g = s->groups};
    if (q->c != w[1] * q->g) {
        PyErr_Format(PyExc_ValueError, "%s(): %zd input channels do not fit weights for %zd channels in each of %zd groups",
                     function, (Py_ssize_t)q->c, (Py_ssize_t)w[1], (Py_ssize_t)q->g);
        return -1;
    }
    if (q->o % q->g) {
        PyErr_Format(PyExc_ValueError, "%s(): %zd output channels cannot be divided into %zd groups", function,
                     (Py_ssize_t)q->o, (Py_ssize_t)q->g);
        return -1;
    }
    if (q->kh < 1 || q->kw < 1) {
        PyErr_Format(PyExc_ValueError, "%s(): the kernel must have at least one row and one column", function);
        return -1;
    }
    q->oh = conv_output_size(q->h, s->padding[0], s->padding[1], q->kh, q->sh, q->dh);
    q->ow = conv_output_size(q->w, s->padding[2], s->padding[3], q->kw, q->sw, q->dw);
    if (q->oh < 1 || q->ow < 1) {
        PyErr_Format(PyExc_ValueError,
                     "%s(): a kernel of %zd x %zd with this dilation is larger than the padded image of %zd x %zd",
                     function, (Py_ssize_t)q->kh, (Py_ssize_t)q->kw, (Py_ssize_t)(q->h + s->padding[0] + s->padding[1]),
                     (Py_ssize_t)(q->w + s->padding[2] + s->padding[3]));
        return -1;
    }
    return 0;
}

static inline int conv_bias(const char *function, PyObject *value, int type, index_t channels, const void **bias) {
    *bias = NULL;
    if (is_none(value)) return 0;
    PyArrayObject *array = arg_array(function, "bias", value, type, 1);
    if (!array || CHECK_SHAPE(function, "bias", array, channels)) return -1;
    *bias = PyArray_DATA(array);
    return 0;
}

#endif
