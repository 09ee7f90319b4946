/* Damages a model in many ways, loads and runs what is left. Nothing but a message may come of it.
 *
 *     make fuzz-capi            # builds this and the library with AddressSanitizer and UBSan, and runs it (capi/mutate.py)
 *     build/capi-asan/fuzz program parameters first_seed count
 */
#include <math.h>
#include <pd_inference_api.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 10, ENDLESS = 3 };

static uint64_t state;
static volatile long seed_now;

/* A damaged loop may go on for ever, which is no fault of the library: say where, so that the next run goes on behind it. */
static void endless(int signal) {
    char text[64];
    int size = snprintf(text, sizeof text, "endless %ld\n", seed_now);
    (void)signal;
    _exit(write(STDOUT_FILENO, text, (size_t)size) == size ? ENDLESS : 1);
}

static uint32_t draw(uint32_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return limit ? (uint32_t)(state >> 33) % limit : 0;
}

static char *read_all(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    *size = 0;
    if (!file) return malloc(1);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    if (fread(bytes, 1, *size, file) != *size) *size = 0;
    fclose(file);
    return bytes;
}

/* A copy with a few bytes changed, cut out, or put in. */
static char *damage(const char *bytes, size_t size, size_t *new_size) {
    char *copy = malloc(size + 64);
    memcpy(copy, bytes, size);
    *new_size = size;
    for (uint32_t changes = 1 + draw(6); size && changes; changes--) {
        size_t at = draw((uint32_t)*new_size);
        switch (draw(6)) {
        case 0: copy[at] = (char)draw(256); break;
        case 1: copy[at] ^= (char)(1 << draw(8)); break;
        case 2: copy[at] = (char)(draw(2) ? 0xff : 0x7f); break;
        case 3: copy[at] = (char)(copy[at] + 1 - 2 * (int)draw(2)); break;
        case 4:
            memmove(copy + at, copy + at + 1, *new_size - at - 1);
            --*new_size;
            break;
        default:
            if (*new_size + 1 < size + 64) {
                memmove(copy + at + 1, copy + at, *new_size - at);
                copy[at] = (char)draw(256);
                ++*new_size;
            }
        }
        if (!*new_size) break;
    }
    if (draw(20) == 0) *new_size = draw((uint32_t)*new_size + 1);
    return copy;
}

/* Sizes as the program says, or now and then others; elements that are small numbers, or now and then awkward ones. */
static void feed(PD_Predictor *predictor) {
    static const float floats_awkward[] = {0, -1, 1e30f, -1e30f, 1e-40f, INFINITY, -INFINITY, NAN};
    static const int64_t longs_awkward[] = {-1, -2, 5, 100, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX};
    int other_sizes = draw(4) == 0, other_values = draw(4) == 0;
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
        PD_OneDimArrayInt32Destroy(real);
        PD_TensorDestroy(input);
    }
    PD_IOInfosDestroy(infos);
}

int main(int argc, char **argv) {
    if (argc < 5) return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGALRM, endless);
    size_t program_size, parameter_size, size[2];
    char *program = read_all(argv[1], &program_size), *parameters = read_all(argv[2], &parameter_size);
    long first = atol(argv[3]), count = atol(argv[4]), loaded = 0, ran = 0;
    for (long seed = first; seed < first + count; seed++) {
        state = (uint64_t)seed * 0x9e3779b97f4a7c15u + 1;
        seed_now = seed;
        alarm(SECONDS);
        int which = (int)draw(5); /* 0 to 2: the program, 3: the parameters, 4: neither, only what is fed */
        char *a = which >= 3 ? memcpy(malloc(program_size + 1), program, size[0] = program_size) : damage(program, program_size, &size[0]);
        char *b = which != 3 ? memcpy(malloc(parameter_size + 1), parameters, size[1] = parameter_size) : damage(parameters, parameter_size, &size[1]);
        if (getenv("FUZZ_SEEDS")) fprintf(stderr, "%ld\n", seed);
        PD_Config *config = PD_ConfigCreate();
        PD_ConfigSwitchIrOptim(config, (PD_Bool)draw(2));
        PD_ConfigSetModelBuffer(config, a, size[0], b, size[1]);
        PD_Predictor *predictor = PD_PredictorCreate(config);
        if (predictor) {
            loaded++;
            feed(predictor);
            ran += PD_PredictorRun(predictor);
            PD_PredictorDestroy(predictor);
        } else if (!PD_GetLastError()[0]) {
            printf("seed %ld failed without a message\n", seed);
            return 1;
        }
        free(a);
        free(b);
    }
    printf("%ld mutants, %ld loaded, %ld ran\n", count, loaded, ran);
    free(program);
    free(parameters);
    return 0;
}
