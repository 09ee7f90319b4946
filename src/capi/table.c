/* Tables of texts. */
#include "table.h"

const char *find_row(const char *texts, const uint16_t *starts, size_t count, const char *key) {
    for (size_t first = 0, last = count; first < last;) {
        size_t middle = (first + last) / 2;
        int order = strcmp(key, texts + starts[middle]);
        if (!order) return next_field(texts + starts[middle]);
        if (order < 0) last = middle;
        else first = middle + 1;
    }
    return NULL;
}
