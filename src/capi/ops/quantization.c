/* Numbers on a grid of 2^bits steps: rounded to it, and back. */
#include <math.h>

#include "roundings.h"
#include "sizes.h"

/* The largest step: 127 for 8 bits. */
static int read_limit(int64_t bits, double *limit) {
    if (bits < 2 || bits > 16) return fail("bit_length must be from 2 to 16, not %lld", (long long)bits);
    *limit = (double)((1 << (bits - 1)) - 1);
    return 0;
}

/* Scales: one, or one for each slice along an axis. Element i has number i / inner % count. */
typedef struct {
    const tensor_t *scale;
    index_t inner, count;
    double limit;
    int away; /* halves go away from 0, not to even numbers */
} scales_t;

static int read_scales(const tensor_t *x, const tensor_t *scale, int64_t along, scales_t *g) {
    g->scale = scale;
    g->inner = 1;
    g->count = scale->size;
    if (scale->size == 1) return 0;
    int axis = read_axis(along, x->ndim, 0);
    if (axis < 0) return -1;
    if (scale->size != x->dims[axis] || !scale->size) return fail("there are %td scales for %td slices", scale->size, x->dims[axis]);
    g->inner = span(x, axis + 1, x->ndim);
    return 0;
}

static int read_rounding(const op_t *op, scales_t *g) {
    int64_t kind = attr_int(op, "round_type");
    if (kind != 0 && kind != 1) return fail("round_type must be 0 (halves to even numbers) or 1 (halves away from 0), not %lld", (long long)kind);
    g->away = kind == 1;
    return read_limit(attr_int(op, "bit_length"), &g->limit);
}

static double scale_at(const scales_t *g, index_t i) {
    double size = tensor_number(g->scale, i / g->inner % g->count);
    return size == 0 ? 1e-30 : size;
}

/* Results are those of arithmetic in the tensor's own type. */
static double own(const tensor_t *x, double value) { return x->dtype == TYPE_FLOAT32 ? (double)(float)value : value; }

/* The number of the step that an element is nearest to. */
static double step_of(const scales_t *g, const tensor_t *x, index_t i) {
    double value = tensor_number(x, i), size = own(x, scale_at(g, i)), finer = own(x, g->limit / size);
    if (!g->away) return fmin(fmax(rint(own(x, value * finer)), -g->limit - 1), g->limit);
    double step = own(x, fmin(fmax(value, -size), size) * finer);
    return trunc(own(x, step + copysign(0.5, step)));
}

/* An element from the number of its step. */
static double back_from(const scales_t *g, const tensor_t *x, index_t i, double step) {
    return step * own(x, own(x, scale_at(g, i)) / g->limit);
}

/* Out = x in steps, or rounded to them. */
static int round_into(run_t *run, const op_t *op, const char *slot, const tensor_t *x, const scales_t *g, int back) {
    tensor_t y;
    if (make_like(run, &y, x)) return -1;
    for (index_t i = 0; i < x->size; i++) {
        double step = step_of(g, x, i);
        tensor_set(&y, i, back ? back_from(g, x, i, step) : step);
    }
    return give(run, op, slot, &y);
}

/* Steps of a scale that is the largest magnitude, of all or of each slice. */
static int quantize_by_largest(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int slices = !strncmp(op->type, "fake_channel_wise", 17), back = strstr(op->type, "_dequantize") != NULL;
    scales_t g;
    tensor_t scale;
    if (!x || check_float(x, "X") || read_rounding(op, &g)) return -1;
    int axis = slices ? read_axis(attr_int(op, "quant_axis"), x->ndim, 0) : 0;
    index_t count = slices && axis >= 0 ? x->dims[axis] : 1;
    if (axis < 0 || (slices ? make(run, &scale, x->dtype, 1, &count) : make_by_record(run, op, "OutScale", x->dtype, NULL, &scale))) return -1;
    for (index_t k = 0; k < count; k++) tensor_set(&scale, k, 0);
    index_t inner = slices ? span(x, axis + 1, x->ndim) : 1;
    for (index_t i = 0; i < x->size; i++) {
        index_t k = slices ? i / inner % count : 0;
        double size = fabs(tensor_number(x, i));
        if (size > tensor_number(&scale, k) || isnan(size)) tensor_set(&scale, k, size);
    }
    g.scale = &scale, g.inner = inner, g.count = max_of(count, 1);
    int status = round_into(run, op, "Out", x, &g, back);
    return finish(run, op, "OutScale", &scale, status);
}

/* Outputs that training would change are the inputs here. */
static void hand_on(run_t *run, const op_t *op) {
    static const char *const kept[][2] = {{"InScale", "OutScale"}, {"Scale", "OutScale"}, {"InState", "OutState"}, {"InAccum", "OutAccum"}};
    for (int i = 0; i < 4; i++) {
        const tensor_t *given = find_input(run, op, kept[i][0]);
        if (!given) continue;
        tensor_t same = tensor_share(given);
        give(run, op, kept[i][1], &same);
    }
}

static int check_test(const op_t *op) {
    return attr_bool(op, "is_test") ? 0 : fail("the moving scale is for training; export the model in evaluation mode");
}

/* Steps of a scale that training has found. */
static int quantize_by_scale(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *scale = x ? need_input(run, op, "InScale") : NULL;
    scales_t g;
    if (!scale || check_float(x, "X") || read_rounding(op, &g) || check_test(op)) return -1;
    if (scale->size != 1) return fail("InScale must be one number");
    if (read_scales(x, scale, 0, &g) || round_into(run, op, "Out", x, &g, strstr(op->type, "_dequantize") != NULL)) return -1;
    hand_on(run, op);
    return 0;
}

/* x as it is; the scale is what training has seen. */
static int observe(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *state = find_input(run, op, "InState"), *accum = find_input(run, op, "InAccum");
    tensor_t same, scale;
    if (!x) return -1;
    if (!attr_bool(op, "is_test") && state && accum) return check_test(op);
    if (make(run, &scale, x->dtype, 1, (index_t[]){1})) return -1;
    tensor_set(&scale, 0, 0);
    hand_on(run, op);
    give(run, op, "OutScale", &scale);
    same = tensor_share(x);
    return give(run, op, "Out", &same);
}

static int quantize_linear(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *scale = x ? need_input(run, op, "Scale") : NULL, *zero = find_input(run, op, "ZeroPoint");
    int64_t along = attr_int(op, "quant_axis");
    scales_t g, z = {0};
    tensor_t y;
    if (!scale || check_float(x, "X") || check_test(op) || read_rounding(op, &g) || read_scales(x, scale, along, &g) || (zero && read_scales(x, zero, along, &z))) return -1;
    if (attr_bool(op, "only_observer")) y = tensor_share(x);
    else {
        if (make_like(run, &y, x)) return -1;
        for (index_t i = 0; i < x->size; i++) {
            double shift = zero ? tensor_number(zero, i / z.inner % z.count) : 0;
            tensor_set(&y, i, fmin(fmax(step_of(&g, x, i) + shift, -g.limit - 1), g.limit));
        }
    }
    hand_on(run, op);
    return give(run, op, "Y", &y);
}

static int dequantize_linear(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *scale = x ? need_input(run, op, "Scale") : NULL, *zero = find_input(run, op, "ZeroPoint");
    int64_t along = attr_int(op, "quant_axis");
    int observed = attr_bool(op, "only_observer");
    scales_t g, z = {0};
    tensor_t y;
    if (!scale || check_float(scale, "Scale") || read_limit(attr_int(op, "bit_length"), &g.limit) || read_scales(x, scale, along, &g) || (zero && read_scales(x, zero, along, &z))) return -1;
    if (make(run, &y, scale->dtype, x->ndim, x->dims)) return -1;
    for (index_t i = 0; i < x->size; i++) {
        double shift = zero ? tensor_number(zero, i / z.inner % z.count) : 0, size = own(scale, tensor_number(scale, i / g.inner % g.count) / g.limit);
        tensor_set(&y, i, observed ? tensor_number(x, i) : (tensor_number(x, i) - shift) * size);
    }
    return give(run, op, "Y", &y);
}

static int dequantize_max_abs(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *scale = x ? need_input(run, op, "Scale") : NULL;
    tensor_t y;
    if (!scale || check_float(x, "X")) return -1;
    if (scale->size != 1) return fail("Scale must be one number");
    if (make_like(run, &y, x)) return -1;
    double size = own(x, tensor_number(scale, 0) / own(x, attr_float(op, "max_range")));
    for (index_t i = 0; i < x->size; i++) tensor_set(&y, i, tensor_number(x, i) * size);
    return give(run, op, "Out", &y);
}

/* One scale for each slice of an axis, or of a product of two grids' steps. */
static int dequantize_channels(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *first, *second = NULL;
    const slot_t *slot = find_in(op, "Scales");
    int64_t bits[2] = {8, 8};
    double limit[2] = {127, 127};
    scales_t g;
    tensor_t y;
    if (!x || !slot) return slot ? -1 : fail("input Scales is missing");
    int given = attr_ints(op, "quant_bits", bits, 2);
    if (slot->count > 2 || given < slot->count) return fail("there must be one or two Scales and the bits of each");
    if (!(first = input_at(run, op, slot, 0)) || (slot->count == 2 && !(second = input_at(run, op, slot, 1)))) return -1;
    if (check_float(x, "X") || read_limit(bits[0], &limit[0]) || read_limit(bits[1], &limit[1])) return -1;
    if (second && second->size != 1) return fail("the second of Scales must be one number");
    if (read_scales(x, first, second ? attr_int(op, "x_num_col_dims") : attr_int(op, "quant_axis"), &g) || make_like(run, &y, x)) return -1;
    for (index_t i = 0; i < x->size; i++) {
        double size = tensor_number(first, i / g.inner % g.count);
        if (second) size = own(x, own(x, size * tensor_number(second, 0)) / limit[1]);
        tensor_set(&y, i, tensor_number(x, i) * own(x, size / limit[0]));
    }
    return give(run, op, "Out", &y);
}

/* There and back, to a grid that a pass has found (roundings.c). */
static int round_to_grid(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    double scale = op->in_grid->scale;
    const tensor_t one = {.dtype = TYPE_FLOAT64, .size = 1, .data = &scale};
    const scales_t g = {.scale = &one, .inner = 1, .count = 1, .limit = op->in_grid->limit, .away = op->in_grid->away};
    tensor_t y;
    if (!x || check_float(x, "X")) return -1;
    if (x->dtype != TYPE_FLOAT32) return round_into(run, op, "Out", x, &g, 1);
    if (make_like(run, &y, x)) return -1;
    if (x->size) DISPATCH(f32, on_grid, *op->in_grid, x->size, x->data, y.data);
    return give(run, op, "Out", &y);
}

OPERATOR_TABLE(quantization) = {
    {ROUNDING, round_to_grid, 0},
    {"quantize_linear", quantize_linear, 0}, {"dequantize_linear", dequantize_linear, 0},
    {"fake_quantize_abs_max", quantize_by_largest, 0}, {"fake_quantize_dequantize_abs_max", quantize_by_largest, 0},
    {"fake_channel_wise_quantize_abs_max", quantize_by_largest, 0}, {"fake_channel_wise_quantize_dequantize_abs_max", quantize_by_largest, 0},
    {"fake_quantize_moving_average_abs_max", quantize_by_scale, 0}, {"fake_quantize_dequantize_moving_average_abs_max", quantize_by_scale, 0},
    {"fake_quantize_range_abs_max", quantize_by_scale, 0}, {"moving_average_abs_max_scale", observe, 0},
    {"fake_dequantize_max_abs", dequantize_max_abs, 0}, {"fake_channel_wise_dequantize_max_abs", dequantize_channels, 0}, {0}};
