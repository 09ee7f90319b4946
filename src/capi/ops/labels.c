/* Labels of sequences: the best path through scores of tags, alignments, windows over ids and images. */
#include <stdlib.h>

#include "packed.h"

/* ---- the best path ---- */

/* Scores [.., tags] from element `at` on, of `steps` steps; numbers of `moves` from tag to tag, and those added at both ends (-1: none). */
typedef struct {
    const tensor_t *scores, *moves;
    index_t at, steps, tags, first_move, start, end;
} lattice_t;

static double rounded(const tensor_t *like, double value) { return like->dtype == TYPE_FLOAT32 ? (double)(float)value : value; }

static index_t largest(const double *values, index_t count) {
    index_t best = 0;
    for (index_t i = 1; i < count; i++)
        if (values[i] > values[best]) best = i;
    return best;
}

/* The tag of every step into `path`; the path's score. work: 2 * tags numbers, came: steps * tags. */
static double best_path(const lattice_t *q, double *work, index_t *came, int64_t *path) {
    index_t n = q->tags;
    double *score = work, *next = work + n;
    for (index_t k = 0; k < n; k++)
        score[k] = rounded(q->scores, tensor_number(q->scores, q->at + k) + (q->start < 0 ? 0 : tensor_number(q->moves, q->start + k)));
    for (index_t t = 1; t < q->steps; t++) {
        for (index_t to = 0; to < n; to++) {
            double most = 0;
            for (index_t from = 0; from < n; from++) {
                double way = rounded(q->scores, score[from] + tensor_number(q->moves, q->first_move + from * n + to));
                if (from && !(way > most)) continue;
                most = way;
                came[t * n + to] = from;
            }
            next[to] = rounded(q->scores, most + tensor_number(q->scores, q->at + t * n + to));
        }
        memcpy(score, next, (size_t)n * sizeof *score);
    }
    for (index_t k = 0; k < n && q->end >= 0 && q->steps > 0; k++) score[k] = rounded(q->scores, score[k] + tensor_number(q->moves, q->end + k));
    index_t tag = largest(score, n);
    double reached = score[tag];
    for (index_t t = q->steps - 1; t >= 0; t--) {
        path[t] = tag;
        if (t) tag = came[t * n + tag];
    }
    return reached;
}

/* Room for the best paths of so many steps and tags. */
static double *path_room(index_t steps, index_t tags, index_t **came) {
    double *work = malloc((size_t)(2 * tags + 1) * sizeof *work);
    *came = malloc((size_t)(steps * tags + 1) * sizeof **came);
    if (work && *came) return work;
    free(work);
    free(*came);
    fail_memory();
    return NULL;
}

/* Where the sequences of an input lie: packed rows, or [sequences, longest, ...] with their lengths. */
typedef struct {
    packed_t p;
    const tensor_t *lengths; /* NULL: packed */
    index_t count, longest, inner;
} lines_t;

static int read_lines(run_t *run, const op_t *op, const char *slot, const char *length, lines_t *s) {
    *s = (lines_t){.lengths = find_input(run, op, length)};
    if (!s->lengths) {
        if (read_packed(run, op, slot, &s->p)) return -1;
        s->count = s->p.count;
        s->inner = s->p.inner;
        for (index_t i = 0; i < s->count; i++) s->longest = max_of(s->longest, length_of(&s->p, i));
        return 0;
    }
    const tensor_t *x = s->p.x = need_input(run, op, slot);
    if (!x) return -1;
    if (x->ndim < 2 || s->lengths->size != x->dims[0]) return fail("%s must have a number for each of the sequences of %s", length, slot);
    s->count = x->dims[0], s->longest = x->dims[1], s->inner = span(x, 2, x->ndim);
    for (index_t i = 0; i < s->count; i++)
        if (tensor_int(s->lengths, i) < 0 || tensor_int(s->lengths, i) > s->longest) return fail("a sequence of %lld rows is not in %td", (long long)tensor_int(s->lengths, i), s->longest);
    return 0;
}

static index_t line_row(const lines_t *s, index_t i) { return s->lengths ? i * s->longest : s->p.ends[i]; }

static index_t line_length(const lines_t *s, index_t i) { return s->lengths ? (index_t)tensor_int(s->lengths, i) : length_of(&s->p, i); }

/* The most probable labels; with labels given, 1 where they agree and 0 elsewhere. Transition: at the start, at the end, tag to tag. */
static int crf_decoding(run_t *run, const op_t *op) {
    const tensor_t *moves = need_input(run, op, "Transition"), *label = find_input(run, op, "Label");
    lines_t s;
    tensor_t path;
    index_t *came;
    if (!moves || read_lines(run, op, "Emission", "Length", &s) || check_float(s.p.x, "Emission")) return -1;
    index_t tags = s.inner, rows = s.lengths ? s.count * s.longest : s.p.x->dims[0];
    if (tags < 1 || moves->ndim != 2 || moves->dtype != s.p.x->dtype || moves->dims[0] != tags + 2 || moves->dims[1] != tags)
        return fail("Transition must be [%td, %td], of Emission's type", tags + 2, tags);
    if (label && label->size != rows) return fail("Label must have %td numbers", rows);
    if (make(run, &path, TYPE_INT64, 2, s.lengths ? (index_t[]){s.count, s.longest} : (index_t[]){rows, 1})) return -1;
    double *work = path_room(s.longest, tags, &came);
    if (!work) return finish(run, op, "ViterbiPath", &path, -1);
    int64_t *out = path.data;
    memset(out, 0, (size_t)rows * sizeof *out);
    for (index_t i = 0; i < s.count; i++) {
        index_t row = line_row(&s, i), n = line_length(&s, i);
        if (n) best_path(&(lattice_t){s.p.x, moves, row * tags, n, tags, 2 * tags, 0, tags}, work, came, out + row);
        for (index_t t = row; label && t < row + n; t++) out[t] = out[t] == tensor_int(label, t);
    }
    free(work);
    free(came);
    return give(run, op, "ViterbiPath", &path);
}

/* Scores and tags of the best path through potentials [N, T, tags]; the last two rows of Transition may belong to stop and start. */
static int viterbi_decode(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input"), *moves = x ? need_input(run, op, "Transition") : NULL;
    lines_t s;
    tensor_t scores, path;
    index_t *came, longest = 0;
    if (!moves || check_float(x, "Input")) return -1;
    if (x->ndim != 3 || moves->ndim != 2 || moves->dtype != x->dtype || moves->dims[0] != x->dims[2] || moves->dims[1] != x->dims[2])
        return fail("Input must be [batch, steps, tags] and Transition [tags, tags], of one type");
    if (!need_input(run, op, "Length") || read_lines(run, op, "Input", "Length", &s)) return -1;
    index_t tags = s.inner, ends = attr_bool(op, "include_bos_eos_tag");
    if (tags < 1 + ends || (s.longest < 1 && s.count)) return fail("there must be steps, and %td tags", 1 + ends);
    for (index_t i = 0; i < s.count; i++) longest = max_of(longest, line_length(&s, i));
    if (make_by_record(run, op, "Scores", x->dtype, NULL, &scores)) return -1;
    if (make_by_record(run, op, "Path", TYPE_INT64, &longest, &path)) return finish(run, op, "Scores", &scores, -1);
    double *work = path_room(longest, tags, &came);
    if (!work) {
        tensor_drop(&path);
        return finish(run, op, "Scores", &scores, -1);
    }
    memset(path.data, 0, (size_t)path.size * sizeof(int64_t));
    for (index_t i = 0; i < s.count; i++) {
        lattice_t q = {x, moves, line_row(&s, i) * tags, line_length(&s, i), tags, 0, ends ? (tags - 1) * tags : -1, ends ? (tags - 2) * tags : -1};
        tensor_set(&scores, i, best_path(&q, work, came, (int64_t *)path.data + i * longest));
    }
    free(work);
    free(came);
    give(run, op, "Path", &path);
    return give(run, op, "Scores", &scores);
}

/* ---- ids ---- */

/* Rows of one number each in front of y become its only ones. */
static int cut_rows(run_t *run, tensor_t *y, index_t rows) {
    tensor_t whole = *y;
    if (make(run, y, whole.dtype, 2, (index_t[]){rows, 1})) {
        tensor_drop(&whole);
        return -1;
    }
    copy_rows(y, 0, &whole, 0, rows, 1);
    tensor_drop(&whole);
    return 0;
}

/* Ids without blanks and repetitions: packed, or padded with the lengths that are left. */
static int ctc_align(run_t *run, const op_t *op) {
    lines_t s;
    tensor_t y, lengths;
    if (read_lines(run, op, "Input", "InputLength", &s)) return -1;
    const tensor_t *x = s.p.x;
    if (s.inner != 1 || type_is_float(x->dtype)) return fail("Input must be one whole number for each step");
    int merge = attr_bool(op, "merge_repeated");
    int64_t blank = attr_int(op, "blank");
    lod_t *lod = s.lengths ? NULL : one_level(s.count);
    if (!s.lengths && !lod) return -1;
    if (s.lengths ? make(run, &y, x->dtype, 2, (index_t[]){s.count, s.longest}) : make(run, &y, x->dtype, 2, (index_t[]){max_of(x->dims[0], 1), 1})) {
        lod_drop(lod);
        return -1;
    }
    if (make(run, &lengths, TYPE_INT64, 2, (index_t[]){s.count, 1})) {
        lod_drop(lod);
        return finish(run, op, "Output", &y, -1);
    }
    index_t at = 0;
    for (index_t i = 0; i < s.count; i++) {
        index_t row = line_row(&s, i), n = line_length(&s, i);
        if (s.lengths) at = row;
        index_t begin = at;
        for (index_t t = 0; t < n; t++) {
            int64_t id = tensor_int(x, row + t);
            if (id == blank || (merge && t && id == tensor_int(x, row + t - 1))) continue;
            copy_rows(&y, at++, x, row + t, 1, 1);
        }
        ((int64_t *)lengths.data)[i] = at - begin;
        for (index_t k = at; s.lengths && k < row + s.longest; k++) tensor_set(&y, k, (double)attr_int(op, "padding_value"));
        if (lod) lod->offsets[0][i + 1] = at;
    }
    give(run, op, "OutputLength", &lengths);
    if (!lod) return give(run, op, "Output", &y);
    if (!at) tensor_set(&y, 0, -1); /* nothing is left of any sequence */
    if (!cut_rows(run, &y, max_of(at, 1))) return give_packed(run, op, "Output", &y, lod);
    lod_drop(lod);
    return -1;
}

static int sequence_erase(run_t *run, const op_t *op) {
    packed_t p;
    tensor_t y;
    const attr_t *tokens = find_attr(op, "tokens");
    index_t at = 0;
    if (read_packed(run, op, "X", &p)) return -1;
    if (p.inner != 1) return fail("X must be one number for each row");
    lod_t *lod = one_level(p.count);
    if (!lod || make_rows(run, &y, p.x, p.x->dims[0])) {
        lod_drop(lod);
        return -1;
    }
    for (index_t i = 0; i < p.count; i++) {
        for (index_t r = p.ends[i]; r < p.ends[i + 1]; r++) {
            int gone = 0;
            for (int k = 0; tokens && k < tokens->count && !gone; k++) gone = tensor_int(p.x, r) == tokens->ints[k];
            if (!gone) copy_rows(&y, at++, p.x, r, 1, 1);
        }
        lod->offsets[0][i + 1] = at;
    }
    tensor_t whole = y;
    if (make_rows(run, &y, &whole, at)) {
        lod_drop(lod);
        tensor_drop(&whole);
        return -1;
    }
    copy_rows(&y, 0, &whole, 0, at, 1);
    tensor_drop(&whole);
    return give_packed(run, op, "Out", &y, lod);
}

/* For each id those from it on, pad_value beyond the end of its sequence. */
static int sequence_enumerate(run_t *run, const op_t *op) {
    packed_t p;
    tensor_t y;
    int64_t window = attr_int(op, "win_size");
    if (read_packed(run, op, "X", &p)) return -1;
    if (p.inner != 1 || window < 1 || window > 4096) return fail("X must be one number for each row, and win_size from 1 to 4096");
    if (make_by_record(run, op, "Out", p.x->dtype, &p.x->dims[0], &y)) return -1;
    for (index_t i = 0; i < p.count; i++)
        for (index_t r = p.ends[i]; r < p.ends[i + 1]; r++)
            for (index_t k = 0; k < window; k++) {
                if (r + k < p.ends[i + 1]) copy_rows(&y, r * (index_t)window + k, p.x, r + k, 1, 1);
                else tensor_set(&y, r * (index_t)window + k, (double)attr_int(op, "pad_value"));
            }
    return give(run, op, "Out", &y);
}

/* Length[i] rows of each sequence from its row Offset[i] on. */
static int sequence_slice(run_t *run, const op_t *op) {
    packed_t p;
    tensor_t y;
    const tensor_t *skip = need_input(run, op, "Offset"), *size = skip ? need_input(run, op, "Length") : NULL;
    index_t rows = 0;
    if (!size || read_packed(run, op, "X", &p)) return -1;
    if (skip->size != p.count || size->size != p.count) return fail("Offset and Length must have a number for each sequence");
    for (index_t i = 0; i < p.count; i++) {
        int64_t from = tensor_int(skip, i), n = tensor_int(size, i), all = length_of(&p, i);
        if (from < 0 || n < 0 || from > all || n > all - from) return fail("%lld rows from row %lld on are not in a sequence of %lld", (long long)n, (long long)from, (long long)all);
        rows += (index_t)n;
    }
    lod_t *lod = one_level(p.count);
    if (!lod || make_rows(run, &y, p.x, rows)) {
        lod_drop(lod);
        return -1;
    }
    for (index_t i = 0; i < p.count; i++) {
        index_t at = lod->offsets[0][i], n = (index_t)tensor_int(size, i);
        copy_rows(&y, at, p.x, p.ends[i] + (index_t)tensor_int(skip, i), n, p.inner);
        lod->offsets[0][i + 1] = at + n;
    }
    return give_packed(run, op, "Out", &y, lod);
}

/* ---- images ---- */

/* The windows of each picture as rows, one sequence for each picture; Y: of pictures of these sizes only so many windows. */
static int im2sequence(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *real = find_input(run, op, "Y");
    int64_t k[2], stride[2], pad[4], shrink[2];
    tensor_t y;
    if (!x) return -1;
    if (attr_ints(op, "kernels", k, 2) != 2 || attr_ints(op, "strides", stride, 2) != 2 || attr_ints(op, "paddings", pad, 4) != 4 || attr_ints(op, "out_stride", shrink, 2) != 2)
        return fail("kernels, strides and out_stride must be two numbers, paddings four");
    if (x->ndim != 4 || shrink[0] < 1 || shrink[1] < 1 || (real && real->size != 2 * x->dims[0])) return fail("X must be [N, C, H, W] and Y [N, 2], and out_stride positive");
    index_t all[2], rows = 0, channels = x->dims[1];
    for (int i = 0; i < 2; i++) {
        const int64_t most = 1 << 20;
        int good = k[i] > 0 && stride[i] > 0 && pad[i] >= 0 && pad[2 + i] >= 0 && k[i] <= most && stride[i] <= most && pad[i] <= most && pad[2 + i] <= most;
        all[i] = good ? size_window_count(x->dims[2 + i], (index_t)k[i], (index_t)stride[i], (index_t)pad[i], (index_t)pad[2 + i], 1) : 0;
        if (all[i] < 1) return fail("kernels, strides and paddings do not fit X");
    }
    lod_t *lod = one_level(x->dims[0]);
    if (!lod) return -1;
    for (index_t n = 0; n < x->dims[0]; n++) {
        index_t count = 1;
        for (int i = 0; i < 2; i++) {
            int64_t size = real ? tensor_int(real, 2 * n + i) : 0, seen = (size + shrink[i] - 1) / shrink[i];
            int64_t windows = real ? seen < 0 || seen > x->dims[2 + i] ? -1 : (seen + pad[i] + pad[2 + i] - k[i]) / stride[i] + 1 : all[i];
            if (real && (windows < 1 || windows > all[i])) {
                lod_drop(lod);
                return fail("picture %td does not have the size that Y says", n);
            }
            count *= (index_t)windows;
        }
        lod->offsets[0][n + 1] = rows += count;
    }
    if (make(run, &y, x->dtype, 2, (index_t[]){rows, channels * (index_t)(k[0] * k[1])})) {
        lod_drop(lod);
        return -1;
    }
    size_t item = type_size(x->dtype);
    memset(y.data, 0, (size_t)y.size * item);
    for (index_t n = 0; n < x->dims[0]; n++) {
        index_t wide = real ? (index_t)(((tensor_int(real, 2 * n + 1) + shrink[1] - 1) / shrink[1] + pad[1] + pad[3] - k[1]) / stride[1] + 1) : all[1];
        for (index_t r = lod->offsets[0][n]; r < lod->offsets[0][n + 1]; r++)
            for (index_t e = 0; e < y.dims[1]; e++) {
                index_t window = r - lod->offsets[0][n], c = e / (index_t)(k[0] * k[1]);
                index_t i = window / wide * (index_t)stride[0] - (index_t)pad[0] + e / (index_t)k[1] % (index_t)k[0];
                index_t j = window % wide * (index_t)stride[1] - (index_t)pad[1] + e % (index_t)k[1];
                if (i < 0 || j < 0 || i >= x->dims[2] || j >= x->dims[3]) continue;
                memcpy((char *)y.data + (size_t)(r * y.dims[1] + e) * item,
                       (const char *)x->data + (size_t)(((n * channels + c) * x->dims[2] + i) * x->dims[3] + j) * item, item);
            }
    }
    return give_packed(run, op, "Out", &y, lod);
}

OPERATOR_TABLE(labels) = {
    {"crf_decoding", crf_decoding, OPERATOR_KEEP}, {"viterbi_decode", viterbi_decode, OPERATOR_KEEP}, {"ctc_align", ctc_align, OPERATOR_KEEP},
    {"sequence_erase", sequence_erase, OPERATOR_KEEP}, {"sequence_enumerate", sequence_enumerate, OPERATOR_KEEP},
    {"sequence_slice", sequence_slice, OPERATOR_KEEP}, {"im2sequence", im2sequence, OPERATOR_KEEP}, {0}};
