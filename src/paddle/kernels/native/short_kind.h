/* Which short float an array holds. */
#ifndef PADDLE_NATIVE_SHORT_KIND_H
#define PADDLE_NATIVE_SHORT_KIND_H

#include "args.h"

/* 1 for bfloat16 (a type of the package ml-dtypes), 0 for float16, -1 with TypeError for any other. */
int short_kind(const char *function, const char *name, PyArray_Descr *descr);

#endif
