/* Vector types of one pass (see simd.h for the names bodies use). */
typedef real NAME(vec_t) __attribute__((vector_size(VECTOR_BYTES)));
typedef real NAME(vec_any_t) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(real))));
typedef real_int NAME(ivec_t) __attribute__((vector_size(VECTOR_BYTES)));

/* Sum of all lanes, pairwise. */
static inline __attribute__((always_inline)) real NAME(vsum_f)(NAME(vec_t) x) {
    real lanes[V];
    memcpy(lanes, &x, sizeof lanes);
    for (int half = V / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++) lanes[i] += lanes[i + half];
    return lanes[0];
}

/* Largest lane. */
static inline __attribute__((always_inline)) real NAME(vmaxlane_f)(NAME(vec_t) x) {
    real lanes[V];
    memcpy(lanes, &x, sizeof lanes);
    for (int i = 1; i < V; i++) lanes[0] = lanes[i] > lanes[0] ? lanes[i] : lanes[0];
    return lanes[0];
}
