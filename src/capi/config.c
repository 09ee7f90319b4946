/* Configurations. */
#include "small.h"

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensor.h"

static const char *const pass_names[PASS_COUNT] = {"constant_folding_pass", "operator_fuse_pass"};

PD_Config *PD_ConfigCreate(void) {
    PD_Config *config = calloc(1, sizeof *config);
    if (!config) fail_memory();
    else config->threads = 1, config->ir_optim = config->fc_padding = TRUE;
    return config;
}

static void forget_buffers(PD_Config *c) {
    free(c->prog_buffer);
    free(c->params_buffer);
    c->prog_buffer = c->params_buffer = NULL;
}

void PD_ConfigDestroy(PD_Config *c) {
    if (!c) return;
    forget_buffers(c);
    free(c->model_dir);
    free(c->prog_file);
    free(c->params_file);
    free(c->cache_dir);
    free(c->shape_path);
    free(c->device_type);
    free(c);
}

static void set_text(char **to, const char *text, const char *function) {
    if (!text) {
        fail("%s: a text is missing", function);
        return;
    }
    size_t length = strlen(text) + 1;
    char *copy = malloc(length);
    if (!copy) {
        fail_memory();
        return;
    }
    memcpy(copy, text, length);
    free(*to);
    *to = copy;
}

static const char *text_of(const char *text) { return text ? text : ""; }

/* Every function starts here: a NULL configuration is refused with a message. */
#define CHECK(...)                                       \
    if (!c) {                                            \
        fail("%s: the configuration is NULL", __func__); \
        return __VA_ARGS__;                              \
    }

void config_wish(PD_Config *c, const char *what) {
    if (strstr(c->wishes, what)) return;
    size_t used = strlen(c->wishes);
    snprintf(c->wishes + used, sizeof c->wishes - used, "%s%s", used ? ", " : "", what);
}

/* ---- the model ---- */

void PD_ConfigSetModel(PD_Config *c, const char *prog_file_path, const char *params_file_path) {
    CHECK()
    set_text(&c->prog_file, prog_file_path, __func__);
    set_text(&c->params_file, params_file_path, __func__);
    free(c->model_dir);
    c->model_dir = NULL;
    c->from_memory = 0;
}

#define SET_TEXT(function, field)                  \
    void function(PD_Config *c, const char *text) { \
        CHECK()                                    \
        set_text(&c->field, text, __func__);       \
    }
SET_TEXT(PD_ConfigSetProgFile, prog_file)
SET_TEXT(PD_ConfigSetParamsFile, params_file)
SET_TEXT(PD_ConfigSetOptimCacheDir, cache_dir)

void PD_ConfigSetModelDir(PD_Config *c, const char *model_dir) {
    CHECK()
    set_text(&c->model_dir, model_dir, __func__);
    c->from_memory = 0;
}

#define GET_TEXT(function, field)          \
    const char *function(PD_Config *c) {   \
        CHECK("")                          \
        return text_of(c->field);          \
    }
GET_TEXT(PD_ConfigGetModelDir, model_dir)
GET_TEXT(PD_ConfigGetProgFile, prog_file)
GET_TEXT(PD_ConfigGetParamsFile, params_file)
GET_TEXT(PD_ConfigShapeRangeInfoPath, shape_path)

static char *copy_bytes(const char *bytes, size_t size) {
    char *copy = malloc(size ? size : 1);
    if (copy && size) memcpy(copy, bytes, size);
    return copy;
}

void PD_ConfigSetModelBuffer(PD_Config *c, const char *prog_buffer, size_t prog_buffer_size, const char *params_buffer,
                             size_t params_buffer_size) {
    CHECK()
    if ((!prog_buffer && prog_buffer_size) || (!params_buffer && params_buffer_size)) {
        fail("%s: a buffer is NULL", __func__);
        return;
    }
    forget_buffers(c);
    c->prog_buffer = copy_bytes(prog_buffer, prog_buffer_size);
    c->params_buffer = copy_bytes(params_buffer, params_buffer_size);
    c->from_memory = c->prog_buffer && c->params_buffer;
    c->prog_size = prog_buffer_size;
    c->params_size = params_buffer_size;
    if (!c->from_memory) fail_memory();
}

/* ---- settings that are numbers ---- */

#define GET(type, function, value)     \
    type function(PD_Config *c) {      \
        CHECK(0)                       \
        return (type)(value);          \
    }
#define SWITCH(function, statement)    \
    void function(PD_Config *c) {      \
        CHECK()                        \
        statement;                     \
    }

GET(PD_Bool, PD_ConfigModelFromMemory, c->from_memory)
GET(int32_t, PD_ConfigGetCpuMathLibraryNumThreads, c->threads)
GET(PD_Bool, PD_ConfigIrOptim, c->ir_optim)
GET(PD_Bool, PD_ConfigMemoryOptimEnabled, c->memory_optim)
GET(PD_Bool, PD_ConfigProfileEnabled, c->profile)
GET(PD_Bool, PD_ConfigGlogInfoDisabled, c->silent)
GET(PD_Bool, PD_ConfigIsValid, !c->invalid)
GET(PD_Bool, PD_ConfigUseFcPadding, c->fc_padding)
GET(PD_Bool, PD_ConfigMkldnnEnabled, c->mkldnn)
GET(PD_Bool, PD_ConfigMkldnnQuantizerEnabled, c->quantizer)
GET(PD_Bool, PD_ConfigMkldnnBfloat16Enabled, c->bfloat16)
GET(PD_Bool, PD_ConfigMkldnnInt8Enabled, c->int8)
GET(PD_Bool, PD_ConfigLiteEngineEnabled, c->lite)

SWITCH(PD_ConfigEnableProfile, c->profile = TRUE)
SWITCH(PD_ConfigDisableGlogInfo, c->silent = TRUE)
SWITCH(PD_ConfigSetInvalid, c->invalid = TRUE)
SWITCH(PD_ConfigDisableFCPadding, c->fc_padding = FALSE)
SWITCH(PD_ConfigEnableMKLDNN, c->mkldnn = TRUE)
SWITCH(PD_ConfigEnableMkldnnQuantizer, c->mkldnn = c->quantizer = TRUE)
SWITCH(PD_ConfigEnableMkldnnBfloat16, c->mkldnn = c->bfloat16 = TRUE)
SWITCH(PD_ConfigEnableMkldnnInt8, c->mkldnn = c->int8 = TRUE)
SWITCH(PD_ConfigPartiallyRelease, forget_buffers(c); c->from_memory = 0)

void PD_ConfigSetCpuMathLibraryNumThreads(PD_Config *c, int32_t threads) {
    CHECK()
    if (threads < 1) fail("%s: %d is not a number of threads", __func__, (int)threads);
    else c->threads = threads;
}
void PD_ConfigSwitchIrOptim(PD_Config *c, PD_Bool x) {
    CHECK()
    c->ir_optim = x;
}
void PD_ConfigEnableMemoryOptim(PD_Config *c, PD_Bool x) {
    CHECK()
    c->memory_optim = x;
}
void PD_ConfigSwitchIrDebug(PD_Config *c, PD_Bool x) {
    CHECK()
    if (x) config_wish(c, "pictures of passes");
}
void PD_ConfigSetMkldnnCacheCapacity(PD_Config *c, int32_t capacity) {
    CHECK()
    (void)capacity; /* nothing is cached by shape here */
}
void PD_ConfigSetMkldnnOp(PD_Config *c, size_t ops_num, const char **op_list) {
    CHECK()
    (void)ops_num, (void)op_list; /* all operators have one way of computing */
}
void PD_ConfigSetBfloat16Op(PD_Config *c, size_t ops_num, const char **op_list) {
    CHECK()
    (void)ops_num, (void)op_list;
    config_wish(c, "bfloat16 arithmetic");
}
void PD_ConfigEnableLiteEngine(PD_Config *c, PD_PrecisionType precision, PD_Bool zero_copy, size_t passes_filter_num,
                               const char **passes_filter, size_t ops_filter_num, const char **ops_filter) {
    CHECK()
    (void)precision, (void)zero_copy, (void)passes_filter_num, (void)passes_filter, (void)ops_filter_num, (void)ops_filter;
    c->lite = TRUE;
    config_wish(c, "Paddle Lite");
}

/* ---- passes ---- */

void PD_ConfigDeletePass(PD_Config *c, const char *pass) {
    CHECK()
    for (int i = 0; pass && i < PASS_COUNT; i++)
        if (!strcmp(pass, pass_names[i])) c->no_passes[i] = 1;
}
void PD_ConfigAppendPass(PD_Config *c, const char *pass) {
    CHECK()
    for (int i = 0; pass && i < PASS_COUNT; i++)
        if (!strcmp(pass, pass_names[i])) {
            c->no_passes[i] = 0;
            return;
        }
    fail("%s: there is no pass %s", __func__, text_of(pass));
}
void PD_ConfigInsertPass(PD_Config *c, size_t idx, const char *pass) {
    (void)idx; /* the order is fixed: one pass prepares the next */
    PD_ConfigAppendPass(c, pass);
}

PD_OneDimArrayCstr *PD_ConfigAllPasses(PD_Config *c) {
    const char *names[PASS_COUNT];
    size_t count = 0;
    CHECK(NULL)
    for (int i = 0; i < PASS_COUNT; i++)
        if (!c->no_passes[i]) names[count++] = pass_names[i];
    return make_names(count, names);
}

PD_Cstr *PD_ConfigSummary(PD_Config *c) {
    char text[2048];
    CHECK(NULL)
    snprintf(text, sizeof text,
             "model_dir     %.500s\nmodel_file    %.500s\nparams_file   %.500s\nfrom memory   %s\ncpu threads   %d\nir_optim      "
             "%s\nmemory_optim  %s\nprofile       %s\n",
             text_of(c->model_dir), text_of(c->prog_file), text_of(c->params_file), c->from_memory ? "true" : "false", c->threads,
             c->ir_optim ? "true" : "false", c->memory_optim ? "true" : "false", c->profile ? "true" : "false");
    return make_text(text);
}
