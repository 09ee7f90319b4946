/* Windows over images. */
#include "geometry.h"

#define LARGEST 0x3fffffff /* of a kernel, stride, padding or dilation */

/* One number for each axis; one number alone stands for all. */
static int read_each(const op_t *op, const char *name, int spatial, int64_t low, index_t *values) {
    int64_t given[16];
    int count = attr_ints(op, name, given, 16);
    if (count < 0) return -1;
    for (int i = 0; i < spatial; i++) {
        int64_t value = count == 0 ? 1 : count == 1 ? given[0] : i < count ? given[i] : -1;
        if (value < low || value > LARGEST) return fail("attribute %s can't be %lld", name, (long long)value);
        values[i] = (index_t)value;
    }
    return 0;
}

static int read_padding(const op_t *op, int spatial, index_t *padding) {
    int64_t given[16];
    int count = attr_ints(op, "paddings", given, 16);
    if (count < 0) return -1;
    const int64_t *pair = given;
    if (count == 2 * (spatial + 2)) pair = given + 4, count = 2 * spatial; /* with batch and channel in front */
    for (int i = 0; i < spatial; i++)
        for (int side = 0; side < 2; side++) {
            int64_t value = count == 0 ? 0 : count == 1 ? given[0] : count == spatial ? given[i] : count == 2 * spatial ? pair[2 * i + side] : -1;
            if (value < 0 || value > LARGEST) return fail("attribute paddings doesn't fit %d axes", spatial);
            padding[2 * i + side] = (index_t)value;
        }
    return 0;
}

int read_window(const op_t *op, int spatial, const index_t *kernel, const index_t *image, window_t *window) {
    *window = (window_t){.spatial = spatial};
    if (read_each(op, "strides", spatial, 1, window->stride) || read_each(op, "dilations", spatial, 1, window->dilation) ||
        read_padding(op, spatial, window->padding))
        return -1;
    const char *algorithm = attr_text(op, "padding_algorithm");
    for (int i = 0; i < spatial; i++) {
        if (kernel[i] < 1 || kernel[i] > LARGEST) return fail("a kernel can't have the size %td", kernel[i]);
        window->kernel[i] = kernel[i];
        if (!strcmp(algorithm, "VALID")) window->padding[2 * i] = window->padding[2 * i + 1] = 0;
        if (!strcmp(algorithm, "SAME")) {
            index_t all = size_same_padding(image[i], kernel[i], window->stride[i]);
            window->dilation[i] = 1;
            window->padding[2 * i] = all / 2;
            window->padding[2 * i + 1] = all - all / 2;
        }
    }
    return 0;
}

index_t window_outputs(window_t *w, int axis, index_t image) {
    index_t *after = &w->padding[2 * axis + 1];
    *after += size_behind_end(image, w->kernel[axis], w->stride[axis], w->padding[2 * axis], *after, w->dilation[axis]);
    index_t room = image + w->padding[2 * axis] + w->padding[2 * axis + 1] - w->dilation[axis] * (w->kernel[axis] - 1) - 1;
    if (room < 0)
        return fail("a kernel of %td with dilation %td is larger than the padded image of %td", w->kernel[axis], w->dilation[axis],
                    image + w->padding[2 * axis] + w->padding[2 * axis + 1]);
    return size_window_count(image, w->kernel[axis], w->stride[axis], w->padding[2 * axis], w->padding[2 * axis + 1], w->dilation[axis]);
}
