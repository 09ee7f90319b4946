/* What operators use while a program runs: their inputs, outputs, attributes, memory. */
#ifndef DYGRAPH_RUN_H
#define DYGRAPH_RUN_H

#include "program.h"

/* A variable's value: a tensor, or an array of them. */
typedef struct {
    tensor_t tensor;
    tensor_t *items;
    int count, room;
} value_t;

typedef struct run {
    program_t *program;
    value_t *values; /* by variable; constants are the program's */
    memory_t *memory;
    int depth;       /* of blocks inside blocks */
    int sequences;   /* has any tensor offsets? */
} run_t;

int run_operator(run_t *run, const op_t *op);
int run_block(run_t *run, int block);
void run_clear(run_t *run); /* drop all values but the feeds */

/* The tensor in a slot. need_*: NULL with a message if it is missing. find_*: NULL if it isn't given. */
const tensor_t *need_input(run_t *run, const op_t *op, const char *slot);
const tensor_t *find_input(run_t *run, const op_t *op, const char *slot);
const tensor_t *input_at(run_t *run, const op_t *op, const slot_t *slot, int i);
const tensor_t *var_tensor(run_t *run, int var); /* NULL: has no value */
value_t *var_array(run_t *run, int var);
void clear_array(value_t *array);
int has_output(const op_t *op, const char *slot);

/* Hand a result over. `give` takes the tensor in any case; status other than 0 (of a kernel): drop it and fail. */
int give(run_t *run, const op_t *op, const char *slot, tensor_t *t);
int give_at(run_t *run, const op_t *op, const char *slot, int i, tensor_t *t);
int give_var(run_t *run, int var, tensor_t *t);
int finish(run_t *run, const op_t *op, const char *slot, tensor_t *t, int status);

/* The offsets of an input's innermost sequences, or NULL with a message; those of an output (taken, NULL if making them failed). */
const lod_t *need_lod(const tensor_t *t, const char *slot);
int set_lod(run_t *run, const op_t *op, const char *slot, lod_t *lod);
void follow_rows(run_t *run, const op_t *op); /* give outputs the offsets that inputs have, see sequences.c */

/* A new tensor of the run's memory. */
int make(run_t *run, tensor_t *t, dtype_t dtype, int ndim, const index_t *dims);
int make_like(run_t *run, tensor_t *t, const tensor_t *model);
int make_number(run_t *run, tensor_t *t, dtype_t dtype, double value); /* 0-d */

/* All elements one number; whole: that number, if it is a whole one that a double may not hold. */
void fill_tensor(tensor_t *y, double value, int64_t whole);

/* Arguments that may be tensors or attributes: a list of integers from the tensors of slot `list`, the tensor in slot `one`, or
 * the attribute. How many, or -1 with a message. */
int read_ints(run_t *run, const op_t *op, const char *list, const char *one, const char *attr, int64_t *values, int room);

/* An axis from 0 to ndim - 1 (inclusive of ndim if `end`); -1 with a message. */
int read_axis(int64_t axis, int ndim, int end);

/* Whole numbers as kernels take ids: int32 or int64 from 0 to size - 1. */
typedef struct {
    const void *at;
    int wide;    /* int64 */
    tensor_t own; /* to be dropped; has elements if those of the tensor could not be used as they are */
} ids_t;
int read_ids(run_t *run, const tensor_t *index, index_t size, int negative, ids_t *ids); /* negative: do negative ones count from the end? */

/* x of float type (float32 or float64), or a message. */
int check_float(const tensor_t *x, const char *name);

/* Floats along one axis put together by a rule of reduce.h: y has as many elements as x without it. */
int reduce_axis(int rule, const tensor_t *x, int axis, tensor_t *y);

/* Elements in another order: axis i of y is axis order[i] of x. */
int transpose_into(run_t *run, const tensor_t *x, const int *order, tensor_t *y);

/* The first k of each of x's rows in order, largest first if `down`, of x's type, and the int64 places they had. */
int order_rows(run_t *run, const tensor_t *x, index_t k, int down, tensor_t *values, tensor_t *places);

/* The part of x of these sizes that begins at `start` (NULL: at its first element); it lies in x. */
int part_of(run_t *run, const tensor_t *x, const index_t *start, const index_t *dims, tensor_t *y);

/* x read in another order: along axis i, place k of y is place tables[i][k] of x (-1: the fill), of counts[i]. A table that is NULL: as it is. */
int remap_into(run_t *run, const tensor_t *x, const int64_t *const *tables, const index_t *counts, double fill, tensor_t *y);

/* x repeated to a shape it broadcasts to. */
int expand_into(run_t *run, const tensor_t *x, int ndim, const index_t *dims, tensor_t *y);

/* Strides in elements of x when it is seen with these dims (it broadcasts to them); -1 with a message. */
int line_kind(dtype_t dtype); /* of lines.h, of complex numbers that of their parts; -1: none */
/* A function of lines.h of a and b (NULL: of a alone), repeated to y's shape; y has the type and shape of the result. */
int lines_into(int rule, const tensor_t *a, const tensor_t *b, tensor_t *y);
int broadcast_strides(const tensor_t *x, int ndim, const index_t *dims, index_t *strides);
int broadcast_dims(const tensor_t *a, const tensor_t *b, int *ndim, index_t *dims);

/* Apply the activation that was fused into an operator to its result, in place. */
int apply_activation(const op_t *op, tensor_t *t);
int run_unary_step(int step, double alpha, const tensor_t *x, tensor_t *y);
int is_activation(const char *type);
/* Is one place meant along entry i of a slice, an axis of ndim? It disappears, or tensors give its bounds. */
int slice_means_one(const op_t *op, int i, int axis, int ndim);

/* Batched product: y = act(op(a) op(b) + bias), act one of gemm.h. ready: op(b), a constant matrix, packed. All of it may be NULL or 0. */
typedef struct {
    const void *bias, *ready;
    int act;
} product_end_t;
int product_into(run_t *run, const tensor_t *a, const tensor_t *b, int trans_a, int trans_b, const product_end_t *end, tensor_t *y);

/* The real or the imaginary parts of complex numbers, and complex numbers of both. */
int part_into(run_t *run, const tensor_t *x, int imaginary, tensor_t *y);
int join_parts(run_t *run, const tensor_t *re, const tensor_t *im, tensor_t *y);

/* Sizes of a convolution of x with w, and what is added to its result y: *data is NULL if there is nothing; `repeated` is to be dropped. */
struct conv_sizes;
int conv_sizes(const op_t *op, const tensor_t *x, const tensor_t *w, struct conv_sizes *q);
int conv_residual(run_t *run, const op_t *op, const tensor_t *y, tensor_t *repeated, const void **data);

/* Inputs that passes add to operators; no file has slots of these names. */
#define SLOT_READY "@Ready"       /* of convolutions and products: their weights, packed */
#define SLOT_RESIDUAL "@Residual" /* of convolutions: what is added to the result before the activation */

/* Pack constant weights for inputs of these declared sizes (-1: unknown): 1, 0 if it doesn't help, -1. */
int conv_ready(const op_t *op, const var_t *x, const tensor_t *w, tensor_t *ready);
int blocked_ready(const op_t *op, const var_t *x, const tensor_t *w, int plain, tensor_t *ready); /* of images in blocks, or plain ones */
int product_ready(const op_t *op, const var_t *x, const tensor_t *w, tensor_t *ready);

/* Sizes multiplied. */
static inline index_t span(const tensor_t *t, int begin, int end) {
    index_t size = 1;
    for (int i = begin; i < end; i++) size *= t->dims[i];
    return size;
}

/* On functions of loops over whole tensors: with vectors, which -O2 leaves out. */
#if defined(__GNUC__) && !defined(__clang__)
#define LOOPS __attribute__((optimize("O3")))
#else
#define LOOPS
#endif

/* A kernel for float32 or float64, or a call of it. Models of float64 are rare, and their kernels for AVX-512 would be 100 kB. */
#define VERSION_TYPE(dtype, fn) ((dtype) == TYPE_FLOAT32 ? VERSION_OF(f32, fn) : UP_TO_AVX2(f64, fn))
#define DISPATCH_TYPE(dtype, fn, ...) ((dtype) == TYPE_FLOAT32 ? DISPATCH(f32, fn, __VA_ARGS__) : UP_TO_AVX2(f64, fn)(__VA_ARGS__))

/* Tables of operators, one in each file of ops/. */
#define OPERATOR_TABLE(name) const operator_t name##_operators[]

#endif
