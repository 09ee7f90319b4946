/* A program as the executor runs it: blocks of operators on numbered variables. Read from `.pdmodel` and `__model__` files. */
#ifndef DYGRAPH_PROGRAM_H
#define DYGRAPH_PROGRAM_H

#include "arena.h"
#include "tensor.h"

struct run;
struct op;

/* What is known of an operator type: the function that works out its outputs' shapes and fills them. 0 or -1 with a message. */
typedef struct {
    const char *type;
    int (*run)(struct run *run, const struct op *op);
    int flags;
} operator_t;

enum {
    OPERATOR_KEEP = 1,   /* not to be run once and for all when its inputs are constants */
    OPERATOR_COMPLEX = 2 /* takes complex numbers */
};

const operator_t *find_operator(const char *type); /* NULL: not in the library */
int operator_names(const char **names, int room);  /* all of them; how many there are */

/* Attribute types of the files, those that we tell apart. */
enum {
    ATTR_INT, ATTR_FLOAT, ATTR_STRING, ATTR_INTS, ATTR_FLOATS, ATTR_STRINGS, ATTR_BOOL, ATTR_BOOLS, ATTR_BLOCK, ATTR_LONG,
    ATTR_BLOCKS, ATTR_LONGS, ATTR_FLOAT64S, ATTR_VAR, ATTR_VARS, ATTR_FLOAT64, ATTR_SCALAR, ATTR_SCALARS
};

/* Numbers of any type are held both as integers and as floats. */
typedef struct {
    const char *name, *text;
    int type, count; /* count: of a list; 1 for single values */
    int64_t *ints;
    double *floats;
    const char **texts;
} attr_t;

typedef struct {
    const char *name;
    int count;
    int *vars; /* -1: left out */
} slot_t;

typedef struct {
    const char *name;
    int64_t kind;
    dtype_t dtype;
    int ndim, persistable, block, levels; /* levels: of sequences */
    index_t *dims; /* -1: unknown */
} var_t;

enum { KIND_TENSOR = 7, KIND_FEED = 9, KIND_FETCH = 10, KIND_ARRAY = 13 };

typedef struct op {
    const char *type;
    const operator_t *operator;
    int in_count, out_count, attr_count;
    slot_t *in, *out;
    attr_t *attrs;
    int drop_count, *drops; /* variables that nobody reads afterwards */
    int relu;               /* fused: max(0, result); RELU6, into convolutions: that, and at most 6 */
    const struct op *after; /* fused: another activation, or NULL */
    int pooled;             /* fused into a convolution: ReLU and the maximum of squares of 2 x 2 */
    const struct attention_plan *attention; /* of operators that were put together to attention, see attend.c */
    int blocked;            /* channels of the result, if that lies in blocks of them, else 0 */
    const struct grid *in_grid, *out_grid; /* of operators of whole numbers: to which what they read is rounded, and their result (or NULL) */
} op_t;

typedef struct {
    int parent, op_count;
    op_t *ops;
} block_t;

typedef struct {
    arena_t arena;
    int block_count, var_count, var_room;
    block_t *blocks;
    var_t *vars;
    int *table, table_room; /* hash table of variables by name and block */
    int feed_count, fetch_count;
    int *feeds, *fetches;   /* variables by column */
    tensor_t *constants;    /* by variable; no data: not a constant */
    struct whole *whole;    /* constants that are whole numbers times something, see roundings.h */
    atomic_int references;  /* predictors that share it */
} program_t;

program_t *program_read(const void *bytes, size_t size); /* NULL with a message */
program_t *program_read_json(const char *bytes, size_t size); /* of Paddle 3 */
void program_release(program_t *program);
int program_add_var(program_t *program, int block, const char *name); /* its number, or -1 */
int program_find_var(const program_t *program, int block, const char *name); /* in the block or one round it; -1: no */

/* Parameters: a combined file of all persistable variables, or a folder with one file each. */
int program_read_combined(program_t *program, const void *bytes, size_t size);
int program_read_folder(program_t *program, const char *folder);
int parameter_count(const program_t *program);

/* What is to be done before the first run. passes: 1 works out constants, 2 puts operators together, 3 does both. */
int program_prepare(program_t *program, int passes);
int program_bind(program_t *program); /* its part that finds the operators; -1 with the names of those that are lacking */

int slice_early(program_t *program);           /* slices before what works on each row, see slices.c */
int fuse_block(program_t *program, int block); /* put operators together, see fuse.c */
int fuse_attention(program_t *program, int block); /* see attend.c */
int keep_blocks(program_t *program);           /* channels in blocks through chains of operators, see layout.c */
int set_input(program_t *program, op_t *op, const char *name, int var); /* of a slot, which may be new */
int add_constant(program_t *program, tensor_t *t); /* a new variable that has this value (which it takes), or -1 */

void *read_file(const char *path, size_t *size); /* to be freed; NULL with a message */

/* Add the attributes that a file left out, by the table that Python's files have (defaults.c). */
int complete_attrs(program_t *program, op_t *op);

/* Attributes by name; 0, or an empty text, where there is none. */
const attr_t *find_attr(const op_t *op, const char *name);
int64_t attr_int(const op_t *op, const char *name);
double attr_float(const op_t *op, const char *name);
int attr_bool(const op_t *op, const char *name);
const char *attr_text(const op_t *op, const char *name);
dtype_t attr_dtype(const op_t *op, const char *name); /* of a type's number; TYPE_NONE: there is none, or not one known here */
int attr_ints(const op_t *op, const char *name, int64_t *values, int room); /* how many: 0 if absent; -1 with a message: too many */

const slot_t *find_in(const op_t *op, const char *name);  /* NULL: absent or empty */
const slot_t *find_out(const op_t *op, const char *name);

static inline int type_is(const op_t *op, const char *type) { return !strcmp(op->type, type); }

/* The variable in a slot of one, -1 if there is none or there are several. */
static inline int only_var(const slot_t *slot) { return slot && slot->count == 1 ? slot->vars[0] : -1; }
static inline int input_var(const op_t *op, const char *name) { return only_var(find_in(op, name)); }
static inline int output_var(const op_t *op, const char *name) { return only_var(find_out(op, name)); }

#endif
