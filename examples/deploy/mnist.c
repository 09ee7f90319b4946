/* Runs the LeNet that train.py saved on the test images, without Python.
 *
 *     cc mnist.c -I$(python -c 'import paddle; print(paddle.sysconfig.get_include())') \
 *        -L$(python -c 'import paddle; print(paddle.sysconfig.get_lib())') -lpaddle_inference_c -o mnist
 *     ./mnist folder
 */
#include <math.h>
#include <pd_inference_api.h>
#include <stdlib.h>
#include <string.h>

enum { PIXELS = 28 * 28, CLASSES = 10 };

static void *read_all(const char *folder, const char *name, size_t *size) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(*size + 1);
    if (bytes && fread(bytes, 1, *size, file) != *size) *size = 0;
    fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : ".";
    char program[1024], parameters[1024];
    size_t image_bytes = 0, label_bytes = 0, score_bytes = 0;
    float *images = read_all(folder, "images.bin", &image_bytes), *expected = read_all(folder, "scores.bin", &score_bytes);
    int64_t *labels = read_all(folder, "labels.bin", &label_bytes);
    if (!images || !expected || !labels) {
        fprintf(stderr, "%s does not hold what train.py writes\n", folder);
        return 1;
    }
    snprintf(program, sizeof program, "%s/lenet.pdmodel", folder);
    snprintf(parameters, sizeof parameters, "%s/lenet.pdiparams", folder);

    PD_Config *config = PD_ConfigCreate();
    PD_ConfigSetModel(config, program, parameters);
    PD_Predictor *predictor = PD_PredictorCreate(config);
    if (!predictor) {
        fprintf(stderr, "%s\n", PD_GetLastError());
        return 1;
    }
    PD_OneDimArrayCstr *inputs = PD_PredictorGetInputNames(predictor), *outputs = PD_PredictorGetOutputNames(predictor);
    PD_Tensor *input = PD_PredictorGetInputHandle(predictor, inputs->data[0]);
    PD_Tensor *output = PD_PredictorGetOutputHandle(predictor, outputs->data[0]);

    int32_t count = (int32_t)(label_bytes / sizeof *labels), batch = 100, right = 0;
    float scores[100 * CLASSES], largest = 0, difference = 0;
    for (int32_t begin = 0; begin < count; begin += batch) {
        int32_t n = count - begin < batch ? count - begin : batch, shape[4] = {n, 1, 28, 28};
        PD_TensorReshape(input, 4, shape);
        PD_TensorCopyFromCpuFloat(input, images + (size_t)begin * PIXELS);
        if (!PD_PredictorRun(predictor)) {
            fprintf(stderr, "%s\n", PD_GetLastError());
            return 1;
        }
        PD_TensorCopyToCpuFloat(output, scores);
        for (int32_t i = 0; i < n; i++) {
            int best = 0;
            for (int k = 0; k < CLASSES; k++) {
                float want = expected[(size_t)(begin + i) * CLASSES + (size_t)k];
                if (scores[i * CLASSES + k] > scores[i * CLASSES + best]) best = k;
                largest = fmaxf(largest, fabsf(want));
                difference = fmaxf(difference, fabsf(scores[i * CLASSES + k] - want));
            }
            right += best == labels[begin + i];
        }
    }
    printf("accuracy %.4f, largest difference from Python %.1e of %.1f\n", (double)right / count, (double)difference, (double)largest);

    PD_TensorDestroy(input);
    PD_TensorDestroy(output);
    PD_OneDimArrayCstrDestroy(inputs);
    PD_OneDimArrayCstrDestroy(outputs);
    PD_PredictorDestroy(predictor);
    free(images);
    free(expected);
    free(labels);
    return 0;
}
