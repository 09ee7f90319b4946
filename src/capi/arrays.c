/* Lists and texts that are given to the caller, and their destroyers. */
#include "small.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "program.h"

static char *copy_text(const char *text) {
    size_t length = strlen(text) + 1;
    char *copy = malloc(length);
    if (copy) memcpy(copy, text, length);
    else fail_memory();
    return copy;
}

PD_OneDimArrayCstr *make_names(size_t count, const char *const *names) {
    PD_OneDimArrayCstr *array = calloc(1, sizeof *array);
    if (array) array->data = calloc(count + 1, sizeof *array->data);
    if (!array || !array->data) {
        fail_memory();
        free(array);
        return NULL;
    }
    for (; array->size < count; array->size++)
        if (!(array->data[array->size] = copy_text(names[array->size]))) {
            PD_OneDimArrayCstrDestroy(array);
            return NULL;
        }
    return array;
}

PD_Cstr *make_text(const char *text) {
    PD_Cstr *cstr = calloc(1, sizeof *cstr);
    if (cstr) cstr->data = copy_text(text);
    if (cstr && cstr->data) {
        cstr->size = strlen(text) + 1;
        return cstr;
    }
    free(cstr);
    return NULL;
}

#define DESTROY(type)                      \
    void type##Destroy(type *array) {      \
        if (!array) return;                \
        free(array->data);                 \
        free(array);                       \
    }
DESTROY(PD_OneDimArrayInt32)
DESTROY(PD_OneDimArrayInt64)
DESTROY(PD_OneDimArraySize)
DESTROY(PD_Cstr)

void PD_OneDimArrayCstrDestroy(PD_OneDimArrayCstr *array) {
    for (size_t i = 0; array && i < array->size; i++) free(array->data[i]);
    if (array) free(array->data);
    free(array);
}

void PD_TwoDimArraySizeDestroy(PD_TwoDimArraySize *array) {
    for (size_t i = 0; array && i < array->size; i++) PD_OneDimArraySizeDestroy(array->data[i]);
    if (array) free(array->data);
    free(array);
}

void PD_IOInfoDestroy(PD_IOInfo *info) {
    if (!info) return;
    PD_CstrDestroy(info->name);
    PD_OneDimArrayInt64Destroy(info->shape);
    free(info);
}

void PD_IOInfosDestroy(PD_IOInfos *infos) {
    for (size_t i = 0; infos && i < infos->size; i++) PD_IOInfoDestroy(infos->io_info[i]);
    if (infos) free(infos->io_info);
    free(infos);
}

PD_OneDimArrayCstr *PD_GetOperatorNames(void) {
    int count = operator_names(NULL, 0);
    const char **names = malloc((size_t)count * sizeof *names);
    if (!names) {
        fail_memory();
        return NULL;
    }
    operator_names(names, count);
    PD_OneDimArrayCstr *array = make_names((size_t)count, names);
    free(names);
    return array;
}

const char *PD_GetLastError(void) { return last_error(); }
