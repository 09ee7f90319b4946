/* Loads and runs a model over and over, each time with one allocation refused, the next one in turn. Nothing but a message may come of
 * it, and the model runs again when there is memory.
 *
 *     scarce program parameters [first]        # prints how many allocations were refused
 */
#include <errno.h>
#include <stdio.h>

#include "prey.h"

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);

static long left = -1; /* allocations until one is refused; -1: none is */
static int refused;

static int refuse(void) {
    if (left < 0 || left--) return 0;
    refused = 1;
    return 1;
}

void *malloc(size_t size) { return refuse() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return refuse() ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return refuse() ? NULL : __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) { return refuse() ? NULL : __libc_memalign(alignment, size); }
int posix_memalign(void **to, size_t alignment, size_t size) {
    void *made = refuse() ? NULL : __libc_memalign(alignment, size);
    if (made) *to = made;
    return made ? 0 : ENOMEM;
}

static int silent(const char *what, long number) {
    if (PD_GetLastError()[0]) return 0;
    printf("%s failed without a message at allocation %ld\n", what, number);
    return 1;
}

/* Load and run with allocation `number` refused; 0, or 1 if something is wrong. *ran: did it run? */
static int attempt(char **files, const size_t *sizes, long number, int *ran) {
    *ran = 0;
    refused = 0;
    left = number;
    PD_Config *config = PD_ConfigCreate();
    if (config) PD_ConfigSetModelBuffer(config, files[0], sizes[0], files[1], sizes[1]);
    PD_Predictor *predictor = config ? PD_PredictorCreate(config) : NULL;
    if (!predictor) {
        left = -1;
        return silent("loading", number);
    }
    state = 5;
    feed(predictor);
    *ran = PD_PredictorRun(predictor);
    left = -1;
    int wrong = !*ran && silent("running", number);
    if (refused && !wrong) { /* and once more, with memory */
        state = 5;
        feed(predictor);
        *ran = PD_PredictorRun(predictor);
    }
    PD_PredictorDestroy(predictor);
    return wrong;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    size_t sizes[2];
    char *files[2] = {read_all(argv[1], &sizes[0]), read_all(argv[2], &sizes[1])};
    int ran, whole;
    if (attempt(files, sizes, -1, &whole)) return 1;
    long number = argc > 3 ? atol(argv[3]) : 0;
    for (;; number++) {
        if (attempt(files, sizes, number, &ran)) return 1;
        if (!refused) break;
    }
    if (ran != whole) return printf("the last run differs from the first\n"), 1;
    printf("%ld refused, %s\n", number, whole ? "ran" : "did not run");
    free(files[0]);
    free(files[1]);
    return 0;
}
