/* What attention.c hands to the loops of attention.inc. */
#ifndef PADDLE_NATIVE_ATTENTION_H
#define PADDLE_NATIVE_ATTENTION_H

#include "common.h"

/* A [batch, head, row, size] view: elements between neighbours along the first three axes; the last has no gaps. */
typedef struct {
    void *data;
    index_t batch, head, row;
} heads_t;

typedef struct {
    index_t batch, heads, queries, keys, size, width; /* size of q and k, width of v */
    heads_t q, k, v, out;                             /* out: the gradient of it in the backward */
    heads_t dq, dk, dv;                               /* backward: results */
    heads_t mask;                                     /* data NULL: none; a stride of 0 repeats */
    index_t mask_key;                                 /* its stride along the keys */
    void *weights;                                    /* [batch, heads, queries, keys], or NULL: blocks of rows, made anew */
    void *logs;                                       /* [batch, heads, queries] without weights: logarithms of the sums of powers */
    double scale;
    int causal;                                       /* query i sees keys up to i + keys - queries */
    uint8_t *keep;                                    /* dropout's mask, shaped like weights; NULL: no dropout */
    double keep_factor;
} attention_t;

DECLARE_VERSIONS(f32, int, attention_forward, attention_t *t);
DECLARE_VERSIONS(f64, int, attention_forward, attention_t *t);
DECLARE_VERSIONS(f32, int, attention_backward, attention_t *t);
DECLARE_VERSIONS(f64, int, attention_backward, attention_t *t);

/* The same for heads of bfloat16, with a mask and logarithms in float32, where brain_available(). */
int attention_brain(attention_t *t, int backward);

#endif
