/* Beam search: the best continuations of every source's prefixes, and whole sentences traced back from them. */
#include <math.h>
#include <stdlib.h>

#include "packed.h"

typedef struct {
    double score;
    index_t prefix, number; /* the prefix it goes on from, and which one of all it is */
    int64_t id;
} word_t;

/* Higher scores first, then later prefixes. */
static int better_word(const void *a, const void *b) {
    const word_t *one = a, *other = b;
    if (one->score != other->score) return one->score > other->score ? -1 : 1;
    if (one->prefix != other->prefix) return one->prefix > other->prefix ? -1 : 1;
    return one->number < other->number ? -1 : 1;
}

static int by_prefix(const void *a, const void *b) {
    const word_t *one = a, *other = b;
    if (one->prefix != other->prefix) return one->prefix < other->prefix ? -1 : 1;
    return better_word(a, b);
}

typedef struct {
    const tensor_t *before, *kept, *ids, *scores;
    int64_t end_id, beams;
    int whole; /* scores are those of whole sentences */
} search_t;

/* All candidates of the prefixes from a to b, the best ones in front in the order of prefixes; how many are taken. */
static index_t take_words(const search_t *s, index_t a, index_t b, word_t *found) {
    index_t count = 0, wide = s->scores->dims[1], going = 0;
    for (index_t p = a; p < b; p++) {
        int ended = tensor_int(s->before, p) == s->end_id;
        double kept = tensor_number(s->kept, p);
        if (ended) found[count] = (word_t){kept, p, count, s->end_id}, count++;
        for (index_t k = 0; k < wide && !ended; k++, count++) {
            double score = tensor_number(s->scores, p * wide + k);
            if (!s->whole) score = kept + (s->scores->dtype == TYPE_FLOAT32 ? (double)logf((float)score) : log(score));
            if (s->scores->dtype == TYPE_FLOAT32) score = (double)(float)score;
            found[count] = (word_t){score, p, count, s->ids ? tensor_int(s->ids, p * wide + k) : (int64_t)k};
        }
    }
    qsort(found, (size_t)count, sizeof *found, better_word);
    count = min_of(count, (index_t)s->beams);
    for (index_t i = 0; i < count; i++) going |= found[i].id != s->end_id || tensor_int(s->before, found[i].prefix) != s->end_id;
    qsort(found, (size_t)count, sizeof *found, by_prefix);
    return going ? count : 0; /* a source whose prefixes have all ended gives nothing more */
}

/* Where the prefixes of each source begin: a level of the offsets, counted in rows. */
static lod_t *sources_of(const tensor_t *t, int64_t level, index_t rows, index_t room) {
    const lod_t *lod = t->lod;
    if (!lod || level < 0 || level >= lod->levels) {
        fail("scores need sequences on level %lld", (long long)level);
        return NULL;
    }
    lod_t *made = lod_new(2, (index_t[]){lod->counts[level], room});
    for (index_t i = 0; made && i < lod->counts[level]; i++) {
        index_t at = lod->offsets[level][i];
        for (int finer = (int)level + 1; finer < lod->levels; finer++) at = at < lod->counts[finer] ? lod->offsets[finer][at] : -1;
        made->offsets[0][i] = at;
        if (at >= (i ? made->offsets[0][i - 1] : 0) && at <= rows) continue;
        lod_drop(made);
        fail("offsets don't fit the prefixes");
        return NULL;
    }
    if (made && made->offsets[0][0] == 0 && made->offsets[0][made->counts[0] - 1] == rows) return made;
    if (made) fail("offsets don't cover %td prefixes", rows);
    lod_drop(made);
    return NULL;
}

static int give_words(run_t *run, const op_t *op, const search_t *s, const word_t *words, index_t count, lod_t *lod) {
    tensor_t ids, scores, parents;
    lod_t *again = NULL;
    if (make_by_record(run, op, "selected_ids", s->before->dtype, &count, &ids)) return lod_drop(lod), -1;
    if (make_by_record(run, op, "selected_scores", s->kept->dtype, &count, &scores)) return lod_drop(lod), finish(run, op, "selected_ids", &ids, -1);
    if (make_by_record(run, op, "parent_idx", TYPE_INT32, &count, &parents) || !(again = lod_part(lod, 0, 2))) {
        if (!again) tensor_drop(&parents);
        tensor_drop(&scores);
        lod_drop(lod);
        return finish(run, op, "selected_ids", &ids, -1);
    }
    for (index_t i = 0; i < count; i++) {
        if (ids.dtype == TYPE_INT64) ((int64_t *)ids.data)[i] = words[i].id;
        else tensor_set(&ids, i, (double)words[i].id);
        tensor_set(&scores, i, words[i].score);
        ((int32_t *)parents.data)[i] = (int32_t)words[i].prefix;
    }
    give(run, op, "parent_idx", &parents);
    return give_packed(run, op, "selected_scores", &scores, again) || give_packed(run, op, "selected_ids", &ids, lod) ? -1 : 0;
}

static int beam_search(run_t *run, const op_t *op) {
    search_t s = {.end_id = attr_int(op, "end_id"), .beams = attr_int(op, "beam_size"), .whole = attr_bool(op, "is_accumulated"),
                  .ids = find_input(run, op, "ids")};
    if (!(s.before = need_input(run, op, "pre_ids")) || !(s.kept = need_input(run, op, "pre_scores")) || !(s.scores = need_input(run, op, "scores"))) return -1;
    index_t rows = s.before->size, total = 0;
    if (check_float(s.scores, "scores") || check_float(s.kept, "pre_scores")) return -1;
    if (s.scores->ndim != 2 || s.scores->dims[0] != rows || s.kept->size != rows || s.beams < 1 || (s.ids && s.ids->size != s.scores->size))
        return fail("scores must be [%td, candidates], ids as many, and beam_size positive", rows);
    lod_t *lod = sources_of(s.scores->lod ? s.scores : s.before, attr_int(op, "level"), rows, rows + 1);
    if (!lod) return -1;
    word_t *words = malloc((size_t)(s.scores->size + rows + 1) * sizeof *words);
    if (!words) return lod_drop(lod), fail_memory();
    for (index_t n = 0; n < lod->counts[0] - 1; n++) /* taken ones lie in front of the next source's candidates, which are as many at least */
        total += take_words(&s, lod->offsets[0][n], lod->offsets[0][n + 1], words + total);
    for (index_t p = 0, i = 0; p <= rows; p++) {
        while (i < total && words[i].prefix < p) i++;
        lod->offsets[1][p] = i;
    }
    int status = give_words(run, op, &s, words, total, lod);
    free(words);
    return status;
}

/* ---- sentences ---- */

/* What beam search gave at every step, and the sentences that end there: of source n the ones from n * beams on, each read backwards. */
typedef struct {
    const value_t *ids, *scores;
    index_t sources, beams, steps;
    index_t *track, *length; /* of each sentence: where it is in the step before (-1: not begun), its words so far */
    index_t *words;          /* [sentence][word]: step * 2^32 + row */
    index_t *order;
    int64_t end_id;
} traces_t;

static const lod_t *step_lod(const traces_t *s, index_t t) {
    const tensor_t *ids = &s->ids->items[t], *scores = &s->scores->items[t];
    const lod_t *lod = ids->data ? ids->lod : NULL;
    int good = lod && lod->levels == 2 && scores->data && scores->size == ids->size && lod->counts[0] == s->sources + 1;
    for (int k = 0; good && k < 2; k++) {
        index_t most = k ? ids->size : lod->counts[1] - 1;
        good = lod->offsets[k][0] == 0 && lod->offsets[k][lod->counts[k] - 1] == most;
        for (index_t i = 1; good && i < lod->counts[k]; i++) good = lod->offsets[k][i] >= lod->offsets[k][i - 1];
    }
    if (good) return lod;
    fail("step %td has no sources and prefixes as beam_search gives them", t);
    return NULL;
}

static index_t parent_of(const lod_t *lod, index_t row) {
    index_t low = 0, high = lod->counts[1] - 1; /* offsets[low] <= row < offsets[high] */
    while (high - low > 1) {
        index_t middle = low + (high - low) / 2;
        if (lod->offsets[1][middle] <= row) low = middle;
        else high = middle;
    }
    return low;
}

static int trace_step(traces_t *s, index_t t) {
    const lod_t *lod = step_lod(s, t);
    if (!lod) return -1;
    for (index_t n = 0; n < s->sources; n++) {
        index_t *track = s->track + n * s->beams, fresh = track[0] < 0;
        index_t first = lod->offsets[1][lod->offsets[0][n]], last = lod->offsets[1][lod->offsets[0][n + 1]];
        if (fresh && last - first > s->beams) return fail("step %td has more than beam_size candidates", t);
        for (index_t k = 0; fresh && k < last - first; k++) track[k] = first + k;
        for (index_t k = 0; k < s->beams && track[k] >= 0; k++) {
            index_t row = track[k], at = n * s->beams + k;
            if (row >= s->ids->items[t].size) return fail("step %td has no candidate %td", t, row);
            if (fresh || tensor_int(&s->ids->items[t], row) != s->end_id || !s->length[at])
                s->words[at * s->steps + s->length[at]++] = (index_t)((uint64_t)t << 32 | (uint64_t)row);
            track[k] = parent_of(lod, row);
        }
    }
    return 0;
}

static double word_score(const traces_t *s, index_t word) { return tensor_number(&s->scores->items[word >> 32], word & 0xffffffff); }

/* The sentences of each source, best first, those without words last. */
static void order_sentences(traces_t *s) {
    for (index_t n = 0; n < s->sources; n++)
        for (index_t k = 0; k < s->beams; k++) {
            index_t at = n * s->beams + k, to = at;
            double score = s->length[at] ? word_score(s, s->words[at * s->steps]) : -INFINITY;
            while (to > n * s->beams) {
                index_t other = s->order[to - 1];
                if (!((s->length[other] ? word_score(s, s->words[other * s->steps]) : -INFINITY) < score)) break;
                s->order[to--] = other;
            }
            s->order[to] = at;
        }
}

static int give_sentences(run_t *run, const op_t *op, traces_t *s) {
    index_t all = s->sources * s->beams, total = 0, at = 0;
    tensor_t ids, scores;
    order_sentences(s);
    for (index_t i = 0; i < all; i++) total += s->length[i];
    lod_t *lod = lod_new(2, (index_t[]){s->sources + 1, all + 1}), *again;
    if (!lod) return -1;
    for (index_t n = 0; n <= s->sources; n++) lod->offsets[0][n] = n * s->beams;
    for (index_t i = 0; i <= all; i++) lod->offsets[1][i] = i ? lod->offsets[1][i - 1] + s->length[s->order[i - 1]] : 0;
    if (!(again = lod_part(lod, 0, 2)) || make(run, &ids, s->ids->items[0].dtype, 1, &total)) {
        lod_drop(lod);
        lod_drop(again);
        return -1;
    }
    if (make(run, &scores, s->scores->items[0].dtype, 1, &total)) {
        lod_drop(lod);
        lod_drop(again);
        return finish(run, op, "SentenceIds", &ids, -1);
    }
    for (index_t i = 0; i < all; i++)
        for (index_t k = s->length[s->order[i]] - 1; k >= 0; k--, at++) {
            index_t word = s->words[s->order[i] * s->steps + k];
            const tensor_t *from = &s->ids->items[word >> 32];
            if (ids.dtype == TYPE_INT64) ((int64_t *)ids.data)[at] = tensor_int(from, word & 0xffffffff);
            else tensor_set(&ids, at, tensor_number(from, word & 0xffffffff));
            tensor_set(&scores, at, word_score(s, word));
        }
    return give_packed(run, op, "SentenceScores", &scores, again) || give_packed(run, op, "SentenceIds", &ids, lod) ? -1 : 0;
}

static int beam_search_decode(run_t *run, const op_t *op) {
    const slot_t *ids = find_in(op, "Ids"), *scores = find_in(op, "Scores");
    if (!ids || !scores || ids->vars[0] < 0 || scores->vars[0] < 0) return fail("Ids or Scores is missing");
    traces_t s = {.ids = var_array(run, ids->vars[0]), .scores = var_array(run, scores->vars[0]), .beams = (index_t)attr_int(op, "beam_size"), .end_id = attr_int(op, "end_id")};
    s.steps = s.ids->count;
    if (!s.steps || s.scores->count != s.ids->count) return fail("the arrays are empty or of different lengths");
    const lod_t *first = s.ids->items[0].data ? s.ids->items[0].lod : NULL;
    s.sources = first && first->levels ? first->counts[0] - 1 : 0;
    if (s.sources < 1 || s.beams < 1 || s.beams > 1 << 16 || s.sources * s.beams > (1 << 26) / s.steps) return fail("there must be sources, and a beam_size that fits them");
    index_t all = s.sources * s.beams;
    index_t *room = calloc((size_t)(all * (s.steps + 3)), sizeof *room);
    if (!room) return fail_memory();
    s.track = room, s.length = room + all, s.order = room + 2 * all, s.words = room + 3 * all;
    for (index_t i = 0; i < all; i++) s.track[i] = -1;
    int status = 0;
    for (index_t t = s.steps - 1; t >= 0 && !status; t--) status = trace_step(&s, t);
    if (!status) status = give_sentences(run, op, &s);
    free(room);
    return status;
}

OPERATOR_TABLE(beams) = {{"beam_search", beam_search, OPERATOR_KEEP}, {"beam_search_decode", beam_search_decode, OPERATOR_KEEP}, {0}};
