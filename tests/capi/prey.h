/* What the attacks on the library share: numbers drawn from a seed, files, and inputs for any model. */
#include <math.h>
#include <pd_inference_api.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint32_t draw(uint32_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return limit ? (uint32_t)(state >> 33) % limit : 0;
}

static char *read_all(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    *size = 0;
    if (!file) return calloc(1, 1);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    if (fread(bytes, 1, *size, file) != *size) *size = 0;
    fclose(file);
    return bytes;
}

/* Sequences over the rows of an input: offsets that rise from 0 to them, now and then others. */
static void set_sequences(PD_Tensor *input, size_t rows) {
    size_t ends[5] = {0, rows / 3, rows / 2, rows / 2, rows}, outer[3] = {0, 1, 4};
    if (draw(5) == 0) ends[draw(5)] = draw(9);
    if (draw(5) == 0) outer[draw(3)] = draw(9);
    PD_OneDimArraySize levels[2] = {{3, outer}, {5, ends}}, *items[2] = {&levels[0], &levels[1]};
    int two = draw(3) == 0;
    PD_TwoDimArraySize lod = {two ? 2 : 1, two ? items : items + 1};
    PD_TensorSetLod(input, &lod);
}

/* Sizes as the program says, or now and then others; elements that are small numbers, or now and then awkward ones. */
static void feed(PD_Predictor *predictor) {
    static const float floats_awkward[] = {0, -1, 1e30f, -1e30f, 1e-40f, INFINITY, -INFINITY, NAN};
    static const int64_t longs_awkward[] = {-1, -2, 5, 100, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX};
    int other_sizes = draw(4) == 0, other_values = draw(4) == 0, sequences = draw(3) == 0;
    PD_IOInfos *infos = PD_PredictorGetInputInfos(predictor);
    for (size_t i = 0; infos && i < infos->size; i++) {
        PD_Tensor *input = PD_PredictorGetInputHandle(predictor, infos->io_info[i]->name->data);
        int32_t shape[64];
        size_t axes = infos->io_info[i]->shape->size, count = 1;
        if (other_sizes && draw(3) == 0) axes = draw(6);
        if (axes > 64) axes = 64;
        for (size_t k = 0; k < axes; k++) {
            int64_t size = k < infos->io_info[i]->shape->size ? infos->io_info[i]->shape->data[k] : 3;
            shape[k] = size < 0 || size > 64 ? 2 : (int32_t)size;
            if (other_sizes && draw(3) == 0) shape[k] = (int32_t)draw(9);
            count *= (size_t)shape[k];
            if (count > 1 << 20) shape[k] = 1, count = 1;
        }
        PD_TensorReshape(input, axes, shape);
        PD_DataType type = infos->io_info[i]->dtype;
        float *floats = type == PD_DATA_FLOAT32 ? PD_TensorMutableDataFloat(input, PD_PLACE_CPU) : NULL;
        int64_t *longs = type == PD_DATA_INT64 ? PD_TensorMutableDataInt64(input, PD_PLACE_CPU) : NULL;
        int32_t *ints = type == PD_DATA_INT32 ? PD_TensorMutableDataInt32(input, PD_PLACE_CPU) : NULL;
        uint8_t *bytes = type == PD_DATA_UINT8 ? PD_TensorMutableDataUint8(input, PD_PLACE_CPU) : NULL;
        PD_OneDimArrayInt32 *real = PD_TensorGetShape(input);
        size_t all = 1;
        for (size_t k = 0; real && k < real->size; k++) all *= (size_t)real->data[k];
        for (size_t k = 0; k < all; k++) {
            int odd = other_values && draw(2);
            if (floats) floats[k] = odd ? floats_awkward[draw(8)] : (float)(k % 7) - 3;
            if (longs) longs[k] = odd ? longs_awkward[draw(8)] : (int64_t)(k % 3);
            if (ints) ints[k] = odd ? (int32_t)longs_awkward[draw(6)] : (int32_t)(k % 3);
            if (bytes) bytes[k] = (uint8_t)(odd ? draw(256) : k % 2);
        }
        if (real && real->size && (sequences || getenv("FUZZ_SEQUENCES"))) set_sequences(input, (size_t)real->data[0]);
        PD_OneDimArrayInt32Destroy(real);
        PD_TensorDestroy(input);
    }
    PD_IOInfosDestroy(infos);
}
