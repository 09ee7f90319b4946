/* Memory that is given back all at once. */
#ifndef DYGRAPH_ARENA_H
#define DYGRAPH_ARENA_H

#include <stddef.h>

typedef struct arena {
    struct arena_block *blocks;
} arena_t;

void *arena_take(arena_t *arena, size_t count, size_t size); /* zeroed; NULL with a message if there is none left */
char *arena_text(arena_t *arena, const void *bytes, size_t length);
void arena_free(arena_t *arena);

#endif
