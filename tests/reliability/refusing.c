/* To be preloaded: refuses allocations that C code of given modules asks for, one at a time, and counts the blocks that are in use.
 * Functions of Python's that need memory now and then, and find it in their free lists otherwise, are refused as a whole.
 *
 * A place is a chain of return addresses through those modules, up to the first that is not in them, and how many allocations of the
 * same call came from there before (the third and later ones are one place). An allocation below another frame of the interpreter is not
 * theirs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

enum { MOST_FRAMES = 40, MOST_MODULES = 4, ROOM = 1 << 18 };
typedef struct {
    uintptr_t from, to;
} range_t;

static range_t modules[MOST_MODULES], interpreter, loader; /* the loader aborts without memory for variables of threads */
static int n_modules;
static uint64_t known[ROOM]; /* places that were refused, by their hash */
static long in_use;
static __thread int inside;
static int armed;
static uint64_t wanted, refused; /* the only place to refuse, or 0; the one that was */
static struct { uint64_t place; int times; } met[512];
static uintptr_t chain[MOST_FRAMES + 1]; /* of the place that was asked for last, ended by 0 */

static int within(range_t range, uintptr_t address) { return address >= range.from && address < range.to; }

static int ours(uintptr_t address) {
    for (int i = 0; i < n_modules; i++)
        if (within(modules[i], address)) return 1;
    return 0;
}

/* The place of the allocation that is being made, or 0: it is not the modules'. */
static uint64_t place(void) {
    void *frames[MOST_FRAMES];
    int n = backtrace(frames, MOST_FRAMES), i = 2;
    while (i < n && !ours((uintptr_t)frames[i]))
        if (within(interpreter, (uintptr_t)frames[i]) || within(loader, (uintptr_t)frames[i++])) return 0;
    uint64_t hash = 0;
    int length = 0;
    for (; i < n && ours((uintptr_t)frames[i]); i++) {
        hash = (hash ^ (uintptr_t)frames[i]) * 0x9E3779B97F4A7C15u + 1;
        chain[length++] = (uintptr_t)frames[i];
    }
    chain[length] = 0;
    if (!hash) return 0;
    for (uint64_t k = hash >> 9;; k++) {
        typeof(met[0]) *m = &met[k % 512];
        if (m->place && m->place != hash) continue;
        m->place = hash;
        if (m->times < 2) m->times++;
        return hash + (uint64_t)m->times;
    }
}

static int is_new(uint64_t hash) {
    for (uint64_t k = hash >> 11;; k++) {
        uint64_t *slot = &known[k % ROOM];
        if (*slot == hash) return 0;
        if (*slot) continue;
        *slot = hash;
        return 1;
    }
}

static int refuse(void) {
    if (!armed || inside) return 0;
    inside = 1;
    uint64_t hash = place();
    int now = hash && (wanted ? wanted == hash : is_new(hash));
    inside = 0;
    if (!now) return 0;
    armed = 0;
    refused = hash;
    return 1;
}

static void *counted(void *made) {
    if (made) __atomic_fetch_add(&in_use, 1, __ATOMIC_RELAXED);
    return made;
}

void *malloc(size_t size) { return refuse() ? NULL : counted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return refuse() ? NULL : counted(__libc_calloc(count, size)); }
void *realloc(void *old, size_t size) {
    if (refuse()) return NULL;
    void *made = __libc_realloc(old, size);
    return old ? made : counted(made);
}
void *aligned_alloc(size_t alignment, size_t size) { return refuse() ? NULL : counted(__libc_memalign(alignment, size)); }
int posix_memalign(void **to, size_t alignment, size_t size) {
    void *made = refuse() ? NULL : counted(__libc_memalign(alignment, size));
    if (made) *to = made;
    return made ? 0 : ENOMEM;
}
void free(void *block) {
    if (block) __atomic_fetch_sub(&in_use, 1, __ATOMIC_RELAXED);
    __libc_free(block);
}

/* ---- functions of Python's, as far as the modules call them ---- */
typedef void object;

extern void *PyErr_NoMemory(void);

static void *next(const char *name, void **kept) {
    if (!*kept) *kept = dlsym(RTLD_NEXT, name);
    return *kept;
}

#define UNLESS_REFUSED(...) UNLESS_REFUSED_(__VA_ARGS__)
#define UNLESS_REFUSED_(result, failed, name, parameters, arguments)                                            \
    result name parameters {                                                                                    \
        static void *kept;                                                                                      \
        if (armed && ours((uintptr_t)__builtin_return_address(0)) && refuse()) return PyErr_NoMemory(), failed; \
        return ((result(*) parameters)next(#name, &kept))arguments;                                             \
    }
#define POINTER(name, ...) UNLESS_REFUSED(object *, NULL, name, __VA_ARGS__)
#define NUMBER(name, ...) UNLESS_REFUSED(int, -1, name, __VA_ARGS__)
#define ONE (object *a), (a)
#define TWO (object *a, object *b), (a, b)
#define THREE (object *a, object *b, object *c), (a, b, c)

POINTER(PyTuple_New, (ssize_t n), (n))
POINTER(PyList_New, (ssize_t n), (n))
POINTER(PyDict_New, (void), ())
POINTER(PySet_New, ONE)
POINTER(PyDict_Values, ONE)
POINTER(PyDict_GetItemWithError, TWO)
POINTER(PyLong_FromVoidPtr, ONE)
POINTER(PyLong_FromLong, (long n), (n))
POINTER(PyLong_FromSsize_t, (ssize_t n), (n))
POINTER(PyLong_FromLongLong, (long long n), (n))
POINTER(PyFloat_FromDouble, (double n), (n))
POINTER(PyUnicode_InternFromString, ONE)
POINTER(PyUnicode_FromString, ONE)
POINTER(PyImport_ImportModule, ONE)
POINTER(PyObject_GetAttr, TWO)
POINTER(PyObject_GetAttrString, TWO)
POINTER(PyObject_GetItem, TWO)
POINTER(PyObject_CallNoArgs, ONE)
POINTER(PyObject_CallOneArg, TWO)
POINTER(PyObject_Call, THREE)
POINTER(PyObject_Vectorcall, (object *f, object *a, size_t n, object *k), (f, a, n, k))
POINTER(PyObject_VectorcallMethod, (object *f, object *a, size_t n, object *k), (f, a, n, k))
POINTER(PySequence_GetItem, (object *a, ssize_t n), (a, n))
POINTER(PySequence_Concat, TWO)
POINTER(PySequence_Tuple, ONE)
POINTER(PySequence_Fast, TWO)
POINTER(PyNumber_Add, TWO)
POINTER(PyNumber_InPlaceAdd, TWO)
POINTER(PyMethod_New, TWO)
POINTER(PyType_FromSpec, ONE)
POINTER(PyModule_Create2, (object *a, int n), (a, n))
POINTER(PyCapsule_New, THREE)
NUMBER(PyList_Append, TWO)
NUMBER(PyList_SetSlice, (object *a, ssize_t m, ssize_t n, object *b), (a, m, n, b))
NUMBER(PyDict_SetItem, THREE)
NUMBER(PyDict_SetItemString, THREE)
NUMBER(PyDict_DelItem, TWO)
NUMBER(PySet_Add, TWO)
NUMBER(PySet_Contains, TWO)
NUMBER(PySequence_Contains, TWO)
NUMBER(PyObject_RichCompareBool, (object *a, object *b, int n), (a, b, n))
NUMBER(PyObject_SetAttrString, THREE)
NUMBER(PyObject_GenericSetAttr, THREE)
NUMBER(PyType_Ready, ONE)
NUMBER(PyModule_AddType, TWO)
NUMBER(PyModule_AddObjectRef, THREE)
NUMBER(PyModule_AddStringConstant, THREE)
NUMBER(PyModule_AddFunctions, TWO)

object *_Py_BuildValue_SizeT(const char *format, ...) {
    static void *kept;
    int gives_away = 0; /* a reference for N: to fail before it is taken would lose it */
    for (const char *c = format; *c; c++) gives_away |= *c == 'N';
    if (armed && !gives_away && ours((uintptr_t)__builtin_return_address(0)) && refuse()) return PyErr_NoMemory();
    va_list values;
    va_start(values, format);
    object *made = ((object * (*)(const char *, va_list)) next("_Py_VaBuildValue_SizeT", &kept))(format, values);
    va_end(values);
    return made;
}

/* ---- what refusing.py calls ---- */
void refusing_module(uintptr_t from, uintptr_t to) { modules[n_modules++] = (range_t){from, to}; }
void refusing_loader(uintptr_t from, uintptr_t to) { loader = (range_t){from, to}; }
uintptr_t refusing_frame(int number) { return chain[number]; }

/* Find the interpreter's loop, and let backtrace() load what it needs. */
int refusing_start(void) {
    Dl_info info;
    const ElfW(Sym) *symbol;
    void *frames[4], *loop = dlsym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault");
    backtrace(frames, 4);
    if (!loop || !dladdr1(loop, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) return -1;
    interpreter = (range_t){(uintptr_t)loop, (uintptr_t)loop + symbol->st_size};
    return 0;
}

/* From now on refuse the allocation at a place; at 0 at the first that was never refused. */
void refusing_arm(uint64_t at) {
    for (int i = 0; i < 512; i++) met[i].place = 0, met[i].times = 0;
    wanted = at;
    refused = 0;
    armed = 1;
}

/* Refuse nothing any more; the place that was refused, or 0. */
uint64_t refusing_disarm(void) {
    armed = 0;
    return refused;
}

long refusing_in_use(void) { return in_use; }
