/* RecipeBase: what an op's backward recipe is made of, checked once when it is made (see engine.h). */
#include "engine.h"

/* A tuple of whole numbers in [0, limit)? Raises if not. */
static int are_positions(PyObject *tuple, Py_ssize_t limit)
{
    int good = PyTuple_CheckExact(tuple);
    for (Py_ssize_t i = 0; good && i < PyTuple_GET_SIZE(tuple); i++) {
        Py_ssize_t number = PyNumber_AsSsize_t(PyTuple_GET_ITEM(tuple, i), NULL);
        good = number >= 0 && number < limit;
    }
    if (!good && !PyErr_Occurred())
        PyErr_Format(PyExc_ValueError, "RecipeBase(): %R must be a tuple of positions below %zd", tuple, limit);
    return good;
}

static int recipe_init(Recipe *r, PyObject *args, PyObject *kwargs)
{
    PyObject *op, *active, *kept, *tensors, *metas, *rules, *needs, *first, *second;
    int saves_out, takes_repeated;
    static char *names[] = {"op", "active", "kept", "tensors", "metas", "saves_out", "rules", "needs", "takes_repeated", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!OOOO!pO!Op", names, &OpBase_Type, &op, &active, &kept, &tensors,
                                     &PyTuple_Type, &metas, &saves_out, &PyTuple_Type, &rules, &needs,
                                     &takes_repeated))
        return -1;
    Py_ssize_t arity = ((Op *)op)->arity, inputs = ((Op *)op)->n_in, position;
    if (!are_positions(active, inputs) || !are_positions(kept, arity) || !are_positions(tensors, inputs))
        return -1;
    if (r->op || PyTuple_GET_SIZE(rules) != (needs == Py_None ? PyTuple_GET_SIZE(active) : 1)) {
        PyErr_SetString(PyExc_ValueError, "RecipeBase(): one rule per active input, and made only once");
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(metas); i++)
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(metas, i), "nU", &position, &first) || position < 0 || position >= inputs) {
            PyErr_SetString(PyExc_ValueError, "RecipeBase(): metas must be pairs (input, attribute name)");
            return -1;
        }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(rules); i++) {
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(rules, i), "OO", &first, &second)
            || !are_positions(second, 2 + PyTuple_GET_SIZE(kept) + PyTuple_GET_SIZE(metas)))
            return -1;
        Py_ssize_t count = PyTuple_GET_SIZE(second) + (needs != Py_None);
        r->widest = count > r->widest ? count : r->widest;
    }
    r->op = Py_NewRef(op), r->active = Py_NewRef(active), r->kept = Py_NewRef(kept), r->tensors = Py_NewRef(tensors);
    r->metas = Py_NewRef(metas), r->rules = Py_NewRef(rules), r->needs = Py_NewRef(needs), r->saves_out = (char)saves_out;
    r->takes_repeated = (char)takes_repeated;
    return 0;
}

#define RECIPE_FIELDS(X) X(op) X(active) X(kept) X(tensors) X(metas) X(rules) X(needs)

COLLECTED(recipe, Recipe, RECIPE_FIELDS)

static PyMemberDef recipe_members[] = {
#define MEMBER(f) {#f, T_OBJECT, offsetof(Recipe, f), READONLY, NULL},
    RECIPE_FIELDS(MEMBER)
#undef MEMBER
    {"saves_out", T_BOOL, offsetof(Recipe, saves_out), READONLY, NULL},
    {"takes_repeated", T_BOOL, offsetof(Recipe, takes_repeated), READONLY, NULL},
    {NULL}};
PyTypeObject RecipeBase_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "paddle.core._engine.RecipeBase",
    .tp_basicsize = sizeof(Recipe),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    COLLECTED_SLOTS(recipe),
    .tp_init = (initproc)recipe_init,
    .tp_members = recipe_members,
};
