/* Matrix products of bfloat16 (see brain.h). One instruction multiplies 16 pairs of neighbours along the inner dimension, so both
 * operands are read in pairs: B is packed as tiles of COLS columns, [pair][column][2]; A is used where it lies if its rows have
 * no gaps and a whole number of pairs, else packed panel by panel, [pair][row][2]. A tile is multiplied over all of the
 * inner dimension at once: its sums never leave the registers. */
#include "brain.h"

#if NATIVE_X86 && (defined(__clang__) ? __clang_major__ >= 9 : __GNUC__ >= 10)
#include <immintrin.h>

#define ROWS 12 /* of a panel: with COLS, 24 registers of sums */
#define COLS 32
#define PANEL 16 /* rows of a packed panel have room for this many */
#define BLOCK_BYTES (96 << 10) /* panels that a task packs before it multiplies them */
#define WORTHWHILE 200000 /* multiplications that are worth waking a thread for */
#define BF16 __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx512bf16")))
#define INLINE_BF16 BF16 __attribute__((always_inline)) static inline

int brain_available(void) {
    static int known = -1;
    if (known < 0) known = __builtin_cpu_supports("avx512bf16") ? 1 : 0;
    return known && native_isa == 2;
}

typedef struct {
    const brain_t *product;
    index_t pairs, tiles, panels, blocks, parts; /* tasks are blocks of panels times parts of the tiles */
    uint16_t *packed;
} plan_t;

/* Up to 16 pairs of up to 16 columns whose pairs are neighbours, turned: pairs [pair][wide], zeros where there is nothing. */
BF16 static void turn_pairs(const uint16_t *from, index_t col, index_t left, index_t columns, index_t wide, uint16_t *to) {
    __m512i r[16], t[16];
    const __mmask32 some = left >= 32 ? ~(__mmask32)0 : ((__mmask32)1 << left) - 1;
    for (int c = 0; c < 16; c++) r[c] = c < columns ? _mm512_maskz_loadu_epi16(some, from + c * col) : _mm512_setzero_si512();
    for (int c = 0; c < 16; c += 2) t[c] = _mm512_unpacklo_epi32(r[c], r[c + 1]), t[c + 1] = _mm512_unpackhi_epi32(r[c], r[c + 1]);
    for (int c = 0; c < 16; c += 4) {
        r[c] = _mm512_unpacklo_epi64(t[c], t[c + 2]), r[c + 1] = _mm512_unpackhi_epi64(t[c], t[c + 2]);
        r[c + 2] = _mm512_unpacklo_epi64(t[c + 1], t[c + 3]), r[c + 3] = _mm512_unpackhi_epi64(t[c + 1], t[c + 3]);
    }
    for (int c = 0; c < 4; c++) { /* r[4 g + c]: pairs c, c + 4, c + 8 and c + 12 of columns 4 g to 4 g + 3 */
        const __m512i low = _mm512_shuffle_i32x4(r[c], r[c + 4], 0x88), high = _mm512_shuffle_i32x4(r[c], r[c + 4], 0xdd);
        const __m512i low_far = _mm512_shuffle_i32x4(r[c + 8], r[c + 12], 0x88), high_far = _mm512_shuffle_i32x4(r[c + 8], r[c + 12], 0xdd);
        t[c] = _mm512_shuffle_i32x4(low, low_far, 0x88), t[c + 8] = _mm512_shuffle_i32x4(low, low_far, 0xdd);
        t[c + 4] = _mm512_shuffle_i32x4(high, high_far, 0x88), t[c + 12] = _mm512_shuffle_i32x4(high, high_far, 0xdd);
    }
    const index_t pairs = min_of(16, ceil_div(left, 2));
    for (index_t p = 0; p < pairs; p++) _mm512_storeu_si512(to + p * wide * 2, t[p]);
}

/* Up to 32 columns of a matrix whose rows are `row` apart and whose columns `col`: [pair][wide][2], zeros where there is nothing. */
BF16 static void pack_pairs(const uint16_t *from, index_t row, index_t col, index_t k, index_t columns, index_t wide, uint16_t *to) {
    index_t pairs = ceil_div(k, 2);
    if (col == 1) {
        short low[32], high[32];
        for (int i = 0; i < 32; i++) {
            low[i] = (short)(i / 2 + i % 2 * 32);
            high[i] = (short)(low[i] + 16);
        }
        __m512i first = _mm512_loadu_si512(low), second = _mm512_loadu_si512(high);
        __mmask32 some = columns >= 32 ? ~(__mmask32)0 : ((__mmask32)1 << columns) - 1;
        for (index_t p = 0; p < pairs; p++, to += 2 * wide, from += 2 * row) {
            __m512i even = _mm512_maskz_loadu_epi16(some, from);
            __m512i odd = _mm512_maskz_loadu_epi16(2 * p + 1 < k ? some : 0, 2 * p + 1 < k ? from + row : from);
            _mm512_storeu_si512(to, _mm512_permutex2var_epi16(even, first, odd));
            if (wide > 16) _mm512_storeu_si512(to + 32, _mm512_permutex2var_epi16(even, second, odd));
        }
        return;
    }
    if (row == 1) {
        for (index_t c = 0; c < wide; c += 16)
            for (index_t p = 0; p < pairs; p += 16) turn_pairs(from + c * col + 2 * p, col, k - 2 * p, columns - c, wide, to + (p * wide + c) * 2);
        return;
    }
    memset(to, 0, (size_t)(pairs * wide * 2) * sizeof *to);
    for (index_t c = 0; c < columns; c++)
        for (index_t i = 0; i < k; i++) to[(i / 2 * wide + c) * 2 + i % 2] = from[i * row + c * col];
}

static int pack_tile(void *context, index_t t) {
    const plan_t *plan = context;
    const brain_t *p = plan->product;
    pack_pairs(p->b + t * COLS * p->b_col, p->b_row, p->b_col, p->k, min_of(COLS, p->n - t * COLS), COLS,
               plan->packed + t * plan->pairs * COLS * 2);
    return NATIVE_OK;
}

/* Rows of A times one tile; pair k of row r is at a[r * row + k * step]. */
INLINE_BF16 void multiply(const int rows, const plan_t *plan, const uint16_t *a, index_t row, index_t step, index_t tile, index_t at) {
    const brain_t *p = plan->product;
    const uint16_t *b = plan->packed + tile * plan->pairs * COLS * 2;
    index_t columns = min_of(COLS, p->n - tile * COLS);
    __mmask16 near = columns >= 16 ? 0xffff : (__mmask16)((1u << columns) - 1);
    __mmask16 far = columns >= 32 ? 0xffff : columns <= 16 ? 0 : (__mmask16)((1u << (columns - 16)) - 1);
    __m512 sums[ROWS][2], start = _mm512_setzero_ps(), start_far = start;
    if (p->bias) {
        start = _mm512_maskz_loadu_ps(near, p->bias + tile * COLS);
        start_far = _mm512_maskz_loadu_ps(far, far ? p->bias + tile * COLS + 16 : p->bias);
    }
    _Pragma("GCC unroll 12") for (int r = 0; r < rows; r++) sums[r][0] = start, sums[r][1] = start_far;
    for (index_t k = 0; k < plan->pairs; k++, b += 2 * COLS, a += step) {
        __m512bh left = (__m512bh)_mm512_loadu_si512(b), right = (__m512bh)_mm512_loadu_si512(b + COLS);
        _Pragma("GCC unroll 12") for (int r = 0; r < rows; r++) {
            int32_t pair;
            memcpy(&pair, a + r * row, sizeof pair);
            __m512bh x = (__m512bh)_mm512_set1_epi32(pair);
            sums[r][0] = _mm512_dpbf16_ps(sums[r][0], left, x);
            sums[r][1] = _mm512_dpbf16_ps(sums[r][1], right, x);
        }
    }
    if (p->wide) {
        float *wide = p->wide + at * p->c_row + tile * COLS;
        _Pragma("GCC unroll 12") for (int r = 0; r < rows; r++, wide += p->c_row) {
            float *beyond = far ? wide + 16 : wide;
            if (p->accumulate) {
                sums[r][0] = _mm512_add_ps(sums[r][0], _mm512_maskz_loadu_ps(near, wide));
                sums[r][1] = _mm512_add_ps(sums[r][1], _mm512_maskz_loadu_ps(far, beyond));
            }
            _mm512_mask_storeu_ps(wide, near, sums[r][0]);
            _mm512_mask_storeu_ps(beyond, far, sums[r][1]);
        }
        return;
    }
    uint16_t *c = p->c + at * p->c_row + tile * COLS;
    _Pragma("GCC unroll 12") for (int r = 0; r < rows; r++, c += p->c_row) {
        if (p->relu)
            for (int i = 0; i < 2; i++) sums[r][i] = _mm512_max_ps(_mm512_setzero_ps(), sums[r][i]); /* NaN stays */
        _mm256_mask_storeu_epi16(c, near, (__m256i)_mm512_cvtneps_pbh(sums[r][0]));
        if (far) _mm256_mask_storeu_epi16(c + 16, far, (__m256i)_mm512_cvtneps_pbh(sums[r][1]));
    }
}

BF16 static void multiply_panel(int rows, const plan_t *plan, const uint16_t *a, index_t row, index_t step, index_t tile, index_t at) {
#define CASE(n) case n: multiply(n, plan, a, row, step, tile, at); break;
    switch (rows) { CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12) }
#undef CASE
}

static int multiply_block(void *context, index_t task) {
    const plan_t *plan = context;
    const brain_t *p = plan->product;
    index_t block = task / plan->parts, part = task % plan->parts;
    index_t begin = part_begin(plan->panels, plan->blocks, block), end = part_begin(plan->panels, plan->blocks, block + 1);
    index_t tile_end = part_begin(plan->tiles, plan->parts, part + 1);
    int in_place = p->a_col == 1 && p->k % 2 == 0;
    size_t mark = scratch_mark();
    uint16_t *packed = in_place ? NULL : scratch((size_t)((end - begin) * plan->pairs * PANEL * 2) * sizeof *packed);
    if (!in_place && !packed) {
        scratch_release(mark);
        return NATIVE_NO_MEMORY;
    }
    for (index_t panel = begin; !in_place && panel < end; panel++) {
        index_t row = part_begin(p->m, plan->panels, panel), rows = part_begin(p->m, plan->panels, panel + 1) - row;
        pack_pairs(p->a + row * p->a_row, p->a_col, p->a_row, p->k, rows, PANEL, packed + (panel - begin) * plan->pairs * PANEL * 2);
    }
    for (index_t tile = part_begin(plan->tiles, plan->parts, part); tile < tile_end; tile++)
        for (index_t panel = begin; panel < end; panel++) {
            index_t row = part_begin(p->m, plan->panels, panel), rows = part_begin(p->m, plan->panels, panel + 1) - row;
            if (in_place) multiply_panel((int)rows, plan, p->a + row * p->a_row, p->a_row, 2, tile, row);
            else multiply_panel((int)rows, plan, packed + (panel - begin) * plan->pairs * PANEL * 2, 2, 2 * PANEL, tile, row);
        }
    scratch_release(mark);
    return NATIVE_OK;
}

int brain_gemm(const brain_t *p) {
    if (!p->m || !p->n) return NATIVE_OK;
    plan_t plan = {.product = p, .pairs = ceil_div(p->k, 2), .tiles = ceil_div(p->n, COLS), .panels = ceil_div(p->m, ROWS)};
    index_t wanted = 4 * threads_count(), at_once = max_of(1, BLOCK_BYTES / max_of(1, plan.pairs * PANEL * 4));
    plan.blocks = min_of(plan.panels, max_of(wanted, ceil_div(plan.panels, at_once)));
    plan.parts = min_of(plan.tiles, ceil_div(wanted, plan.blocks));
    size_t mark = scratch_mark();
    plan.packed = scratch((size_t)(plan.tiles * plan.pairs * COLS * 2) * sizeof *plan.packed);
    int status = plan.packed ? NATIVE_OK : NATIVE_NO_MEMORY, large = p->m * p->n * p->k >= WORTHWHILE;
    if (status == NATIVE_OK) status = parallel_for_if(large && p->n * p->k >= 65536, plan.tiles, pack_tile, &plan);
    if (status == NATIVE_OK) status = parallel_for_if(large, plan.blocks * plan.parts, multiply_block, &plan);
    scratch_release(mark);
    return status;
}

#else

int brain_available(void) { return 0; }

int brain_gemm(const brain_t *product) {
    (void)product;
    return NATIVE_OK; /* never called */
}

#endif
