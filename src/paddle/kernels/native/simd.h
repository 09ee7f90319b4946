/* Names for vectors inside body files. All are GCC/clang vector extensions, so + - * / and comparisons work on them;
 * a comparison gives an ivec of 0 / -1 lanes. Each name means the types of the pass that is being compiled. */
#ifndef PADDLE_NATIVE_SIMD_H
#define PADDLE_NATIVE_SIMD_H

#define DOUBLES 3 /* a value of BODY_TYPES, see oneversion.h */

#define vec NAME(vec_t)       /* V elements, aligned */
#define vec_any NAME(vec_any_t) /* the same in memory at any element's address; may alias elements of its type only */
#define ivec NAME(ivec_t)     /* V integers of the same width */

#define vload(p) ((vec)(*(const vec_any *)(p)))          /* V elements from p, any alignment */
#define vstore(p, x) (*(vec_any *)(p) = (x))             /* V elements to p */
#define vset(x) ((real)(x) - (vec){0})                   /* all lanes x; x - 0 is x, also for -0, and costs nothing */
#define vblend(mask, yes, no) ((vec)(((ivec)(yes) & (mask)) | ((ivec)(no) & ~(mask))))
#define vmax(a, b) vblend((a) > (b), a, b)               /* NaN in a or b gives b */
#define vmin(a, b) vblend((a) < (b), a, b)
/* max(x, 0) that hands NaN on: a lane is cleared only where it is below or equal 0. */
#define vrelu(x) ((vec)((ivec)(x) & ~((x) <= (vec){0})))
/* x after an activation: 0 none, 1 ReLU, RELU6. NaN is handed on. */
#define vact(relu, x) ((relu) == RELU6 ? vmin(vset(6), vrelu(x)) : (relu) ? vrelu(x) : (x))
#define vsum(x) NAME(vsum_f)(x)
#define vmaxlane(x) NAME(vmaxlane_f)(x)

/* Constant shuffle of two vectors of one type; indices run through a, then b. */
#if defined(__clang__) || __GNUC__ >= 12
#define vshuffle(mask_type, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define vshuffle(mask_type, a, b, ...) __builtin_shuffle(a, b, (mask_type){__VA_ARGS__})
#endif

/* Have x loaded once, into a register: compilers like to repeat an unaligned load in every instruction that uses it. */
#if NATIVE_X86
#define vkeep(x) __asm__("" : "+v"(x))
#else
#define vkeep(x) ((void)0)
#endif

/* Have the compiler forget how the pointer p was computed. */
#define hide(p) __asm__("" : "+r"(p))

/* A function that must disappear into its caller (the constants it is called with shape its code). */
#define INLINE static inline __attribute__((always_inline))

/* Vectors that are the same in every pass: for short rows, and transposes of small blocks. */
typedef float float8 __attribute__((vector_size(32)));
typedef float float8_any __attribute__((vector_size(32), aligned(4)));
typedef float float4 __attribute__((vector_size(16)));
typedef float float4_any __attribute__((vector_size(16), aligned(4)));
typedef int32_t int4 __attribute__((vector_size(16)));
typedef int32_t int8 __attribute__((vector_size(32)));
typedef union {
    float8 whole;
    float4 half[2];
} halves_t;

#endif
