/* The register tile for every instruction set. */
#include "tile.h"
#define BODY "tile.inc"
#define BODY_TYPES 2
#include "multiversion.h"
