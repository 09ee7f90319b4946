/* Convolutions of 2 and 3 spatial axes, forward; of 2, transposed. */
#include "small.h"

#include "conv.h"

#include "geometry.h"
#include "run.h"

/* Is the channel axis the last one? */
static int channels_last(const op_t *op) {
    const char *format = attr_text(op, "data_format");
    return !strcmp(format, "NHWC") || !strcmp(format, "NLC");
}

static int swap_layout(run_t *run, const tensor_t *x, int to_first, tensor_t *y) {
    static const int first[] = {0, 3, 1, 2}, last[] = {0, 2, 3, 1};
    if (x->ndim != 4) return fail("an image must have 4 axes, not %d", x->ndim);
    return transpose_into(run, x, to_first ? first : last, y);
}

/* Sizes of a convolution of x with w; padding at the ends follows from the outputs. */
int conv_sizes(const op_t *op, const tensor_t *x, const tensor_t *w, conv_t *q) {
    if (x->ndim != 4 || w->ndim != 4) return fail("Input and Filter must have 4 axes, not %d and %d", x->ndim, w->ndim);
    if (x->dtype != w->dtype) return fail("Input is %s and Filter %s", type_name(x->dtype), type_name(w->dtype));
    if (check_float(x, "Input")) return -1;
    window_t window;
    if (read_window(op, 2, w->dims + 2, x->dims + 2, &window)) return -1;
    int64_t groups = attr_int(op, "groups");
    if (groups < 1 || x->dims[1] != w->dims[1] * groups || w->dims[0] % groups)
        return fail("%td input channels don't fit filters of %td channels for %td outputs in %lld groups", x->dims[1], w->dims[1],
                    w->dims[0], (long long)groups);
    *q = (conv_t){.n = x->dims[0], .c = x->dims[1], .h = x->dims[2], .w = x->dims[3], .o = w->dims[0], .kh = w->dims[2],
                  .kw = w->dims[3], .sh = window.stride[0], .sw = window.stride[1], .top = window.padding[0],
                  .left = window.padding[2], .dh = window.dilation[0], .dw = window.dilation[1], .g = (index_t)groups};
    q->oh = window_outputs(&window, 0, q->h);
    q->ow = q->oh < 0 ? -1 : window_outputs(&window, 1, q->w);
    return q->ow < 0 ? -1 : 0;
}

static int check_bias(const tensor_t *bias, const tensor_t *x, index_t channels) {
    if (!bias || (bias->size == channels && bias->dtype == x->dtype)) return 0;
    return fail("Bias must have %td elements of type %s", channels, type_name(x->dtype));
}

/* Half the height and width, of what ReLU left. */
static int conv_pooled(run_t *run, const op_t *op, const conv_t *q, const tensor_t *x, const tensor_t *w, const void *bias) {
    tensor_t y, index;
    if (make(run, &y, x->dtype, 4, (index_t[]){q->n, q->o, q->oh / 2, q->ow / 2})) return -1;
    if (make(run, &index, TYPE_UINT8, 4, y.dims)) {
        tensor_drop(&y);
        return -1;
    }
    conv_output_t output = {.bias = bias, .relu = 1, .pooled = y.data, .pool_index = index.data};
    int status = y.size ? DISPATCH_TYPE(x->dtype, conv_forward, q, x->data, w->data, 0, &output) : 0;
    tensor_drop(&index);
    return finish(run, op, "Output", &y, status);
}

int conv_ready(const op_t *op, const var_t *x, const tensor_t *w, tensor_t *ready) {
    if (op->pooled || x->ndim != 4 || w->ndim != 4 || !w->size || channels_last(op)) return 0;
    tensor_t image = {.dtype = w->dtype, .ndim = 4, .dims = {1, x->dims[1], x->dims[2], x->dims[3]}};
    for (int i = 2; i < 4; i++)
        if (x->dims[i] < 1 || x->dims[i] > 4096) image.dims[i] = 64; /* one of many sizes: take a usual one */
    conv_t q;
    if (conv_sizes(op, &image, w, &q) || q.oh < 1 || q.ow < 1) { /* it says so again when it is run */
        clear_error();
        return 0;
    }
    int kind = DISPATCH_TYPE(w->dtype, conv_kind, &q);
    index_t size = conv_ready_size(&q, kind);
    if (kind == READY_NONE || tensor_new(NULL, ready, w->dtype, 1, &size)) return kind == READY_NONE ? 0 : -1;
    if (!DISPATCH_TYPE(w->dtype, conv_prepare, &q, w->data, kind, ready->data)) return 1;
    tensor_drop(ready);
    return fail_memory();
}

static int has_dims(const tensor_t *t, const tensor_t *model) {
    return t->dtype == model->dtype && t->ndim == model->ndim && !memcmp(t->dims, model->dims, (size_t)t->ndim * sizeof *t->dims);
}

/* The residual of a convolution whose result is y, as it is or repeated; *data is NULL if there is none. */
int conv_residual(run_t *run, const op_t *op, const tensor_t *y, tensor_t *repeated, const void **data) {
    *repeated = (tensor_t){.dtype = TYPE_NONE};
    *data = NULL;
    if (!find_in(op, SLOT_RESIDUAL)) return 0;
    const tensor_t *t = need_input(run, op, SLOT_RESIDUAL);
    if (!t) return -1;
    if (t->dtype != y->dtype) return fail("a %s tensor is added to a convolution of %s", type_name(t->dtype), type_name(y->dtype));
    if (!has_dims(t, y) && expand_into(run, t, y->ndim, y->dims, repeated)) return -1;
    *data = repeated->data ? repeated->data : t->data;
    return 0;
}

static int conv_first(run_t *run, const op_t *op, const tensor_t *x, tensor_t *y) {
    const tensor_t *w = need_input(run, op, "Filter"), *bias = find_input(run, op, "Bias");
    conv_t q;
    if (!w || conv_sizes(op, x, w, &q) || check_bias(bias, x, q.o)) return -1;
    if (make(run, y, x->dtype, 4, (index_t[]){q.n, q.o, q.oh, q.ow})) return -1;
    const tensor_t *ready = find_input(run, op, SLOT_READY);
    conv_output_t output = {.bias = bias ? bias->data : NULL, .relu = op->relu, .y = y->data, .ready = ready ? ready->data : NULL};
    tensor_t repeated;
    int status = conv_residual(run, op, y, &repeated, &output.residual);
    if (status) status = -1;
    else if (y->size && !x->size) status = fail("a convolution over no channels is not supported");
    else if (y->size) status = DISPATCH_TYPE(x->dtype, conv_forward, &q, x->data, w->data, 0, &output) ? fail_memory() : 0;
    tensor_drop(&repeated);
    if (!status && !op->relu) status = apply_activation(op, y);
    if (!status) return 0;
    tensor_drop(y);
    return -1;
}

static int conv2d(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input");
    tensor_t y, z, swapped;
    if (!x) return -1;
    if (op->pooled) {
        const tensor_t *w = need_input(run, op, "Filter"), *bias = find_input(run, op, "Bias");
        conv_t q;
        if (!w || conv_sizes(op, x, w, &q) || check_bias(bias, x, q.o)) return -1;
        if (!x->size) return fail("a convolution over no channels is not supported");
        return conv_pooled(run, op, &q, x, w, bias ? bias->data : NULL);
    }
    if (!channels_last(op)) return conv_first(run, op, x, &y) ? -1 : give(run, op, "Output", &y);
    if (swap_layout(run, x, 1, &swapped)) return -1;
    int status = conv_first(run, op, &swapped, &y);
    tensor_drop(&swapped);
    if (status) return -1;
    status = swap_layout(run, &y, 0, &z);
    tensor_drop(&y);
    return status ? -1 : give(run, op, "Output", &z);
}

/* Input slices under the kernel of each output depth side by side as further channels: [n * outputs, c * kernel, h, w]. */
static void depth_to_channels(const tensor_t *x, const window_t *window, index_t outputs, tensor_t *y) {
    index_t c = x->dims[1], depth = x->dims[2];
    size_t plane = (size_t)(x->dims[3] * x->dims[4]) * type_size(x->dtype);
    for (index_t i = 0; i < x->dims[0] * outputs * c * window->kernel[0]; i++) {
        index_t tap = i % window->kernel[0], channel = i / window->kernel[0] % c, out = i / window->kernel[0] / c % outputs, n = i / window->kernel[0] / c / outputs;
        index_t from = out * window->stride[0] - window->padding[0] + tap * window->dilation[0];
        char *to = (char *)y->data + (size_t)i * plane;
        if (from < 0 || from >= depth) memset(to, 0, plane);
        else memcpy(to, (const char *)x->data + (size_t)((n * c + channel) * depth + from) * plane, plane);
    }
}

/* A convolution over depth, height and width is one over height and width of those channels: the weights are so already. */
static int conv3d_first(run_t *run, const op_t *op, const tensor_t *x, tensor_t *y) {
    const tensor_t *w = need_input(run, op, "Filter"), *bias = find_input(run, op, "Bias");
    window_t window;
    index_t out[3];
    if (!w) return -1;
    if (x->ndim != 5 || w->ndim != 5 || x->dtype != w->dtype) return fail("Input and Filter must have 5 axes and one element type");
    if (check_float(x, "Input") || read_window(op, 3, w->dims + 2, x->dims + 2, &window)) return -1;
    int64_t groups = attr_int(op, "groups");
    if (groups < 1 || x->dims[1] != w->dims[1] * groups || w->dims[0] % groups || !x->size)
        return fail("%td input channels, or no pixels, don't fit filters of %td channels in %lld groups", x->dims[1], w->dims[1], (long long)groups);
    for (int i = 0; i < 3; i++)
        if ((out[i] = window_outputs(&window, i, x->dims[2 + i])) < 0) return -1;
    index_t n = x->dims[0] * out[0], channels = x->dims[1] * window.kernel[0], filters = w->dims[0];
    if (check_bias(bias, x, filters)) return -1;
    tensor_t flat, images;
    if (make(run, &flat, x->dtype, 4, (index_t[]){n, channels, x->dims[3], x->dims[4]})) return -1;
    depth_to_channels(x, &window, out[0], &flat);
    int status = make(run, &images, x->dtype, 5, (index_t[]){x->dims[0], out[0], filters, out[1], out[2]});
    if (!status) {
        conv_t q = {.n = n, .c = channels, .h = x->dims[3], .w = x->dims[4], .o = filters, .kh = window.kernel[1], .kw = window.kernel[2],
                    .sh = window.stride[1], .sw = window.stride[2], .top = window.padding[2], .left = window.padding[4], .dh = window.dilation[1],
                    .dw = window.dilation[2], .g = (index_t)groups, .oh = out[1], .ow = out[2]};
        conv_output_t output = {.bias = bias ? bias->data : NULL, .relu = op->relu, .y = images.data};
        if (images.size) status = DISPATCH_TYPE(x->dtype, conv_forward, &q, flat.data, w->data, 0, &output) ? fail_memory() : 0;
        if (!status) status = transpose_into(run, &images, (int[]){0, 2, 1, 3, 4}, y);
        tensor_drop(&images);
    }
    tensor_drop(&flat);
    if (!status && !op->relu && (status = apply_activation(op, y))) tensor_drop(y);
    return status;
}

static int conv3d(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input");
    tensor_t y, z, swapped;
    if (!x) return -1;
    if (strcmp(attr_text(op, "data_format"), "NDHWC")) return conv3d_first(run, op, x, &y) ? -1 : give(run, op, "Output", &y);
    if (x->ndim != 5) return fail("Input must have 5 axes, not %d", x->ndim);
    if (transpose_into(run, x, (int[]){0, 4, 1, 2, 3}, &swapped)) return -1;
    int status = conv3d_first(run, op, &swapped, &y);
    tensor_drop(&swapped);
    if (status) return -1;
    status = transpose_into(run, &y, (int[]){0, 2, 3, 4, 1}, &z);
    tensor_drop(&y);
    return status ? -1 : give(run, op, "Output", &z);
}

/* The transposed convolution is the gradient of a convolution whose input is the result. */
static int transposed_first(run_t *run, const op_t *op, const tensor_t *x, tensor_t *y) {
    const tensor_t *w = need_input(run, op, "Filter"), *bias = find_input(run, op, "Bias");
    if (!w) return -1;
    if (x->ndim != 4 || w->ndim != 4 || x->dtype != w->dtype) return fail("Input and Filter must have 4 axes and one element type");
    if (check_float(x, "Input")) return -1;
    int64_t groups = attr_int(op, "groups"), extra[4], size[4];
    if (groups < 1 || x->dims[1] != w->dims[0] || x->dims[1] % groups)
        return fail("%td input channels don't fit %td filters in %lld groups", x->dims[1], w->dims[0], (long long)groups);
    window_t window;
    if (read_window(op, 2, w->dims + 2, x->dims + 2, &window)) return -1;
    int extras = attr_ints(op, "output_padding", extra, 4);
    int sizes = read_ints(run, op, "OutputSizeTensor", "OutputSizeTensorList", "output_size", size, 4);
    if (extras < 0 || sizes < 0) return -1;
    index_t out[2];
    for (int i = 0; i < 2; i++) {
        index_t more = extras ? (index_t)extra[extras == 1 ? 0 : i] : 0;
        out[i] = size_transposed_count(x->dims[2 + i], window.kernel[i], window.stride[i], window.padding[2 * i], window.padding[2 * i + 1],
                                       window.dilation[i], more);
        index_t least = out[i] - more;
        if (sizes >= 1) out[i] = (index_t)(sizes == 1 ? size[0] : size[i]);
        if (out[i] < 1 || out[i] < least || out[i] >= least + max_of(window.stride[i], window.dilation[i]))
            return fail("an output of size %td does not fit this transposed convolution", out[i]);
    }
    index_t channels = w->dims[1] * (index_t)groups;
    if (check_bias(bias, x, channels) || make(run, y, x->dtype, 4, (index_t[]){x->dims[0], channels, out[0], out[1]})) return -1;
    conv_t q = {.n = x->dims[0], .c = channels, .h = out[0], .w = out[1], .o = x->dims[1], .kh = w->dims[2], .kw = w->dims[3],
                .sh = window.stride[0], .sw = window.stride[1], .top = window.padding[0], .left = window.padding[2],
                .dh = window.dilation[0], .dw = window.dilation[1], .g = (index_t)groups, .oh = x->dims[2], .ow = x->dims[3]};
    int status = 0;
    if (y->size && !x->size) memset(y->data, 0, (size_t)y->size * type_size(y->dtype));
    else if (y->size) status = DISPATCH_TYPE(x->dtype, conv_backward_data, &q, x->data, NULL, w->data, y->data) ? fail_memory() : 0;
    for (index_t i = 0, plane = out[0] * out[1]; bias && !status && i < y->size; i++)
        tensor_set(y, i, tensor_number(y, i) + tensor_number(bias, i / plane % channels));
    if (!status) status = apply_activation(op, y);
    if (status) tensor_drop(y);
    return status;
}

static int conv2d_transpose(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input");
    tensor_t y, z, swapped;
    if (!x) return -1;
    if (!channels_last(op)) return transposed_first(run, op, x, &y) ? -1 : give(run, op, "Output", &y);
    if (swap_layout(run, x, 1, &swapped)) return -1;
    int status = transposed_first(run, op, &swapped, &y);
    tensor_drop(&swapped);
    if (status) return -1;
    status = swap_layout(run, &y, 0, &z);
    tensor_drop(&y);
    return status ? -1 : give(run, op, "Output", &z);
}

OPERATOR_TABLE(convolution) = {
    {"conv2d", conv2d, 0}, {"conv3d", conv3d, 0}, {"depthwise_conv2d", conv2d, 0}, {"conv2d_transpose", conv2d_transpose, 0},
    {"depthwise_conv2d_transpose", conv2d_transpose, 0}, {0}};
