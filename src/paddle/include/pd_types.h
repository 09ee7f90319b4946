/* Lists and texts that functions of the C inference API give and take. */
#ifndef PD_TYPES_H
#define PD_TYPES_H

#include "pd_common.h"

typedef struct PD_OneDimArrayInt32 {
    size_t size;
    int32_t *data;
} PD_OneDimArrayInt32;

typedef struct PD_OneDimArraySize {
    size_t size;
    size_t *data;
} PD_OneDimArraySize;

typedef struct PD_OneDimArrayInt64 {
    size_t size;
    int64_t *data;
} PD_OneDimArrayInt64;

typedef struct PD_OneDimArrayCstr {
    size_t size;
    char **data;
} PD_OneDimArrayCstr;

typedef struct PD_Cstr {
    size_t size; /* with the 0 at the end */
    char *data;
} PD_Cstr;

typedef struct PD_TwoDimArraySize {
    size_t size;
    PD_OneDimArraySize **data;
} PD_TwoDimArraySize;

typedef struct PD_IOInfo {
    PD_Cstr *name;
    PD_OneDimArrayInt64 *shape;
    PD_DataType dtype;
} PD_IOInfo;

typedef struct PD_IOInfos {
    size_t size;
    PD_IOInfo **io_info;
} PD_IOInfos;

#endif
