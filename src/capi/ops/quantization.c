/* Numbers on a grid of 2^bits steps: rounded to it, and back. */
#include "roundings.h"
#include "scale_steps.h"
#include "sizes.h"

/* The largest step: 127 for 8 bits. */
static int read_limit(int64_t bits, double *limit) {
    if (bits < 2 || bits > 16) return fail("bit_length must be from 2 to 16, not %lld", (long long)bits);
    *limit = (double)((1 << (bits - 1)) - 1);
    return 0;
}

/* Where the scales of x lie: one for all, or one for each slice along an axis. */
static int read_slices(const tensor_t *x, index_t scales, int64_t along, steps_t *s) {
    *s = (steps_t){.size = x->size, .inner = max_of(x->size, 1), .count = 1, .x = x->data};
    if (scales == 1) return 0;
    int axis = read_axis(along, x->ndim, 0);
    if (axis < 0) return -1;
    if (scales != x->dims[axis] || !scales) return fail("there are %td scales for %td slices", scales, x->dims[axis]);
    s->inner = max_of(span(x, axis + 1, x->ndim), 1);
    s->count = scales;
    return 0;
}

static int read_rounding(const op_t *op, steps_t *s) {
    int64_t kind = attr_int(op, "round_type");
    if (kind != 0 && kind != 1) return fail("round_type must be 0 (halves to even numbers) or 1 (halves away from 0), not %lld", (long long)kind);
    s->away = kind == 1;
    return read_limit(attr_int(op, "bit_length"), &s->limit);
}

/* The numbers of a tensor in the type of another, one for each scale or the same for all; `made` is to be dropped. */
static int numbers_like(run_t *run, const tensor_t *t, dtype_t dtype, const steps_t *s, tensor_t *made) {
    const int repeated = t->size == 1 && s->count > 1;
    *made = (tensor_t){.dtype = TYPE_NONE};
    if (t->size != s->count && t->size != 1) return fail("there are %td numbers for %td scales", t->size, s->count);
    if (t->dtype == dtype && !repeated) {
        *made = tensor_share(t);
        return 0;
    }
    if (tensor_new(run->memory, made, dtype, 1, &s->count)) return -1;
    for (index_t i = 0; i < s->count; i++) tensor_set(made, i, tensor_number(t, repeated ? 0 : i));
    return 0;
}

/* x in steps of scales, or rounded to them; shift: of the steps, or NULL. */
static int round_into(run_t *run, const op_t *op, const char *slot, const tensor_t *x, const tensor_t *scale, const tensor_t *shift, steps_t *s) {
    tensor_t y, scales, shifts = {.dtype = TYPE_NONE};
    if (numbers_like(run, scale, x->dtype, s, &scales)) return -1;
    int status = (shift && numbers_like(run, shift, x->dtype, s, &shifts)) || make_like(run, &y, x) ? -1 : 0;
    if (!status) {
        s->scale = scales.data, s->shift = shift ? shifts.data : NULL, s->y = y.data;
        if (x->size && DISPATCH_TYPE(x->dtype, to_steps, s)) status = fail_memory();
        status = finish(run, op, slot, &y, status);
    }
    tensor_drop(&scales);
    tensor_drop(&shifts);
    return status;
}

/* y = (x - shift) * scale / limit, of the scales' type. */
static int numbers_into(run_t *run, const op_t *op, const char *slot, const tensor_t *x, const tensor_t *scale, const tensor_t *shift, steps_t *s) {
    tensor_t y, shifts = {.dtype = TYPE_NONE}, numbers = tensor_share(x);
    int status = shift ? numbers_like(run, shift, scale->dtype, s, &shifts) : 0;
    s->bytes = x->dtype == TYPE_INT8 && scale->dtype == TYPE_FLOAT32; /* as which weights are saved */
    if (!status && x->dtype != scale->dtype && !s->bytes) {
        tensor_drop(&numbers);
        status = make(run, &numbers, scale->dtype, x->ndim, x->dims) || tensor_convert(x, &numbers) ? -1 : 0;
    }
    if (!status && !(status = make(run, &y, scale->dtype, x->ndim, x->dims))) {
        s->x = numbers.data, s->scale = scale->data, s->shift = shift ? shifts.data : NULL, s->y = y.data;
        if (x->size && DISPATCH_TYPE(scale->dtype, from_steps, s)) status = fail_memory();
        status = finish(run, op, slot, &y, status);
    }
    tensor_drop(&numbers);
    tensor_drop(&shifts);
    return status;
}

/* Steps of a scale that is the largest magnitude, of all or of each slice. */
static int quantize_by_largest(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    const int slices = !strncmp(op->type, "fake_channel_wise", 17);
    steps_t s;
    tensor_t scale;
    if (!x || check_float(x, "X")) return -1;
    int axis = slices ? read_axis(attr_int(op, "quant_axis"), x->ndim, 0) : 0;
    index_t count = slices && axis >= 0 ? x->dims[axis] : 1;
    if (axis < 0 || (slices && count != 1 ? read_slices(x, count, axis, &s) : read_slices(x, 1, 0, &s)) || read_rounding(op, &s)) return -1;
    if (slices ? make(run, &scale, x->dtype, 1, &count) : make_by_record(run, op, "OutScale", x->dtype, NULL, &scale)) return -1;
    s.y = scale.data;
    DISPATCH_TYPE(x->dtype, largest_magnitudes, &s);
    s.back = strstr(op->type, "_dequantize") != NULL;
    int status = round_into(run, op, "Out", x, &scale, NULL, &s);
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
    steps_t s;
    if (!scale || check_float(x, "X") || read_slices(x, 1, 0, &s) || read_rounding(op, &s) || check_test(op)) return -1;
    if (scale->size != 1) return fail("InScale must be one number");
    s.back = strstr(op->type, "_dequantize") != NULL;
    if (round_into(run, op, "Out", x, scale, NULL, &s)) return -1;
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
    const tensor_t *x = need_input(run, op, "X"), *scale = x ? need_input(run, op, "Scale") : NULL;
    steps_t s;
    if (!scale || check_float(x, "X") || check_test(op) || read_slices(x, scale->size, attr_int(op, "quant_axis"), &s) || read_rounding(op, &s)) return -1;
    hand_on(run, op);
    if (!attr_bool(op, "only_observer")) return round_into(run, op, "Y", x, scale, find_input(run, op, "ZeroPoint"), &s);
    tensor_t same = tensor_share(x);
    return give(run, op, "Y", &same);
}

static int dequantize_linear(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *scale = x ? need_input(run, op, "Scale") : NULL;
    steps_t s;
    tensor_t y;
    if (!scale || check_float(scale, "Scale") || read_slices(x, scale->size, attr_int(op, "quant_axis"), &s) || read_limit(attr_int(op, "bit_length"), &s.limit)) return -1;
    if (!attr_bool(op, "only_observer")) return numbers_into(run, op, "Y", x, scale, find_input(run, op, "ZeroPoint"), &s);
    return make(run, &y, scale->dtype, x->ndim, x->dims) ? -1 : finish(run, op, "Y", &y, tensor_convert(x, &y));
}

static int dequantize_max_abs(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *scale = x ? need_input(run, op, "Scale") : NULL;
    steps_t s;
    tensor_t one;
    if (!scale || check_float(x, "X")) return -1;
    if (scale->size != 1) return fail("Scale must be one number");
    if (read_slices(x, 1, 0, &s) || numbers_like(run, scale, x->dtype, &s, &one)) return -1;
    s.limit = attr_float(op, "max_range");
    int status = numbers_into(run, op, "Out", x, &one, NULL, &s);
    tensor_drop(&one);
    return status;
}

/* One scale for each slice of an axis, or of a product of two grids' steps. */
static int dequantize_channels(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *first, *second = NULL;
    const slot_t *slot = find_in(op, "Scales");
    int64_t bits[2] = {8, 8};
    double limit[2] = {127, 127};
    steps_t s;
    tensor_t sizes;
    if (!x || !slot) return slot ? -1 : fail("input Scales is missing");
    int given = attr_ints(op, "quant_bits", bits, 2);
    if (slot->count > 2 || given < slot->count) return fail("there must be one or two Scales and the bits of each");
    if (!(first = input_at(run, op, slot, 0)) || (slot->count == 2 && !(second = input_at(run, op, slot, 1)))) return -1;
    if (check_float(x, "X") || read_limit(bits[0], &limit[0]) || read_limit(bits[1], &limit[1])) return -1;
    if (second && second->size != 1) return fail("the second of Scales must be one number");
    if (read_slices(x, first->size, second ? attr_int(op, "x_num_col_dims") : attr_int(op, "quant_axis"), &s) || tensor_new(run->memory, &sizes, x->dtype, 1, &s.count)) return -1;
    const int single = x->dtype == TYPE_FLOAT32; /* every operation is rounded to the type of x */
    for (index_t i = 0; i < s.count; i++) {
        double size = tensor_number(first, i);
        if (second) size = single ? (double)((float)size * (float)tensor_number(second, 0) / (float)limit[1]) : size * tensor_number(second, 0) / limit[1];
        tensor_set(&sizes, i, size);
    }
    s.limit = limit[0];
    int status = numbers_into(run, op, "Out", x, &sizes, NULL, &s);
    tensor_drop(&sizes);
    return status;
}

/* There and back, to a grid that a pass has found (roundings.c). */
static int round_to_grid(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    double number = op->in_grid->scale;
    const tensor_t scale = {.dtype = TYPE_FLOAT64, .size = 1, .data = &number};
    steps_t s;
    if (!x || check_float(x, "X") || read_slices(x, 1, 0, &s)) return -1;
    s.limit = op->in_grid->limit, s.away = op->in_grid->away, s.back = 1;
    return round_into(run, op, "Out", x, &scale, NULL, &s);
}

OPERATOR_TABLE(quantization) = {
    {ROUNDING, round_to_grid, 0},
    {"quantize_linear", quantize_linear, 0}, {"dequantize_linear", dequantize_linear, 0},
    {"fake_quantize_abs_max", quantize_by_largest, 0}, {"fake_quantize_dequantize_abs_max", quantize_by_largest, 0},
    {"fake_channel_wise_quantize_abs_max", quantize_by_largest, 0}, {"fake_channel_wise_quantize_dequantize_abs_max", quantize_by_largest, 0},
    {"fake_quantize_moving_average_abs_max", quantize_by_scale, 0}, {"fake_quantize_dequantize_moving_average_abs_max", quantize_by_scale, 0},
    {"fake_quantize_range_abs_max", quantize_by_scale, 0}, {"moving_average_abs_max_scale", observe, 0},
    {"fake_dequantize_max_abs", dequantize_max_abs, 0}, {"fake_channel_wise_dequantize_max_abs", dequantize_channels, 0}, {0}};
