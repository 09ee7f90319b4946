/* Handles of inputs and outputs: shapes and elements. */
#include "small.h"

#include <stdlib.h>

#include "predictor.h"

#define CHECK(...)                                \
    if (!t) {                                     \
        fail("%s: the tensor is NULL", __func__); \
        return __VA_ARGS__;                       \
    }

void PD_TensorDestroy(PD_Tensor *t) { free(t); }

/* What the handle stands for; NULL: it has no value yet. */
static const tensor_t *value_of(const PD_Tensor *t) { return var_tensor(&t->predictor->run, t->var); }

void PD_TensorReshape(PD_Tensor *t, size_t shape_size, int32_t *shape) {
    CHECK()
    if (t->column < 0) {
        fail("PD_TensorReshape: an output's shape can't be set");
        return;
    }
    if (shape_size > MAX_DIMS || (shape_size && !shape)) {
        fail("PD_TensorReshape: a shape is up to %d numbers and not NULL", MAX_DIMS);
        return;
    }
    feed_t *feed = &t->predictor->feeds[t->column];
    index_t dims[MAX_DIMS];
    for (size_t i = 0; i < shape_size; i++) dims[i] = shape[i];
    if (dims_size((int)shape_size, dims) < 0) return;
    feed->ndim = (int)shape_size;
    memcpy(feed->dims, dims, sizeof dims);
}

/* Room for elements of a type in the shape that was set; a tensor that has it stays where it is. */
static void *mutable_data(PD_Tensor *t, dtype_t dtype, const char *function) {
    if (t->column < 0) {
        fail("%s: an output can't be written", function);
        return NULL;
    }
    const feed_t *feed = &t->predictor->feeds[t->column];
    if (feed->ndim < 0) {
        fail("%s: set the shape with PD_TensorReshape first", function);
        return NULL;
    }
    tensor_t *now = &t->predictor->run.values[t->var].tensor;
    index_t size = dims_size(feed->ndim, feed->dims);
    if (now->data && now->dtype == dtype && now->size == size && atomic_load(&now->buffer->references) == 1) {
        tensor_reshape(now, feed->ndim, feed->dims);
        return now->data;
    }
    tensor_t fresh;
    if (tensor_new(t->predictor->run.memory, &fresh, dtype, feed->ndim, feed->dims)) return NULL;
    tensor_drop(now);
    *now = fresh;
    return now->data;
}

static void copy_in(PD_Tensor *t, dtype_t dtype, const void *data, const char *function) {
    if (!data) {
        fail("%s: the data are NULL", function);
        return;
    }
    void *room = mutable_data(t, dtype, function);
    if (room) memcpy(room, data, (size_t)t->predictor->run.values[t->var].tensor.size * type_size(dtype));
}

/* bool is what uint8 reads. */
static int is_read_as(dtype_t own, dtype_t wanted) { return own == wanted || (own == TYPE_BOOL && wanted == TYPE_UINT8); }

static const tensor_t *readable(PD_Tensor *t, dtype_t dtype, const char *function) {
    const tensor_t *value = value_of(t);
    if (value && is_read_as(value->dtype, dtype)) return value;
    if (value) fail("%s: %s holds %s", function, PD_TensorGetName(t), type_name(value->dtype));
    else fail("%s: %s has no value yet", function, PD_TensorGetName(t));
    return NULL;
}

static void *read_data(PD_Tensor *t, dtype_t dtype, PD_PlaceType *place, int32_t *size, const char *function) {
    const tensor_t *value = readable(t, dtype, function);
    if (place) *place = PD_PLACE_CPU;
    if (size) *size = value ? (int32_t)value->size : 0;
    return value ? value->data : NULL;
}

static int copy_out(PD_Tensor *t, dtype_t dtype, void *data, const char *function) {
    const tensor_t *value = readable(t, dtype, function);
    if (!value) return -1;
    if (!data) return fail("%s: the data are NULL", function);
    memcpy(data, value->data, (size_t)value->size * type_size(dtype));
    return 0;
}

#define TYPE_FUNCTIONS(name, type, dtype)                                                \
    type *PD_TensorMutableData##name(PD_Tensor *t, PD_PlaceType place) {                 \
        (void)place; /* there is one place */                                            \
        CHECK(NULL)                                                                      \
        return mutable_data(t, dtype, __func__);                                         \
    }                                                                                    \
    type *PD_TensorData##name(PD_Tensor *t, PD_PlaceType *place, int32_t *size) {        \
        CHECK(NULL)                                                                      \
        return read_data(t, dtype, place, size, __func__);                               \
    }                                                                                    \
    void PD_TensorCopyFromCpu##name(PD_Tensor *t, const type *data) {                    \
        CHECK()                                                                          \
        copy_in(t, dtype, data, __func__);                                               \
    }                                                                                    \
    void PD_TensorCopyToCpu##name(PD_Tensor *t, type *data) {                            \
        CHECK()                                                                          \
        copy_out(t, dtype, data, __func__);                                              \
    }
TYPE_FUNCTIONS(Float, float, TYPE_FLOAT32)
TYPE_FUNCTIONS(Int64, int64_t, TYPE_INT64)
TYPE_FUNCTIONS(Int32, int32_t, TYPE_INT32)
TYPE_FUNCTIONS(Uint8, uint8_t, TYPE_UINT8)
TYPE_FUNCTIONS(Int8, int8_t, TYPE_INT8)

static dtype_t type_named(const char *name) {
    dtype_t dtype = TYPE_BOOL;
    while (dtype < TYPE_NONE && !(name && !strcmp(type_name(dtype), name))) dtype++;
    if (dtype == TYPE_NONE) fail("there is no element type %s", name ? name : "(NULL)");
    return dtype;
}

PD_Bool PD_TensorCopyFromCpuNamed(PD_Tensor *t, const char *type, const void *data) {
    CHECK(FALSE)
    clear_error();
    dtype_t dtype = type_named(type);
    if (dtype != TYPE_NONE) copy_in(t, dtype, data, __func__);
    return last_error()[0] ? FALSE : TRUE;
}

PD_Bool PD_TensorCopyToCpuNamed(PD_Tensor *t, const char *type, void *data) {
    CHECK(FALSE)
    dtype_t dtype = type_named(type);
    return dtype == TYPE_NONE || copy_out(t, dtype, data, __func__) ? FALSE : TRUE;
}

const char *PD_TensorGetTypeName(PD_Tensor *t) {
    CHECK("")
    const tensor_t *value = value_of(t);
    return type_name(value ? value->dtype : t->predictor->run.program->vars[t->var].dtype);
}

PD_DataType PD_TensorGetDataType(PD_Tensor *t) {
    CHECK(PD_DATA_UNK)
    const tensor_t *value = value_of(t);
    switch (value ? value->dtype : t->predictor->run.program->vars[t->var].dtype) {
    case TYPE_FLOAT32: return PD_DATA_FLOAT32;
    case TYPE_INT32: return PD_DATA_INT32;
    case TYPE_INT64: return PD_DATA_INT64;
    case TYPE_UINT8: return PD_DATA_UINT8;
    case TYPE_INT8: return PD_DATA_INT8;
    default: return PD_DATA_UNK;
    }
}

const char *PD_TensorGetName(PD_Tensor *t) {
    CHECK("")
    return t->predictor->run.program->vars[t->var].name;
}

PD_OneDimArrayInt32 *PD_TensorGetShape(PD_Tensor *t) {
    CHECK(NULL)
    const tensor_t *value = value_of(t);
    PD_OneDimArrayInt32 *shape = calloc(1, sizeof *shape);
    if (shape) shape->data = calloc(MAX_DIMS, sizeof *shape->data);
    if (!shape || !shape->data) {
        free(shape);
        fail_memory();
        return NULL;
    }
    if (value) {
        shape->size = (size_t)value->ndim;
        for (int i = 0; i < value->ndim; i++) shape->data[i] = (int32_t)value->dims[i];
    } else if (t->column >= 0 && t->predictor->feeds[t->column].ndim >= 0) {
        shape->size = (size_t)t->predictor->feeds[t->column].ndim;
        for (size_t i = 0; i < shape->size; i++) shape->data[i] = (int32_t)t->predictor->feeds[t->column].dims[i];
    }
    return shape;
}

/* ---- offsets of sequences ---- */

static PD_TwoDimArraySize *copy_lod(const PD_TwoDimArraySize *lod) {
    PD_TwoDimArraySize *copy = calloc(1, sizeof *copy);
    if (copy) copy->data = calloc(lod ? lod->size + 1 : 1, sizeof *copy->data);
    for (size_t i = 0; copy && copy->data && lod && i < lod->size; i++) {
        const PD_OneDimArraySize *level = lod->data[i];
        PD_OneDimArraySize *own = copy->data[i] = calloc(1, sizeof *own);
        if (own) own->data = calloc(level->size + 1, sizeof *own->data);
        if (!own || !own->data) break;
        memcpy(own->data, level->data, level->size * sizeof *own->data);
        own->size = level->size;
        copy->size = i + 1;
    }
    if (copy && copy->data && copy->size == (lod ? lod->size : 0)) return copy;
    PD_TwoDimArraySizeDestroy(copy);
    fail_memory();
    return NULL;
}

void PD_TensorSetLod(PD_Tensor *t, PD_TwoDimArraySize *lod) {
    CHECK()
    if (t->column < 0) {
        fail("PD_TensorSetLod: an output's offsets can't be set");
        return;
    }
    PD_TwoDimArraySize *copy = copy_lod(lod);
    if (!copy) return;
    PD_TwoDimArraySizeDestroy(t->predictor->feeds[t->column].lod);
    t->predictor->feeds[t->column].lod = copy;
}

/* Offsets of a result in the form of the API. */
static PD_TwoDimArraySize *lod_of(const tensor_t *value) {
    PD_OneDimArraySize levels[MAX_LEVELS] = {{0}}, *pointers[MAX_LEVELS];
    PD_TwoDimArraySize all = {.size = value && value->lod ? (size_t)value->lod->levels : 0, .data = pointers};
    for (size_t i = 0; i < all.size; i++) {
        levels[i] = (PD_OneDimArraySize){.size = (size_t)value->lod->counts[i], .data = (size_t *)value->lod->offsets[i]};
        pointers[i] = &levels[i];
    }
    return copy_lod(&all);
}

PD_TwoDimArraySize *PD_TensorGetLod(PD_Tensor *t) {
    CHECK(NULL)
    return t->column < 0 ? lod_of(value_of(t)) : copy_lod(t->predictor->feeds[t->column].lod);
}
