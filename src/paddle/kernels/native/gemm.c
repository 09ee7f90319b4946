/* Matrix products. */
#include "args.h"
PyMethodDef gemm_methods[] = {{0}};
