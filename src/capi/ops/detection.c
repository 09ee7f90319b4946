/* Boxes of detection models: priors, YOLO heads, suppression. */
#include <math.h>
#include <stdlib.h>

#include "boxes.h"
#include "packed.h"

static double sigmoid(double v) { return 1 / (1 + exp(-v)); }

#define MOST_SHAPES 256 /* boxes round one place */

/* Widths and heights of the boxes round each place. */
static int prior_shapes(const op_t *op, double (*extents)[2]) {
    double least[64], most[64], given[64], ratios[129] = {1};
    int lows = read_floats(op, "min_sizes", least, 64), highs = read_floats(op, "max_sizes", most, 64), wanted = read_floats(op, "aspect_ratios", given, 64);
    int kinds = 1, count = 0, flip = attr_bool(op, "flip"), order = attr_bool(op, "min_max_aspect_ratios_order");
    if (lows < 0 || highs < 0 || wanted < 0) return -1;
    if (highs && highs != lows) return fail("max_sizes must be as many as min_sizes");
    for (int i = 0; i < wanted; i++) {
        int known = 0;
        for (int k = 0; k < kinds; k++) known |= fabs(given[i] - ratios[k]) < 1e-6;
        if (known) continue;
        ratios[kinds++] = given[i];
        if (flip) ratios[kinds++] = 1 / given[i];
    }
    for (int i = 0; i < lows; i++)
        for (int k = 0; k < kinds + (highs > 0); k++) {
            int square = highs && (order ? k == 1 : k == kinds), r = order && highs && k > 1 ? k - 1 : k;
            if (count == MOST_SHAPES) return fail("more than %d boxes round one place", MOST_SHAPES);
            double side = square ? sqrt(least[i] * most[i]) : 0, root = square ? 1 : sqrt(ratios[r]);
            extents[count][0] = square ? side : least[i] * root;
            extents[count++][1] = square ? side : least[i] / root;
        }
    return count;
}

static int prior_box(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input"), *image = x ? need_input(run, op, "Image") : NULL;
    double extents[MOST_SHAPES][2], variances[4];
    tensor_t boxes, spread;
    if (!image || check_float(x, "Input")) return -1;
    if (x->ndim != 4 || image->ndim != 4) return fail("Input and Image must have 4 axes");
    int count = prior_shapes(op, extents), given = count < 0 ? -1 : read_floats(op, "variances", variances, 4);
    if (given != 4) return given < 0 ? -1 : fail("variances must be 4 numbers");
    sizes_t old = sizes_of(x), sizes;
    if (size_anchor_grid(&old, count, 0, &sizes) || make_sized(run, &boxes, x->dtype, &sizes)) return -1;
    if (make_sized(run, &spread, x->dtype, &sizes)) return finish(run, op, "Boxes", &boxes, -1);
    double tall = (double)image->dims[2], wide = (double)image->dims[3], offset = attr_float(op, "offset");
    double down = attr_float(op, "step_h"), right = attr_float(op, "step_w");
    if (down == 0) down = tall / (double)x->dims[2];
    if (right == 0) right = wide / (double)x->dims[3];
    int clip = attr_bool(op, "clip");
    for (index_t i = 0; i < boxes.size; i++) {
        index_t side = i % 4, k = i / 4 % max_of(count, 1), column = i / 4 / max_of(count, 1) % x->dims[3], row = i / 4 / max_of(count, 1) / x->dims[3];
        int vertical = side % 2;
        double centre = ((double)(vertical ? row : column) + offset) * (vertical ? down : right);
        double value = (centre + (side < 2 ? -0.5 : 0.5) * extents[k][vertical]) / (vertical ? tall : wide);
        tensor_set(&boxes, i, clip ? fmin(fmax(value, 0), 1) : value);
        tensor_set(&spread, i, variances[side]);
    }
    give(run, op, "Variances", &spread);
    return give(run, op, "Boxes", &boxes);
}

/* A YOLO head and the numbers that read it. */
typedef struct {
    const tensor_t *x, *sizes;
    index_t anchors, classes, h, w;
    double anchor[128], threshold, ratio, scale, factor;
    int clip, aware;
} head_t;

static double head_value(const head_t *y, index_t n, index_t a, index_t entry, index_t row, index_t column) {
    index_t channel = y->aware ? y->anchors + a * (5 + y->classes) + entry : a * (5 + y->classes) + entry;
    return tensor_number(y->x, ((n * y->x->dims[1] + channel) * y->h + row) * y->w + column);
}

static void read_box(const head_t *y, index_t n, index_t a, index_t row, index_t column, tensor_t *boxes, tensor_t *scores, index_t at) {
    double confidence = sigmoid(head_value(y, n, a, 4, row, column)), shift = -0.5 * (y->scale - 1);
    if (y->aware) {
        double overlap = sigmoid(tensor_number(y->x, ((n * y->x->dims[1] + a) * y->h + row) * y->w + column));
        confidence = pow(confidence, 1 - y->factor) * pow(overlap, y->factor);
    }
    for (int k = 0; k < 4; k++) tensor_set(boxes, at * 4 + k, 0);
    for (index_t k = 0; k < y->classes; k++) tensor_set(scores, at * y->classes + k, 0);
    if (!(confidence >= y->threshold)) return;
    double tall = tensor_number(y->sizes, 2 * n), wide = tensor_number(y->sizes, 2 * n + 1);
    double cx = (sigmoid(head_value(y, n, a, 0, row, column)) * y->scale + shift + (double)column) / (double)y->w * wide;
    double cy = (sigmoid(head_value(y, n, a, 1, row, column)) * y->scale + shift + (double)row) / (double)y->h * tall;
    double bw = exp(head_value(y, n, a, 2, row, column)) * y->anchor[2 * a] / (y->ratio * (double)y->w) * wide / 2;
    double bh = exp(head_value(y, n, a, 3, row, column)) * y->anchor[2 * a + 1] / (y->ratio * (double)y->h) * tall / 2;
    double sides[4] = {cx - bw, cy - bh, cx + bw, cy + bh};
    if (y->clip) {
        sides[0] = fmax(sides[0], 0), sides[1] = fmax(sides[1], 0);
        sides[2] = fmin(sides[2], wide - 1), sides[3] = fmin(sides[3], tall - 1);
    }
    for (int k = 0; k < 4; k++) tensor_set(boxes, at * 4 + k, sides[k]);
    for (index_t k = 0; k < y->classes; k++) tensor_set(scores, at * y->classes + k, confidence * sigmoid(head_value(y, n, a, 5 + k, row, column)));
}

static int yolo_box(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *sizes = x ? need_input(run, op, "ImgSize") : NULL;
    tensor_t boxes, scores;
    if (!sizes || check_float(x, "X")) return -1;
    head_t y = {.x = x, .sizes = sizes, .classes = (index_t)attr_int(op, "class_num"), .threshold = attr_float(op, "conf_thresh"),
                .ratio = attr_float(op, "downsample_ratio"), .scale = attr_float(op, "scale_x_y"), .clip = attr_bool(op, "clip_bbox"),
                .aware = attr_bool(op, "iou_aware"), .factor = attr_float(op, "iou_aware_factor")};
    int count = read_floats(op, "anchors", y.anchor, 128);
    if (count < 0) return -1;
    y.anchors = count / 2;
    if (x->ndim != 4 || y.classes < 1 || y.classes > 1 << 20 || x->dims[1] != y.anchors * (5 + y.classes + y.aware) || sizes->size != 2 * x->dims[0])
        return fail("X or ImgSize does not fit %td anchors and %td classes", y.anchors, y.classes);
    y.h = x->dims[2];
    y.w = x->dims[3];
    sizes_t old = sizes_of(x), four, each;
    if (size_listed_boxes(&old, y.anchors, 4, &four) || size_listed_boxes(&old, y.anchors, y.classes, &each) || make_sized(run, &boxes, x->dtype, &four)) return -1;
    if (make_sized(run, &scores, x->dtype, &each)) return finish(run, op, "Boxes", &boxes, -1);
    for (index_t n = 0; n < x->dims[0]; n++)
        for (index_t k = 0; k < boxes.dims[1]; k++) read_box(&y, n, k / (y.h * y.w), k / y.w % y.h, k % y.w, &boxes, &scores, n * boxes.dims[1] + k);
    give(run, op, "Scores", &scores);
    return give(run, op, "Boxes", &boxes);
}

/* ---- suppression ---- */

/* Boxes of one class, best first, that no better one overlaps; how many are left at the front. */
static index_t suppress(const tensor_t *boxes, index_t base, candidate_t *found, index_t count, double threshold, double eta, double extra) {
    index_t n = 0;
    for (index_t i = 0; i < count; i++) {
        int hidden = 0;
        for (index_t k = 0; k < n && !hidden; k++) hidden = overlap_of(boxes, base + found[i].place, base + found[k].place, extra) > threshold;
        if (hidden) continue;
        found[n++] = found[i];
        if (eta < 1 && threshold > 0.5) threshold *= eta;
    }
    return n;
}

/* What the first multiclass_nms gives where nothing was found: [[-1]] in one picture. */
static int give_nothing(run_t *run, const op_t *op, dtype_t dtype, detections_t *d) {
    tensor_t out;
    free(d->kept);
    free(d->counts);
    if (make(run, &out, dtype, 2, (index_t[]){1, 1})) return -1;
    tensor_set(&out, 0, -1);
    return give_packed(run, op, "Out", &out, counted_rows(&(int32_t){1}, 1));
}

/* multiclass_nms and multiclass_nms2 pack what they find, the third tells in NmsRoisNum how much each picture has. */
static int multiclass_nms(run_t *run, const op_t *op) {
    int packed = strcmp(op->type, "multiclass_nms3") != 0;
    const tensor_t *boxes = need_input(run, op, "BBoxes"), *scores = boxes ? need_input(run, op, "Scores") : NULL;
    if (!scores || check_scores(boxes, scores)) return -1;
    if (find_input(run, op, "RoisNum")) return fail("boxes of all pictures in one list (RoisNum) are not supported");
    index_t pictures = boxes->dims[0], m = boxes->dims[1], classes = scores->dims[1];
    int64_t background = attr_int(op, "background_label"), top = attr_int(op, "nms_top_k"), keep = attr_int(op, "keep_top_k");
    double least = attr_float(op, "score_threshold"), extra = attr_bool(op, "normalized") ? 0 : 1;
    detections_t d;
    if (detections_new(&d, pictures, classes, m)) return fail_memory();
    for (index_t p = 0; p < pictures; p++) {
        index_t begin = d.total;
        for (index_t c = 0; c < classes; c++) {
            if (c == background) continue;
            candidate_t *found = d.kept + d.total;
            index_t count = candidates_of(scores, (p * classes + c) * m, m, c, least, top, found);
            d.total += suppress(boxes, p * m, found, count, attr_float(op, "nms_threshold"), attr_float(op, "nms_eta"), extra);
        }
        if (keep > -1) qsort(d.kept + begin, (size_t)(d.total - begin), sizeof *d.kept, better);
        if (keep > -1) d.total = min_of(d.total, begin + (index_t)keep);
        qsort(d.kept + begin, (size_t)(d.total - begin), sizeof *d.kept, by_kind);
        detections_end(&d, p, begin, -1, m);
    }
    if (!d.total && !strcmp(op->type, "multiclass_nms")) return give_nothing(run, op, boxes->dtype, &d);
    return detections_give(run, op, &d, boxes, packed ? NULL : "NmsRoisNum");
}

OPERATOR_TABLE(detection) = {{"prior_box", prior_box, 0}, {"yolo_box", yolo_box, 0}, {"multiclass_nms", multiclass_nms, OPERATOR_KEEP},
                             {"multiclass_nms2", multiclass_nms, OPERATOR_KEEP}, {"multiclass_nms3", multiclass_nms, 0}, {0}};
