/* Whole models by the executor of the C library (src/capi), on NumPy arrays: what paddle.inference runs. */
#include "tensors.h"

#include <stdlib.h>

#include "load.h"
#include "run.h"

#define MODEL "paddle._native.model"
#define SESSION "paddle._native.session"

typedef struct {
    run_t run;
    int busy; /* a thread is in it: changed with the GIL only */
} session_t;

static PyObject *refuse(void) { return PyErr_Format(PyExc_RuntimeError, "%s", last_error()); }

/* ---- models ---- */

static void drop_model(PyObject *capsule) { program_release(PyCapsule_GetPointer(capsule, MODEL)); }

/* [(name, sizes, element type, levels of sequences)] of inputs or outputs. */
static PyObject *declared(const program_t *program, const int *vars, int count) {
    PyObject *list = PyList_New(count);
    for (int i = 0; list && i < count; i++) {
        const var_t *v = &program->vars[vars[i]];
        PyObject *dims = PyTuple_New(v->ndim);
        for (int k = 0; dims && k < v->ndim; k++) {
            PyObject *size = PyLong_FromSsize_t(v->dims[k]);
            if (!size) Py_CLEAR(dims);
            else PyTuple_SET_ITEM(dims, k, size);
        }
        PyObject *entry = dims ? Py_BuildValue("(sNsi)", v->name, dims, v->dtype == TYPE_NONE ? "" : type_name(v->dtype), v->levels) : NULL;
        if (!entry) Py_CLEAR(list);
        else PyList_SET_ITEM(list, i, entry);
    }
    return list;
}

BINDING(model_read) {
    BIND("model_read", 1, "program");
    program_t *program = NULL;
    PyObject *path = NULL;
    clear_error();
    if (PyBytes_Check(values[0])) {
        program = load_program("the program", PyBytes_AS_STRING(values[0]), (size_t)PyBytes_GET_SIZE(values[0]));
    } else {
        if (!PyUnicode_FSConverter(values[0], &path)) return NULL;
        program = load_program_file(PyBytes_AS_STRING(path));
        Py_DECREF(path);
    }
    if (!program || program_bind(program)) {
        program_release(program);
        return refuse();
    }
    PyObject *model = PyCapsule_New(program, MODEL, drop_model);
    if (!model) program_release(program);
    return model;
}

/* Parameters from the bytes or the path of a file, or the path of a folder. */
static int read_parameters(program_t *program, PyObject *parameters, int folder) {
    if (PyBytes_Check(parameters))
        return parameter_count(program) ? program_read_combined(program, PyBytes_AS_STRING(parameters), (size_t)PyBytes_GET_SIZE(parameters)) : 0;
    PyObject *path;
    if (!PyUnicode_FSConverter(parameters, &path)) return -1;
    int status = folder ? load_parameter_folder(program, PyBytes_AS_STRING(path)) : load_parameter_file(program, PyBytes_AS_STRING(path));
    Py_DECREF(path);
    return status;
}

BINDING(model_prepare) {
    BIND("model_prepare", 2, "model", "parameters", "folder");
    program_t *program = PyCapsule_GetPointer(values[0], MODEL);
    const int folder = is_none(values[2]) ? 0 : PyObject_IsTrue(values[2]);
    if (!program || folder < 0) return NULL;
    if (PyCapsule_GetContext(values[0])) return PyErr_Format(PyExc_ValueError, "model_prepare(): the model is ready already");
    clear_error();
    if (read_parameters(program, values[1], folder) || program_prepare(program, 3)) return PyErr_Occurred() ? NULL : refuse();
    if (PyCapsule_SetContext(values[0], program)) return NULL; /* ready */
    PyObject *inputs = declared(program, program->feeds, program->feed_count);
    PyObject *outputs = inputs ? declared(program, program->fetches, program->fetch_count) : NULL;
    if (!outputs) Py_XDECREF(inputs);
    return outputs ? Py_BuildValue("(NN)", inputs, outputs) : NULL;
}

/* ---- sessions: one for each thread ---- */

static int open_session(session_t *s, program_t *program) {
    *s = (session_t){.run = {.program = program, .memory = memory_new(), .values = calloc((size_t)program->var_count + 1, sizeof(value_t))}};
    if (s->run.memory && s->run.values) return 0;
    memory_delete(s->run.memory);
    free(s->run.values);
    PyErr_NoMemory();
    return -1;
}

static void close_session(session_t *s) {
    run_clear(&s->run);
    memory_delete(s->run.memory);
    free(s->run.values);
}

static void drop_session(PyObject *capsule) {
    session_t *s = PyCapsule_GetPointer(capsule, SESSION);
    close_session(s);
    program_release(s->run.program);
    free(s);
}

BINDING(model_session) {
    BIND("model_session", 1, "model");
    program_t *program = PyCapsule_GetPointer(values[0], MODEL);
    if (!program) return NULL;
    if (!PyCapsule_GetContext(values[0])) return PyErr_Format(PyExc_ValueError, "model_session(): prepare the model first");
    session_t *s = malloc(sizeof *s);
    if (!s) return PyErr_NoMemory();
    if (open_session(s, program)) return free(s), NULL;
    atomic_fetch_add(&program->references, 1);
    PyObject *capsule = PyCapsule_New(s, SESSION, drop_session);
    if (!capsule) close_session(s), program_release(program), free(s);
    return capsule;
}

static PyObject *results(const session_t *s) {
    const program_t *program = s->run.program;
    PyObject *list = PyList_New(program->fetch_count);
    for (int i = 0; list && i < program->fetch_count; i++) {
        const tensor_t *t = var_tensor((run_t *)&s->run, program->fetches[i]);
        PyObject *array = t ? array_of(t) : PyErr_Format(PyExc_RuntimeError, "%s has no value", program->vars[program->fetches[i]].name);
        if (!array) Py_CLEAR(list);
        else PyList_SET_ITEM(list, i, array);
    }
    return list;
}

static PyObject *run_session(session_t *s, PyObject *arrays, PyObject *kept) {
    const program_t *program = s->run.program;
    int status = 0;
    for (int i = 0; !status && i < program->feed_count; i++) {
        PyObject *whole = NULL;
        status = tensor_over(PyList_GET_ITEM(arrays, i), &whole, &s->run.values[program->feeds[i]].tensor);
        if (whole && PyList_Append(kept, whole)) status = -1;
        Py_XDECREF(whole);
    }
    if (status) {
        if (status > 0) PyErr_Format(PyExc_RuntimeError, "an input has an element type that the library lacks");
        return NULL;
    }
    clear_error();
    s->run.sequences = 0;
    Py_BEGIN_ALLOW_THREADS
    status = run_block(&s->run, 0);
    Py_END_ALLOW_THREADS
    return status ? refuse() : results(s);
}

BINDING(model_run) {
    BIND("model_run", 2, "session", "inputs");
    session_t *s = PyCapsule_GetPointer(values[0], SESSION), other;
    if (!s) return NULL;
    if (!PyList_Check(values[1]) || PyList_GET_SIZE(values[1]) != s->run.program->feed_count)
        return PyErr_Format(PyExc_TypeError, "model_run(): takes a list of %d arrays", s->run.program->feed_count);
    PyObject *kept = PyList_New(0);
    if (!kept) return NULL;
    const int own = s->busy; /* by another thread: this call has a session to itself */
    if (own && open_session(&other, s->run.program)) return Py_DECREF(kept), NULL;
    session_t *used = own ? &other : s;
    used->busy = 1;
    PyObject *found = run_session(used, values[1], kept);
    run_clear(&used->run);
    for (int i = 0; i < used->run.program->feed_count; i++) tensor_drop(&used->run.values[used->run.program->feeds[i]].tensor);
    used->busy = 0;
    if (own) close_session(&other);
    Py_DECREF(kept);
    return found;
}

PyMethodDef model_methods[] = {
    METHOD(model_read, "model_read(program): a model of a program's bytes or path; RuntimeError says what "
                       "the library lacks."),
    METHOD(model_prepare, "model_prepare(model, parameters, folder=False): read the parameters, from bytes or a path, and plan; ([(name, sizes, "
                          "element type, levels)] of inputs, of outputs)."),
    METHOD(model_session, "model_session(model): what one thread runs it with."),
    METHOD(model_run, "model_run(session, inputs): the outputs for a list of arrays; RuntimeError if the library refuses."),
    {0}};
