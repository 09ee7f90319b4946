/* Basics of the C inference API: how functions are exported, truth values, enumerations. */
#ifndef PD_COMMON_H
#define PD_COMMON_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PADDLE_CAPI_EXPORT __attribute__((visibility("default")))

/* Who owns what is passed: the caller gets it, loses it, keeps it. */
#ifndef __pd_give
#define __pd_give
#endif
#ifndef __pd_take
#define __pd_take
#endif
#ifndef __pd_keep
#define __pd_keep
#endif

typedef int8_t PD_Bool;
#ifndef TRUE
#define TRUE 1
#endif
#ifndef FALSE
#define FALSE 0
#endif

typedef int32_t PD_PrecisionType;
enum { PD_PRECISION_FLOAT32 = 0, PD_PRECISION_INT8 = 1, PD_PRECISION_HALF = 2 };

typedef int32_t PD_PlaceType;
enum { PD_PLACE_UNK = -1, PD_PLACE_CPU = 0, PD_PLACE_GPU = 1, PD_PLACE_XPU = 2, PD_PLACE_CUSTOM = 3 };

typedef int32_t PD_DataType;
enum { PD_DATA_UNK = -1, PD_DATA_FLOAT32 = 0, PD_DATA_INT32 = 1, PD_DATA_INT64 = 2, PD_DATA_UINT8 = 3, PD_DATA_INT8 = 4 };

#ifdef __cplusplus
extern "C" {
#endif

/* DyGraph's own: what went wrong in the last call of this thread that failed; "" if none did. The text is valid until the next
 * call. Functions that fail return NULL, FALSE, 0 or do nothing; none of them ends the process. */
PADDLE_CAPI_EXPORT extern const char *PD_GetLastError(void);

#ifdef __cplusplus
}
#endif

#endif
