/* What the sources of paddle.core._engine share: its objects, what the Python side handed over, small helpers.
 *
 * The module is the hot path of the tape in C: an op call (call.c, beside Op.python_call of op.py) and a backward pass
 * (walk.c, beside PythonLoop of walk.py). A call that is not the common case (keywords, lists of tensors, static Variables,
 * hooks on ops) is Python's, which does everything where this module was not built. The fixture `engine` of the tests runs both
 * builds.
 *
 * Ownership: while anything runs that could let another thread in (a kernel, a rule, NumPy, a hook) whatever is used
 * afterwards is held by a reference of our own, never borrowed from a Tensor or Node.
 */
#pragma once
#include "routine.h"

#define MOST_ARGUMENTS 24

struct Tensor;

/* Memory that several Tensors share (storage.c). It holds none of them: a Tensor leaves its Storage when it is freed. */
typedef struct {
    PyObject_HEAD
    long version; /* how often it was written to, by whichever of them */
    struct Tensor *first;
} Storage;

typedef struct Tensor {
    PyObject_HEAD
    PyObject *data, *edge, *grad, *meta;
    Storage *storage;               /* NULL: no other Tensor was ever made over its memory */
    struct Tensor *next, *previous; /* its neighbours in the storage */
    long family;                    /* Tensors of one storage with the same number are views of each other; a detached one is not */
    long version;                   /* counts where there is no storage */
    char stop_gradient;
    char placed;                    /* its array is this rank's part of a larger one: calls with it are Tensor.record's */
} Tensor;

typedef struct {
    PyObject_HEAD
    PyObject *recipe, *edges, *saved, *tensors, *out, *out_metas, *shapes, *hooks, *retained, *spoiled, *where;
    long version;
    long long seq;
} Node;

typedef struct {
    PyObject_HEAD
    PyObject *fn, *kernels, *recipes, *defaults;
    Py_ssize_t n_in, arity;
    Py_ssize_t view_since; /* its result shares the input's memory from this generation on; negative: never */
    char simple, single, unbroadcast;
} Op;

/* The backward recipe of an op for one set of inputs that need gradients (see Recipe in recipe.py). Its constructor checks
 * every field, and nothing can change them afterwards: tuples of positions among the op's arguments (active, kept, tensors),
 * of pairs (position, attribute name) in metas, of pairs (function, positions among the values of a backward call) in rules. */
typedef struct {
    PyObject_HEAD
    PyObject *op, *active, *kept, *tensors, *metas, *rules, *needs;
    Py_ssize_t widest; /* the most arguments that one of the rules takes */
    char saves_out, takes_repeated; /* the latter: its rules take a gradient that is one number repeated (steps.repeated) */
} Recipe;

/* ---- further spellings of keywords (spelled.c) ---- */
int add_spelled(PyObject *module);

/* ---- the context (context.c) --------------------------------------------------------------------------------------- */
#define CONTEXT_FIELDS(X) X(grad) X(static_mode) X(retain_all) X(anomaly) X(depth) X(hooks) X(own_rules) X(trace) X(journal) \
    X(guard) X(main) X(startup) X(scope) X(names) X(name_scopes) X(layer_key) X(lazy) X(saved) X(generator)

typedef struct { /* what a thread has switched: context.py says what each field means */
    PyObject_HEAD
#define FIELD(f) PyObject *f;
    CONTEXT_FIELDS(FIELD)
#undef FIELD
} State;

typedef struct { /* what all threads share */
    PyObject_HEAD
    PyObject *rules, *hooks, *static_mode;
    PyObject *on_scalar; /* called with each Tensor of shape [] that an op gives; None: they stay as they are */
} Process;

extern __thread State *current_state;
extern Process *process;
State *make_state(void);

extern PyTypeObject TensorBase_Type, Storage_Type, NodeBase_Type, OpBase_Type, RecipeBase_Type, BinaryMethod_Type, ItemMethod_Type, ContextBase_Type,
    ProcessBase_Type, State_Type;

/* The functions of a type with the garbage collector, for a list FIELDS(X) of all its references; and their slots. */
#define VISIT_FIELD(f) Py_VISIT(o->f);
#define CLEAR_FIELD(f) Py_CLEAR(o->f);
#define COLLECTED(name, Struct, FIELDS)                                                                          \
    static int name##_traverse(Struct *o, visitproc visit, void *arg) { FIELDS(VISIT_FIELD) return 0; }          \
    static int name##_clear(Struct *o) { FIELDS(CLEAR_FIELD) return 0; }                                         \
    static void name##_dealloc(Struct *o)                                                                        \
    {                                                                                                            \
        PyObject_GC_UnTrack(o);                                                                                  \
        Py_TRASHCAN_BEGIN(o, name##_dealloc)                                                                     \
        name##_clear(o);                                                                                         \
        Py_TYPE(o)->tp_free((PyObject *)o);                                                                      \
        Py_TRASHCAN_END                                                                                          \
    }
#define COLLECTED_SLOTS(name)                                                                                    \
    .tp_new = PyType_GenericNew, .tp_dealloc = (destructor)name##_dealloc, .tp_traverse = (traverseproc)name##_traverse, \
    .tp_clear = (inquiry)name##_clear

/* ---- what setup() was given, and names looked up often (engine.c) -------------------------------------------------- */
extern PyTypeObject *tensor_class, *node_class, *rows_class; /* Tensor, Node and SelectedRows of the Python side */
extern PyObject *sum_to, *zero, *users_frames; /* walk.sum_to, tensor.ZERO, autograd.users_frames */
extern PyObject *add_many, *write_out;         /* walk.add_many, steps.written_out */
extern PyObject *s_python_call, *s_make_recipe, *s_explained, *s_shape, *s_dtype, *s_pass_by,
    *s_completed, *s_step_results, *s_finish_leaf, *s_check_unchanged, *s_raise_freed, *s_hooks, *s_targets, *s_blocked,
    *s_needed, *s_found, *s_rewrap, *s_number, *s_element_ndim, *s_indices_keep_axes, *s_dense, *s_reads_output;
extern int python_calls;  /* tests: every op call takes the Python way */
extern long long numbers; /* nodes are numbered as they are made */

/* ---- calls (call.c) ---- */
PyObject *op_call(Op *op, PyObject *args, PyObject *kwargs);
PyObject *rules_in_force(State *context); /* borrowed */
PyObject *rules_fact(State *context, PyObject *name); /* a fact of them */

/* ---- shared memory (storage.c) ---- */
int share(Tensor *source, Tensor *alias, int detached); /* -1: error */
/* Note that a result lies in the memory of a Tensor, whose array is given, if it does; -1: error. */
int note_view(PyObject *source, PyObject *array, PyObject *result);
void leave_storage(Tensor *t);
PyArrayObject *owner_of(PyObject *array); /* the array at the end of the bases, borrowed */
PyObject *engine_share(PyObject *self, PyObject *const *args, Py_ssize_t nargs);
PyObject *engine_note_views(PyObject *self, PyObject *const *args, Py_ssize_t nargs);
PyObject *engine_alias(PyObject *self, PyObject *const *args, Py_ssize_t nargs);
PyObject *engine_leave(PyObject *self, PyObject *tensor);
PyObject *engine_members(PyObject *self, PyObject *tensor);

PyObject *wrap_steal(PyObject *array); /* a leaf Tensor over an array; steals the reference */
PyObject *engine_wrap(PyObject *self, PyObject *array);
PyObject *engine_item(PyObject *self, PyObject *const *args, Py_ssize_t nargs);
PyObject *engine_next_number(PyObject *self, PyObject *unused);
PyObject *engine_find_needed(PyObject *self, PyObject *const *args, Py_ssize_t nargs);
PyObject *engine_run_walk(PyObject *self, PyObject *const *args, Py_ssize_t nargs);

static inline int is_tensor(PyObject *o) { return PyObject_TypeCheck(o, &TensorBase_Type); }
static inline long version_of(Tensor *t) { return t->storage ? t->storage->version : t->version; }
static inline int is_set(PyObject *field) { return field != NULL && field != Py_None; }
/* This thread's State; NULL with an error set if there is no memory for one. */
static inline State *here(void) { return current_state ? current_state : make_state(); }
/* Is any hook on op calls installed, in this thread or in all? */
static inline int hooked(State *s) { return PyTuple_GET_SIZE(s->hooks) || PyTuple_GET_SIZE(process->hooks); }
static inline Py_ssize_t at(PyObject *tuple, Py_ssize_t i) { return PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, i)); }
