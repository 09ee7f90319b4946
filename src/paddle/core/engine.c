/* The module paddle.core._engine (see engine.h). */
#define IMPORTS_ARRAYS
#include "engine.h"
#if __has_include("built_from.h")
#include "built_from.h" /* setup.py writes it, see built.py */
#else
#define BUILT_FROM ""
#endif

PyTypeObject *tensor_class, *node_class, *rows_class;
PyObject *sum_to, *zero, *users_frames, *add_many, *write_out;
PyObject *s_python_call, *s_make_recipe, *s_explained, *s_shape, *s_dtype, *s_pass_by,
    *s_completed, *s_step_results, *s_finish_leaf, *s_check_unchanged, *s_raise_freed, *s_hooks, *s_targets, *s_blocked,
    *s_needed, *s_found, *s_rewrap, *s_number, *s_element_ndim, *s_indices_keep_axes, *s_dense, *s_reads_output;
int python_calls;
long long numbers = 1;

static PyObject *engine_setup(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *tensor, *node, *sum, *no_grad, *rows, *frames, *many, *out;
    if (!PyArg_ParseTuple(args, "O!O!OOO!OOO", &PyType_Type, &tensor, &PyType_Type, &node, &sum, &no_grad, &PyType_Type, &rows, &frames,
                          &many, &out))
        return NULL;
    if (!PyType_IsSubtype((PyTypeObject *)tensor, &TensorBase_Type) || !PyType_IsSubtype((PyTypeObject *)node, &NodeBase_Type)) {
        PyErr_SetString(PyExc_TypeError, "setup(): needs subclasses of TensorBase and NodeBase");
        return NULL;
    }
    Py_XSETREF(tensor_class, (PyTypeObject *)Py_NewRef(tensor));
    Py_XSETREF(node_class, (PyTypeObject *)Py_NewRef(node));
    Py_XSETREF(rows_class, (PyTypeObject *)Py_NewRef(rows));
    Py_XSETREF(sum_to, Py_NewRef(sum));
    Py_XSETREF(zero, Py_NewRef(no_grad));
    Py_XSETREF(users_frames, Py_NewRef(frames));
    Py_XSETREF(add_many, Py_NewRef(many));
    Py_XSETREF(write_out, Py_NewRef(out));
    Py_RETURN_NONE;
}

static PyObject *engine_call_in_python(PyObject *self, PyObject *on)
{
    (void)self;
    int truth = PyObject_IsTrue(on);
    if (truth < 0)
        return NULL;
    python_calls = truth;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"setup", engine_setup, METH_VARARGS,
     "setup(Tensor, Node, sum_to, ZERO, SelectedRows, users_frames, add_many, write_out): the Python side introduces itself."},
    {"wrap", engine_wrap, METH_O, "A leaf Tensor over an array, without copy or checks."},
    {"share", (PyCFunction)(void (*)(void))engine_share, METH_FASTCALL,
     "share(source, alias, detached): note that alias lies in the memory of source."},
    {"note_views", (PyCFunction)(void (*)(void))engine_note_views, METH_FASTCALL,
     "note_views(source, array, results): note which results lie in the memory of source, whose array is given."},
    {"alias", (PyCFunction)(void (*)(void))engine_alias, METH_FASTCALL,
     "alias(source, detached): a Tensor over all of the memory of source, which shares it."},
    {"item", (PyCFunction)(void (*)(void))engine_item, METH_FASTCALL, "item(k, array, index): array[index] as an array."},
    {"leave", engine_leave, METH_O, "Note that a Tensor shares its memory with no other any more."},
    {"members", engine_members, METH_O, "The Tensors that share a Tensor's memory, itself among them."},
    {"next_number", engine_next_number, METH_NOARGS, "The number of the next node."},
    {"call_in_python", engine_call_in_python, METH_O, "Send every op call the Python way (see engine.choose)."},
    {"held", engine_held, METH_VARARGS, "held(registers, arrays): which arrays the registers refer to more than once."},
    {"find_needed", (PyCFunction)(void (*)(void))engine_find_needed, METH_FASTCALL,
     "find_needed(roots, targets, blocked, needed): which nodes lead to targets."},
    {"run_walk", (PyCFunction)(void (*)(void))engine_run_walk, METH_FASTCALL,
     "run_walk(walk, roots, create_graph, retain_graph, route, counts, watched): one backward pass."},
    {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "paddle.core._engine", "The hot path of the tape.", -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__engine(void)
{
    import_array();
    static const struct {
        PyObject **variable;
        const char *text;
    } names[] = {
#define NAME(text) {&s_##text, #text},
        NAME(python_call) NAME(shape) NAME(reads_output) NAME(make_recipe) NAME(explained) NAME(dtype) NAME(pass_by)
        NAME(completed) NAME(step_results) NAME(finish_leaf) NAME(check_unchanged) NAME(raise_freed) NAME(hooks)
        NAME(targets) NAME(blocked) NAME(needed) NAME(found) NAME(rewrap) NAME(number) NAME(element_ndim) NAME(dense)
        NAME(indices_keep_axes)
#undef NAME
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((*names[i].variable = PyUnicode_InternFromString(names[i].text)) == NULL)
            return NULL;
    PyTypeObject *types[] = {&TensorBase_Type, &Storage_Type, &NodeBase_Type, &OpBase_Type, &RecipeBase_Type, &BinaryMethod_Type, &ItemMethod_Type,
                             &Routine_Type, &ContextBase_Type, &ProcessBase_Type};
    if (PyType_Ready(&State_Type) < 0)
        return NULL;
    PyObject *m = PyModule_Create(&module);
    for (int i = 0; m && i < (int)(sizeof types / sizeof *types); i++)
        if (PyModule_AddType(m, types[i]) < 0)
            Py_CLEAR(m);
    if (m && (add_spelled(m) < 0 || PyModule_AddStringConstant(m, "built_from", BUILT_FROM) < 0))
        Py_CLEAR(m);
    return m;
}
