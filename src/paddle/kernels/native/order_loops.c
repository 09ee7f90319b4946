/* Sorting rows, and their first few elements in order: the loops. */
#include "order.h"

#include "thresholds.h"

enum { ORDER_BLOCK = 32 }; /* elements that are looked at together */

#define BODY "order_blocks.inc"
#define BODY_TYPES 2
#include "multiversion.h"
#undef BODY
#define BODY "order.inc"
#include "oneversion.h"
