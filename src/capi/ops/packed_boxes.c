/* Boxes of several pictures packed one behind the other (LoD), as 1.x has them, their overlaps, and priors of several densities. */
#include <math.h>
#include <stdlib.h>

#include "boxes.h"
#include "packed.h"

static int check_boxes(const tensor_t *x, const char *name) {
    if (check_float(x, name)) return -1;
    return x->ndim == 2 && x->dims[1] == 4 ? 0 : fail("%s must be boxes [rows, 4]", name);
}

typedef struct {
    const tensor_t *x, *other;
    tensor_t *y;
    double extra; /* of boxes of whole pixels */
} overlaps_t;

/* What each of the boxes begin .. end has in common with all others, over what they cover together. */
#define OVERLAPS(T)                                                                                                        \
    LOOPS static int overlaps_##T(void *context, index_t begin, index_t end) {                                            \
        const overlaps_t *t = context;                                                                                    \
        const T more = (T)t->extra, *others = t->other->data;                                                             \
        const index_t count = t->other->dims[0];                                                                          \
        for (index_t i = begin; i < end; i++) {                                                                           \
            const T *a = (const T *)t->x->data + 4 * i, one = (a[2] - a[0] + more) * (a[3] - a[1] + more);                \
            T *y = (T *)t->y->data + i * count;                                                                           \
            for (index_t k = 0; k < count; k++) {                                                                         \
                const T *b = others + 4 * k, two = (b[2] - b[0] + more) * (b[3] - b[1] + more);                           \
                T wide = (a[2] < b[2] ? a[2] : b[2]) - (a[0] > b[0] ? a[0] : b[0]) + more;                                \
                T high = (a[3] < b[3] ? a[3] : b[3]) - (a[1] > b[1] ? a[1] : b[1]) + more;                                \
                T common = (wide > 0 ? wide : 0) * (high > 0 ? high : 0);                                                 \
                y[k] = common / (one + two - common + (T)1e-10);                                                          \
            }                                                                                                             \
        }                                                                                                                 \
        return NATIVE_OK;                                                                                                 \
    }
OVERLAPS(float)
OVERLAPS(double)

static int iou_similarity(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *other = x ? need_input(run, op, "Y") : NULL;
    double extra = attr_bool(op, "box_normalized") ? 0 : 1;
    tensor_t y;
    if (!other || check_boxes(x, "X") || check_boxes(other, "Y") || (x->dtype != other->dtype && fail("X is %s and Y %s", type_name(x->dtype), type_name(other->dtype))) || make_by_record(run, op, "Out", x->dtype, NULL, &y)) return -1;
    overlaps_t t = {x, other, &y, extra};
    if (y.size) parallel_range(x->dims[0], max_of(1, 4096 / other->dims[0]), x->dtype == TYPE_FLOAT32 ? overlaps_float : overlaps_double, &t);
    return give(run, op, "Out", &y);
}

/* Boxes cut at the borders of their picture, which ImInfo gives as [height, width, scale] after scaling. */
static int box_clip(run_t *run, const op_t *op) {
    const tensor_t *info = need_input(run, op, "ImInfo");
    packed_t p;
    tensor_t y;
    if (!info || read_packed(run, op, "Input", &p) || check_float(p.x, "Input")) return -1;
    if (p.x->dims[p.x->ndim - 1] != 4 || info->size != 3 * p.count) return fail("Input must be boxes of 4 numbers, ImInfo 3 numbers for each of %td pictures", p.count);
    if (make_like(run, &y, p.x)) return -1;
    for (index_t n = 0; n < p.count; n++)
        for (index_t i = p.ends[n] * p.inner; i < p.ends[n + 1] * p.inner; i++) {
            double limit = floor(tensor_number(info, 3 * n + (i % 2 ? 0 : 1)) / tensor_number(info, 3 * n + 2) + 0.5) - 1; /* halves go up */
            tensor_set(&y, i, fmax(fmin(tensor_number(p.x, i), limit), 0));
        }
    return give(run, op, "Output", &y);
}

/* ---- levels of a pyramid ---- */

/* The levels of boxes and scores as candidates: kind is the picture, place the number among all boxes; how many, or -1. */
static index_t gather_levels(run_t *run, const op_t *op, candidate_t **found, index_t *pictures) {
    const slot_t *boxes = find_in(op, "MultiLevelRois"), *scores = find_in(op, "MultiLevelScores");
    index_t total = 0, at = 0;
    if (!boxes || !scores || boxes->count != scores->count) return fail("MultiLevelRois and MultiLevelScores must be as many");
    for (int level = 0; level < boxes->count; level++) {
        const tensor_t *x = input_at(run, op, boxes, level), *score = x ? input_at(run, op, scores, level) : NULL;
        const lod_t *lod = score ? need_lod(x, "MultiLevelRois") : NULL;
        if (!lod || check_boxes(x, "MultiLevelRois")) return -1;
        index_t count = lod->counts[lod->levels - 1] - 1;
        if (level && count != *pictures) return fail("levels of %td and %td pictures", *pictures, count);
        if (score->size != x->dims[0] || lod->offsets[lod->levels - 1][count] != x->dims[0]) return fail("a level must have a score and a picture for each box");
        *pictures = count;
        total += x->dims[0];
    }
    *found = malloc((size_t)max_of(total, 1) * sizeof **found);
    if (!*found) return fail_memory();
    for (int level = 0; level < boxes->count; level++) {
        const tensor_t *x = input_at(run, op, boxes, level), *score = input_at(run, op, scores, level);
        const index_t *ends = x->lod->offsets[x->lod->levels - 1];
        for (index_t n = 0; n < *pictures; n++)
            for (index_t i = ends[n]; i < ends[n + 1]; i++, at++) (*found)[at] = (candidate_t){tensor_number(score, i), n, at};
    }
    return total;
}

/* Higher scores first, of equal ones the first in the list. */
static int by_score(const void *a, const void *b) {
    const candidate_t *x = a, *y = b;
    return x->score != y->score ? (x->score > y->score ? -1 : 1) : x->place < y->place ? -1 : x->place > y->place;
}

static int by_picture(const void *a, const void *b) {
    const candidate_t *x = a, *y = b;
    return x->kind != y->kind ? (x->kind < y->kind ? -1 : 1) : by_score(a, b);
}

/* The best boxes of all levels and pictures, picture by picture, best first. */
static int collect_fpn_proposals(run_t *run, const op_t *op) {
    candidate_t *found = NULL;
    tensor_t y;
    index_t pictures = 0, total = gather_levels(run, op, &found, &pictures);
    if (total < 0) return -1;
    qsort(found, (size_t)total, sizeof *found, by_score);
    index_t kept = (index_t)min_of((int64_t)total, max_of(attr_int(op, "post_nms_topN"), 0));
    qsort(found, (size_t)kept, sizeof *found, by_picture);
    const slot_t *boxes = find_in(op, "MultiLevelRois");
    lod_t *lod = one_level(pictures);
    if (!lod || make(run, &y, input_at(run, op, boxes, 0)->dtype, 2, (index_t[]){kept, 4})) {
        lod_drop(lod);
        free(found);
        return -1;
    }
    for (index_t n = 0; n < pictures; n++) lod->offsets[0][n + 1] = 0;
    for (index_t i = 0; i < kept; i++) {
        index_t at = found[i].place;
        int level = 0;
        while (at >= input_at(run, op, boxes, level)->dims[0]) at -= input_at(run, op, boxes, level++)->dims[0];
        for (int k = 0; k < 4; k++) tensor_set(&y, 4 * i + k, tensor_number(input_at(run, op, boxes, level), 4 * at + k));
        lod->offsets[0][found[i].kind + 1]++;
    }
    for (index_t n = 0; n < pictures; n++) lod->offsets[0][n + 1] += lod->offsets[0][n];
    free(found);
    return give_packed(run, op, "FpnRois", &y, lod);
}

/* ---- priors ---- */

#define MOST_SHAPES 1024 /* boxes round one place */

typedef struct {
    double shift[2], extent[2];
} prior_t;

/* Boxes of one cell of `step` pixels: density x density of each size and ratio. */
static int dense_shapes(const op_t *op, int64_t step, prior_t *shapes) {
    double sizes[64], ratios[64];
    int size_count = read_floats(op, "fixed_sizes", sizes, 64), ratio_count = read_floats(op, "fixed_ratios", ratios, 64), count = 0;
    int64_t given[64];
    int density_count = attr_ints(op, "densities", given, 64);
    if (size_count < 0 || ratio_count < 0 || density_count < 0) return -1;
    if (density_count != size_count) return fail("densities must be as many as fixed_sizes");
    for (int s = 0; s < size_count; s++) {
        if (given[s] < 1 || given[s] > 64) return fail("a density can't be %lld", (long long)given[s]);
        double shift = (double)(step / given[s]);
        for (int r = 0; r < ratio_count; r++)
            for (int64_t k = 0; k < given[s] * given[s]; k++) {
                if (count == MOST_SHAPES) return fail("more than %d boxes round one place", MOST_SHAPES);
                double first = -(double)step / 2 + shift / 2, root = sqrt(ratios[r]);
                shapes[count++] = (prior_t){{first + (double)(k % given[s]) * shift, first + (double)(k / given[s]) * shift}, {sizes[s] * root, sizes[s] / root}};
            }
    }
    return count;
}

static int density_prior_box(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input"), *image = x ? need_input(run, op, "Image") : NULL;
    prior_t shapes[MOST_SHAPES];
    double variances[4], offset = attr_float(op, "offset");
    tensor_t boxes, spread;
    if (!image || check_float(x, "Input")) return -1;
    if (x->ndim != 4 || image->ndim != 4) return fail("Input and Image must have 4 axes");
    index_t h = x->dims[2], w = x->dims[3];
    double step[2] = {attr_float(op, "step_w"), attr_float(op, "step_h")}, picture[2] = {(double)image->dims[3], (double)image->dims[2]};
    if (step[0] == 0 || step[1] == 0) step[0] = picture[0] / (double)w, step[1] = picture[1] / (double)h;
    if (!(step[0] + step[1] < 1e9)) return fail("a step of %g pixels", step[0] + step[1]);
    int count = dense_shapes(op, (int64_t)((step[0] + step[1]) / 2), shapes);
    if (count < 0 || read_floats(op, "variances", variances, 4) != 4) return count < 0 ? -1 : fail("variances must be 4 numbers");
    sizes_t old = sizes_of(x), grid;
    if (size_anchor_grid(&old, count, attr_bool(op, "flatten_to_2d"), &grid) || make_sized(run, &boxes, x->dtype, &grid)) return -1;
    if (make_sized(run, &spread, x->dtype, &grid)) return finish(run, op, "Boxes", &boxes, -1);
    for (index_t i = 0; i < boxes.size; i++) {
        index_t side = i % 4, cell = i / 4 / count, way = side % 2;
        const prior_t *shape = &shapes[i / 4 % count];
        double centre = ((double)(way ? cell / w : cell % w) + offset) * step[way] + shape->shift[way];
        double value = (centre + (side < 2 ? -0.5 : 0.5) * shape->extent[way]) / picture[way];
        value = side < 2 ? fmax(value, 0) : fmin(value, 1);
        tensor_set(&boxes, i, attr_bool(op, "clip") ? fmin(fmax(value, 0), 1) : value);
        tensor_set(&spread, i, variances[side]);
    }
    give(run, op, "Variances", &spread);
    return give(run, op, "Boxes", &boxes);
}

OPERATOR_TABLE(packed_boxes) = {{"iou_similarity", iou_similarity, 0}, {"box_clip", box_clip, 0},
                                {"collect_fpn_proposals", collect_fpn_proposals, OPERATOR_KEEP}, {"density_prior_box", density_prior_box, 0}, {0}};
