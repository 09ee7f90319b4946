/* Tensors, their memory, and the last error of a thread. */
#include "tensor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define LARGEST_SIZE ((index_t)1 << 40) /* elements: more than any machine's memory holds */

/* ---- errors ---- */

static _Thread_local char message[1024];

const char *last_error(void) { return message; }
void clear_error(void) { message[0] = 0; }

int fail(const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(message, sizeof message, format, values);
    va_end(values);
    return -1;
}

int fail_memory(void) { return fail("out of memory"); }

void put_context(const char *format, ...) {
    char rest[sizeof message];
    memcpy(rest, message, sizeof rest);
    va_list values;
    va_start(values, format);
    int used = vsnprintf(message, sizeof message, format, values);
    va_end(values);
    if (used >= 0 && (size_t)used < sizeof message) snprintf(message + used, sizeof message - (size_t)used, "%s", rest);
}

/* ---- types ---- */

static const struct {
    const char *name;
    size_t size;
} types[] = {{"bool", 1}, {"int8", 1}, {"uint8", 1}, {"int16", 2}, {"int32", 4}, {"int64", 8}, {"float16", 2},
             {"bfloat16", 2}, {"float32", 4}, {"float64", 8}, {"complex64", 8}, {"complex128", 16}, {"none", 0}};

size_t type_size(dtype_t dtype) { return types[dtype].size; }
const char *type_name(dtype_t dtype) { return types[dtype].name; }
int type_is_float(dtype_t dtype) { return dtype == TYPE_FLOAT32 || dtype == TYPE_FLOAT64; }
int type_is_complex(dtype_t dtype) { return dtype == TYPE_COMPLEX64 || dtype == TYPE_COMPLEX128; }

dtype_t type_of_file(int64_t kind) {
    switch (kind) {
    case 0: return TYPE_BOOL;
    case 1: return TYPE_INT16;
    case 2: return TYPE_INT32;
    case 3: return TYPE_INT64;
    case 4: return TYPE_FLOAT16;
    case 5: return TYPE_FLOAT32;
    case 6: return TYPE_FLOAT64;
    case 20: return TYPE_UINT8;
    case 21: return TYPE_INT8;
    case 22: return TYPE_BFLOAT16;
    case 23: return TYPE_COMPLEX64;
    case 24: return TYPE_COMPLEX128;
    default: return TYPE_NONE;
    }
}

const char *dims_text(int ndim, const index_t *dims, char *text, size_t room) {
    size_t used = (size_t)snprintf(text, room, "[");
    for (int i = 0; i < ndim && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, i ? ", %td" : "%td", dims[i]);
    if (used < room) snprintf(text + used, room - used, "]");
    return text;
}

/* ---- memory ---- */

#define CLASSES 96 /* sizes are powers of two and their 3/2 */

struct memory {
    buffer_t *waiting[CLASSES];
    size_t bytes;
    uint64_t released; /* so far */
};

static size_t class_size(int class) { return class % 2 ? (size_t)96 << (class / 2) : (size_t)64 << (class / 2); }

static int class_of(size_t bytes) {
    int class = 0;
    while (class + 1 < CLASSES && class_size(class) < bytes) class++;
    return class;
}

memory_t *memory_new(void) { return calloc(1, sizeof(memory_t)); }
size_t memory_waiting(const memory_t *memory) { return memory->bytes; }

static void free_buffer(buffer_t *buffer) {
    free(buffer->data);
    free(buffer);
}

void memory_trim(memory_t *memory) {
    for (int i = 0; i < CLASSES; i++)
        for (buffer_t *b = memory->waiting[i]; b;) {
            buffer_t *next = b->next;
            free_buffer(b);
            b = next;
        }
    memset(memory, 0, sizeof *memory);
}

void memory_delete(memory_t *memory) {
    if (!memory) return;
    memory_trim(memory);
    free(memory);
}

#define NEAR 7 /* classes, up to 8 times a size, of which the buffer that was released last is taken: it is still in the caches */

/* A buffer with room for `bytes`. Under AddressSanitizer every one is new and exact, so that it sees their ends. */
static buffer_t *take_buffer(memory_t *memory, size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
    memory = NULL;
#endif
    const int class = memory && bytes <= class_size(CLASSES - 40) ? class_of(bytes) : -1;
    int latest = class;
    for (int i = class + 1; class >= 0 && i < class + NEAR; i++)
        if (memory->waiting[i] && (!memory->waiting[latest] || memory->waiting[i]->released > memory->waiting[latest]->released)) latest = i;
    if (class >= 0 && memory->waiting[latest]) {
        buffer_t *buffer = memory->waiting[latest];
        memory->waiting[latest] = buffer->next;
        memory->bytes -= buffer->capacity;
        atomic_store(&buffer->references, 1);
        return buffer;
    }
    buffer_t *buffer = malloc(sizeof *buffer);
    if (!buffer) return NULL;
    size_t capacity = class >= 0 ? class_size(class) : bytes ? bytes : 1;
#if defined(__SANITIZE_ADDRESS__)
    void *data = malloc(capacity);
#else
    void *data = aligned_alloc(64, (capacity + 63) / 64 * 64);
#endif
    if (!data) {
        free(buffer);
        return NULL;
    }
    *buffer = (buffer_t){.references = 1, .capacity = capacity, .home = class >= 0 ? memory : NULL, .data = data};
    return buffer;
}

static void release_buffer(buffer_t *buffer) {
    if (!buffer || atomic_fetch_sub(&buffer->references, 1) > 1) return;
    memory_t *memory = buffer->home;
    if (!memory) {
        free_buffer(buffer);
        return;
    }
    int class = class_of(buffer->capacity);
    buffer->next = memory->waiting[class];
    memory->waiting[class] = buffer;
    memory->bytes += buffer->capacity;
    buffer->released = ++memory->released;
}

/* ---- tensors ---- */

index_t dims_size(int ndim, const index_t *dims) {
    index_t size = 1;
    int zero = 0;
    for (int i = 0; i < ndim; i++) {
        if (dims[i] < 0) return fail("a tensor can't have the size %td along an axis", dims[i]);
        if (dims[i] == 0) zero = 1;
        else if (size > LARGEST_SIZE / dims[i]) return fail("a tensor can't have more than 2^40 elements");
        else size *= dims[i];
    }
    return zero ? 0 : size;
}

int tensor_new(memory_t *memory, tensor_t *t, dtype_t dtype, int ndim, const index_t *dims) {
    *t = (tensor_t){.dtype = dtype, .ndim = ndim};
    if (dtype >= TYPE_NONE) return fail("a tensor must have an element type");
    if (ndim < 0 || ndim > MAX_DIMS) return fail("a tensor can have %d axes, not %d", MAX_DIMS, ndim);
    index_t size = dims_size(ndim, dims);
    if (size < 0) return -1;
    for (int i = 0; i < ndim; i++) t->dims[i] = dims[i];
    t->size = size;
    t->buffer = take_buffer(memory, (size_t)size * type_size(dtype));
    if (!t->buffer) {
        char text[160];
        return fail("out of memory for a tensor of shape %s", dims_text(ndim, dims, text, sizeof text));
    }
    t->data = t->buffer->data;
    return 0;
}

tensor_t tensor_share(const tensor_t *t) {
    if (t->buffer) atomic_fetch_add(&t->buffer->references, 1);
    if (t->lod) t->lod->references++;
    return *t;
}

int tensor_reshape(tensor_t *t, int ndim, const index_t *dims) {
    if (ndim < 0 || ndim > MAX_DIMS) return fail("a tensor can have %d axes, not %d", MAX_DIMS, ndim);
    index_t size = dims_size(ndim, dims);
    if (size < 0) return -1;
    if (size != t->size) {
        char from[160], to[160];
        return fail("shape %s can't become %s", dims_text(t->ndim, t->dims, from, sizeof from),
                    dims_text(ndim, dims, to, sizeof to));
    }
    t->ndim = ndim;
    memmove(t->dims, dims, (size_t)ndim * sizeof *dims);
    return 0;
}

void tensor_drop(tensor_t *t) {
    release_buffer(t->buffer);
    lod_drop(t->lod);
    *t = (tensor_t){.dtype = TYPE_NONE};
}

void *tensor_release(tensor_t *t) {
    buffer_t *buffer = t->buffer;
    if (!buffer || buffer->home || atomic_load(&buffer->references) > 1 || buffer->data != t->data) return NULL;
    void *data = buffer->data;
    free(buffer);
    t->buffer = NULL;
    tensor_drop(t);
    return data;
}

/* ---- sequences ---- */

lod_t *lod_new(int levels, const index_t *counts) {
    index_t all = 0;
    for (int i = 0; i < levels; i++) all += counts[i];
    lod_t *lod = levels <= MAX_LEVELS ? malloc(sizeof *lod + (size_t)all * sizeof **lod->offsets) : NULL;
    if (!lod) {
        if (levels > MAX_LEVELS) fail("sequences can have %d levels, not %d", MAX_LEVELS, levels);
        else fail_memory();
        return NULL;
    }
    *lod = (lod_t){.references = 1, .levels = levels};
    index_t *at = (index_t *)(lod + 1);
    for (int i = 0; i < levels; at += counts[i++]) lod->counts[i] = counts[i], lod->offsets[i] = at;
    return lod;
}

lod_t *lod_part(const lod_t *lod, int first, int levels) {
    lod_t *part = levels > 0 ? lod_new(levels, lod->counts + first) : NULL;
    for (int i = 0; part && i < levels; i++) memcpy(part->offsets[i], lod->offsets[first + i], (size_t)part->counts[i] * sizeof **part->offsets);
    return part;
}

void lod_drop(lod_t *lod) {
    if (lod && --lod->references == 0) free(lod);
}

void tensor_set_lod(tensor_t *t, lod_t *lod) {
    lod_drop(t->lod);
    t->lod = lod;
}
