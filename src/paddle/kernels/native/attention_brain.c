/* Attention of bfloat16 on processors with instructions for its products: the loops. */
#define _GNU_SOURCE
#include <math.h>

#include "common.h"
#if NATIVE_X86
#include <immintrin.h>
#endif

#include "attention.h"
#include "brain.h"
#include "convert.h"
#define BODY "attention_brain.inc"
#include "multiversion.h"

int attention_brain(attention_t *t, int backward) {
#if NATIVE_HAS(2)
    return attention_brain_run_f32_avx512(t, backward);
#else
    (void)t, (void)backward; /* never called */
    return NATIVE_OK;
#endif
}
