/* Products of rows: the loops as the C library has them, built once. */
#define _GNU_SOURCE
#include <math.h>

#include "product.h"

#define BODY "product.inc"
#include "oneversion.h"
