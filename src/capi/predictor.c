/* Predictors. */
#include "small.h"

#include "predictor.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "load.h"

#define VERSION "2.6.2" /* of the API */

const char *PD_GetVersion(void) { return "version: " VERSION "\nlibrary: dygraph\n"; }

#define CHECK(...)                                   \
    if (!p) {                                        \
        fail("%s: the predictor is NULL", __func__); \
        return __VA_ARGS__;                          \
    }

/* ---- making ---- */

static pthread_once_t started = PTHREAD_ONCE_INIT;
static int unknown_isa;

static void start_library(void) {
    const char *wish = getenv("PADDLE_NATIVE_ISA");
    native_isa = isa_detect(2);
    unknown_isa = wish && *wish && isa_choose(wish);
    threads_start();
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    threads_set(processors > 0 ? (int)processors : 1);
}

static program_t *read_model(const PD_Config *c) {
    program_t *program = NULL;
    int status = 0;
    if (c->from_memory) {
        program = load_program("the program", c->prog_buffer, c->prog_size);
        if (program && parameter_count(program)) status = program_read_combined(program, c->params_buffer, c->params_size);
    } else if (c->prog_file && c->prog_file[0]) {
        program = load_program_file(c->prog_file);
        if (program) status = load_parameter_file(program, c->params_file);
    } else if (c->model_dir) {
        char path[PATH_ROOM];
        if (join_path(path, c->model_dir, "__model__")) return NULL;
        program = load_program_file(path);
        if (program) status = load_parameter_folder(program, c->model_dir);
    } else {
        fail("the configuration names no model");
    }
    if (!program || !status) return program;
    program_release(program);
    return NULL;
}

static PD_Predictor *new_predictor(program_t *program, int threads, int profile) {
    PD_Predictor *p = calloc(1, sizeof *p);
    if (p) {
        p->run = (run_t){.program = program, .memory = memory_new(), .values = calloc((size_t)program->var_count + 1, sizeof(value_t))};
        p->feeds = calloc((size_t)program->feed_count + 1, sizeof *p->feeds);
        p->threads = threads;
        p->profile = profile;
        if (p->run.memory && p->run.values && p->feeds) {
            for (int i = 0; i < program->feed_count; i++) p->feeds[i].ndim = -1;
            atomic_fetch_add(&program->references, 1);
            return p;
        }
        memory_delete(p->run.memory);
        free(p->run.values);
        free(p->feeds);
        free(p);
    }
    fail_memory();
    return NULL;
}

PD_Predictor *PD_PredictorCreate(PD_Config *config) {
    if (!config) {
        fail("PD_PredictorCreate: the configuration is NULL");
        return NULL;
    }
    pthread_once(&started, start_library);
    clear_error();
    if (config->invalid) fail("PD_PredictorCreate: the configuration was declared invalid");
    else if (native_isa < 0) fail("PD_PredictorCreate: the library was compiled for another processor alone");
    else if (unknown_isa) fail("PADDLE_NATIVE_ISA must be base, avx2 or avx512");
    program_t *program = config->invalid || native_isa < 0 || unknown_isa ? NULL : read_model(config);
    int passes = 0;
    for (int i = 0; i < PASS_COUNT; i++) passes |= config->ir_optim && !config->no_passes[i] ? 1 << i : 0;
    int ready = program && !program_prepare(program, passes);
    PD_Predictor *p = ready ? new_predictor(program, config->threads, config->profile) : NULL;
    program_release(program);
    if (p && config->wishes[0] && !config->silent)
        fprintf(stderr, "dygraph: the model runs on the CPU without %s, which this library does not have\n", config->wishes);
    PD_ConfigDestroy(config);
    return p;
}

PD_Predictor *PD_PredictorClone(PD_Predictor *p) {
    CHECK(NULL)
    clear_error();
    return new_predictor(p->run.program, p->threads, p->profile);
}

void PD_PredictorDestroy(PD_Predictor *p) {
    if (!p) return;
    run_clear(&p->run);
    for (int i = 0; i < p->run.program->feed_count; i++) {
        tensor_drop(&p->run.values[p->run.program->feeds[i]].tensor);
        PD_TwoDimArraySizeDestroy(p->feeds[i].lod);
    }
    memory_delete(p->run.memory);
    free(p->run.values);
    free(p->feeds);
    program_release(p->run.program);
    free(p);
}

/* ---- running ---- */

/* Offsets that the caller has set, checked: they begin with 0, do not fall, and each level ends where the next has its sequences. */
static int take_lod(PD_Predictor *p, int column) {
    const PD_TwoDimArraySize *given = p->feeds[column].lod;
    tensor_t *t = &p->run.values[p->run.program->feeds[column]].tensor;
    const char *name = p->run.program->vars[p->run.program->feeds[column]].name;
    index_t counts[MAX_LEVELS];
    tensor_set_lod(t, NULL);
    if (!given || !given->size) return 0;
    if (given->size > MAX_LEVELS) return fail("input %s: sequences can have %d levels, not %zu", name, MAX_LEVELS, given->size);
    for (size_t i = 0; i < given->size; i++) counts[i] = (index_t)given->data[i]->size;
    lod_t *lod = lod_new((int)given->size, counts);
    if (!lod) return -1;
    int good = t->ndim > 0;
    for (size_t i = 0; good && i < given->size; i++) {
        size_t last = i + 1 < given->size ? given->data[i + 1]->size - 1 : (size_t)t->dims[0];
        const size_t *from = given->data[i]->data;
        good = counts[i] > 0 && from[0] == 0 && from[counts[i] - 1] == last;
        for (index_t k = 0; good && k < counts[i]; k++) {
            good = !k || from[k] >= from[k - 1];
            lod->offsets[i][k] = (index_t)from[k];
        }
    }
    tensor_set_lod(t, lod);
    p->run.sequences = 1;
    return good ? 0 : fail("input %s: the offsets of its sequences don't fit its rows", name);
}

static int run_program(PD_Predictor *p) {
    const program_t *program = p->run.program;
    run_clear(&p->run);
    p->run.sequences = 0;
    for (int i = 0; i < program->feed_count; i++)
        if (!p->run.values[program->feeds[i]].tensor.data)
            return fail("input %s has no value; set it before each first run", program->vars[program->feeds[i]].name);
    for (int i = 0; i < program->feed_count; i++)
        if (take_lod(p, i)) return -1;
    return run_block(&p->run, 0);
}

PD_Bool PD_PredictorRun(PD_Predictor *p) {
    struct timespec begin, end;
    CHECK(FALSE)
    clear_error();
    int limit = threads_limit(p->threads);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    int status = run_program(p);
    clock_gettime(CLOCK_MONOTONIC, &end);
    threads_limit(limit);
    if (p->profile && !status)
        fprintf(stderr, "dygraph: run of %d operators: %.3f ms\n", p->run.program->blocks[0].op_count,
                (double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) * 1e-6);
    if (status) run_clear(&p->run);
    return status ? FALSE : TRUE;
}

void PD_PredictorClearIntermediateTensor(PD_Predictor *p) {
    CHECK()
    for (int i = 0; i < p->run.program->var_count; i++) { /* all that is neither an input nor an output */
        int kept = 0;
        for (int k = 0; k < p->run.program->feed_count; k++) kept |= p->run.program->feeds[k] == i;
        for (int k = 0; k < p->run.program->fetch_count; k++) kept |= p->run.program->fetches[k] == i;
        if (!kept) tensor_drop(&p->run.values[i].tensor);
    }
}

uint64_t PD_PredictorTryShrinkMemory(PD_Predictor *p) {
    CHECK(0)
    uint64_t bytes = memory_waiting(p->run.memory);
    memory_trim(p->run.memory);
    return bytes;
}

/* ---- inputs and outputs ---- */

size_t PD_PredictorGetInputNum(PD_Predictor *p) {
    CHECK(0)
    return (size_t)p->run.program->feed_count;
}

size_t PD_PredictorGetOutputNum(PD_Predictor *p) {
    CHECK(0)
    return (size_t)p->run.program->fetch_count;
}

static PD_OneDimArrayCstr *names_of(const program_t *program, const int *vars, int count) {
    const char **names = malloc(((size_t)count + 1) * sizeof *names);
    if (!names) {
        fail_memory();
        return NULL;
    }
    for (int i = 0; i < count; i++) names[i] = program->vars[vars[i]].name;
    PD_OneDimArrayCstr *array = make_names((size_t)count, names);
    free(names);
    return array;
}

PD_OneDimArrayCstr *PD_PredictorGetInputNames(PD_Predictor *p) {
    CHECK(NULL)
    return names_of(p->run.program, p->run.program->feeds, p->run.program->feed_count);
}

PD_OneDimArrayCstr *PD_PredictorGetOutputNames(PD_Predictor *p) {
    CHECK(NULL)
    return names_of(p->run.program, p->run.program->fetches, p->run.program->fetch_count);
}

static PD_DataType data_type(dtype_t dtype) {
    return dtype == TYPE_FLOAT32 ? PD_DATA_FLOAT32 : dtype == TYPE_INT32 ? PD_DATA_INT32 : dtype == TYPE_INT64 ? PD_DATA_INT64
           : dtype == TYPE_UINT8 ? PD_DATA_UINT8 : dtype == TYPE_INT8 ? PD_DATA_INT8 : PD_DATA_UNK;
}

static PD_IOInfo *info_of(const var_t *var) {
    PD_IOInfo *info = calloc(1, sizeof *info);
    if (!info) return NULL;
    info->name = make_text(var->name);
    info->shape = calloc(1, sizeof *info->shape);
    if (info->shape) info->shape->data = calloc((size_t)var->ndim + 1, sizeof *info->shape->data);
    if (!info->name || !info->shape || !info->shape->data) {
        PD_IOInfoDestroy(info);
        return NULL;
    }
    for (int i = 0; i < var->ndim; i++) info->shape->data[i] = var->dims[i];
    info->shape->size = (size_t)var->ndim;
    info->dtype = data_type(var->dtype);
    return info;
}

static PD_IOInfos *infos_of(const program_t *program, const int *vars, int count) {
    PD_IOInfos *infos = calloc(1, sizeof *infos);
    if (infos) infos->io_info = calloc((size_t)count + 1, sizeof *infos->io_info);
    for (int i = 0; infos && infos->io_info && i < count; i++) {
        if (!(infos->io_info[i] = info_of(&program->vars[vars[i]]))) break;
        infos->size++;
    }
    if (infos && infos->io_info && infos->size == (size_t)count) return infos;
    PD_IOInfosDestroy(infos);
    fail_memory();
    return NULL;
}

PD_IOInfos *PD_PredictorGetInputInfos(PD_Predictor *p) {
    CHECK(NULL)
    return infos_of(p->run.program, p->run.program->feeds, p->run.program->feed_count);
}

PD_IOInfos *PD_PredictorGetOutputInfos(PD_Predictor *p) {
    CHECK(NULL)
    return infos_of(p->run.program, p->run.program->fetches, p->run.program->fetch_count);
}

static PD_Tensor *handle_of(PD_Predictor *p, const char *name, int input) {
    const program_t *program = p->run.program;
    const int *vars = input ? program->feeds : program->fetches;
    int count = input ? program->feed_count : program->fetch_count;
    for (int i = 0; name && i < count; i++) {
        if (strcmp(program->vars[vars[i]].name, name)) continue;
        PD_Tensor *handle = malloc(sizeof *handle);
        if (!handle) fail_memory();
        else *handle = (PD_Tensor){.predictor = p, .var = vars[i], .column = input ? i : -1};
        return handle;
    }
    fail("the model has no %s named %s", input ? "input" : "output", name ? name : "(NULL)");
    return NULL;
}

PD_Tensor *PD_PredictorGetInputHandle(PD_Predictor *p, const char *name) {
    CHECK(NULL)
    return handle_of(p, name, 1);
}

PD_Tensor *PD_PredictorGetOutputHandle(PD_Predictor *p, const char *name) {
    CHECK(NULL)
    return handle_of(p, name, 0);
}
