/* Recurrence step by step over packed sequences, as DynamicRNN of 1.x writes it: rank tables, and what is cut or put together by them.
 *
 * A rank table is a tensor that has a row for each row (or inner sequence) below its level, and the offsets down to that level; all
 * that is asked of it follows from those. */
#include "small.h"

#include <stdlib.h>

#include "packed.h"

typedef struct {
    index_t length, number;
} ranked_t;

typedef struct {
    const lod_t *lod;
    const index_t *ends;
    index_t count, below, longest; /* sequences; rows below; steps */
    ranked_t *order;               /* longest first, equal ones as they stand */
} table_t;

static int compare_ranked(const void *a, const void *b) {
    const ranked_t *x = a, *y = b;
    return x->length != y->length ? (x->length < y->length) - (x->length > y->length) : (x->number > y->number) - (x->number < y->number);
}

static int rank(const lod_t *lod, table_t *table) {
    *table = (table_t){.lod = lod, .ends = lod->offsets[lod->levels - 1], .count = lod->counts[lod->levels - 1] - 1};
    table->below = table->ends[table->count];
    table->order = malloc(((size_t)table->count + 1) * sizeof *table->order);
    if (!table->order) return fail_memory();
    for (index_t i = 0; i < table->count; i++) table->order[i] = (ranked_t){table->ends[i + 1] - table->ends[i], i};
    qsort(table->order, (size_t)table->count, sizeof *table->order, compare_ranked);
    table->longest = table->count ? table->order[0].length : 0;
    return 0;
}

static int need_table(run_t *run, const op_t *op, table_t *table) {
    const tensor_t *t = need_input(run, op, "RankTable");
    const lod_t *lod = t ? need_lod(t, "RankTable") : NULL;
    table->order = NULL;
    return lod ? rank(lod, table) : -1;
}

/* How many sequences are longer than `step`. */
static index_t active_at(const table_t *table, int64_t step) {
    index_t count = 0;
    while (count < table->count && table->order[count].length > step) count++;
    return count;
}

static int rank_table(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    const lod_t *lod = x ? need_lod(x, "X") : NULL;
    const int64_t level = attr_int(op, "level");
    if (!lod) return -1;
    if (level < 0 || level >= lod->levels) return fail("X has no level %lld of sequences", (long long)level);
    lod_t *outer = lod_part(lod, 0, (int)level + 1);
    tensor_t y;
    if (!outer || make(run, &y, TYPE_INT64, 1, &outer->offsets[level][outer->counts[level] - 1])) return lod_drop(outer), -1;
    memset(y.data, 0, (size_t)y.size * sizeof(int64_t));
    return give_packed(run, op, "Out", &y, outer);
}

static int max_sequence_len(run_t *run, const op_t *op) {
    table_t table;
    tensor_t y;
    if (need_table(run, op, &table)) return -1;
    free(table.order);
    if (make_by_record(run, op, "Out", TYPE_INT64, NULL, &y)) return -1;
    *(int64_t *)y.data = table.longest;
    return give(run, op, "Out", &y);
}

/* ---- some of the sequences of a tensor ---- */

/* Units of a tensor, sequences of a level or its rows, by number; below each level the next. */
typedef struct {
    index_t *numbers[MAX_LEVELS + 1], counts[MAX_LEVELS + 1];
    int levels;
} picked_t;

static void picked_free(picked_t *p) {
    for (int i = 0; i <= p->levels; i++) free(p->numbers[i]);
}

/* What lies below `count` units that `numbers` names; takes `numbers`, NULL if there was no memory for them. */
static int pick(const lod_t *lod, int first, index_t rows, index_t *numbers, index_t count, picked_t *p) {
    *p = (picked_t){.numbers = {numbers}, .counts = {count}};
    if (!numbers) return fail_memory();
    const int levels = lod && lod->levels > first ? lod->levels - first : 0;
    const index_t units = levels ? lod->counts[first] - 1 : rows;
    for (index_t i = 0; i < count; i++)
        if (numbers[i] < 0 || numbers[i] >= units) return fail("the rank table has sequence %td, there are %td", numbers[i], units);
    if (levels && lod->offsets[lod->levels - 1][lod->counts[lod->levels - 1] - 1] != rows) return fail("offsets don't end at the rows");
    for (int l = 0; l < levels; l++) {
        const index_t *ends = lod->offsets[first + l], *above = p->numbers[l];
        index_t below = 0, *found;
        for (index_t i = 0; i < p->counts[l]; i++) below += ends[above[i] + 1] - ends[above[i]];
        if (!(found = malloc(((size_t)below + 1) * sizeof *found))) return fail_memory();
        below = 0;
        for (index_t i = 0; i < p->counts[l]; i++)
            for (index_t k = ends[above[i]]; k < ends[above[i] + 1]; k++) found[below++] = k;
        p->numbers[++p->levels] = found;
        p->counts[l + 1] = below;
    }
    return 0;
}

/* Offsets of what was picked, behind `ahead` levels of another tensor; NULL with a message, or if there are no levels. */
static lod_t *picked_lod(const picked_t *p, const lod_t *from, int first, const lod_t *ahead) {
    const int before = ahead ? ahead->levels : 0;
    index_t counts[2 * MAX_LEVELS];
    for (int l = 0; l < before; l++) counts[l] = ahead->counts[l];
    for (int l = 0; l < p->levels; l++) counts[before + l] = p->counts[l] + 1;
    lod_t *lod = before + p->levels ? lod_new(before + p->levels, counts) : NULL;
    for (int l = 0; lod && l < before; l++) memcpy(lod->offsets[l], ahead->offsets[l], (size_t)counts[l] * sizeof **lod->offsets);
    for (int l = 0; lod && l < p->levels; l++) {
        const index_t *ends = from->offsets[first + l];
        index_t *to = lod->offsets[before + l];
        to[0] = 0;
        for (index_t i = 0; i < p->counts[l]; i++) to[i + 1] = to[i] + ends[p->numbers[l][i] + 1] - ends[p->numbers[l][i]];
    }
    return lod;
}

/* A tensor of what was picked of x, which `numbers` names (taken); behind `ahead` levels. */
static int take_picked(run_t *run, const tensor_t *x, int first, index_t *numbers, index_t count, const lod_t *ahead, tensor_t *y) {
    picked_t p;
    int status = pick(x->lod, first, x->dims[0], numbers, count, &p);
    if (!status) status = make_rows(run, y, x, p.counts[p.levels]);
    if (!status) {
        const index_t inner = span(x, 1, x->ndim);
        for (index_t i = 0; i < p.counts[p.levels]; i++) copy_rows(y, i, x, p.numbers[p.levels][i], 1, inner);
        y->lod = picked_lod(&p, x->lod, first, ahead);
        if (!y->lod && (ahead || p.levels)) {
            tensor_drop(y);
            status = -1;
        }
    }
    picked_free(&p);
    return status;
}

static const tensor_t *need_rows(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    if (!x || x->ndim) return x;
    fail("X must have rows");
    return NULL;
}

static int reorder(run_t *run, const op_t *op) {
    const tensor_t *x = need_rows(run, op);
    table_t table;
    tensor_t y;
    if (!x || need_table(run, op, &table)) return -1;
    index_t *numbers = malloc(((size_t)table.count + 1) * sizeof *numbers);
    for (index_t i = 0; numbers && i < table.count; i++) numbers[i] = table.order[i].number;
    int status = take_picked(run, x, 0, numbers, table.count, NULL, &y);
    free(table.order);
    return status ? -1 : give(run, op, "Out", &y);
}

/* What still takes part in a step. */
static int shrink(run_t *run, const op_t *op) {
    const tensor_t *x = need_rows(run, op), *step = x ? need_input(run, op, "I") : NULL;
    table_t table;
    tensor_t y;
    if (!step || need_table(run, op, &table)) return -1;
    const index_t count = step->size ? active_at(&table, tensor_int(step, 0)) : 0;
    free(table.order);
    index_t *numbers = malloc(((size_t)count + 1) * sizeof *numbers);
    for (index_t i = 0; numbers && i < count; i++) numbers[i] = i;
    return take_picked(run, x, 0, numbers, count, NULL, &y) ? -1 : give(run, op, "Out", &y);
}

/* ---- arrays ---- */

static value_t *array_in(run_t *run, const slot_t *slot) {
    if (slot && slot->vars[0] >= 0) return var_array(run, slot->vars[0]);
    fail("the array is missing");
    return NULL;
}

/* Step t takes row t of every sequence that has one, longest first. */
static int cut(run_t *run, const op_t *op) {
    const tensor_t *x = need_rows(run, op);
    value_t *array = array_in(run, find_out(op, "Out"));
    table_t table;
    if (!x || !array || need_table(run, op, &table)) return -1;
    const int first = table.lod->levels;
    tensor_t own = tensor_share(x); /* arrays may be named like tensors */
    clear_array(array);
    array->items = calloc((size_t)table.longest + 1, sizeof *array->items);
    int status = array->items ? 0 : fail_memory();
    if (!status && (own.lod && own.lod->levels > first ? own.lod->counts[first] - 1 : own.dims[0]) != table.below)
        status = fail("the rank table is not one of X: it has %td rows or sequences", table.below);
    for (index_t t = 0; !status && t < table.longest; t++) {
        const index_t count = active_at(&table, t);
        index_t *numbers = malloc(((size_t)count + 1) * sizeof *numbers);
        for (index_t i = 0; numbers && i < count; i++) numbers[i] = table.ends[table.order[i].number] + t;
        status = take_picked(run, &own, first, numbers, count, NULL, &array->items[t]);
        if (!status) array->count = array->room = (int)t + 1;
    }
    tensor_drop(&own);
    free(table.order);
    return status;
}

/* All members of an array one behind the other, with the offsets of all. */
static int join_members(run_t *run, const value_t *array, const table_t *table, tensor_t *y) {
    const tensor_t *first = &array->items[0];
    const int levels = first->lod ? first->lod->levels : 0;
    index_t rows = 0, counts[MAX_LEVELS] = {0}, at = 0;
    for (int t = 0; t < array->count; t++) {
        const tensor_t *m = &array->items[t];
        const int fits = m->data && m->ndim && m->ndim == first->ndim && m->dtype == first->dtype && (m->lod ? m->lod->levels : 0) == levels;
        if (!fits || span(m, 1, m->ndim) != span(first, 1, first->ndim) || (levels ? m->lod->counts[0] - 1 : m->dims[0]) != active_at(table, t))
            return fail("member %d of the array does not fit the rank table and the others", t);
        for (int l = 0; l < levels; l++) counts[l] += m->lod->counts[l] - !!t;
        rows += m->dims[0];
    }
    lod_t *lod = levels ? lod_new(levels, counts) : NULL;
    if ((levels && !lod) || make_rows(run, y, first, rows)) return lod_drop(lod), -1;
    y->lod = lod;
    memset(counts, 0, sizeof counts);
    for (int t = 0; t < array->count; t++) {
        const tensor_t *m = &array->items[t];
        copy_rows(y, at, m, 0, m->dims[0], span(m, 1, m->ndim));
        at += m->dims[0];
        for (int l = 0; l < levels; l++) {
            index_t *to = lod->offsets[l] + counts[l], base = t ? *to : 0;
            for (index_t k = 0; k < m->lod->counts[l]; k++) to[k] = base + m->lod->offsets[l][k];
            counts[l] += m->lod->counts[l] - 1;
        }
    }
    return 0;
}

/* The way back: member t has row t of every sequence. */
static int put_together(run_t *run, const op_t *op) {
    const value_t *array = array_in(run, find_in(op, "X"));
    table_t table;
    tensor_t all, y;
    if (!array || need_table(run, op, &table)) return -1;
    int status = array->count && array->count == table.longest ? join_members(run, array, &table, &all)
                                                               : fail("the array has %d members, the rank table %td steps", array->count, table.longest);
    if (!status) {
        index_t *numbers = malloc(((size_t)table.below + 1) * sizeof *numbers), begin = 0;
        for (index_t t = 0; numbers && t < table.longest; t++) {
            const index_t count = active_at(&table, t);
            for (index_t i = 0; i < count; i++) numbers[table.ends[table.order[i].number] + t] = begin + i;
            begin += count;
        }
        status = take_picked(run, &all, 0, numbers, table.below, table.lod, &y);
        tensor_drop(&all);
    }
    if (!status) status = give(run, op, "Out", &y);
    free(table.order);
    return status;
}

#define ANY (OPERATOR_KEEP | OPERATOR_COMPLEX)
OPERATOR_TABLE(steps) = {
    {"lod_rank_table", rank_table, ANY}, {"max_sequence_len", max_sequence_len, ANY}, {"reorder_lod_tensor_by_rank", reorder, ANY},
    {"shrink_rnn_memory", shrink, ANY}, {"lod_tensor_to_array", cut, ANY}, {"array_to_lod_tensor", put_together, ANY}, {0}};
