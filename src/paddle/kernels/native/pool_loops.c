/* Pooling: the loops. */
#include "pool.h"
#define BODY "pool.inc"
#define BODY_TYPES 2
#include "multiversion.h"
