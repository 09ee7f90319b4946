/* Tensors of the C library: a dense array in a counted buffer, and the memory that buffers are taken from. */
#ifndef DYGRAPH_TENSOR_H
#define DYGRAPH_TENSOR_H

#include <stdatomic.h>

#include "common.h"

#define MAX_DIMS 10

typedef enum {
    TYPE_BOOL, TYPE_INT8, TYPE_UINT8, TYPE_INT16, TYPE_INT32, TYPE_INT64, TYPE_FLOAT16, TYPE_BFLOAT16, TYPE_FLOAT32,
    TYPE_FLOAT64, TYPE_COMPLEX64, TYPE_COMPLEX128, TYPE_NONE
} dtype_t;

/* Memory of one predictor: buffers that nobody uses wait here for the next tensor of about their size. */
typedef struct memory memory_t;

typedef struct buffer {
    atomic_int references; /* constants belong to several predictors */
    size_t capacity;
    memory_t *home;       /* where it goes when nobody uses it; NULL: freed */
    struct buffer *next;  /* in the list of free ones */
    uint64_t released;    /* when it was put there */
    void *data;
} buffer_t;

#define MAX_LEVELS 4

/* Where the sequences that are packed into rows begin and end, outermost level first. Nobody changes one that is shared. */
typedef struct lod {
    int references, levels;
    index_t counts[MAX_LEVELS], *offsets[MAX_LEVELS]; /* counts: of offsets, one more than sequences */
} lod_t;

typedef struct {
    dtype_t dtype;
    int ndim;
    index_t dims[MAX_DIMS], size;
    void *data;
    buffer_t *buffer;
    lod_t *lod; /* NULL: rows are rows */
} tensor_t;

/* A message for PD_GetLastError of this thread. Returns -1, so that a function can end with it. */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
int fail_memory(void);
void put_context(const char *format, ...) __attribute__((format(printf, 1, 2))); /* in front of the message that is there */
const char *last_error(void);
void clear_error(void);

memory_t *memory_new(void);
void memory_trim(memory_t *memory); /* free the buffers that wait */
size_t memory_waiting(const memory_t *memory);
void memory_delete(memory_t *memory);

/* A tensor of this shape with room that is not initialised; 0 or -1. */
int tensor_new(memory_t *memory, tensor_t *t, dtype_t dtype, int ndim, const index_t *dims);

/* Another view of the same elements. */
tensor_t tensor_share(const tensor_t *t);
int tensor_reshape(tensor_t *t, int ndim, const index_t *dims); /* -1 if the number of elements differs */
void tensor_drop(tensor_t *t);
void *tensor_release(tensor_t *t); /* its memory, to be freed, of a tensor that nothing shares; NULL: it belongs to others */

/* Offsets with room for these counts, which are to be filled; NULL with a message. */
lod_t *lod_new(int levels, const index_t *counts);
lod_t *lod_part(const lod_t *lod, int first, int levels); /* a copy of some levels; NULL: there are none, or a message */
void lod_drop(lod_t *lod);
void tensor_set_lod(tensor_t *t, lod_t *lod); /* takes it */

/* dims multiplied; -1 with a message if one is negative or the product is too large to be a size in memory. */
index_t dims_size(int ndim, const index_t *dims);

size_t type_size(dtype_t dtype);
const char *type_name(dtype_t dtype);
dtype_t type_of_file(int64_t kind);  /* VarType.Type of Paddle's files; TYPE_NONE: not an element type known here */
int type_is_float(dtype_t dtype);    /* float32 or float64 */
int type_is_complex(dtype_t dtype);
static inline int type_is_whole(dtype_t dtype) { return dtype > TYPE_BOOL && dtype <= TYPE_INT64; }
const char *dims_text(int ndim, const index_t *dims, char *text, size_t room);

/* Elements of any type as numbers; of complex ones the real part (the imaginary one is set to 0). */
int64_t tensor_int(const tensor_t *t, index_t i);
double tensor_number(const tensor_t *t, index_t i);
void tensor_set(tensor_t *t, index_t i, double value);
void tensor_set_int(tensor_t *t, index_t i, int64_t value); /* exact where a double isn't; of narrower integers the lower bits */

/* Copy with conversion of the element type; both have one size. */
int tensor_convert(const tensor_t *from, tensor_t *to);

#endif
