/* Arrays read in another order along their axes, and triangles: the loops. */
#include "remap.h"

#if NATIVE_X86
#include <immintrin.h>
#endif

#include "thresholds.h"

#define BODY "remap.inc"
#define BODY_TYPES 2
#include "multiversion.h"

/* A table cut into runs. */
static index_t make_runs(const int64_t *table, index_t count, stretch_t *runs) {
    index_t n = 0;
    for (index_t i = 0; i < count;) {
        index_t end = i + 1, step = table[i] < 0 ? 0 : 1;
        if (step && end < count && table[end] == table[i] - 1 && table[end] >= 0) step = -1;
        while (end < count && (step ? table[end] >= 0 && table[end] == table[end - 1] + step : table[end] < 0)) end++;
        runs[n++] = (stretch_t){i, end, table[i], step};
        i = end;
    }
    return n;
}

int remap_cut(remap_t *t) {
    int last = t->ndim - 1;
    stretch_t *runs = scratch((size_t)t->count[last] * sizeof *runs);
    if (!runs) return NATIVE_NO_MEMORY;
    t->run_count = make_runs(t->table[last], t->count[last], runs);
    t->runs = runs;
    for (index_t r = 0; r < t->run_count; r++)
        if (runs[r].step == 1 && runs[r].from == 0 && runs[r].end - runs[r].begin == t->size[last]) t->whole = runs + r;
    return NATIVE_OK;
}

typedef uint64_t four_t __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint32_t word_t __attribute__((aligned(1), may_alias));
#define APART(p) __asm__("" : "+r"(p)) /* keeps compilers from making a call of memcpy or memset out of a loop of few rounds */

/* memcpy without a call for the lines of small images. */
static inline void copy_bytes(char *to, const char *from, index_t bytes) {
    if (bytes > 512) {
        memcpy(to, from, (size_t)bytes);
        return;
    }
    for (; bytes >= 32; bytes -= 32, to += 32, from += 32) *(four_t *)to = *(const four_t *)from;
    for (; bytes >= 8; bytes -= 8, to += 8, from += 8) {
        APART(to);
        memcpy(to, from, 8);
    }
    for (; bytes; bytes--) {
        APART(to);
        *to++ = *from++;
    }
}

static inline void fill_bytes(const remap_t *t, char *y, index_t bytes) {
    const index_t item = t->item;
    if (bytes > 64 && t->zero) {
        memset(y, 0, (size_t)bytes);
        return;
    }
    if (item == 4)
        for (index_t i = 0; i < bytes; i += 4) {
            APART(y);
            memcpy(y + i, t->fill, 4);
        }
    else
        for (index_t i = 0; i < bytes; i += item) memcpy(y + i, t->fill, (size_t)item);
}

/* Places begin .. end of the result, counted through all lines; a place is `unit` bytes. */
static int remap_range(void *context, index_t begin, index_t end) {
    const remap_t *t = context;
    const int last = t->ndim - 1;
    const index_t count = t->count[last], unit = t->unit;
    index_t at[REMAP_MAX_AXES], first = begin % count;
    char *y = (char *)t->y + (begin - first) * unit;
    /* The usual case, a line with few elements of a constant before and after it. */
    const int framed = t->whole && t->item == 4 && (count - t->size[last]) * unit <= 256 &&
                       t->run_count == 1 + (t->whole > t->runs) + (t->whole < t->runs + t->run_count - 1) &&
                       (t->whole == t->runs || t->runs[0].step == 0) && (t->runs[t->run_count - 1].step == 0 || t->whole->end == count);
    const index_t left = framed ? t->whole->begin * unit : 0, middle = t->size[last] * unit;
    word_t word = 0;
    if (framed) memcpy(&word, t->fill, 4);
    line_places(t->count, last, begin / count, at);
    for (index_t stop; begin < end; first = 0, y += count * unit) {
        index_t source = 0;
        int filled = 0;
        stop = min_of(count, first + end - begin);
        for (int i = 0; i < last; i++) {
            index_t place = t->table[i] ? t->table[i][at[i]] : at[i];
            filled |= place < 0;
            source = source * t->size[i] + place;
        }
        for (int i = last - 1; i >= 0 && ++at[i] == t->count[i]; i--) at[i] = 0; /* on to the next line */
        begin += stop - first;
        if (filled) {
            fill_bytes(t, y + first * unit, (stop - first) * unit);
            continue;
        }
        const char *x = (const char *)t->x + source * t->size[last] * unit;
        if (framed && first == 0 && stop == count) {
            for (char *p = y, *e = y + left; p < e; p += 4) *(word_t *)p = word;
            copy_bytes(y + left, x, middle);
            for (char *p = y + left + middle, *e = y + count * unit; p < e; p += 4) *(word_t *)p = word;
            continue;
        }
        for (index_t r = 0; r < t->run_count; r++) {
            const stretch_t *run = t->runs + r;
            index_t low = max_of(first, run->begin), n = min_of(stop, run->end) - low;
            if (n <= 0) continue;
            char *to = y + low * unit;
            const char *from = x + (run->from + run->step * (low - run->begin)) * unit;
            if (run->step == 0) fill_bytes(t, to, n * unit);
            else if (run->step == 1) copy_bytes(to, from, n * unit);
            else if (unit == 4) DISPATCH(f32, copy_turned, to, from, n);
            else if (unit == 8) DISPATCH(f64, copy_turned, to, from, n);
            else
                for (index_t k = 0; k < n; k++) memcpy(to + k * unit, from - k * unit, (size_t)unit);
        }
    }
    return NATIVE_OK;
}

void remap_run(remap_t *t, index_t size) {
    parallel_range(size * t->item / t->unit, max_of(1, MOVE_GRAIN / t->unit), remap_range, t);
}

/* ---- triangles ---- */

static int triangle_rows(void *context, index_t begin, index_t end) {
    const triangle_t *t = context;
    const index_t line = t->columns * t->item;
    for (index_t row = begin; row < end; row++) {
        index_t border = row % t->rows + t->diagonal + (t->lower != 0); /* the first column that is not of the lower part */
        border = max_of(0, min_of(t->columns, border)) * t->item;
        const char *x = t->x + row * line;
        char *y = t->y + row * line;
        if (t->lower) {
            memcpy(y, x, (size_t)border);
            memset(y + border, 0, (size_t)(line - border));
        } else {
            memset(y, 0, (size_t)border);
            memcpy(y + border, x + border, (size_t)(line - border));
        }
    }
    return NATIVE_OK;
}

void triangle_run(triangle_t *t, index_t rows) {
    t->diagonal = max_of(-t->rows - 1, min_of(t->columns + 1, t->diagonal)); /* no sum with a row's number overflows */
    parallel_range(rows, max_of(1, MOVE_GRAIN / (t->columns * t->item)), triangle_rows, t);
}
