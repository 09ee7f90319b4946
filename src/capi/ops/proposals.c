/* Boxes of two-stage detectors: anchors, proposals, levels of a pyramid, suppression by decay. */
#include <math.h>
#include <stdlib.h>

#include "boxes.h"
#include "packed.h"

#define MOST_SHAPES 256 /* anchors round one place */

static int anchor_generator(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input");
    double sizes[64], ratios[64], spread[4], stride[2], reach[MOST_SHAPES][2], offset = attr_float(op, "offset");
    tensor_t boxes, variances;
    int size_count = read_floats(op, "anchor_sizes", sizes, 64), ratio_count = read_floats(op, "aspect_ratios", ratios, 64), count = 0;
    if (!x || size_count < 0 || ratio_count < 0) return -1;
    if (read_floats(op, "variances", spread, 4) != 4 || read_floats(op, "stride", stride, 2) != 2) return fail("variances must be 4 numbers and stride 2");
    if (x->ndim != 4 || size_count * ratio_count > MOST_SHAPES) return fail("Input must have 4 axes and a place at most %d anchors", MOST_SHAPES);
    for (int r = 0; r < ratio_count; r++)
        for (int s = 0; s < size_count; s++, count++) {
            double wide = floor(sqrt(stride[0] * stride[1] / ratios[r]) + 0.5), tall = floor(wide * ratios[r] + 0.5);
            reach[count][0] = (sizes[s] / stride[0] * wide - 1) / 2;
            reach[count][1] = (sizes[s] / stride[1] * tall - 1) / 2;
        }
    index_t h = x->dims[2], w = x->dims[3];
    sizes_t old = sizes_of(x), grid;
    if (size_anchor_grid(&old, count, 0, &grid) || make_sized(run, &boxes, x->dtype, &grid)) return -1;
    if (make_sized(run, &variances, x->dtype, &grid)) return finish(run, op, "Anchors", &boxes, -1);
    for (index_t i = 0; i < h * w * count; i++) {
        double centre[2] = {(double)(i / count % w) * stride[0] + offset * (stride[0] - 1), (double)(i / count / w) * stride[1] + offset * (stride[1] - 1)};
        for (int k = 0; k < 4; k++) {
            tensor_set(&boxes, i * 4 + k, centre[k % 2] + (k < 2 ? -1 : 1) * reach[i % count][k % 2]);
            tensor_set(&variances, i * 4 + k, spread[k]);
        }
    }
    give(run, op, "Variances", &variances);
    return give(run, op, "Anchors", &boxes);
}

/* ---- proposals ---- */

typedef struct {
    const tensor_t *scores, *deltas, *sizes, *anchors, *variances; /* sizes: height and width of each picture, and by how much it was scaled */
    index_t kinds, h, w, before, after, told; /* told: numbers of `sizes` for each picture */
    double threshold, least, eta, extra;
} proposer_t;

/* The box of anchor `at` (place after place, kind after kind) of a picture, inside the picture; 0: too small. */
static int propose(const proposer_t *p, index_t n, index_t at, double *box) {
    index_t kind = at % p->kinds, place = at / p->kinds, plane = p->h * p->w;
    double delta[4], side[4], limit[2] = {tensor_number(p->sizes, p->told * n + 1), tensor_number(p->sizes, p->told * n)};
    double scale = p->told == 3 ? tensor_number(p->sizes, p->told * n + 2) : 1;
    for (int k = 0; k < 4; k++) {
        side[k] = tensor_number(p->anchors, at * 4 + k);
        delta[k] = tensor_number(p->deltas, (n * 4 * p->kinds + kind * 4 + k) * plane + place) * tensor_number(p->variances, at * 4 + k);
    }
    int good = 1;
    for (int k = 0; k < 2; k++) {
        double size = side[2 + k] - side[k] + p->extra, centre = delta[k] * size + side[k] + size / 2;
        double extent = exp(fmin(delta[2 + k], log(1000.0 / 16))) * size;
        box[k] = (double)(float)fmin(fmax(centre - extent / 2, 0), limit[k] - p->extra);
        box[2 + k] = (double)(float)fmin(fmax(centre + extent / 2 - p->extra, 0), limit[k] - p->extra);
        double kept = box[2 + k] - box[k];
        good &= kept / scale + p->extra >= fmax(p->least, 1) && (p->extra == 0 || box[k] + (kept + p->extra) / 2 <= limit[k]);
    }
    return good;
}

/* Proposals of one picture into `found` (their places) and `boxes` (by number); how many, best first. */
static index_t propose_all(const proposer_t *p, index_t n, candidate_t *found, double (*boxes)[4]) {
    index_t all = p->kinds * p->h * p->w, count = 0, kept = 0;
    for (index_t i = 0; i < all; i++) found[i] = (candidate_t){tensor_number(p->scores, (n * p->kinds + i % p->kinds) * p->h * p->w + i / p->kinds), 0, i};
    qsort(found, (size_t)all, sizeof *found, better);
    for (index_t i = 0; i < (p->before > 0 ? min_of(p->before, all) : all); i++)
        if (propose(p, n, found[i].place, boxes[count])) found[count++].score = found[i].score;
    if (p->threshold <= 0) return count;
    double threshold = p->threshold;
    for (index_t i = 0; i < count && !(p->after > 0 && kept == p->after); i++) {
        int hidden = 0;
        for (index_t k = 0; k < kept && !hidden; k++) hidden = box_overlap(boxes[i], boxes[k], p->extra) > threshold;
        if (hidden) continue;
        memcpy(boxes[kept], boxes[i], sizeof *boxes);
        found[kept++].score = found[i].score;
        if (p->eta < 1 && threshold > 0.5) threshold *= p->eta;
    }
    return kept;
}

/* The first generate_proposals packs its boxes, and takes ImInfo with the scale of each picture in place of ImShape. */
static int generate_proposals(run_t *run, const op_t *op) {
    int packed = !strcmp(op->type, "generate_proposals");
    proposer_t p = {.scores = need_input(run, op, "Scores"), .before = (index_t)attr_int(op, "pre_nms_topN"),
                    .after = (index_t)attr_int(op, "post_nms_topN"), .threshold = attr_float(op, "nms_thresh"),
                    .least = attr_float(op, "min_size"), .eta = attr_float(op, "eta"), .extra = packed || attr_bool(op, "pixel_offset"),
                    .told = packed ? 3 : 2};
    if (!p.scores || !(p.deltas = need_input(run, op, "BboxDeltas")) || !(p.sizes = need_input(run, op, packed ? "ImInfo" : "ImShape")) ||
        !(p.anchors = need_input(run, op, "Anchors")) || !(p.variances = need_input(run, op, "Variances")))
        return -1;
    if (check_float(p.scores, "Scores")) return -1;
    if (p.scores->ndim != 4) return fail("Scores must have 4 axes, not %d", p.scores->ndim);
    p.kinds = p.scores->dims[1], p.h = p.scores->dims[2], p.w = p.scores->dims[3];
    index_t pictures = p.scores->dims[0], all = p.kinds * p.h * p.w, total = 0;
    if (p.deltas->size != 4 * p.scores->size || p.anchors->size != 4 * all || p.variances->size != 4 * all || p.sizes->size != p.told * pictures)
        return fail("BboxDeltas, Anchors, Variances or the sizes of pictures don't fit %td anchors in %td pictures", all, pictures);
    tensor_t boxes, scores, counts, cut[2] = {{.dtype = TYPE_NONE}, {.dtype = TYPE_NONE}};
    candidate_t *found = malloc((size_t)max_of(all, 1) * sizeof *found);
    double(*places)[4] = malloc((size_t)max_of(all, 1) * sizeof *places);
    index_t most = pictures * max_of(all, 1);
    static const char *const names[] = {"RpnRois", "RpnRoiProbs"};
    int status = found && places ? make_by_record(run, op, "RpnRoisNum", TYPE_INT32, &pictures, &counts) : fail_memory();
    if (!status && (status = make(run, &boxes, p.scores->dtype, 2, (index_t[]){most, 4}))) tensor_drop(&counts);
    if (!status && (status = make(run, &scores, p.scores->dtype, 2, (index_t[]){most, 1}))) tensor_drop(&counts), tensor_drop(&boxes);
    for (index_t n = 0; !status && n < pictures; n++) {
        index_t count = all ? propose_all(&p, n, found, places) : 0, rows = packed ? count : max_of(count, 1); /* a picture always has a box, if an empty one */
        for (index_t i = 0; i < rows; i++, total++) {
            for (int k = 0; k < 4; k++) tensor_set(&boxes, total * 4 + k, count ? places[i][k] : 0);
            tensor_set(&scores, total, count ? found[i].score : 0);
        }
        ((int32_t *)counts.data)[n] = (int32_t)rows;
    }
    free(found);
    free(places);
    if (status) return -1;
    const tensor_t *whole[] = {&boxes, &scores};
    for (int k = 0; k < 2 && !status; k++) {
        status = make_by_record(run, op, names[k], p.scores->dtype, &total, &cut[k]);
        if (!status) memcpy(cut[k].data, whole[k]->data, (size_t)cut[k].size * type_size(cut[k].dtype));
    }
    tensor_drop(&boxes);
    tensor_drop(&scores);
    if (status) {
        tensor_drop(&counts);
        tensor_drop(&cut[0]);
        return -1;
    }
    for (int k = 0; k < 2; k++)
        if (packed ? give_packed(run, op, names[k], &cut[k], counted_rows(counts.data, pictures)) : give(run, op, names[k], &cut[k])) status = -1;
    return finish(run, op, "RpnRoisNum", &counts, status);
}

/* ---- levels of a pyramid ---- */

static int distribute_fpn_proposals(run_t *run, const op_t *op) {
    const tensor_t *boxes = need_input(run, op, "FpnRois"), *owners = find_input(run, op, "RoisNum");
    int64_t low = attr_int(op, "min_level"), high = attr_int(op, "max_level"), refer = attr_int(op, "refer_level");
    double scale = (double)attr_int(op, "refer_scale"), extra = attr_bool(op, "pixel_offset");
    if (!boxes || check_float(boxes, "FpnRois")) return -1;
    if (boxes->ndim != 2 || boxes->dims[1] != 4 || low > high || high - low > 64) return fail("FpnRois must be [R, 4] and max_level not below min_level");
    index_t rows = boxes->dims[0], pictures = owners ? owners->size : 1, at = 0;
    if (owners && check_counts(owners, pictures, rows)) return -1;
    tensor_t order;
    int64_t *level = malloc((size_t)max_of(rows, 1) * sizeof *level);
    if (!level) return fail_memory();
    int status = make(run, &order, TYPE_INT32, 2, (index_t[]){rows, 1});
    for (index_t i = 0; !status && i < rows; i++) {
        double area = 1;
        for (int k = 0; k < 2; k++) {
            double extent = tensor_number(boxes, i * 4 + 2 + k) - tensor_number(boxes, i * 4 + k);
            area = extent < 0 ? 0 : area * (extent + extra);
        }
        double found = floor(log2(sqrt(area) / scale + 1e-6)) + (double)refer;
        level[i] = (int64_t)fmin(fmax(found, (double)low), (double)high);
    }
    for (int64_t l = low; !status && l <= high; l++) {
        tensor_t mine = {.dtype = TYPE_NONE}, counts = {.dtype = TYPE_NONE};
        index_t count = 0, row = 0, first = 0;
        for (index_t i = 0; i < rows; i++) count += level[i] == l;
        if (make(run, &mine, boxes->dtype, 2, (index_t[]){count, 4}) || make(run, &counts, TYPE_INT32, 1, &pictures)) {
            tensor_drop(&mine);
            status = -1;
            break;
        }
        size_t line = 4 * type_size(boxes->dtype);
        for (index_t n = 0; n < pictures; n++) {
            index_t last = owners ? first + (index_t)tensor_int(owners, n) : rows, before = row;
            for (index_t i = first; i < last; i++)
                if (level[i] == l) {
                    memcpy((char *)mine.data + (size_t)row++ * line, (const char *)boxes->data + (size_t)i * line, line);
                    ((int32_t *)order.data)[i] = (int32_t)at++;
                }
            ((int32_t *)counts.data)[n] = (int32_t)(row - before);
            first = last;
        }
        status = give_at(run, op, "MultiFpnRois", (int)(l - low), &mine);
        if (!status && has_output(op, "MultiLevelRoIsNum")) status = give_at(run, op, "MultiLevelRoIsNum", (int)(l - low), &counts);
        else tensor_drop(&counts);
    }
    free(level);
    return finish(run, op, "RestoreIndex", &order, status);
}

/* ---- suppression by decay ---- */

/* Scores of one class, best first, weighed down by how much better boxes overlap. */
static void decay(const tensor_t *boxes, index_t base, candidate_t *found, index_t count, int gaussian, double sigma, double extra, double *worst) {
    double *factors = worst + count;
    for (index_t i = 0; i < count; i++) {
        worst[i] = 0, factors[i] = 1;
        for (index_t k = 0; k < i; k++) worst[i] = fmax(worst[i], overlap_of(boxes, base + found[i].place, base + found[k].place, extra));
    }
    for (index_t i = 0; i < count; i++)
        for (index_t k = 0; k < i; k++) {
            double overlap = overlap_of(boxes, base + found[i].place, base + found[k].place, extra);
            factors[i] = fmin(factors[i], gaussian ? exp((worst[k] * worst[k] - overlap * overlap) * sigma) : (1 - overlap) / (1 - worst[k]));
        }
    for (index_t i = 0; i < count; i++) found[i].score *= factors[i];
}

static int matrix_nms(run_t *run, const op_t *op) {
    const tensor_t *boxes = need_input(run, op, "BBoxes"), *scores = boxes ? need_input(run, op, "Scores") : NULL;
    if (!scores || check_scores(boxes, scores)) return -1;
    index_t pictures = boxes->dims[0], m = boxes->dims[1], classes = scores->dims[1];
    int64_t background = attr_int(op, "background_label"), top = attr_int(op, "nms_top_k"), keep = attr_int(op, "keep_top_k");
    double after = attr_float(op, "post_threshold"), sigma = attr_float(op, "gaussian_sigma"), extra = attr_bool(op, "normalized") ? 0 : 1;
    detections_t d;
    double *work = malloc((size_t)max_of(2 * m, 1) * sizeof *work);
    if (!work || detections_new(&d, pictures, classes, m)) {
        free(work);
        return fail_memory();
    }
    for (index_t p = 0; p < pictures; p++) {
        index_t begin = d.total;
        for (index_t c = 0; c < classes; c++) {
            if (c == background) continue;
            candidate_t *found = d.kept + d.total;
            index_t count = candidates_of(scores, (p * classes + c) * m, m, c, attr_float(op, "score_threshold"), top, found), good = 0;
            decay(boxes, p * m, found, count, attr_bool(op, "use_gaussian"), sigma, extra, work);
            for (index_t i = 0; i < count; i++)
                if (found[i].score > after) found[good++] = found[i];
            d.total += good;
        }
        qsort(d.kept + begin, (size_t)(d.total - begin), sizeof *d.kept, better);
        detections_end(&d, p, begin, keep, m);
    }
    free(work);
    return detections_give(run, op, &d, boxes, "RoisNum");
}

OPERATOR_TABLE(proposals) = {
    {"anchor_generator", anchor_generator, 0}, {"generate_proposals", generate_proposals, OPERATOR_KEEP}, {"generate_proposals_v2", generate_proposals, 0},
    {"distribute_fpn_proposals", distribute_fpn_proposals, 0}, {"matrix_nms", matrix_nms, 0}, {0}};
