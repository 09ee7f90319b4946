/* Memory that is given back all at once. */
#include "arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tensor.h"

#ifndef ARENA_BLOCK_BYTES /* 1 in builds that look for faults: every piece is an allocation, with an end that is watched, and may be refused */
#define ARENA_BLOCK_BYTES (1 << 15)
#endif

struct arena_block {
    struct arena_block *next;
    size_t size, used;
    max_align_t memory[];
};

void *arena_take(arena_t *arena, size_t count, size_t size) {
    if (size && count > (SIZE_MAX >> 1) / size) {
        fail_memory();
        return NULL;
    }
    size_t bytes = (count * size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct arena_block *block = arena->blocks;
    if (!block || block->size - block->used < bytes) {
        size_t room = bytes > ARENA_BLOCK_BYTES ? bytes : ARENA_BLOCK_BYTES;
        block = calloc(1, sizeof *block + room);
        if (!block) {
            fail_memory();
            return NULL;
        }
        block->size = room;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    void *memory = (char *)block->memory + block->used;
    block->used += bytes;
    return memory;
}

char *arena_text(arena_t *arena, const void *bytes, size_t length) {
    char *text = arena_take(arena, length + 1, 1);
    if (text) memcpy(text, bytes, length);
    return text;
}

void arena_free(arena_t *arena) {
    for (struct arena_block *block = arena->blocks; block;) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
    arena->blocks = NULL;
}
