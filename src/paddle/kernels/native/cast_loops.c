/* Numbers in another type: the loops. */
#include "cast.h"

#define CAST(from_name, from, to_name, to)                                                                 \
    static int cast_##from_name##_##to_name(void *context, index_t begin, index_t end) {                   \
        const from *x = ((const cast_t *)context)->x;                                                      \
        to *y = ((const cast_t *)context)->y;                                                              \
        for (index_t i = begin; i < end; i++) y[i] = (to)x[i];                                             \
        return NATIVE_OK;                                                                                  \
    }
CAST(f32, float, f64, double)
CAST(f64, double, f32, float)
CAST(f32, float, i32, int32_t)
CAST(f32, float, i64, int64_t)
CAST(f64, double, i32, int32_t)
CAST(f64, double, i64, int64_t)
CAST(i32, int32_t, f32, float)
CAST(i32, int32_t, f64, double)
CAST(i32, int32_t, i64, int64_t)
CAST(i64, int64_t, f32, float)
CAST(i64, int64_t, f64, double)
CAST(i64, int64_t, i32, int32_t)
CAST(byte, uint8_t, f32, float)
CAST(byte, uint8_t, f64, double)
CAST(byte, uint8_t, i32, int32_t)
CAST(byte, uint8_t, i64, int64_t)

static const cast_loop_t loops[CAST_KINDS][CAST_KINDS] = {
    [CAST_F32] = {[CAST_F64] = cast_f32_f64, [CAST_I32] = cast_f32_i32, [CAST_I64] = cast_f32_i64},
    [CAST_F64] = {[CAST_F32] = cast_f64_f32, [CAST_I32] = cast_f64_i32, [CAST_I64] = cast_f64_i64},
    [CAST_I32] = {[CAST_F32] = cast_i32_f32, [CAST_F64] = cast_i32_f64, [CAST_I64] = cast_i32_i64},
    [CAST_I64] = {[CAST_F32] = cast_i64_f32, [CAST_F64] = cast_i64_f64, [CAST_I32] = cast_i64_i32},
    [CAST_BYTE] = {[CAST_F32] = cast_byte_f32, [CAST_F64] = cast_byte_f64, [CAST_I32] = cast_byte_i32, [CAST_I64] = cast_byte_i64},
};

cast_loop_t cast_loop(int from, int to) {
    return from < 0 || to < 0 || from >= CAST_KINDS || to >= CAST_KINDS ? NULL : loops[from][to];
}
