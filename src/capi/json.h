/* JSON texts as trees. */
#ifndef DYGRAPH_JSON_H
#define DYGRAPH_JSON_H

#include "arena.h"

typedef enum { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT } json_kind_t;

typedef struct json {
    json_kind_t kind;
    const char *key, *text; /* key: of a member of an object */
    double number;          /* JSON_BOOL: 0 or 1 */
    long long whole;
    int count;
    struct json *first, *next; /* items of lists and objects */
} json_t;

json_t *json_read(arena_t *arena, const char *bytes, size_t size); /* NULL with a message */
const json_t *json_get(const json_t *object, const char *key);     /* NULL: no object, or no such member */
const json_t *json_item(const json_t *list, int i);
const char *json_text(const json_t *value, const char *fallback);

#endif
