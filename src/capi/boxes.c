/* Boxes of detection models. */
#include "boxes.h"

#include <math.h>
#include <stdlib.h>

#include "packed.h"

int read_floats(const op_t *op, const char *name, double *values, int room) {
    const attr_t *attr = find_attr(op, name);
    if (!attr) return 0;
    if (attr->count > room) return fail("%s has %d numbers, at most %d were expected", name, attr->count, room);
    for (int i = 0; i < attr->count; i++) values[i] = attr->floats[i];
    return attr->count;
}

double box_overlap(const double *one, const double *other, double extra) {
    double inside = 1, area[2] = {1, 1};
    for (int k = 0; k < 2; k++) {
        double low = fmax(one[k], other[k]), high = fmin(one[2 + k], other[2 + k]);
        inside = high < low ? 0 : inside * (high - low + extra);
        area[0] *= fmax(one[2 + k] - one[k] + extra, 0);
        area[1] *= fmax(other[2 + k] - other[k] + extra, 0);
    }
    double all = area[0] + area[1] - inside;
    return all > 0 ? inside / all : 0;
}

double overlap_of(const tensor_t *boxes, index_t i, index_t j, double extra) {
    double one[4], other[4];
    for (int k = 0; k < 4; k++) one[k] = tensor_number(boxes, i * 4 + k), other[k] = tensor_number(boxes, j * 4 + k);
    return box_overlap(one, other, extra);
}

int better(const void *a, const void *b) {
    const candidate_t *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

int by_kind(const void *a, const void *b) {
    const candidate_t *x = a, *y = b;
    return x->kind != y->kind ? (x->kind < y->kind ? -1 : 1) : better(a, b);
}

index_t candidates_of(const tensor_t *scores, index_t base, index_t count, index_t kind, double least, int64_t top, candidate_t *found) {
    index_t n = 0;
    for (index_t i = 0; i < count; i++) {
        double score = tensor_number(scores, base + i);
        if (score > least) found[n++] = (candidate_t){score, kind, i};
    }
    qsort(found, (size_t)n, sizeof *found, better);
    return top > -1 ? min_of(n, (index_t)top) : n;
}

int check_scores(const tensor_t *boxes, const tensor_t *scores) {
    if (boxes->ndim == 3 && boxes->dims[2] == 4 && scores->ndim == 3 && scores->dims[0] == boxes->dims[0] && scores->dims[2] == boxes->dims[1]) return 0;
    return fail("BBoxes must be [N, M, 4] and Scores [N, C, M]");
}

int check_counts(const tensor_t *counts, index_t pictures, index_t boxes) {
    int64_t sum = 0;
    if (!counts || counts->size != pictures) return fail("RoisNum must say how many boxes each of %td pictures has", pictures);
    for (index_t i = 0; i < pictures; i++) {
        int64_t count = tensor_int(counts, i);
        if (count < 0 || count > boxes) return fail("RoisNum can't be %lld", (long long)count);
        sum += count;
    }
    return sum == boxes ? 0 : fail("RoisNum adds up to %lld of %td boxes", (long long)sum, boxes);
}

int detections_new(detections_t *d, index_t pictures, index_t classes, index_t boxes) {
    *d = (detections_t){.kept = malloc((size_t)max_of(pictures * classes * boxes, 1) * sizeof *d->kept),
                        .counts = malloc((size_t)max_of(pictures, 1) * sizeof *d->counts), .pictures = pictures};
    if (d->kept && d->counts) return 0;
    free(d->kept);
    free(d->counts);
    return -1;
}

void detections_end(detections_t *d, index_t picture, index_t begin, int64_t keep, index_t boxes) {
    if (keep > -1) d->total = min_of(d->total, begin + (index_t)keep);
    for (index_t i = begin; i < d->total; i++) d->kept[i].place += picture * boxes;
    d->counts[picture] = (int32_t)(d->total - begin);
}

/* Rows [class, score, box] and the places of these boxes. */
static int detections_listed(run_t *run, const detections_t *d, const tensor_t *boxes, tensor_t *out, tensor_t *places) {
    if (make(run, out, boxes->dtype, 2, (index_t[]){d->total, 6})) return -1;
    if (make(run, places, TYPE_INT32, 2, (index_t[]){d->total, 1})) return tensor_drop(out), -1;
    for (index_t i = 0; i < d->total; i++) {
        tensor_set(out, 6 * i, (double)d->kept[i].kind);
        tensor_set(out, 6 * i + 1, d->kept[i].score);
        for (int k = 0; k < 4; k++) tensor_set(out, 6 * i + 2 + k, tensor_number(boxes, d->kept[i].place * 4 + k));
        ((int32_t *)places->data)[i] = (int32_t)d->kept[i].place;
    }
    return 0;
}

lod_t *counted_rows(const int32_t *counts, index_t pictures) {
    lod_t *lod = one_level(pictures);
    for (index_t i = 0; lod && i < pictures; i++) lod->offsets[0][i + 1] = lod->offsets[0][i] + counts[i];
    return lod;
}

int detections_give(run_t *run, const op_t *op, detections_t *d, const tensor_t *boxes, const char *name) {
    tensor_t out, places = {.dtype = TYPE_NONE}, counts;
    lod_t *rows = NULL, *again = NULL;
    int status = detections_listed(run, d, boxes, &out, &places);
    if (!status && name) status = make(run, &counts, TYPE_INT32, 1, &d->pictures);
    else if (!status) status = (rows = counted_rows(d->counts, d->pictures)) && (again = counted_rows(d->counts, d->pictures)) ? 0 : -1;
    if (!status && name) memcpy(counts.data, d->counts, (size_t)d->pictures * sizeof *d->counts);
    free(d->kept);
    free(d->counts);
    if (status) {
        tensor_drop(&out);
        tensor_drop(&places);
        lod_drop(rows);
        return -1;
    }
    if (!name) return give_packed(run, op, "Index", &places, again) || give_packed(run, op, "Out", &out, rows) ? -1 : 0;
    give(run, op, "Index", &places);
    give(run, op, name, &counts);
    return give(run, op, "Out", &out);
}
