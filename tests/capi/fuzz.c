/* Damages a model in many ways, loads and runs what is left. Nothing but a message may come of it.
 *
 *     make fuzz-capi            # builds this and the library with AddressSanitizer and UBSan, and runs it (capi/mutate.py)
 *     build/capi-asan/fuzz program parameters first_seed count
 */
#include <signal.h>
#include <unistd.h>

#include "prey.h"

enum { SECONDS = 10, ENDLESS = 3 };

static volatile long seed_now;

/* A damaged loop may go on for ever, which is no fault of the library: say where, so that the next run goes on behind it. */
static void endless(int signal) {
    char text[64];
    int size = snprintf(text, sizeof text, "endless %ld\n", seed_now);
    (void)signal;
    _exit(write(STDOUT_FILENO, text, (size_t)size) == size ? ENDLESS : 1);
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
