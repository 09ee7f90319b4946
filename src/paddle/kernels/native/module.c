/* The module paddle._native: settings of the library, and the tables of all subject files. */
#define NATIVE_IMPORTS_NUMPY
#define _GNU_SOURCE
#include "args.h"

#include <stdlib.h>
#if defined(__linux__)
#include <dlfcn.h>
#include <link.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#if __has_include("built_from.h")
#include "built_from.h" /* setup.py writes it, see core/built.py */
#else
#define BUILT_FROM ""
#endif

BINDING(isa) {
    (void)module, (void)args, (void)nargs, (void)kwnames;
    return PyUnicode_FromString(isa_names[native_isa]);
}

BINDING(set_isa) {
    BIND("set_isa", 1, "name");
    const char *name = PyUnicode_Check(values[0]) ? PyUnicode_AsUTF8(values[0]) : NULL;
    if (!name || isa_choose(name)) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_ValueError, "set_isa(): argument 'name' must be 'base', 'avx2' or 'avx512', got %R", values[0]);
        return NULL;
    }
    return PyUnicode_FromString(isa_names[native_isa]);
}

BINDING(num_threads) {
    (void)module, (void)args, (void)nargs, (void)kwnames;
    return PyLong_FromLong(threads_count());
}

BINDING(set_num_threads) {
    BIND("set_num_threads", 1, "count");
    index_t count = arg_index("set_num_threads", "count", values[0], 1);
    if (PyErr_Occurred()) return NULL;
    if (count < 1)
        return PyErr_Format(PyExc_ValueError, "set_num_threads(): argument 'count' must be at least 1, got %zd", count);
    threads_set((int)min_of(count, 1 << 20));
    Py_RETURN_NONE;
}

BINDING(fail_allocation) {
    BIND("fail_allocation", 1, "after");
    index_t after = arg_index("fail_allocation", "after", values[0], -1);
    if (PyErr_Occurred()) return NULL;
    scratch_fail_after((long)after);
    Py_RETURN_NONE;
}

BINDING(keep_freed_memory) {
    (void)module, (void)args, (void)nargs, (void)kwnames;
#if defined(__GLIBC__)
    /* Some versions of glibc refuse thresholds above 32 MB. */
    int kept = mallopt(M_MMAP_THRESHOLD, 1 << 30) || mallopt(M_MMAP_THRESHOLD, 32 << 20);
    kept = kept && mallopt(M_TRIM_THRESHOLD, 1 << 30) && mallopt(M_TOP_PAD, 1 << 20);
    return PyBool_FromLong(kept);
#else
    Py_RETURN_FALSE;
#endif
}

#if defined(__linux__)
/* Call the thread setter of one loaded library if it is an OpenBLAS; data points to {threads, libraries changed}. */
static int limit_library(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    static const char *const setters[] = {"scipy_openblas_set_num_threads64_", "openblas_set_num_threads64_",
                                          "scipy_openblas_set_num_threads", "openblas_set_num_threads"};
    if (!info->dlpi_name || !strstr(info->dlpi_name, "openblas")) return 0;
    void *library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return 0;
    for (int i = 0; i < 4; i++) {
        void (*setter)(int) = (void (*)(int))dlsym(library, setters[i]);
        if (setter) {
            setter(((int *)data)[0]);
            ((int *)data)[1]++;
            break;
        }
    }
    dlclose(library);
    return 0;
}
#endif

BINDING(limit_openblas) {
    BIND("limit_openblas", 1, "count");
    index_t count = arg_index("limit_openblas", "count", values[0], 1);
    if (PyErr_Occurred()) return NULL;
    int request[2] = {(int)max_of(1, min_of(count, 256)), 0};
#if defined(__linux__)
    dl_iterate_phdr(limit_library, request);
#endif
    return PyLong_FromLong(request[1]);
}

static PyMethodDef settings[] = {
    METHOD(isa, "isa() -> 'base', 'avx2' or 'avx512': the instruction set in use."),
    METHOD(set_isa, "set_isa(name) -> the one now in use: lower the instruction set, for tests."),
    METHOD(num_threads, "num_threads() -> how many threads a kernel uses at most."),
    METHOD(set_num_threads, "set_num_threads(count): let kernels use this many threads."),
    METHOD(fail_allocation, "fail_allocation(after): let the after-th scratch allocation from now fail; < 0 never. For tests."),
    METHOD(keep_freed_memory, "keep_freed_memory() -> bool: tell malloc to reuse large freed blocks (True if it can)."),
    METHOD(limit_openblas, "limit_openblas(count) -> libraries changed: set the threads of every loaded OpenBLAS."),
    {0}};

#define SUBJECT(name) extern PyMethodDef name##_methods[];
#include "subjects.h"
#undef SUBJECT

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "paddle._native", "Kernels in C: arrays in, arrays out. See docs/kernels.md.", -1, settings,
    0, 0, 0, 0};

PyMODINIT_FUNC PyInit__native(void) {
    import_array();
    native_isa = isa_detect(2);
    if (native_isa < 0) {
        PyErr_SetString(PyExc_ImportError, "the kernels were compiled for another processor alone: install again without DYGRAPH_HOST");
        return NULL;
    }
    const char *wish = getenv("PADDLE_NATIVE_ISA");
    if (wish && *wish && isa_choose(wish)) {
        PyErr_Format(PyExc_ImportError, "PADDLE_NATIVE_ISA must be base, avx2 or avx512, not '%s'", wish);
        return NULL;
    }
    if (threads_start()) return PyErr_NoMemory();
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddStringConstant(module, "built_from", BUILT_FROM)) Py_CLEAR(module);
    if (!module) return NULL;
#define SUBJECT(name) if (PyModule_AddFunctions(module, name##_methods)) { Py_DECREF(module); return NULL; }
#include "subjects.h"
#undef SUBJECT
    return module;
}
