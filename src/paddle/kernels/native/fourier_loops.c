/* Discrete Fourier transforms: the loops. */
#define _GNU_SOURCE
#include "fourier.h"

#define BODY "fourier.inc"
#define BODY_TYPES 2
#include "multiversion.h"
