/* Tables of texts, as scripts/capi_operators.py writes them: rows sorted by their first field, each field with a zero byte behind it.
 * Texts with 16-bit offsets take a quarter of what pointers do, which cost a relocation each. */
#ifndef DYGRAPH_TABLE_H
#define DYGRAPH_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

const char *find_row(const char *texts, const uint16_t *starts, size_t count, const char *key); /* its second field, or NULL */

#define FIND_ROW(table, key) find_row(table##_texts, table##_starts, sizeof table##_starts / sizeof *table##_starts, key)

static inline const char *next_field(const char *field) { return field + strlen(field) + 1; }

#endif
