/* Shapes by the patterns of the operators' records ("n c h w, r 4 -> r c pooled_height pooled_width"), see Python's ops/families/pattern.py. */
#include "small.h"

#include <stdlib.h>

#include "sizes.h"
#include "table.h"

/* Type; its inputs and its outputs as "slot:words;slot:words". */
#include "patterns.inc"

#define MOST_WORDS 32

typedef struct {
    const char *text;
    int length;
} word_t;

/* What words stand for: a size each, those behind a star several. */
typedef struct {
    int count;
    word_t words[MOST_WORDS];
    sizes_t sizes[MOST_WORDS];
} bound_t;

static int next_word(const char **at, word_t *word) {
    while (**at == ' ') ++*at;
    *word = (word_t){*at, (int)strcspn(*at, " ;")};
    *at += word->length;
    return word->length > 0;
}

static int same_word(word_t a, word_t b) { return a.length == b.length && !memcmp(a.text, b.text, (size_t)a.length); }

static const sizes_t *find_word(const bound_t *b, word_t word) {
    for (int i = 0; i < b->count; i++)
        if (same_word(b->words[i], word)) return &b->sizes[i];
    return NULL;
}

/* Give a word its sizes; -1 if it has others, or is a number that differs. */
static int bind_word(bound_t *b, word_t word, int count, const index_t *dims) {
    if (word.text[0] == '?') return 0;
    if (word.text[0] >= '0' && word.text[0] <= '9') return atoll(word.text) == dims[0] ? 0 : -1;
    const sizes_t *before = find_word(b, word);
    if (before) return before->count == count && !memcmp(before->at, dims, (size_t)count * sizeof *dims) ? 0 : -1;
    if (b->count == MOST_WORDS || count < 0 || count > MAX_DIMS) return -1;
    b->words[b->count] = word;
    b->sizes[b->count].count = count;
    memcpy(b->sizes[b->count++].at, dims, (size_t)count * sizeof *dims);
    return 0;
}

/* Words from `at` up to the end of the slot against the sizes of a tensor. */
static int bind_words(bound_t *b, const char *at, const tensor_t *t) {
    word_t words[MOST_WORDS];
    int count = 0, axis = 0, star = 0;
    while (count < MOST_WORDS && next_word(&at, &words[count])) star |= words[count++].text[0] == '*';
    if (count == 1 && words[0].text[0] == '_') return 0;
    int more = t->ndim - (count - star);
    if (more < 0 || (more && !star)) return -1;
    for (int i = 0; i < count; i++) {
        int wide = words[i].text[0] == '*' ? more : 1;
        if (bind_word(b, words[i], wide, t->dims + axis)) return -1;
        axis += wide;
    }
    return 0;
}

/* Where the words of a slot begin in a list of them; NULL: it isn't there. */
static const char *words_of(const char *list, const char *slot) {
    size_t length = strlen(slot);
    for (; list; list = strchr(list, ';') ? strchr(list, ';') + 1 : NULL)
        if (!strncmp(list, slot, length) && list[length] == ':') return list + length + 1;
    return NULL;
}

int size_by_record(run_t *run, const op_t *op, const char *slot, const index_t *found, sizes_t *result) {
    const char *ins = FIND_ROW(patterns, op->type);
    bound_t b = {.count = 0};
    for (int i = 0; ins && i < op->in_count; i++) {
        const char *words = words_of(ins, op->in[i].name);
        const tensor_t *t = words && op->in[i].count ? var_tensor(run, op->in[i].vars[0]) : NULL;
        if (t && bind_words(&b, words, t)) return fail("%s does not have the sizes that the others need", op->in[i].name);
    }
    const char *at = ins ? words_of(next_field(ins), slot) : NULL;
    word_t word;
    *result = (sizes_t){0};
    while (at && next_word(&at, &word)) {
        const sizes_t *known = find_word(&b, word);
        char name[64];
        index_t one = 0;
        if (!known && (size_t)word.length < sizeof name) {
            memcpy(name, word.text, (size_t)word.length);
            name[word.length] = 0;
            one = name[0] == '?' ? *found++ : name[0] >= '0' && name[0] <= '9' ? (index_t)atoll(name) : (index_t)attr_int(op, name);
        }
        int count = known ? known->count : 1;
        if (result->count + count > MAX_DIMS) return fail("a tensor can have %d axes, not more", MAX_DIMS);
        memcpy(result->at + result->count, known ? known->at : &one, (size_t)count * sizeof one);
        result->count += count;
    }
    return at ? 0 : fail("there is no rule for %s", slot);
}

int make_by_record(run_t *run, const op_t *op, const char *slot, dtype_t dtype, const index_t *found, tensor_t *t) {
    sizes_t sizes;
    return size_by_record(run, op, slot, found, &sizes) ? -1 : make_sized(run, t, dtype, &sizes);
}
