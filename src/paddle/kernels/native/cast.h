/* Numbers in another type, as C's own conversion (which is NumPy's). */
#ifndef PADDLE_NATIVE_CAST_H
#define PADDLE_NATIVE_CAST_H

#include "common.h"

enum cast_kind { CAST_F32, CAST_F64, CAST_I32, CAST_I64, CAST_BYTE, CAST_KINDS }; /* CAST_BYTE: bool and uint8, to be read only */

typedef struct {
    const void *x;
    void *y;
} cast_t;

typedef int (*cast_loop_t)(void *context, index_t begin, index_t end); /* of a cast_t, for parallel_range() */
cast_loop_t cast_loop(int from, int to); /* NULL: there is none, or a kind is not one of the above */

#endif
