/* JSON texts as trees. Depth and size are bounded; nothing is read past the end. */
#include "json.h"

#include <stdlib.h>
#include <string.h>

#include "tensor.h"

#define DEEPEST 256

typedef struct {
    arena_t *arena;
    const char *at, *end;
} reader_t;

static void skip_space(reader_t *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r')) r->at++;
}

static json_t *damaged(const char *what) {
    fail("the program is damaged: %s", what);
    return NULL;
}

static int hex(const char *at) {
    int value = 0;
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* One character of Unicode as UTF-8; how many bytes. */
static int put_utf8(char *to, int code) {
    if (code < 0x80) return to[0] = (char)code, 1;
    if (code < 0x800) return to[0] = (char)(0xc0 | code >> 6), to[1] = (char)(0x80 | (code & 63)), 2;
    int long_one = code >= 0x10000, n = 0;
    to[n++] = (char)(long_one ? 0xf0 | code >> 18 : 0xe0 | code >> 12);
    if (long_one) to[n++] = (char)(0x80 | (code >> 12 & 63));
    to[n++] = (char)(0x80 | (code >> 6 & 63));
    to[n++] = (char)(0x80 | (code & 63));
    return n;
}

static const char *read_string(reader_t *r) {
    const char *begin = ++r->at;
    while (r->at < r->end && *r->at != '"') r->at += *r->at == '\\' ? 2 : 1;
    if (r->at >= r->end) return damaged("a text has no end"), NULL;
    char *text = arena_take(r->arena, (size_t)(r->at - begin) + 1, 1), *to = text;
    if (!text) return NULL;
    static const char from[] = "nrtbf\"\\/", into[] = "\n\r\t\b\f\"\\/";
    for (const char *c = begin; c < r->at; c++) {
        if (*c != '\\') {
            *to++ = *c;
            continue;
        }
        const char *known = *++c ? strchr(from, *c) : NULL;
        if (*c == 'u') {
            int code = r->at - c > 4 ? hex(c + 1) : -1;
            if (code < 0) return damaged("a text has an unknown escape"), NULL;
            c += 4;
            if (code >= 0xd800 && code < 0xdc00 && r->at - c > 6 && c[1] == '\\' && c[2] == 'u' && hex(c + 3) >= 0xdc00) { /* two halves */
                code = 0x10000 + ((code - 0xd800) << 10) + (hex(c + 3) & 0x3ff);
                c += 6;
            }
            to += put_utf8(to, code);
        } else if (known) {
            *to++ = into[known - from];
        } else {
            return damaged("a text has an unknown escape"), NULL;
        }
    }
    r->at++;
    return text;
}

static int take_word(reader_t *r, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length)) return 0;
    r->at += length;
    return 1;
}

static int read_number(reader_t *r, json_t *value) {
    char digits[64], *end;
    size_t length = 0;
    while (r->at + length < r->end && length < sizeof digits - 1 && strchr("+-.0123456789eE", r->at[length]) && r->at[length]) length++;
    memcpy(digits, r->at, length);
    digits[length] = 0;
    value->kind = JSON_NUMBER;
    value->number = strtod(digits, &end);
    if (!length || *end) return damaged("a value is none"), -1;
    value->whole = strpbrk(digits, ".eE") ? (value->number > -9e18 && value->number < 9e18 ? (long long)value->number : 0) : strtoll(digits, NULL, 10);
    r->at += length;
    return 0;
}

static json_t *read_value(reader_t *r, int depth);

static int read_items(reader_t *r, json_t *list, char close, int depth) {
    json_t **to = &list->first;
    r->at++;
    for (skip_space(r); r->at < r->end && *r->at != close; skip_space(r)) {
        const char *key = NULL;
        if (list->count && *r->at++ != ',') return damaged("a comma is missing"), -1;
        skip_space(r);
        if (close == '}') {
            if (r->at >= r->end || *r->at != '"' || !(key = read_string(r))) return damaged("a member has no name"), -1;
            skip_space(r);
            if (r->at >= r->end || *r->at++ != ':') return damaged("a colon is missing"), -1;
        }
        json_t *item = read_value(r, depth + 1);
        if (!item) return -1;
        item->key = key;
        *to = item;
        to = &item->next;
        list->count++;
    }
    if (r->at >= r->end) return damaged("a list has no end"), -1;
    r->at++;
    return 0;
}

static json_t *read_value(reader_t *r, int depth) {
    json_t *value = arena_take(r->arena, 1, sizeof *value);
    skip_space(r);
    if (!value) return NULL;
    if (depth > DEEPEST) return damaged("it is nested too deeply");
    if (r->at >= r->end) return damaged("a value is missing");
    switch (*r->at) {
    case '{': value->kind = JSON_OBJECT; return read_items(r, value, '}', depth) ? NULL : value;
    case '[': value->kind = JSON_LIST; return read_items(r, value, ']', depth) ? NULL : value;
    case '"': value->kind = JSON_TEXT; return (value->text = read_string(r)) ? value : NULL;
    default: break;
    }
    if (take_word(r, "null")) return value;
    int truth = take_word(r, "true");
    if (truth || take_word(r, "false")) {
        value->kind = JSON_BOOL;
        value->number = (double)(value->whole = truth);
        return value;
    }
    return read_number(r, value) ? NULL : value;
}

json_t *json_read(arena_t *arena, const char *bytes, size_t size) {
    reader_t r = {arena, bytes, bytes + size};
    json_t *value = read_value(&r, 0);
    skip_space(&r);
    return value && r.at != r.end ? damaged("something follows it") : value;
}

const json_t *json_get(const json_t *object, const char *key) {
    if (!object || object->kind != JSON_OBJECT) return NULL;
    for (const json_t *item = object->first; item; item = item->next)
        if (!strcmp(item->key, key)) return item;
    return NULL;
}

const json_t *json_item(const json_t *list, int i) {
    const json_t *item = list && list->kind == JSON_LIST ? list->first : NULL;
    while (item && i--) item = item->next;
    return item;
}

const char *json_text(const json_t *value, const char *fallback) { return value && value->kind == JSON_TEXT ? value->text : fallback; }
