/* Elements of any type: reading one as a number, and whole tensors from one type to another. */
#include <math.h>

#include "cast.h"
#include "convert.h"
#include "tensor.h"

static float widen(uint16_t bits, int brain) {
    float value;
    convert_t c = {.count = 1, .from = &bits, .to = &value, .brain = brain};
    (void)DISPATCH(f32, convert_run, &c);
    return value;
}

double tensor_number(const tensor_t *t, index_t i) {
    switch (t->dtype) {
    case TYPE_BOOL:
    case TYPE_UINT8: return ((const uint8_t *)t->data)[i];
    case TYPE_INT8: return ((const int8_t *)t->data)[i];
    case TYPE_INT16: return ((const int16_t *)t->data)[i];
    case TYPE_INT32: return ((const int32_t *)t->data)[i];
    case TYPE_INT64: return (double)((const int64_t *)t->data)[i];
    case TYPE_FLOAT16: return widen(((const uint16_t *)t->data)[i], 0);
    case TYPE_BFLOAT16: return widen(((const uint16_t *)t->data)[i], 1);
    case TYPE_FLOAT32: return ((const float *)t->data)[i];
    case TYPE_FLOAT64: return ((const double *)t->data)[i];
    case TYPE_COMPLEX64: return ((const float *)t->data)[2 * i];
    case TYPE_COMPLEX128: return ((const double *)t->data)[2 * i];
    default: return 0;
    }
}

/* A number as an integer; what has none becomes the smallest, as the conversion of x86 does. */
static int64_t whole(double value) {
    if (!(value >= -9223372036854775808.0 && value < 9223372036854775808.0)) return INT64_MIN;
    return (int64_t)value;
}

int64_t tensor_int(const tensor_t *t, index_t i) {
    if (t->dtype == TYPE_INT64) return ((const int64_t *)t->data)[i];
    return whole(tensor_number(t, i));
}

void tensor_set(tensor_t *t, index_t i, double value) {
    switch (t->dtype) {
    case TYPE_BOOL: ((uint8_t *)t->data)[i] = value != 0; break;
    case TYPE_UINT8: ((uint8_t *)t->data)[i] = (uint8_t)whole(value); break;
    case TYPE_INT8: ((int8_t *)t->data)[i] = (int8_t)whole(value); break;
    case TYPE_INT16: ((int16_t *)t->data)[i] = (int16_t)whole(value); break;
    case TYPE_INT32: ((int32_t *)t->data)[i] = (int32_t)whole(value); break;
    case TYPE_INT64: ((int64_t *)t->data)[i] = whole(value); break;
    case TYPE_FLOAT32: ((float *)t->data)[i] = (float)value; break;
    case TYPE_FLOAT64: ((double *)t->data)[i] = value; break;
    case TYPE_COMPLEX64: ((float *)t->data)[2 * i] = (float)value, ((float *)t->data)[2 * i + 1] = 0; break;
    case TYPE_COMPLEX128: ((double *)t->data)[2 * i] = value, ((double *)t->data)[2 * i + 1] = 0; break;
    case TYPE_FLOAT16:
    case TYPE_BFLOAT16: {
        float single = (float)value;
        convert_t c = {.count = 1, .from = &single, .to = (uint16_t *)t->data + i, .narrow = 1,
                       .brain = t->dtype == TYPE_BFLOAT16};
        (void)DISPATCH(f32, convert_run, &c);
        break;
    }
    default: break;
    }
}

void tensor_set_int(tensor_t *t, index_t i, int64_t value) {
    switch (t->dtype) {
    case TYPE_UINT8:
    case TYPE_INT8: ((int8_t *)t->data)[i] = (int8_t)value; break;
    case TYPE_INT16: ((int16_t *)t->data)[i] = (int16_t)value; break;
    case TYPE_INT32: ((int32_t *)t->data)[i] = (int32_t)value; break;
    case TYPE_INT64: ((int64_t *)t->data)[i] = value; break;
    default: tensor_set(t, i, (double)value);
    }
}

static int is_short(dtype_t dtype) { return dtype == TYPE_FLOAT16 || dtype == TYPE_BFLOAT16; }

static int cast_kind(dtype_t dtype) {
    static const signed char kinds[] = {CAST_BYTE, -1, CAST_BYTE, -1, CAST_I32, CAST_I64, -1, -1, CAST_F32, CAST_F64, -1, -1, -1};
    return kinds[dtype];
}

/* ---- what kernels/native/cast_loops.c has no loop for ---- */

typedef struct {
    const tensor_t *from;
    tensor_t *to;
} conversion_t;

static int convert_range(void *context, index_t begin, index_t end) {
    const conversion_t *c = context;
    const tensor_t *from = c->from;
    tensor_t *to = c->to;
    int whole_numbers = from->dtype <= TYPE_INT64 && to->dtype <= TYPE_INT64 && to->dtype != TYPE_BOOL;
    for (index_t i = begin; i < end; i++) {
        if (whole_numbers) {
            int64_t value = tensor_int(from, i);
            switch (type_size(to->dtype)) {
            case 1: ((uint8_t *)to->data)[i] = (uint8_t)value; break;
            case 2: ((uint16_t *)to->data)[i] = (uint16_t)value; break;
            case 4: ((uint32_t *)to->data)[i] = (uint32_t)value; break;
            default: ((int64_t *)to->data)[i] = value;
            }
        } else {
            tensor_set(to, i, tensor_number(from, i));
        }
    }
    return NATIVE_OK;
}

int tensor_convert(const tensor_t *from, tensor_t *to) {
    if (from->dtype == to->dtype) {
        memcpy(to->data, from->data, (size_t)from->size * type_size(from->dtype));
        return 0;
    }
    if (is_short(from->dtype) && to->dtype == TYPE_FLOAT32) {
        convert_t c = {.count = from->size, .from = from->data, .to = to->data, .brain = from->dtype == TYPE_BFLOAT16};
        return DISPATCH(f32, convert_run, &c) ? fail_memory() : 0;
    }
    if (is_short(to->dtype) && from->dtype == TYPE_FLOAT32) {
        convert_t c = {.count = from->size, .from = from->data, .to = to->data, .brain = to->dtype == TYPE_BFLOAT16, .narrow = 1};
        return DISPATCH(f32, convert_run, &c) ? fail_memory() : 0;
    }
    tensor_t parts[2] = {*from, *to};
    if (type_is_complex(from->dtype) && type_is_complex(to->dtype)) /* both parts, as real numbers */
        for (int i = 0; i < 2; i++) parts[i].dtype = parts[i].dtype == TYPE_COMPLEX64 ? TYPE_FLOAT32 : TYPE_FLOAT64, parts[i].size *= 2;
    const cast_loop_t loop = cast_loop(cast_kind(parts[0].dtype), cast_kind(parts[1].dtype));
    cast_t t = {parts[0].data, parts[1].data};
    conversion_t c = {&parts[0], &parts[1]};
    return parallel_range(parts[0].size, 1 << 16, loop ? loop : convert_range, loop ? (void *)&t : &c) ? fail_memory() : 0;
}
