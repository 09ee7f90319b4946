/* Numbers as those of steps of a scale, and back: for all elements of one scale, or one for each slice along an axis. */
#ifndef PADDLE_NATIVE_SCALE_STEPS_H
#define PADDLE_NATIVE_SCALE_STEPS_H

#include "common.h"

typedef struct {
    index_t size, inner, count; /* element i has scale number i / inner % count */
    const void *x;
    const void *scale;          /* `count` numbers of x's type; up to 1e-30 steps are counted by 1e-6 more */
    const void *shift;          /* added to steps, likewise; or NULL */
    double limit;               /* the step of a number that is as large as the scale */
    int away;                   /* halves go away from 0, and numbers beyond the scale to it; else to even numbers, from -limit - 1 */
    int bytes;                  /* from_steps of floats: x are int8 */
    int back;                   /* y is x rounded to steps, not their numbers */
    void *y;
} steps_t;

/* to_steps(s): y from x. from_steps(s): y = (x - shift) * scale / limit. NATIVE_OK or NATIVE_NO_MEMORY. NaN stays.
 * largest_magnitudes(s): y[k] of slice k, 0 for nothing; one NaN makes a NaN. */
DECLARE_VERSIONS(f32, int, to_steps, const steps_t *s);
DECLARE_VERSIONS(f64, int, to_steps, const steps_t *s);
DECLARE_VERSIONS(f32, int, from_steps, const steps_t *s);
DECLARE_VERSIONS(f64, int, from_steps, const steps_t *s);
DECLARE_VERSIONS(f32, void, largest_magnitudes, const steps_t *s);
DECLARE_VERSIONS(f64, void, largest_magnitudes, const steps_t *s);

#endif
