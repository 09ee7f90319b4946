/* All operator types of the library. */
#include "small.h"

#include <stdlib.h>

#include "run.h"

#define TABLES(X)                                                                                                        \
    X(binary) X(unary) X(convolution) X(blocked) X(pooling) X(normalization) X(linear) X(shape) X(join) X(padding) X(reduction) X(creation) \
    X(index) X(control) X(recurrent) X(resize) X(quantization) X(wholes) X(detection) X(regions) X(scattering) X(contraction) \
    X(proposals) X(columns) X(diagonals) X(sequence) X(dynamic) X(labels) X(beams) X(losses) X(evaluation) \
    X(packed_boxes) X(matrices) X(older) X(complex) X(fourier) X(steps) X(attention)

#define DECLARE(name) extern const operator_t name##_operators[];
TABLES(DECLARE)
#define ENTRY(name) name##_operators,
static const operator_t *const tables[] = {TABLES(ENTRY)};

const operator_t *find_operator(const char *type) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const operator_t *o = tables[i]; o->type; o++)
            if (!strcmp(o->type, type)) return o;
    return NULL;
}

int operator_names(const char **names, int room) {
    int count = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const operator_t *o = tables[i]; o->type; o++) {
            if (o->type[0] == '@') continue; /* put in by passes: no file names it */
            if (count < room) names[count] = o->type;
            count++;
        }
    return count;
}
