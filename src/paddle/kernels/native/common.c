/* Scratch memory and the choice of instruction set. */
#define _GNU_SOURCE
#include "common.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- scratch ---- */

#define MAX_BLOCKS 64
#define MIN_BLOCK ((size_t)1 << 18)
#define ALIGNMENT 64

#if defined(__SANITIZE_ADDRESS__)
#define ONE_BLOCK_PER_CALL 1 /* so that the sanitizer sees the end of every piece */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ONE_BLOCK_PER_CALL 1
#endif
#endif
#ifndef ONE_BLOCK_PER_CALL
#define ONE_BLOCK_PER_CALL 0
#endif

typedef struct {
    char *memory;
    size_t size, used;
} block_t;

/* Blocks 0..count-1 exist; those before `current` are in use, `current` is being filled, later ones are free. */
static _Thread_local struct {
    block_t blocks[MAX_BLOCKS];
    int count, current;
    size_t wanted; /* what one block would have needed to hold everything so far */
} stack;

static atomic_long calls_until_failure = -1;

void scratch_fail_after(long after) { atomic_store(&calls_until_failure, after); }

static int must_fail(void) {
    if (atomic_load_explicit(&calls_until_failure, memory_order_relaxed) < 0) return 0;
    return atomic_fetch_sub(&calls_until_failure, 1) == 0;
}

static void drop_blocks(int keep) {
    while (stack.count > keep) free(stack.blocks[--stack.count].memory);
}

/* A thread that ends gives its blocks back: the key's value only says that it has any. */
static pthread_key_t ending;
static pthread_once_t ending_once = PTHREAD_ONCE_INIT;
static int ending_known; /* is there such a key? */

static void at_thread_end(void *value) {
    (void)value;
    drop_blocks(0);
    stack.current = 0;
    stack.wanted = 0;
}

static void make_ending(void) { ending_known = pthread_key_create(&ending, at_thread_end) == 0; }

static void free_at_thread_end(void) {
    pthread_once(&ending_once, make_ending);
    if (ending_known) pthread_setspecific(ending, &stack);
}

void *scratch(size_t bytes) {
    if (must_fail() || bytes > SIZE_MAX / 2) return NULL;
    size_t size = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + (ONE_BLOCK_PER_CALL ? 0 : ALIGNMENT);
    if (ONE_BLOCK_PER_CALL && size == 0) size = ALIGNMENT;
    for (; stack.current < stack.count; stack.current++) {
        block_t *block = &stack.blocks[stack.current];
        if (!ONE_BLOCK_PER_CALL && block->size - block->used >= size) {
            void *piece = block->memory + block->used;
            block->used += size;
            return piece;
        }
        if (block->used == 0) { /* too small and empty: replace it by a larger one */
            drop_blocks(stack.current);
            break;
        }
    }
    if (stack.count == MAX_BLOCKS) return NULL;
    size_t total = 0;
    for (int i = 0; i < stack.count; i++) total += stack.blocks[i].size;
    size_t room = ONE_BLOCK_PER_CALL ? size : size + total; /* grows geometrically: few blocks, few calls of malloc */
    if (!ONE_BLOCK_PER_CALL && room < stack.wanted) room = stack.wanted;
    if (!ONE_BLOCK_PER_CALL && room < MIN_BLOCK) room = MIN_BLOCK;
#if ONE_BLOCK_PER_CALL
    char *memory = malloc(bytes ? bytes : 1); /* exact size, whatever its alignment */
#else
    char *memory = aligned_alloc(ALIGNMENT, (room + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
#endif
    if (!memory) return NULL;
    if (stack.count == 0) free_at_thread_end();
    stack.current = stack.count++;
    stack.blocks[stack.current] = (block_t){memory, room, size};
    return memory;
}

size_t scratch_mark(void) {
    if (stack.count == 0 || stack.current >= stack.count) return (size_t)stack.current * ((size_t)1 << 48);
    return (size_t)stack.current * ((size_t)1 << 48) + stack.blocks[stack.current].used;
}

void scratch_release(size_t mark) {
    int block = (int)(mark >> 48);
    size_t used = mark & (((size_t)1 << 48) - 1);
    for (int i = block + 1; i < stack.count; i++) stack.blocks[i].used = 0;
    if (block < stack.count) stack.blocks[block].used = used;
    stack.current = block;
    if (ONE_BLOCK_PER_CALL) {
        drop_blocks(used ? block + 1 : block);
        return;
    }
    if (mark == 0 && stack.count > 1) { /* next time one block holds everything */
        stack.wanted = 0;
        for (int i = 0; i < stack.count; i++) stack.wanted += stack.blocks[i].size;
        drop_blocks(0);
    }
}

/* ---- instruction set ---- */

int native_isa = 0;

int isa_detect(int most) {
#if NATIVE_X86
    __builtin_cpu_init();
    const int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const int avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
    if (NATIVE_HAS(2) && avx512 && (most >= 2 || !NATIVE_HAS(1))) return 2;
    if (NATIVE_HAS(1) && avx2 && (most >= 1 || !NATIVE_HAS(0))) return 1;
#endif
    (void)most;
    return NATIVE_HAS(0) ? 0 : -1;
}

const char *const isa_names[3] = {"base", "avx2", "avx512"};

int isa_choose(const char *name) {
    for (int level = 0; level < 3; level++)
        if (!strcmp(name, isa_names[level])) {
            native_isa = isa_detect(level);
            return 0;
        }
    return -1;
}
