/* Types and services every kernel file uses: sizes, scratch memory, threads, instruction-set choice.
 *
 * Conventions of this folder
 * - A kernel is a plain C function on pointers and sizes. It holds no Python object, runs without the GIL and
 *   returns a status: NATIVE_OK or NATIVE_NO_MEMORY.
 * - A binding (in the subject's .c file) checks every argument with args.h, releases the GIL, calls the kernel
 *   and turns the status into an exception.
 * - Loops on vectors live in a body file (subject.inc), compiled once per instruction set by multiversion.h.
 * - Nobody calls malloc in a kernel (but for what is kept between calls: fourier_plan.c), and nobody starts threads: see
 *   scratch() and parallel_for() below.
 */
#ifndef PADDLE_NATIVE_COMMON_H
#define PADDLE_NATIVE_COMMON_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef ptrdiff_t index_t; /* every size, stride and loop counter */

/* What a product or convolution may do to its sums besides 0 (nothing) and 1 (ReLU): ReLU limited to 6. */
enum { RELU6 = 2 };

enum { NATIVE_OK = 0, NATIVE_NO_MEMORY = -1 };

static inline index_t min_of(index_t a, index_t b) { return a < b ? a : b; }
static inline index_t max_of(index_t a, index_t b) { return a > b ? a : b; }
static inline index_t ceil_div(index_t a, index_t b) { return (a + b - 1) / b; }
static inline index_t round_up(index_t a, index_t b) { return ceil_div(a, b) * b; }

/* First item of part `part` when `items` are cut into `parts` nearly equal runs; part == parts gives the end. */
static inline index_t part_begin(index_t items, index_t parts, index_t part) { return items * part / parts; }

/* Number i of an array of int64, or of int32 if it isn't wide. */
static inline int64_t id_at(const void *ids, int is_wide, index_t i) {
    return is_wide ? ((const int64_t *)ids)[i] : ((const int32_t *)ids)[i];
}

/* ---- Scratch memory -------------------------------------------------------------------------------------------
 * Each thread owns a stack of blocks that is kept between calls, so a kernel in a training loop allocates once.
 *
 *     size_t mark = scratch_mark();
 *     float *panel = scratch(count * sizeof *panel);
 *     if (!panel) { scratch_release(mark); return NATIVE_NO_MEMORY; }
 *     ...
 *     scratch_release(mark);
 *
 * scratch() gives 64-byte aligned, uninitialised memory, or NULL when there is none left; size 0 is allowed.
 * scratch_release() gives back everything that this thread took after the mark. */
void *scratch(size_t bytes);
size_t scratch_mark(void);
void scratch_release(size_t mark);

/* Test hook: let the `after`-th scratch() call from now (0 = the next one, in any thread) fail once; < 0: never. */
void scratch_fail_after(long after);

/* ---- Threads --------------------------------------------------------------------------------------------------
 * One pool for the whole library, started at first use, safe across fork(). */

/* Run work(context, task) for every task in [0, tasks), on all threads of the pool, the caller included.
 * Returns when all of them are done: NATIVE_OK, or a failing task's status (tasks not yet begun are then skipped).
 * Each thread begins with its own part of them, first tasks with the caller, and helps the others when it has finished; a thread
 * that the system has not woken yet is not waited for, so a task must not wait for another one. A call from inside a task, or while another Python thread has the pool,
 * runs in the calling thread alone. */
int parallel_for(index_t tasks, int (*work)(void *context, index_t task), void *context);

/* The same if `worthwhile`, else in the calling thread alone: for loops that may be too short to wake anybody for. */
int parallel_for_if(int worthwhile, index_t tasks, int (*work)(void *context, index_t task), void *context);

/* Run work(context, begin, end) over pieces that cover [0, items), each at least `grain` items (except the last). */
int parallel_range(index_t items, index_t grain, int (*work)(void *context, index_t begin, index_t end), void *context);

int threads_count(void);      /* how many threads parallel_for uses at most, >= 1 */
void threads_set(int count);  /* change it; clipped to [1, 256] */
int threads_limit(int count); /* the same for loops that the calling thread starts, 0: no limit of its own; returns the one before */
int threads_start(void);      /* install the fork handlers; called once by the module */

/* ---- Instruction set ------------------------------------------------------------------------------------------
 * 0: baseline of the architecture (SSE2 on x86-64), 1: AVX2 and FMA, 2: AVX-512 F, DQ, VL, BW. */
extern int native_isa;                 /* in use */
int isa_detect(int most);              /* best one, `most` or less, that was compiled and that this processor has; -1: none */
extern const char *const isa_names[3];
int isa_choose(const char *name);      /* use that one, or the nearest one as above; -1: there is no such name */

#ifndef NATIVE_X86 /* 0 builds for the baseline alone, which is quicker to compile */
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define NATIVE_X86 1
#else
#define NATIVE_X86 0
#endif
#endif

/* NATIVE_ONLY=0, 1 or 2 compiles for that instruction set alone (see DYGRAPH_HOST in setup.py). */
#if !NATIVE_X86 && !defined(NATIVE_ONLY)
#define NATIVE_ONLY 0
#endif
#ifdef NATIVE_ONLY
#define NATIVE_HAS(level) (NATIVE_ONLY == (level))
#else
#define NATIVE_HAS(level) 1
#endif

/* Call the version of `fn` for element type f32 or f64 that fits the processor; declare all versions that another file calls.
 * VERSION_OF is the function itself, UP_TO_AVX2 it without a version for AVX-512: the linker leaves out what nobody names. */
#ifdef NATIVE_ONLY
#if NATIVE_HAS(0)
#define ONLY(base, avx2, avx512) base
#elif NATIVE_HAS(1)
#define ONLY(base, avx2, avx512) avx2
#else
#define ONLY(base, avx2, avx512) avx512
#endif
#define DISPATCH(type, fn, ...) ONLY(fn##_##type##_base, fn##_##type##_avx2, fn##_##type##_avx512)(__VA_ARGS__)
#define VERSION_OF(type, fn) ONLY(fn##_##type##_base, fn##_##type##_avx2, fn##_##type##_avx512)
#define UP_TO_AVX2(type, fn) VERSION_OF(type, fn)
#define DECLARE_VERSIONS(type, result, fn, ...) \
    result ONLY(fn##_##type##_base, fn##_##type##_avx2, fn##_##type##_avx512)(__VA_ARGS__)
#else
#define DISPATCH(type, fn, ...)                                \
    (native_isa == 2   ? fn##_##type##_avx512(__VA_ARGS__)     \
     : native_isa == 1 ? fn##_##type##_avx2(__VA_ARGS__)       \
                       : fn##_##type##_base(__VA_ARGS__))
#define VERSION_OF(type, fn) (native_isa == 2 ? fn##_##type##_avx512 : UP_TO_AVX2(type, fn))
#define UP_TO_AVX2(type, fn) (native_isa >= 1 ? fn##_##type##_avx2 : fn##_##type##_base)
#define DECLARE_VERSIONS(type, result, fn, ...) \
    result fn##_##type##_base(__VA_ARGS__);     \
    result fn##_##type##_avx2(__VA_ARGS__);     \
    result fn##_##type##_avx512(__VA_ARGS__)
#endif

#endif
